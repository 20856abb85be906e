// What the page shows of the text's runs: its place on the curve, the prediction after it, and what the edits change.
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "protocol/result.h"

namespace helix::app {

/// A candidate for the next token. `before`: its probability without the edits. NaN: not listed in that run.
struct NextToken {
  std::string token;
  double probability = 0, before = 0;
};

struct TextShown {
  bool there = false, busy = false;
  std::string model, sentence, problem;  // sentence: the prediction
  std::vector<NextToken> next;           // the most likely ones of both runs by their change, if edits are on
  double divergence = std::numeric_limits<double>::quiet_NaN();  // nats at least, from the run without the edits
  std::size_t tokens = 0;                                        // 0: not known yet
  std::size_t shift = 0;                                         // the first token's position
  std::size_t last_shift = 0;                                    // at which the text ends where the model ends
  std::size_t positions = 0;                                     // of that model; 0: not known yet
};

/// The most likely next tokens of both runs, those whose probability changed most first.
std::vector<NextToken> next_tokens(const protocol::Result& now, const protocol::Result& before);

/// KL(before ‖ now), in nats, at least; not a number where a run lists no tokens.
double least_divergence(const protocol::Result& now, const protocol::Result& before);

/// The tokens as words, without the spaces in front of them; at most as many as are put on a curve.
std::vector<std::string> words_of(const std::vector<protocol::Token>& tokens);

/// "minihelix ends at position 511: move left."
std::string beyond_end(const std::string& model, std::size_t positions);

}  // namespace helix::app
