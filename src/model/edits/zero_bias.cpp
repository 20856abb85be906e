#include <algorithm>

#include "model/edits/effect.h"

namespace helix::model::effects {
namespace {

/// Queries come first, then keys.
void change(const ParsedEdit& edit, std::span<float> biases) {
  const std::size_t d_model = biases.size() / 3;
  std::ranges::fill(biases.subspan(edit.index(0) * d_model, d_model), 0.0f);
}

}  // namespace

Effect zero_bias() { return OnBiases{change}; }

}  // namespace helix::model::effects
