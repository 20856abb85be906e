// The visitor's text beside a study's figure: a run of its own gives its tokens and the prediction after them and, if
// edits are on, a second run gives the prediction without them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "protocol/result.h"
#include "state/app_state.h"

namespace helix::app {

/// One of the two runs. Without `asked` the run is not needed.
struct TextSide {
  std::optional<state::AppState> asked{};
  std::uint32_t job = 0, answered = 0;
  bool pending = false;  // `asked` has changed since `job`
  std::optional<protocol::Result> shown{};
  std::string problem{};  // why there is no newer result

  bool busy() const { return pending || answered != job; }
};

struct TextRun {
  TextSide now, before;   // with and without the edits
  bool predicts = false;  // the visitor has requested a prediction for the current text
  std::string sentence;   // the prediction of `now`

  bool busy() const { return now.busy() || before.busy(); }
  std::array<TextSide*, 2> sides() { return {&now, &before}; }
};
inline constexpr std::array<const char*, 2> kTextSlots{"text", "text-before"};

/// A candidate for the next token. `before`: its probability without the edits; NaN if unknown.
struct NextToken {
  std::string token;
  double probability = 0, before = 0;
};

/// What the page shows of these runs.
struct TextShown {
  bool there = false, busy = false;
  std::string model, sentence, problem;  // sentence: the prediction
  std::vector<NextToken> next;           // the most likely ones, if edits are on
  std::size_t tokens = 0;
  int shift = 0;
};

/// By how many rows the active edits shift the text along the table of positions (shift_positions:K).
int shift_of(const Subject& subject);

}  // namespace helix::app
