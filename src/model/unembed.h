// What the residual stream would predict: ln_f and the output head as functions of rows, without a pass. Logits are made
// some rows at a time, so that a whole text's, [position, n_vocab], are never there at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/matrix.h"
#include "base/task.h"
#include "model/network.h"

namespace helix::model {

/// How rows are normalized before the output head. once: as the model does at its end. twice: ln_f of ln_f. frozen: each
/// row less its own mean, over the scale of `scales`, the row that ends the same position's pass. none: as they are.
enum class FinalNorm { once, none, twice, frozen };

/// ln_f's scale √(variance + ε) of each row.
std::vector<float> final_scales(const Network& network, MatrixView<const float> rows);

/// Rows after ln_f; `scales`: one for each row, for `frozen` alone.
Matrix<float> final_norm(const Network& network, MatrixView<const float> rows, FinalNorm how = FinalNorm::once,
                         std::span<const float> scales = {});

/// Logits [row, n_vocab] of rows that are normalized. The network outlives the task.
Task<Matrix<float>> head_logits(const Network* network, Matrix<float> normalized);

/// ln_f and the output head: to the last bit what a pass that ends in these rows gives.
Task<Matrix<float>> unembed(std::shared_ptr<const Network> network, Matrix<float> rows);

/// What each row predicts.
struct Readout {
  Matrix<std::int32_t> top;     // [row, k] ids, the likeliest first
  Matrix<double> probability;   // [row, k] of these
  std::vector<double> entropy;  // nats, over the whole vocabulary
};

/// For a Store.
inline std::size_t kept_bytes(const Readout& read) {
  return read.top.data.size() * (sizeof(std::int32_t) + sizeof(double)) + read.entropy.size() * sizeof(double);
}

/// Of rows that are normalized.
Task<Readout> read_out(std::shared_ptr<const Network> network, Matrix<float> normalized, std::size_t k);

/// ln p of an id for each row; rows are normalized.
Task<std::vector<double>> log_probabilities(std::shared_ptr<const Network> network, Matrix<float> normalized,
                                            std::vector<std::int32_t> targets);

/// KL(p ‖ q) in nats, row by row, of the predictions of two runs; rows are normalized.
Task<std::vector<double>> divergence(std::shared_ptr<const Network> network, Matrix<float> p, Matrix<float> q);

}  // namespace helix::model
