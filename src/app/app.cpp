#include "app/app.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "app/opening.h"
#include "app/questions.h"
#include "base/control_name.h"
#include "base/edit_shift.h"
#include "base/text.h"
#include "figure/labels.h"
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

App::App(const std::vector<studies::ViewStudy>& studies, Host host)
    : studies_(studies),
      schemas_(studies::schemas_of(studies)),
      host_(std::move(host)),
      state_(state::default_state(schemas_)),
      models_(host_.send),
      runs_(schemas_, models_, host_.send, host_.now) {}

const studies::ViewStudy& App::study_of(const state::AppState& state) const {
  const auto it =
      std::find_if(studies_.begin(), studies_.end(), [&](const auto& s) { return s.schema.id == state.study; });
  return it == studies_.end() ? studies_.front() : *it;
}

std::string App::link() const { return state::encode(state_, schemas_); }

void App::touch() {
  picture_.touch();
  host_.changed();
}

// ---- state

void App::go(state::AppState next, Commit commit) {
  // When a drag is released, its value is already in the state; the step still changes more than the view.
  const bool view_only = same_but_view(next, state_) && !dragged_;
  if (!models_.list().empty() && (next.study != state_.study || next.model != state_.model))
    next.model = models_.for_study(study_of(next).schema);
  const bool other = !(next == state_);
  if (other) adopt(std::move(next));
  dragged_ = commit == Commit::dragging && !view_only;
  if (commit == Commit::committed) {
    history_.commit({link(), models_.preferred()}, view_only);
    if (!view_only) launch(true);  // the value a drag ends on is always computed
    if (runs_.main.settled()) picture_.steady.release(host_.now());
  }
  touch();
}

/// Takes over a state from any source and asks for what it needs.
void App::adopt(state::AppState next) {
  const bool other_model = next.model != state_.model;
  const bool other_thing = next.study != state_.study || other_model;
  const bool other_edits = next.subject.edits != state_.subject.edits;
  state_ = std::move(next);
  if (other_edits && !runs_prompt(schema().reads)) picture_.renew();  // no result follows, but its heads are marked
  if (other_thing) picture_.steady.forget();
  if (other_model) open_model();
  ask();
  launch(false);
}

void App::open_link(std::string_view hash) {
  state::Decoded decoded = state::decode(hash, schemas_);
  stands_in_ = false;
  status_.notices = decoded.notices;
  state_ = std::move(decoded.state);
  models_.prefer(state_.model);
  picture_.steady.forget();
  replace_model();
  open_model();
  if (models_.known()) history_.commit({link(), models_.preferred()}, false);  // else set_models() does, with its model
  ask(true);
  launch(true);
  touch();
}

/// Replaces a missing model by an available one. Without any, shows what the study can show without one, unless the link
/// asked for that already. True when the state changed.
bool App::replace_model() {
  if (!models_.known()) return false;
  const state::AppState before = state_;
  const Preset& without = schema().without_model;
  if (models_.list().empty()) {
    auto applied = state::apply_fragment(state_, without.fragment, schemas_);
    assert(applied.ok());  // the study's own preset: the contract test parses them all
    if (!applied || applied->state == state_) return false;
    state_ = std::move(applied->state);
    stands_in_ = true;
    add_notice(without.note);
    return true;
  }
  const std::string lost = models_.find(models_.preferred()) ? std::string() : models_.preferred();
  if (!lost.empty()) models_.prefer({});
  const ModelEntry* now = models_.find(state_.model);
  const bool control = is_control(state_.model);
  if (!now || control || !suits(*now, schema().reads))
    state_.model = models_.for_study(now && control ? state_.model : models_.preferred(), schema());
  if (!lost.empty())
    add_notice("The model " + in_quotes(lost) + " of this link is not here; showing " + state_.model + " instead.");
  if (std::exchange(stands_in_, false))
    state_.params = state::without(std::move(state_.params), without.fragment, schema());
  return !(state_ == before);
}

void App::set_models(std::vector<ModelEntry> models, const std::string& choice) {
  models_.set(std::move(models));
  if (!choice.empty()) models_.prefer(state_.model = choice);
  if (!models_.list().empty() && stands_in_) status_.notices.clear();
  if (replace_model()) picture_.steady.forget();
  history_.commit({link(), models_.preferred()}, false);
  open_model();
  ask(true);
  launch(true);
  touch();
}

void App::add_model(ModelEntry model) {
  const std::string name = model.name;
  models_.add(std::move(model));
  models_.open(name);
  touch();
}

void App::refuse_model(const std::string& name, const std::string& sentence) { models_.refuse(name, sentence); }

void App::open_model() {
  if (!models_.find(state_.model)) return;
  if (status_.model != state_.model) status_.opened.reset(), status_.have = status_.want = 0;
  status_.model = state_.model;
  models_.open(state_.model);
}

void App::choose_model(const std::string& name) {
  state::AppState next = state_;
  next.model = name;
  models_.prefer(name);
  go(std::move(next), Commit::committed);
}

const ModelEntry* App::unsuited_model() const {
  const std::string& preferred = models_.preferred();
  if (const auto control = parse_control(preferred); control && control->base.empty()) return nullptr;
  return preferred.empty() || preferred == state_.model ? nullptr : models_.find(preferred);
}

void App::set_config(const std::string& name, const std::string& json) {
  if (!models_.set_config(name, json)) return;
  // Where a model's bytes did not come, or the visitor stopped them, the next run opens it, with this. Opened now, it would ask
  // for its weights unbidden.
  if (!runs_model(schema().reads) && runs_.main.failed() && runs_.main.asked()->model == name) return;
  const bool other = runs_.other.asked() && runs_.other.asked()->model == name;
  if (name == state_.model)
    open_model();
  else if (other)
    models_.open(name);
  else
    return;
  if (!runs_model(schema().reads)) return;
  ask(true);
  launch(true);
}

Expected<void> App::choose_study(const std::string& id) {
  const StudySchema* known = state::find_study(schemas_, id);
  if (!known) return Error{"There is no study " + in_quotes(id) + "."};
  stands_in_ = false;
  go(opened(state_, *known, schemas_), Commit::committed);
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
  return go_to(preset->fragment, state::From::start);
}

std::string App::current_preset() const {
  for (const Preset& preset : schema().presets)
    if (const auto there = state::apply_fragment(state_, preset.fragment, schemas_, state::From::start);
        there && same_run(there->state, state_, schemas_))
      return preset.id;
  return {};
}

Expected<void> App::show_claim(std::string_view id) {
  for (const StudySchema& schema : schemas_)
    if (const ClaimSpec* claim = schema.claim(id)) {
      state::AppState from = state_;
      if (from.study != schema.id) from.view = ViewState();
      from.study = schema.id;
      return go_to(std::move(from), claim->fragment, state::From::start);
    }
  return Error{"There is no claim " + in_quotes(id) + "."};
}

Expected<void> App::show_lesson(const std::string& at, const std::optional<std::string>& fragment) {
  if (!at.empty() && !state::is_lesson_step(at))
    return Error{"A lesson needs a name and a step, not " + in_quotes(at) + "."};
  state::AppState from = state_;
  from.lesson = at;
  if (at.empty()) from.seed = 0;
  if (fragment) return go_to(std::move(from), *fragment, state::From::start);
  go(std::move(from), Commit::committed);
  return {};
}

Expected<void> App::go_to(std::string_view fragment, state::From start) { return go_to(state_, fragment, start); }

Expected<void> App::go_to(state::AppState from, std::string_view fragment, state::From start) {
  auto applied = state::apply_fragment(std::move(from), fragment, schemas_, start);
  if (!applied) return applied.error();
  if (const std::string& model = applied->state.model; model != state_.model && models_.known() && !models_.find(model))
    return Error{"The model " + in_quotes(model) + " is not here."};
  for (std::string& notice : applied->notices) add_notice(std::move(notice));
  const auto named = state::split_link(fragment);
  if (named && state::first_value(*named, "model")) models_.prefer(applied->state.model);
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
  if (other_axes) picture_.steady.forget();  // other components give another picture, not the same one rotated
  go(std::move(next), commit);
}

void App::turn(const Camera& camera) {
  state_.view.camera = camera;
  picture_.touch();
  host_.turned ? host_.turned() : host_.changed();
}

void App::set_theme(state::Theme theme) {
  state::AppState next = state_;
  next.theme = theme;
  go(std::move(next), Commit::committed);
}

void App::present(bool on) {
  state::AppState next = state_;
  next.page.present = on;
  go(std::move(next), Commit::committed);
}

void App::go_back(const History::Step& step) {
  models_.prefer(step.preferred_model);
  adopt(state::decode(step.link, schemas_).state);
  launch(true);
  touch();
}

void App::undo() {
  if (history_.can_undo()) go_back(history_.undo());
}

void App::redo() {
  if (history_.can_redo()) go_back(history_.redo());
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
  return picture_.figure(state_.study, state_.params, shift_of(state_.subject.edits), host_.now(), dragged_, [this] {
    figure::Figure made = make_figure();
    figure::put_into_words(made);
    return made;
  });
}

figure::Reading App::reading() const {
  figure::Reading made = make_reading();
  figure::put_into_words(made);
  return made;
}

const figure::Figure& App::drawn() { return picture_.drawn(figure(), state_.view, host_.now()); }

}  // namespace helix::app
