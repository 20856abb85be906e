// The visitor's text beside a study's figure: a run of its own tells its tokens and what is predicted after them, and
// where edits are on, another one what is predicted without them.
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

/// One of the two runs. Nothing asked: it is not wanted.
struct TextSide {
  std::optional<state::AppState> asked{};
  std::uint32_t job = 0, answered = 0;
  bool pending = false;  // `asked` has changed since `job`
  std::optional<protocol::Result> shown{};
  std::string problem{};  // why there is nothing newer

  bool busy() const { return pending || answered != job; }
};

struct TextRun {
  TextSide now, before;   // with the edits, and without
  bool predicts = false;  // the visitor has asked for a prediction of the text as it stands
  std::string sentence;   // what `now` predicts

  bool busy() const { return now.busy() || before.busy(); }
  std::array<TextSide*, 2> sides() { return {&now, &before}; }
};
inline constexpr std::array<const char*, 2> kTextSlots{"text", "text-before"};

/// A token that may come next. `before`: its probability without the edits; NaN where that is not known.
struct NextToken {
  std::string token;
  double probability = 0, before = 0;
};

/// What the page shows of it.
struct TextShown {
  bool there = false, busy = false;
  std::string model, sentence, problem;  // sentence: what is predicted
  std::vector<NextToken> next;           // the likeliest, where edits are on
  std::size_t tokens = 0;
  int shift = 0;
};

/// By how many rows the edits that are on shift the text along the table of positions (shift_positions:K).
int shift_of(const Subject& subject);

}  // namespace helix::app
