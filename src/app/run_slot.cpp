#include "app/run_slot.h"

#include <algorithm>
#include <utility>

namespace helix::app {
namespace {

// To end a run costs what it has done. It is not worth that when the answer is a frame or two away, and a picture that
// moves is worth more than the newest number: so runs are ended only until the last answer is as old as a run takes.
// Then the next one is let finish, whatever comes, and a fast hand sees a new picture at least every second run.
constexpr double kSoon = 30;    // milliseconds
constexpr double kStill = 400;  // and in any case when nothing new was shown for so long
constexpr std::size_t kRemembered = 16;

}  // namespace

void RunSlot::ask(state::AppState question, bool due, double now) {
  if (asked_ && (asked_->study != question.study || asked_->model != question.model)) ignored_ = job_, took_ = 0;
  asked_ = std::move(question);
  if (!due) return;
  if (!pending_) asked_at_ = now;
  pending_ = true;
}

bool RunSlot::may_start(double now) const {
  if (answered() || sent_.empty() || job_ <= ignored_) return true;  // nothing runs that anyone waits for
  if (took_ <= 0) return false;  // the first run of a study is let finish, so that a run's length is known
  const double left = took_ - (now - sent_.back().at);
  return left > kSoon && now - answered_at_ < std::min(took_, kStill);
}

protocol::Run RunSlot::start(std::uint32_t job, double now) {
  pending_ = false;
  problem_.clear(), progress_ = {}, arrived_.reset();
  job_ = job;
  sent_.push_back({job, *asked_, now});
  if (sent_.size() > kRemembered) sent_.erase(sent_.begin());
  return {job, name_, asked_->study, asked_->model, asked_->params, asked_->subject};
}

std::uint32_t RunSlot::clear() {
  const std::uint32_t running = stop();
  asked_.reset(), problem_.clear(), progress_ = {};
  hide();
  ignored_ = job_;
  return running;
}

std::uint32_t RunSlot::stop() {
  pending_ = false;
  const std::uint32_t running = settled() ? 0 : job_;
  if (running) lose();
  return running;
}

void RunSlot::lose() {
  pending_ = false;
  answered_ = settled_ = ignored_ = job_;
  sent_.clear();
}

Expected<bool> RunSlot::take(const protocol::Finished& finished, double now, bool newest_only) {
  if (finished.job <= ignored_ || finished.job < answered_ || (newest_only && finished.job != job_)) return false;
  const auto sent = std::ranges::find(sent_, finished.job, &Sent::job);
  if (!asked_ || sent == sent_.end()) return false;
  auto result = protocol::decode(finished.result.header, finished.result.data.data(), finished.result.data.size());
  if (!result) return result.error();
  if (result->study != asked_->study) return false;
  if (answered_ != finished.job) took_ = now - sent->at, answered_at_ = now;
  answered_ = finished.job;
  if (result->complete) settled_ = finished.job;
  arrived_ = Answer{sent->question, std::move(*result)};
  sent_.erase(sent_.begin(), sent + (settled_ == finished.job ? 1 : 0));
  return true;
}

void RunSlot::fail(std::string sentence, double now) {
  answered_ = settled_ = job_;
  answered_at_ = now;
  sent_.clear();
  problem_ = std::move(sentence);
}

void RunSlot::show() {
  if (arrived_) shown_ = std::exchange(arrived_, std::nullopt);
}

const protocol::Result& RunSlot::shown() const {
  static const protocol::Result none;
  return shown_ ? shown_->result : none;
}

void RunSlot::add_note(std::string sentence) {
  if (!shown_) return;
  shown_->result.complete = true;
  auto& notes = shown_->result.notes;
  if (std::ranges::find(notes, sentence) == notes.end()) notes.push_back(std::move(sentence));
}

}  // namespace helix::app
