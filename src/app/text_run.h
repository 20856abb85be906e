// The visitor's text on the figure of a study that reads none: a run of its own tells its tokens, and what is predicted
// after them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "protocol/result.h"
#include "state/app_state.h"

namespace helix::app {

inline constexpr const char* kTextSlot = "text";

struct TextRun {
  std::optional<state::AppState> asked;  // nothing: the open study shows no text
  std::uint32_t job = 0, answered = 0;
  bool pending = false;   // `asked` has changed since `job`
  bool predicts = false;  // the visitor has asked for a prediction of the text as it stands
  std::optional<protocol::Result> shown;
  std::string sentence;  // what `shown` predicts
  std::string problem;   // why there is nothing newer

  bool busy() const { return pending || answered != job; }
};

/// What the page shows of it.
struct TextShown {
  bool there = false, busy = false;
  std::string model, sentence, problem;  // sentence: what is predicted; empty: nothing was asked for
  std::size_t tokens = 0;
  int shift = 0;
};

/// By how many rows the edits that are on shift the text along the table of positions (shift_positions:K).
int shift_of(const Subject& subject);

}  // namespace helix::app
