// The passes: <|endoftext|> and a repeated token through the whole context, read before every layer and averaged over
// tokens.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "studies/context_compute.h"
#include "studies/extended_positions/extended_positions.h"

namespace helix::studies::extended_positions {

/// What is repeated.
struct Tokens {
  std::int32_t bos = 0;
  std::vector<std::int32_t> ids;   // one for each prompt: the chosen one, then random ones
  std::vector<std::string> notes;  // deviations from what was requested
};

/// Random ids are those of an order of all ids drawn from default_rng(1) (base/pcg64.h) whose text is one character
/// string that encodes to this id alone.
Expected<Tokens> choose_tokens(const Params& params, const Inputs& inputs);

/// The mean over prompts at a hook, less its mean over all positions.
struct Mean {
  Matrix<float> rows;    // [n_ctx, d_model]
  double agreement = 0;  // mean cosine of two prompts, rows from 1 on less their mean; NaN for one prompt
};

/// Of the layers first, first + 1, …: the residual stream before each, and ln_1 before its gain and shift.
struct Means {
  std::size_t first = 0;
  std::vector<std::array<Mean, 2>> layers;

  bool holds(std::size_t layer) const { return layer >= first && layer - first < layers.size(); }
  std::size_t bytes() const;
};

/// The means of the layers around this one that can be kept together: in models like GPT-2 small these are all of them.
/// The context outlives the task.
Task<Expected<std::shared_ptr<const Means>>> means_around(Context* context, const Tokens* tokens, std::size_t layer);

/// Names what means_around(…) returns.
std::string means_key(const Tokens& tokens);

}  // namespace helix::studies::extended_positions
