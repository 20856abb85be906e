#include "app/app.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "base/text.h"
#include "state/permalink.h"

namespace helix::app {
namespace {

constexpr double kDimAfter = 150, kDimOver = 200;  // milliseconds
constexpr float kDimMost = 0.55f;

bool same_but_view(state::AppState a, const state::AppState& b) {
  a.view = b.view;
  return a == b;
}

}  // namespace

bool suits(const ModelEntry& model, Reads reads) {
  for (const std::string& file : files_for(reads))
    if (std::ranges::find(model.files, file) == model.files.end()) return false;
  return !runs_model(reads) || model.missing.empty();
}

App::App(const std::vector<studies::ViewStudy>& studies, Host host)
    : studies_(studies), schemas_(studies::schemas_of(studies)), host_(std::move(host)) {
  state_ = state::default_state(schemas_);
}

const studies::ViewStudy& App::study() const {
  const auto it =
      std::find_if(studies_.begin(), studies_.end(), [&](const auto& s) { return s.schema.id == state_.study; });
  return it == studies_.end() ? studies_.front() : *it;
}

std::string App::link() const { return state::encode(state_, schemas_); }

void App::touch() {
  stale_ = true;
  host_.changed();
}

// ---- state

void App::go(state::AppState next, Commit commit) {
  // A drag has brought its value here already when it is released; the step is still more than one of the view.
  const bool view_only = same_but_view(next, state_) && !dragged_;
  const bool other = !(next == state_);
  if (other) adopt(std::move(next));
  dragged_ = commit == Commit::dragging && !view_only;
  if (commit == Commit::committed) {
    history_.commit(link(), view_only);
    if (!view_only && run_pending_) run_now();  // the value a drag ends on is always computed
    if (settled_job_ == last_job_) steady_.settle(host_.now());
  }
  touch();
}

/// Takes over a state, whatever it came from, and asks for what it needs.
void App::adopt(state::AppState next) {
  const bool other_model = next.model != state_.model;
  const bool other_run =
      other_model || next.study != state_.study || next.params != state_.params || other_subject(next);
  const bool other_thing = next.study != state_.study || other_model;
  state_ = std::move(next);
  if (other_thing) steady_.forget();
  if (other_model) open_model();
  if (other_run) want_run(false);
}

void App::open_link(std::string_view hash) {
  state::Decoded decoded = state::decode(hash, schemas_);
  stands_in_ = false;
  status_.notices = decoded.notices;
  state_ = std::move(decoded.state);
  steady_.forget();
  settle_model();
  open_model();
  if (models_known_) history_.commit(link(), false);  // else set_models does, with the model it settles on
  want_run(true);
  touch();
}

/// "key=value&…" into `values`; back to the defaults of those keys when `undo`.
void App::set_values(ParamValues& values, const std::string& pairs, bool undo) const {
  for (const std::string& pair : split(pairs, '&')) {
    const std::size_t at = pair.find('=');
    const ParamSpec* spec = schema().find(pair.substr(0, at));
    if (at == std::string::npos || !spec) continue;
    const auto set = set_value(schema(), values, spec->key, undo ? spec->default_text : pair.substr(at + 1), true);
    assert(set.ok());  // a study's own texts: the contract test reads them all
  }
}

/// Without a model, what the study can show without one; only where the link did not ask for that already.
void App::stand_in() {
  const Preset& preset = schema().without_model;
  ParamValues values = state_.params;
  set_values(values, preset.params, false);
  if (values == state_.params) return;
  state_.params = std::move(values);
  stands_in_ = true;
  add_notice(preset.note);
}

/// Makes the state's model one that is there; without any, the study's stand-in is shown. True when the state changed.
bool App::settle_model() {
  if (!models_known_) return false;
  const state::AppState before = state_;
  const auto known =
      std::find_if(models_.begin(), models_.end(), [&](const ModelEntry& m) { return m.name == state_.model; });
  if (known == models_.end() && !models_.empty()) {
    const auto able = std::ranges::find_if(models_, [&](const ModelEntry& m) { return suits(m, schema().reads); });
    const std::string& best = able == models_.end() ? models_.front().name : able->name;
    if (!state_.model.empty())
      add_notice("The model " + in_quotes(state_.model) + " of this link is not here; showing " + best + " instead.");
    state_.model = best;
  }
  if (models_.empty())
    stand_in();
  else if (std::exchange(stands_in_, false))
    set_values(state_.params, schema().without_model.params, true);
  return !(state_ == before);
}

void App::set_models(std::vector<ModelEntry> models, const std::string& choice) {
  models_ = std::move(models);
  models_known_ = true;
  if (!choice.empty()) state_.model = choice;
  if (!models_.empty() && stands_in_) status_.notices.clear();
  if (settle_model()) steady_.forget();
  history_.commit(link(), false);
  open_model();
  want_run(true);
  touch();
}

void App::open_model() {
  const auto entry =
      std::find_if(models_.begin(), models_.end(), [&](const ModelEntry& m) { return m.name == state_.model; });
  if (entry == models_.end()) return;
  if (opened_model_ != entry->name) status_.opened.reset(), status_.have = status_.want = 0;
  opened_model_ = entry->name;
  host_.send(protocol::Open{entry->name, entry->sha256, entry->config_json, entry->bytes});
}

void App::choose_model(const std::string& name) {
  state::AppState next = state_;
  next.model = name;
  go(std::move(next), Commit::committed);
}

void App::set_config(const std::string& name, const std::string& json) {
  const auto entry = std::find_if(models_.begin(), models_.end(), [&](const ModelEntry& m) { return m.name == name; });
  if (entry == models_.end() || entry->config_json == json) return;
  entry->config_json = json;
  if (name != state_.model) return;
  open_model();
  if (runs_model(schema().reads)) want_run(true);
}

Expected<void> App::choose_study(const std::string& id) {
  const auto known = std::find_if(schemas_.begin(), schemas_.end(), [&](const StudySchema& s) { return s.id == id; });
  if (known == schemas_.end()) return Error{"There is no study " + in_quotes(id) + "."};
  state::AppState next = state_;
  next.study = id;
  next.params = defaults(*known);
  next.view = ViewState();
  stands_in_ = false;
  go(std::move(next), Commit::committed);
  return {};
}

void App::set_param(const std::string& key, const std::string& text, Commit commit) {
  set_params({{key, text}}, commit);
}

void App::set_params(const std::vector<std::pair<std::string, std::string>>& values, Commit commit) {
  state::AppState next = state_;
  for (const auto& [key, text] : values)
    if (const auto set = set_value(schema(), next.params, key, text, false); !set)
      return add_notice(set.error().sentence);
  stands_in_ = false;
  go(std::move(next), commit);
}

Expected<void> App::apply_preset(const std::string& id) {
  const auto& presets = schema().presets;
  const auto preset = std::find_if(presets.begin(), presets.end(), [&](const Preset& p) { return p.id == id; });
  if (preset == presets.end()) return Error{"There is no preset " + in_quotes(id) + " of this study."};
  state::AppState next = state_;
  next.params = defaults(schema());
  set_values(next.params, preset->params, false);
  stands_in_ = false;
  go(std::move(next), Commit::committed);
  return {};
}

void App::reset_params() {
  state::AppState next = state_;
  next.params = defaults(schema());
  next.view = ViewState();
  go(std::move(next), Commit::committed);
}

void App::set_view(const ViewState& view, Commit commit) {
  state::AppState next = state_;
  const bool other_axes = next.view.axes != view.axes;
  next.view = view;
  if (other_axes) steady_.forget();  // other components are another picture, not the same one turned
  go(std::move(next), commit);
}

void App::set_theme(state::Theme theme) {
  state::AppState next = state_;
  next.theme = theme;
  go(std::move(next), Commit::committed);
}

void App::undo() {
  if (!history_.can_undo()) return;
  adopt(state::decode(history_.undo(), schemas_).state);
  touch();
}

void App::redo() {
  if (!history_.can_redo()) return;
  adopt(state::decode(history_.redo(), schemas_).state);
  touch();
}

void App::retry() {
  status_.failure.reset();
  open_model();
  want_run(true);
  touch();
}

void App::stop() {
  if (settled_job_ == last_job_) return;
  host_.send(protocol::Cancel{last_job_});
  answered_job_ = settled_job_ = stopped_job_ = last_job_;
  run_pending_ = false;
  result_.complete = true;
  if (result_.study == state_.study) result_.notes.push_back("Stopped before its end.");
  touch();
}

void App::dismiss_failure() {
  status_.failure.reset();
  touch();
}

void App::dismiss_notices() {
  status_.notices.clear();
  touch();
}

void App::add_notice(std::string sentence) {
  if (std::find(status_.notices.begin(), status_.notices.end(), sentence) == status_.notices.end())
    status_.notices.push_back(std::move(sentence));
  touch();
}

// ---- runs

/// While a job is unanswered the newest wish waits: a drag must not fill a queue.
void App::want_run(bool at_once) {
  if (!models_known_) return;
  if (!run_pending_) asked_at_ = host_.now();
  run_pending_ = true;
  if (at_once || answered_job_ == last_job_) run_now();
}

void App::run_now() {
  run_pending_ = false;
  status_.failure.reset();
  status_.phase.clear(), status_.done = status_.total = 0;
  if (opened_model_ != state_.model) open_model();  // an engine that failed took it along
  host_.send(protocol::Run{++last_job_, "main", state_.study, state_.model, state_.params, state_.subject});
}

bool App::busy() const { return run_pending_ || settled_job_ != last_job_ || !models_known_; }

float App::dim() const {
  if (!busy() || result_.study.empty() || answered_job_ == last_job_) return 0;
  const double waited = host_.now() - asked_at_ - kDimAfter;
  return waited <= 0 ? 0 : kDimMost * static_cast<float>(std::min(waited / kDimOver, 1.0));
}

bool App::animating() const {
  return in_motion_ || steady_.moving(host_.now()) ||
         (busy() && !result_.study.empty() && answered_job_ != last_job_ && dim() < kDimMost);
}

// ---- replies

void App::accept(const protocol::Finished& finished) {
  if (finished.job < answered_job_ || finished.job == stopped_job_) return;  // of a view that is gone
  auto result = protocol::decode(finished.result.header, finished.result.data.data(), finished.result.data.size());
  if (!result) return fail({finished.job, state_.study, result.error().sentence, true});
  if (result->study != state_.study) return;  // the visitor has moved on
  result_ = std::move(*result);
  answered_job_ = finished.job;
  if (result_.complete) settled_job_ = finished.job;
  ++result_number_;
  stale_ = true;
  if (const auto* path = figure::content_of<figure::Path3>(figure()); path && path->extent == 0) {
    steady_.follow(*path);
    figure_.reset();  // it is drawn in another frame now
  }
  if (run_pending_)
    run_now();
  else if (result_.complete)
    steady_.settle(host_.now());
}

void App::fail(const protocol::Failure& failure) {
  if (failure.job != 0 && failure.job != last_job_) return;  // nobody waits for it any more
  status_.failure = failure;
  if (failure.job == 0) return;
  answered_job_ = settled_job_ = failure.job;
  if (run_pending_) run_now();
}

void App::receive(const protocol::Reply& reply) {
  if (const auto* m = std::get_if<protocol::Finished>(&reply)) accept(*m);
  if (const auto* m = std::get_if<protocol::Working>(&reply))
    status_.phase = m->phase, status_.done = m->done, status_.total = m->total;
  if (const auto* m = std::get_if<protocol::Need>(&reply); m && m->model == state_.model)
    status_.have = m->have, status_.want = m->want;
  if (const auto* m = std::get_if<protocol::Opened>(&reply); m && m->model == state_.model) status_.opened = *m;
  if (const auto* m = std::get_if<protocol::Hello>(&reply)) status_.engine = *m;
  if (const auto* m = std::get_if<protocol::Failure>(&reply)) fail(*m);
  touch();
}

void App::engine_restarted() {
  opened_model_.clear();
  answered_job_ = settled_job_ = last_job_;  // what was asked of the old one is lost
  open_model();
  want_run(true);
  touch();
}

void App::engine_failed(const std::string& sentence) {
  opened_model_.clear();
  answered_job_ = settled_job_ = last_job_;
  run_pending_ = false;
  status_.failure = protocol::Failure{last_job_, "engine", sentence, true};
  touch();
}

// ---- figure

const figure::Figure& App::figure() {
  if (figure_ && !in_motion_ && !stale_) return *figure_;
  const bool moved = std::exchange(in_motion_, steady_.moving(host_.now()));  // drawn once more at its end
  stale_ = false;
  Made made{state_.study, result_number_, state_.params, state_.view};
  made.view.focus = Focus();
  // A result of another study is not this figure, not even dimmed.
  const bool fits = result_.study == state_.study;
  if (figure_ && fits && !moved && !in_motion_ && study().reading && made == made_) {
    figure::set_focus(*figure_, state_.view.focus);
    figure_->reading = study().reading(result_, state_.view);
    return *figure_;
  }
  made_ = std::move(made);
  figure_ = study().view(fits ? result_ : protocol::Result(), state_.params, state_.view);
  for (figure::Panel& panel : figure_->panels)
    if (auto* path = std::get_if<figure::Path3>(&panel.content)) path->frame = steady_.frame(host_.now());
  return *figure_;
}

}  // namespace helix::app
