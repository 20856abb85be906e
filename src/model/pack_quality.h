// How much storing weights with fewer digits changed the predictions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/matrix.h"

namespace helix::model {

struct PredictionDifference {
  double max_logit = 0, mean_logit = 0;  // |Δ| over all positions and tokens
  double mean_kl = 0, p99_kl = 0;        // of the stored from the exact distribution, in nats, over the positions
  double top1 = 0;                       // share of the positions with the same most likely token
};

/// The tokens used to compare every pack with its source: (i·7919) mod n_vocab, 128 of them or what the context holds.
std::vector<std::int32_t> quality_tokens(std::size_t n_vocab, std::size_t n_ctx);

/// Σ −ln p of the token that follows each position, in nats, by the logits [position, n_vocab] there.
double surprise(MatrixView<const float> logits, std::span<const std::int32_t> next);

/// Tokens in each piece of a text that is judged; fewer if the context is shorter.
constexpr std::size_t kJudgedWindow = 512;

/// A text's tokens in pieces that run separately, so the first token of a piece is not predicted. A last piece of a
/// single token is left out: nothing is predicted in it.
std::vector<std::span<const std::int32_t>> windows_of(std::span<const std::int32_t> tokens, std::size_t n_ctx);

/// The error for a text without any such piece.
inline constexpr std::string_view kNothingToPredict =
    "The text has fewer than two tokens, so there is nothing to predict in it.";

/// How far apart predictions are, gathered piece by piece: the logits of a long text need not be there at once.
class PredictionComparison {
 public:
  /// Logits [position, n_vocab] of the same tokens, by the weights as they were and as they are stored; not empty.
  void add(MatrixView<const float> exact, MatrixView<const float> stored);
  std::size_t positions() const { return kl_.size(); }
  /// Of all positions added; at least one was.
  PredictionDifference difference() const;

 private:
  double max_logit_ = 0, mean_logit_ = 0;  // the second summed over positions
  std::size_t same_top_ = 0;
  std::vector<double> kl_;  // of each position
};

/// The same of logits that are all there.
PredictionDifference compare_predictions(MatrixView<const float> exact, MatrixView<const float> stored);

}  // namespace helix::model
