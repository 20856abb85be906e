// What the app requests from the engine, and how it handles the replies.
#include <algorithm>
#include <utility>

#include "app/app.h"

namespace helix::app {
namespace {

constexpr double kDimAfter = 150, kDimOver = 200;  // milliseconds
constexpr float kDimMost = 0.55f;

}  // namespace

void App::mark_run() {
  if (!models_known_) return;
  if (!run_pending_) asked_at_ = host_.now();
  run_pending_ = true;
}

void App::want_run(bool at_once) {
  mark_run();
  settle_against();
  settle_text();
  launch(at_once);
}

/// Starts the runs that are due. While a job is unanswered only the newest request is kept: a drag must not queue up.
/// Both sides of a comparison start together.
void App::launch(bool at_once) {
  if (!models_known_ || !(at_once || (answered_job_ == last_job_ && against_.idle()))) return;
  if (run_pending_) run_now();
  if (against_.pending) run_other();
}

void App::run_now() {
  run_pending_ = false;
  status_.failure.reset();
  status_.phase.clear(), status_.done = status_.total = 0;
  if (opened_model_ != state_.model) open_model();  // an engine that failed has lost its model
  last_job_ = ++jobs_;
  host_.send(protocol::Run{last_job_, kMainSlot, state_.study, state_.model, state_.params, state_.subject});
}

bool App::busy() const {
  return run_pending_ || settled_job_ != last_job_ || against_.busy() || text_.busy() || !models_known_;
}

/// The newest run has been answered; if two sides are shown, both have.
bool App::fresh() const { return answered_job_ == last_job_ && (!against_.shown || against_.idle()); }

float App::dim() const {
  if (!busy() || result_.study.empty() || fresh()) return 0;
  const double waited = host_.now() - asked_at_ - kDimAfter;
  return waited <= 0 ? 0 : kDimMost * static_cast<float>(std::min(waited / kDimOver, 1.0));
}

bool App::animating() const {
  return in_motion_ || steady_.moving(host_.now()) ||
         (busy() && !result_.study.empty() && !fresh() && dim() < kDimMost);
}

void App::stop() {
  stop_other();
  stop_text();
  if (settled_job_ == last_job_) return touch();
  host_.send(protocol::Cancel{last_job_});
  answered_job_ = settled_job_ = stopped_job_ = last_job_;
  run_pending_ = false;
  show_arrived();
  result_.complete = true;
  if (result_.study == state_.study) result_.notes.push_back("Stopped before its end.");
  touch();
}

// ---- replies

bool App::accept_main(const protocol::Finished& finished) {
  if (finished.job < answered_job_ || finished.job == stopped_job_) return false;  // of an earlier view
  if (comparing() && finished.job != last_job_) return false;                      // of an earlier pair
  auto result = protocol::decode(finished.result.header, finished.result.data.data(), finished.result.data.size());
  if (!result) {
    fail({finished.job, state_.study, result.error().sentence, true});
    return false;
  }
  if (result->study != state_.study) return false;  // the visitor has moved on
  answered_job_ = finished.job;
  if (result->complete) settled_job_ = finished.job;
  arrived_ = std::move(*result);
  return true;
}

/// Rotates the new picture to match the old one.
void App::follow() {
  const auto* space = figure::first_space(figure());
  if (!space || space->fit_to.size()) return;
  if (const auto curve = figure::curve_of(*space, state_.view)) steady_.follow(*curve), stale_ = true;
}

void App::accept(const protocol::Finished& finished) {
  if (!(finished.panel == kAgainstSlot ? accept_other(finished) : accept_main(finished))) return;
  if (show_arrived()) follow();
  if (run_pending_ || against_.pending)
    launch(false);
  else if (result_.complete)
    steady_.settle(host_.now());
  launch_text();
}

void App::fail(const protocol::Failure& failure) {
  if (failure.job != 0 && failure.job == against_.job) {
    other_failed(failure.sentence);
    return launch(false);
  }
  if (failure.job != 0 && failure.job != last_job_) return;  // superseded
  status_.failure = failure;
  if (failure.job == 0) return;
  answered_job_ = settled_job_ = failure.job;
  launch(false);
  launch_text();
}

/// How far a download or a run has come. While a model loads that is many times a second.
bool App::receive_progress(const protocol::Reply& reply) {
  if (const auto* m = std::get_if<protocol::Need>(&reply)) {
    hear_need(*m);
    return true;
  }
  const auto* m = std::get_if<protocol::Working>(&reply);
  if (!m) return false;
  if (m->job == against_.job)
    against_.phase = m->phase, against_.done = m->done, against_.total = m->total;
  else
    status_.phase = m->phase, status_.done = m->done, status_.total = m->total;
  return true;
}

void App::receive(const protocol::Reply& reply) {
  if (receive_text(reply)) return touch();
  if (receive_progress(reply)) return host_.progressed();
  if (const auto* m = std::get_if<protocol::Finished>(&reply)) accept(*m);
  if (const auto* m = std::get_if<protocol::NeedModel>(&reply)) find_model(m->model);
  if (const auto* m = std::get_if<protocol::Opened>(&reply); m && m->model == state_.model) status_.opened = *m;
  if (const auto* m = std::get_if<protocol::Hello>(&reply)) status_.engine = *m;
  if (const auto* m = std::get_if<protocol::Failure>(&reply)) fail(*m);
  touch();
}

void App::engine_restarted() {
  opened_model_.clear(), status_.others.clear();
  answered_job_ = settled_job_ = last_job_;  // the old engine's jobs are lost
  against_.answered = against_.settled = against_.job;
  against_.asked.reset();
  text_ = TextRun();
  open_model();
  want_run(true);
  touch();
}

void App::engine_failed(const std::string& sentence) {
  opened_model_.clear(), status_.others.clear();
  answered_job_ = settled_job_ = last_job_;
  run_pending_ = against_.pending = false;
  against_.answered = against_.settled = against_.job;
  against_.asked.reset();
  text_ = TextRun();
  status_.failure = protocol::Failure{last_job_, "engine", sentence, true};
  touch();
}

}  // namespace helix::app
