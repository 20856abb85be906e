// Comparing two states: the main one and the one it is compared with, each with a run of its own. The two results shown
// always belong together; until both new ones have arrived, the previous pair stays.
#include <algorithm>
#include <utility>

#include "app/app.h"
#include "base/text.h"
#include "figure/compare.h"
#include "state/fragment.h"

namespace helix::app {

using state::Compare;

Expected<void> App::set_compare(Compare compare, const std::string& against) {
  state::AppState next = state_;
  next.compare = compare, next.against = against;
  if (const auto other = state::against_state(next, schemas_); compare != Compare::none && !other) return other.error();
  go(std::move(next), Commit::committed);
  return {};
}

/// Derives the other side from the main state; its run is due if that changes what it computes.
void App::settle_against() {
  if (!comparing()) return end_against();
  auto other = state::against_state(state_, schemas_);
  if (other) other->state.model = other_model(other->state.model, study_of(other->state).schema.reads);
  if (!other || (models_known_ && other->state.model != state_.model && !listed(other->state.model))) {
    end_against();
    against_.problem =
        other ? "The model " + in_quotes(other->state.model) + " is not here; open it first." : other.error().sentence;
    return;
  }
  if (result_.study != state_.study || (against_.shown && against_.shown->study != other->state.study))
    against_.shown.reset(), difference_.reset();
  const bool same = against_.asked && same_run(other->state, *against_.asked);
  against_.asked = std::move(other->state);
  if (same) {
    if (against_.shown_as != state_.compare) take_difference();
    return;
  }
  if (!run_pending_ && !against_.pending) asked_at_ = host_.now();
  against_.pending = true;
  against_.problem.clear();
}

void App::end_against() {
  if (against_.busy()) host_.send(protocol::Cancel{against_.job});
  if (against_.shown) ++result_number_, stale_ = true;
  against_ = Against();
  difference_.reset();
}

void App::run_other() {
  const state::AppState& other = *against_.asked;
  against_.pending = false;
  against_.problem.clear(), against_.arrived.reset();
  against_.phase.clear(), against_.done = against_.total = 0;
  against_.job = ++jobs_;
  if (other.model != state_.model && listed(other.model)) find_model(other.model);  // opened beside the main one
  host_.send(protocol::Run{against_.job, kAgainstSlot, other.study, other.model, other.params, other.subject});
}

/// Shows the main side alone.
void App::other_failed(const std::string& sentence) {
  against_.answered = against_.settled = against_.job;
  against_.arrived.reset(), against_.shown.reset(), difference_.reset();
  against_.problem = sentence;
  ++result_number_;
  stale_ = true;
  show_arrived();
}

void App::stop_other() {
  if (!against_.busy()) return;
  host_.send(protocol::Cancel{against_.job});
  against_.stopped = against_.job;
  against_.pending = false;
  if (!against_.idle() || (!against_.arrived && !against_.shown))
    other_failed("The other side was stopped before its end.");
  against_.settled = against_.job;
}

bool App::accept_other(const protocol::Finished& finished) {
  if (finished.job != against_.job || finished.job == against_.stopped) return false;  // of an earlier comparison
  auto result = protocol::decode(finished.result.header, finished.result.data.data(), finished.result.data.size());
  if (!result) {
    other_failed(result.error().sentence);
    return false;
  }
  against_.answered = finished.job;
  if (result->complete) against_.settled = finished.job;
  against_.arrived = std::move(*result);
  return true;
}

/// Shows what has arrived, once the results of both sides belong together; if no pair has been shown yet, the main side
/// does not wait for the other. True when the main result has changed.
bool App::show_arrived() {
  const bool failed = status_.failure && status_.failure->job == last_job_;
  const bool whole = !failed && answered_job_ == last_job_ && against_.idle();
  if (!whole && against_.shown) return false;
  const bool main = arrived_.has_value();
  if (!main && !(whole && against_.arrived)) return false;
  if (main) result_ = std::move(*std::exchange(arrived_, std::nullopt));
  if (whole && against_.arrived) against_.shown = std::move(*std::exchange(against_.arrived, std::nullopt));
  take_difference();
  ++result_number_;
  stale_ = true;
  return main;
}

void App::take_difference() {
  if (difference_) ++result_number_, stale_ = true;
  difference_.reset();
  if (!against_.shown) return;
  against_.problem.clear();
  against_.shown_as = state_.compare;
  ++result_number_;
  stale_ = true;
  if (state_.compare != Compare::difference) return;
  auto difference = protocol::difference(result_, *against_.shown);
  if (difference)
    difference_ = std::move(*difference);
  else
    against_.problem = difference.error().sentence;
}

bool App::other_alone() const { return state_.compare == Compare::other && against_.shown && against_.asked; }

const protocol::Result& App::result() const {
  if (other_alone()) return *against_.shown;
  return difference_ ? *difference_ : result_;
}

protocol::Result App::exported() const {
  return state_.compare == Compare::beside && against_.shown ? protocol::beside(result_, *against_.shown) : result();
}

figure::Figure App::make_figure() const {
  const auto view_of = [&](const protocol::Result& result, const state::AppState& asked) {
    const bool fits = result.study == asked.study;  // the result of another study is not shown, not even dimmed
    return study_of(asked).view(fits ? result : protocol::Result(), asked.params);
  };
  if (state_.compare == Compare::beside && against_.shown && against_.asked && result_.study == state_.study)
    return figure::beside(view_of(result_, state_), view_of(*against_.shown, *against_.asked));
  if (other_alone() && result_.study == state_.study) return view_of(*against_.shown, *against_.asked);
  figure::Figure figure = view_of(result(), state_);
  put_text_on(figure);
  return figure;
}

figure::Reading App::reading() const {
  if (result_.study != state_.study || state_.view.focus.nothing()) return {};
  const auto reading_of = [&](const protocol::Result& result, const state::AppState& asked) {
    const auto& read = study_of(asked).reading;
    return read ? read(result, asked.params, state_.view) : figure::Reading();
  };
  if (other_alone()) return reading_of(*against_.shown, *against_.asked);
  figure::Reading here = reading_of(result(), state_);
  if (here.title.empty() || !against_.shown || !against_.asked) return here;
  const figure::Reading there = reading_of(*against_.shown, *against_.asked);
  if (state_.compare == Compare::beside) {
    if (!there.lines.empty()) here.lines.push_back("Compared with " + there.title + ":");
    here.lines.insert(here.lines.end(), there.lines.begin(), there.lines.end());
  } else if (difference_) {  // the two values subtracted; lines that say which point this is are not repeated
    const std::vector<std::string> shown = here.lines;
    const auto add = [&](const char* side, const figure::Reading& reading) {
      for (const std::string& line : reading.lines)
        if (std::ranges::find(shown, line) == shown.end()) here.lines.push_back(side + line);
    };
    add("this state: ", reading_of(result_, state_));
    add("compared with: ", there);
  }
  return here;
}

}  // namespace helix::app
