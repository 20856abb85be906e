// Comparing two states: the main one and the one it is compared with, each with a run of its own. The two results shown
// always belong together; until both new ones have arrived, the previous pair stays.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "app/app.h"
#include "app/questions.h"
#include "figure/compare.h"
#include "protocol/difference.h"
#include "state/fragment.h"
#include "state/side_names.h"
#include "studies/scaled_heads_view.h"

namespace helix::app {

using state::Compare;

namespace {

/// Scaled heads that a result does not know of: its study does not run the prompt, though heads are edited in its figure.
std::vector<studies::ScaledHead> idle_heads(const studies::ViewStudy& study, const Subject& subject) {
  std::vector<std::string> specs;
  for (const Edit& edit : subject.edits)
    if (edit.on && !runs_prompt(study.schema.reads)) specs.push_back(edit.spec);
  return studies::scaled_heads(specs);
}

}  // namespace

Expected<void> App::set_compare(Compare compare, const std::string& against) {
  state::AppState next = state_;
  next.compare = compare, next.against = against;
  if (const auto other = state::against_state(next, schemas_); compare != Compare::none && !other) return other.error();
  go(std::move(next), Commit::committed);
  return {};
}

/// Asks for the other side, if the state has one.
void App::ask_other(bool again) {
  RunSlot& other = runs_.other;
  const bool comparing = state_.compare != Compare::none;
  const auto question = comparing ? other_question(state_, models_, schemas_) : Error{""};
  if (!question) {
    if (other.has_shown()) picture_.renew();
    runs_.clear(other);
    difference_.reset();
    return other.set_problem(question.error().sentence);
  }
  if (runs_.main.shown().study != state_.study || (other.has_shown() && other.shown().study != question->study))
    other.hide(), difference_.reset();
  runs_.ask(other, with_other(*question, state_), again);
  if (compared_as_ != state_.compare) take_difference();
}

/// Shows the main side alone.
void App::fail_other(std::string sentence) {
  runs_.other.hide(), difference_.reset();
  runs_.other.fail(std::move(sentence), host_.now());
  picture_.renew();
  show_arrived();
}

/// Shows what has arrived, once the results of both sides belong together; if no pair has been shown yet, the main side
/// does not wait for the other. True when the main result has changed.
bool App::show_arrived() {
  RunSlot &main = runs_.main, &other = runs_.other;
  const bool whole = !main.failed() && main.answered() && other.answered();
  if (!whole && other.has_shown()) return false;
  const bool arrived = main.has_arrived();
  if (!arrived && !(whole && other.has_arrived())) return false;
  main.show();
  if (whole) other.show();
  if (other.has_shown())
    take_difference();
  else
    difference_.reset();
  picture_.renew();
  return arrived;
}

void App::take_difference() {
  if (difference_) picture_.renew();
  difference_.reset();
  if (!runs_.other.has_shown()) return;
  runs_.other.set_problem({});
  compared_as_ = state_.compare;
  picture_.renew();
  if (state_.compare != Compare::difference) return;
  auto difference = protocol::difference(schema(), runs_.main.shown(), runs_.other.shown());
  if (difference)
    difference_ = std::move(*difference);
  else
    runs_.other.set_problem(difference.error().sentence);
}

bool App::other_alone() const {
  return state_.compare == Compare::other && runs_.other.has_shown() && runs_.other.asked();
}

const protocol::Result& App::result() const {
  if (other_alone()) return runs_.other.shown();
  return difference_ ? *difference_ : runs_.main.shown();
}

protocol::Result App::exported() const {
  if (!runs_.other.has_shown() || other_alone() || state_.compare == Compare::none) return result();
  return protocol::together(schema(), runs_.main.shown(), runs_.other.shown(), difference_ ? &*difference_ : nullptr);
}

std::string App::other_name() const {
  const std::optional<state::AppState>& other = runs_.other.asked();
  return other && state_.compare != Compare::none ? state::side_names(state_, *other, schemas_).other : "";
}

/// The two results shown, and what each side is called.
studies::Sides App::sides() const {
  const state::SideNames names = state::side_names(state_, *runs_.other.asked(), schemas_);
  return {runs_.main.shown(), runs_.other.shown(), difference_ ? *difference_ : runs_.main.shown(), names.now,
          names.other};
}

figure::Figure App::make_figure() const {
  const auto view_of = [&](const protocol::Result& result, const state::AppState& asked) {
    const bool fits = result.study == asked.study;  // the result of another study is not shown, not even dimmed
    figure::Figure made = study_of(asked).view(fits ? result : protocol::Result(), asked.params);
    if (fits) studies::show_scaled_heads(made, idle_heads(study_of(asked), asked.subject));
    return made;
  };
  const bool both = state_.compare != Compare::none && runs_.other.has_shown() && runs_.other.asked() &&
                    runs_.main.shown().study == state_.study;
  if (both && other_alone()) return view_of(runs_.other.shown(), *runs_.other.asked());
  if (both && difference_) return studies::figure_of_change(study(), sides(), state_.params);
  if (both) {  // beside each other, as are two results that cannot be subtracted
    const studies::Sides names = sides();
    return figure::beside(view_of(runs_.main.shown(), state_), view_of(runs_.other.shown(), *runs_.other.asked()),
                          names.now_name, names.other_name);
  }
  figure::Figure figure = view_of(runs_.main.shown(), state_);
  put_text_on(figure);
  return figure;
}

figure::Reading App::make_reading() const {
  if (runs_.main.shown().study != state_.study || state_.view.focus.nothing()) return {};
  const auto reading_of = [&](const protocol::Result& result, const state::AppState& asked) {
    figure::Reading made = study_of(asked).reading(result, asked.params, state_.view);
    studies::add_scaled_line(made, idle_heads(study_of(asked), asked.subject), state_.view);
    return made;
  };
  if (other_alone()) return reading_of(runs_.other.shown(), *runs_.other.asked());
  if (!runs_.other.has_shown() || !runs_.other.asked()) return reading_of(runs_.main.shown(), state_);
  const studies::Sides both = sides();
  if (difference_) return studies::reading_of_change(study(), both, state_.params, state_.view);
  figure::Reading here = reading_of(runs_.main.shown(), state_);
  if (here.title.empty()) return here;
  const figure::Reading there = reading_of(runs_.other.shown(), *runs_.other.asked());
  if (!there.lines.empty()) here.lines.push_back(both.other_name + ", " + there.title + ":");
  here.lines.insert(here.lines.end(), there.lines.begin(), there.lines.end());
  return here;
}

}  // namespace helix::app
