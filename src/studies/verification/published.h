// Numbers of OpenAI's GPT-2 small that others have published, with their source.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "model/config.h"

namespace helix::studies::verification {

struct PublishedLogits {
  std::string id, text;
  std::vector<std::int32_t> tokens;
  std::vector<std::pair<std::int32_t, double>> logits;  // after the last token
};

/// In float32 without BOS; the last digits differ between implementations.
inline constexpr double kLogitTolerance = 5e-3;
const std::vector<PublishedLogits>& published_logits();

struct PublishedNorms {
  const char *id, *tensor, *words;
  double mean, deviation, most, least;
};

/// Claim F9, printed with four digits; the standard deviation divides by n.
inline constexpr double kNormTolerance = 5.1e-5;
const std::vector<PublishedNorms>& published_norms();

/// Whether a model has GPT-2 small's sizes: the numbers are of no other.
bool is_gpt2_small(const model::Config& config);

}  // namespace helix::studies::verification
