#include "app/app.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "base/control_name.h"
#include "base/text.h"
#include "state/fragment.h"
#include "state/link_text.h"
#include "state/permalink.h"

namespace helix::app {
namespace {

bool same_but_view(state::AppState a, const state::AppState& b) {
  a.view = b.view;
  return a == b;
}

}  // namespace

bool suits(const ModelEntry& model, Reads reads) {
  const auto has = [&](std::string_view part) { return std::ranges::find(model.missing, part) == model.missing.end(); };
  if (reads == Reads::positions) return has("positions");
  if (reads == Reads::weights) return has("words") || has("attention");
  for (const std::string& file : files_for(reads))
    if (std::ranges::find(model.files, file) == model.files.end()) return false;
  return !runs_model(reads) || model.missing.empty();
}

App::App(const std::vector<studies::ViewStudy>& studies, Host host)
    : studies_(studies), schemas_(studies::schemas_of(studies)), host_(std::move(host)) {
  state_ = state::default_state(schemas_);
}

const studies::ViewStudy& App::study_of(const state::AppState& state) const {
  const auto it =
      std::find_if(studies_.begin(), studies_.end(), [&](const auto& s) { return s.schema.id == state.study; });
  return it == studies_.end() ? studies_.front() : *it;
}

std::string App::link() const { return state::encode(state_, schemas_); }

void App::touch() {
  stale_ = true;
  host_.changed();
}

// ---- state

void App::go(state::AppState next, Commit commit) {
  // When a drag is released, its value is already in the state; the step still changes more than the view.
  const bool view_only = same_but_view(next, state_) && !dragged_;
  if (models_known_ && !models_.empty() && (next.study != state_.study || next.model != state_.model))
    next.model = model_for(wished_model_, study_of(next).schema.reads);
  const bool other = !(next == state_);
  if (other) adopt(std::move(next));
  dragged_ = commit == Commit::dragging && !view_only;
  if (commit == Commit::committed) {
    history_.commit(link(), view_only);
    if (!view_only) launch(true);  // the value a drag ends on is always computed
    if (settled_job_ == last_job_) steady_.settle(host_.now());
  }
  touch();
}

/// Takes over a state from any source and requests what it needs.
void App::adopt(state::AppState next) {
  const bool other_model = next.model != state_.model;
  const bool other_run = !same_run(next, state_);
  const bool other_thing = next.study != state_.study || other_model;
  state_ = std::move(next);
  if (other_thing) steady_.forget();
  if (other_model) open_model();
  if (other_run) mark_run();
  settle_against();
  settle_text();
  launch(false);
}

void App::open_link(std::string_view hash) {
  state::Decoded decoded = state::decode(hash, schemas_);
  stands_in_ = false;
  status_.notices = decoded.notices;
  state_ = std::move(decoded.state);
  wished_model_ = state_.model;
  steady_.forget();
  settle_model();
  open_model();
  if (models_known_) history_.commit(link(), false);  // else set_models commits, with the model it settles on
  want_run(true);
  touch();
}

/// Without a model, shows what the study can show without one, unless the link asked for that already.
void App::stand_in() {
  const Preset& preset = schema().without_model;
  auto applied = state::apply_fragment(state_, preset.fragment, schemas_);
  assert(applied.ok());  // the study's own preset: the contract test parses them all
  if (!applied || applied->state == state_) return;
  state_ = std::move(applied->state);
  stands_in_ = true;
  add_notice(preset.note);
}

/// Replaces a missing model by an available one; without any, shows the study's stand-in. True when the state changed.
bool App::settle_model() {
  if (!models_known_) return false;
  const state::AppState before = state_;
  if (!models_.empty()) {
    const bool lost = !wished_model_.empty() && !listed(wished_model_);
    const std::string link_model = lost ? std::exchange(wished_model_, {}) : std::string();
    const ModelEntry* now = listed(state_.model);
    const bool control = is_control(state_.model);
    if (!now || control || !suits(*now, schema().reads))
      state_.model = model_for(now && control ? state_.model : wished_model_, schema().reads);
    if (lost)
      add_notice("The model " + in_quotes(link_model) + " of this link is not here; showing " + state_.model +
                 " instead.");
  }
  if (models_.empty())
    stand_in();
  else if (std::exchange(stands_in_, false))
    state_.params = state::without(std::move(state_.params), schema().without_model.fragment, schema());
  return !(state_ == before);
}

void App::set_models(std::vector<ModelEntry> models, const std::string& choice) {
  models_ = std::move(models);
  models_known_ = true;
  if (!choice.empty()) state_.model = wished_model_ = choice;
  if (!models_.empty() && stands_in_) status_.notices.clear();
  if (settle_model()) steady_.forget();
  history_.commit(link(), false);
  open_model();
  want_run(true);
  touch();
}

void App::open_model() {
  const ModelEntry* entry = listed(state_.model);
  if (!entry) return;
  if (opened_model_ != state_.model) status_.opened.reset(), status_.have = status_.want = 0;
  opened_model_ = state_.model;
  host_.send(protocol::Open{state_.model, entry->sha256, entry->config_json, entry->bytes});
}

void App::choose_model(const std::string& name) {
  state::AppState next = state_;
  next.model = wished_model_ = name;
  go(std::move(next), Commit::committed);
}

void App::set_config(const std::string& name, const std::string& json) {
  const auto entry = std::find_if(models_.begin(), models_.end(), [&](const ModelEntry& m) { return m.name == name; });
  if (entry == models_.end() || entry->config_json == json) return;
  entry->config_json = json;
  const bool beside = against_.asked && against_.asked->model == name;
  if (name != state_.model && !beside) return;
  if (name == state_.model)
    open_model();
  else
    find_model(name);
  if (beside) against_.asked.reset();
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
  return go_afresh(schema(), preset->fragment);
}

std::string App::current_preset() const {
  for (const Preset& preset : schema().presets) {
    state::AppState from = state_;
    from.params = defaults(schema());
    const auto there = state::apply_fragment(std::move(from), preset.fragment, schemas_);
    if (there && there->state.study == state_.study && there->state.model == state_.model &&
        there->state.params == state_.params && there->state.subject == state_.subject)
      return preset.id;
  }
  return {};
}

Expected<void> App::show_claim(std::string_view id) {
  for (const StudySchema& schema : schemas_)
    if (const ClaimSpec* claim = schema.claim(id)) return go_afresh(schema, claim->fragment);
  return Error{"There is no claim " + in_quotes(id) + "."};
}

/// Links that the study itself defines start from its default parameters.
Expected<void> App::go_afresh(const StudySchema& schema, std::string_view fragment) {
  state::AppState from = state_;
  if (from.study != schema.id) from.view = ViewState();
  from.study = schema.id, from.params = defaults(schema);
  return go_to(std::move(from), fragment);
}

Expected<void> App::go_to(std::string_view fragment) { return go_to(state_, fragment); }

Expected<void> App::go_to(state::AppState from, std::string_view fragment) {
  auto applied = state::apply_fragment(std::move(from), fragment, schemas_);
  if (!applied) return applied.error();
  if (const std::string& model = applied->state.model; model != state_.model && models_known_ && !listed(model))
    return Error{"The model " + in_quotes(model) + " is not here."};
  for (std::string& notice : applied->notices) add_notice(std::move(notice));
  const auto named = state::split_link(fragment);
  if (named && state::first_value(*named, "model")) wished_model_ = applied->state.model;
  stands_in_ = false;
  go(std::move(applied->state), Commit::committed);
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
  if (other_axes) steady_.forget();  // other components give another picture, not the same one rotated
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
  against_.asked.reset();  // the other side is retried, too
  open_model();
  want_run(true);
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

// ---- figure

const figure::Figure& App::figure() {
  if (figure_ && !in_motion_ && !stale_) return *figure_;
  in_motion_ = steady_.moving(host_.now());  // one more frame is drawn after its end
  stale_ = false;
  MadeOf made_of{state_.study, result_number_, state_.params, shift_of(state_.subject)};
  if (!figure_ || made_of != made_of_) {
    made_of_ = std::move(made_of);
    figure_ = make_figure();
  }
  for (figure::Panel& panel : figure_->panels)
    if (auto* space = std::get_if<figure::Space>(&panel.content); space && !space->fit_to.size())
      space->frame = steady_.frame(host_.now());
  return *figure_;
}

}  // namespace helix::app
