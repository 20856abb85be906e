// What the app asks the engine, and how it handles the replies.
#include <algorithm>
#include <utility>

#include "app/app.h"
#include "app/questions.h"
#include "base/shared_words.h"

namespace helix::app {
namespace {

constexpr double kDimAfter = 150, kDimOver = 200;  // milliseconds
constexpr float kDimMost = 0.55f;

}  // namespace

/// Asks all slots what the state needs. `again`: even if it was asked before.
void App::ask(bool again) {
  if (!models_.known()) return;
  const bool comparing = state_.compare != state::Compare::none;
  runs_.ask(runs_.main, comparing ? with_other(state_, other_question(state_, models_, schemas_)) : state_, again);
  ask_other(again);
  ask_text(again);
}

void App::ask_text(bool again) {
  auto now = text_question(state_, models_, schemas_);
  auto without = without_edits(now);
  if (!now) predicted_.clear();
  if (!now && runs_.text.has_shown()) picture_.renew();
  runs_.ask(runs_.text, std::move(now), again);
  runs_.ask(runs_.before, std::move(without), again);
}

/// Whether a question of the text is one for a prediction, not only for its tokens.
bool App::predicts(const state::AppState& question) const { return runs_prompt(study_of(question).schema.reads); }

void App::launch(bool at_once) {
  const std::uint32_t before = runs_.main.job();
  runs_.launch(at_once);
  if (runs_.main.job() != before) status_.failure.reset();
}

bool App::fades() const {
  const protocol::Result& shown = runs_.main.shown();
  return shown.study == state_.study && !(runs_.fresh(runs_.main) && runs_.fresh(runs_.other));
}

float App::dim() const {
  if (!fades()) return 0;
  const RunSlot& late = runs_.fresh(runs_.main) ? runs_.other : runs_.main;
  const double waited = host_.now() - late.asked_at() - kDimAfter;
  return waited <= 0 ? 0 : kDimMost * static_cast<float>(std::min(waited / kDimOver, 1.0));
}

bool App::animating() const { return picture_.moving(host_.now()) || (fades() && dim() < kDimMost); }

void App::stop() {
  if (RunSlot& other = runs_.other; other.busy()) {
    const bool nothing = !other.answered() || (!other.has_arrived() && !other.has_shown());
    runs_.stop(other);
    if (nothing) fail_other(shared_words("run.other_stopped"));
  }
  runs_.stop(runs_.text), runs_.stop(runs_.before);
  if (runs_.main.busy()) {
    runs_.stop(runs_.main);
    show_arrived();
    if (runs_.main.shown().study == state_.study)
      runs_.main.add_note(shared_words(runs_.fresh(runs_.main) ? "run.stopped" : "run.stopped_before"));
  }
  touch();
}

void App::retry() {
  status_.failure.reset();
  open_model();
  ask(true);
  launch(true);
  touch();
}

// ---- replies

/// Records how much of a model has been loaded; for models besides the open one the status keeps a list.
void App::on_need(const protocol::Need& need) {
  if (need.model == state_.model) {
    status_.have = need.have, status_.want = need.want;
    return;
  }
  const auto known = std::ranges::find(status_.others, need.model, &Status::Loading::model);
  if (known == status_.others.end())
    status_.others.push_back({need.model, need.have, need.want});
  else
    known->have = need.have, known->want = need.want;
}

void App::on_finished(const protocol::Finished& finished) {
  RunSlot* slot = runs_.named(finished.slot);
  if (!slot) return;
  const bool pair = state_.compare != state::Compare::none && (slot == &runs_.main || slot == &runs_.other);
  const auto taken = slot->take(finished, host_.now(), pair);
  if (!taken) return on_failure({finished.job, slot->asked()->study, taken.error().sentence, true});
  if (!*taken) return;
  if (slot == &runs_.text || slot == &runs_.before) {
    slot->show();
    if (slot == &runs_.text) {
      const state::AppState& question = slot->answers();
      predicted_ = predicts(question) ? study_of(question).draw(slot->shown(), question.params).title : "";
    }
    picture_.renew();
    return launch(false);
  }
  if (show_arrived()) picture_.follow(figure(), state_.view);
  if (!runs_.main.pending() && !runs_.other.pending() && runs_.main.shown().complete)
    picture_.steady.release(host_.now());
  launch(false);
}

void App::on_failure(const protocol::Failure& failure) {
  RunSlot* slot = runs_.of(failure.job);
  if (failure.job != 0 && (!slot || slot->settled())) return;  // superseded or stopped
  if (!slot || slot == &runs_.main) status_.failure = failure;
  if (!slot) return;
  models_.reopen(slot->asked()->model);
  if (slot == &runs_.other)
    fail_other(failure.sentence);
  else
    slot->fail(failure.sentence, host_.now());
  if (slot == &runs_.text) picture_.renew();  // words of another text go
  // Where a model's bytes did not come, or the visitor stopped them, its text must not ask for them: the next ask() does.
  if (slot == &runs_.main && failure.retry)
    for (RunSlot* text : {&runs_.text, &runs_.before})
      if (text->pending() && text->asked()->model == slot->asked()->model) runs_.clear(*text);
  launch(false);
}

void App::receive(const protocol::Reply& reply) {
  // How far a download or a run has come: while a model loads, that is many times a second.
  if (const auto* m = std::get_if<protocol::Need>(&reply)) return on_need(*m), host_.progressed();
  if (const auto* m = std::get_if<protocol::Working>(&reply)) {
    if (RunSlot* slot = runs_.of(m->job)) slot->set_progress({m->phase, m->done, m->total});
    return host_.progressed();
  }
  if (const auto* m = std::get_if<protocol::Finished>(&reply)) on_finished(*m);
  if (const auto* m = std::get_if<protocol::NeedModel>(&reply)) models_.open(m->model);
  if (const auto* m = std::get_if<protocol::Opened>(&reply)) {
    models_.on_opened(*m);
    if (m->model == state_.model) status_.opened = *m;
  }
  if (const auto* m = std::get_if<protocol::Hello>(&reply)) status_.engine = *m;
  if (const auto* m = std::get_if<protocol::Failure>(&reply)) on_failure(*m);
  touch();
}

void App::engine_restarted() {
  lose_engine();
  open_model();
  ask(true);
  launch(true);
  touch();
}

void App::engine_failed(const std::string& sentence) {
  lose_engine();
  status_.failure = protocol::Failure{runs_.main.job(), "engine", sentence, true};
  touch();
}

void App::lose_engine() {
  runs_.lose_engine();
  status_.model.clear(), status_.others.clear();
}

}  // namespace helix::app
