// What storing weights with fewer digits did to the predictions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/matrix.h"

namespace helix::model {

struct PredictionDifference {
  double max_logit = 0, mean_logit = 0;  // |Δ| over all positions and tokens
  double mean_kl = 0, p99_kl = 0;        // of the stored from the exact distribution, in nats, over the positions
  double top1 = 0;                       // share of the positions with the same most likely token
};

/// The tokens that every pack is judged by: (i·7919) mod n_vocab, 128 of them or what the context holds.
std::vector<std::int32_t> quality_tokens(std::size_t n_vocab, std::size_t n_ctx);

/// Σ −ln p of the token that follows each position, in nats, by the logits [position, n_vocab] there.
double surprise(MatrixView<const float> logits, std::span<const std::int32_t> next);

/// Logits [position, n_vocab] of the same tokens, by the weights as they were and as they are stored.
PredictionDifference compare_predictions(MatrixView<const float> exact, MatrixView<const float> stored);

}  // namespace helix::model
