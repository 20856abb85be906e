// Positions through ln_1 and a head's W_Q and W_K, in double: scores, patterns, and which way a query pulls on the curve.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/matrix.h"
#include "base/task.h"
#include "geometry/pca.h"
#include "studies/helix_compute.h"

namespace helix::studies::position_scores {

inline constexpr double kEpsilon = 1e-5;       // of ln_1
inline constexpr std::size_t kComponents = 3;  // of the curve, as the study of the helix has them

using Rows = std::shared_ptr<const Matrix<double>>;

/// ln_1's gain and bias.
struct Norm {
  std::vector<double> gain, shift;
};

/// The table of positions through ln_1, and its curve: rows 1 and on along their leading principal components.
struct Places {
  Rows normalized;                // [position, d_model], gain and bias included
  std::vector<double> scale;      // [position] what LayerNorm divides by
  std::vector<double> square;     // [position] squared norm of the row before gain and bias
  Matrix<double> directions;      // [component, d_model]; fewer than kComponents where the rows have no more
  Matrix<double> points;          // [position − 1, component]
  Matrix<double> onto;            // [position, component] the row before gain and bias, times the direction
  std::vector<double> explained;  // [component]
  std::size_t bytes() const;
};
Task<Places> places_of(Rows table, std::shared_ptr<const Norm> norm);
/// LayerNorm alone: of a random walk, say.
Task<Rows> normalized(Rows table, std::shared_ptr<const Norm> norm);

/// W_Q and W_K of a head, one row for each of its dimensions: [d_head, d_model].
struct Weights {
  Matrix<double> q, k;
  std::vector<double> q_bias, k_bias;
};
/// Normal numbers with the mean and the standard deviation of the whole c_attn, as control:weights:SEED has them.
struct Spread {
  double mean = 0, deviation = 0, bias_mean = 0, bias_deviation = 0;
};
Weights random_weights(std::size_t d_head, std::size_t d_model, const Spread& like, std::uint32_t seed);

/// Queries and keys of all positions, [position, d_head], without the head's biases.
struct Projected {
  Matrix<double> q, k;
  std::size_t bytes() const;
};
Task<Projected> project(Rows normalized, std::shared_ptr<const Weights> head);
/// Queries or keys with their bias.
Matrix<double> with_bias(Matrix<double> rows, const std::vector<double>& bias);

/// The positions that `rising` counts: 50 to 999, or to the last one with a neighbour on each side; of a short table all
/// of those.
RowRange rising_range(std::size_t positions);
/// The share of these positions i with q_i · k_{i+1} > q_i · k_{i−1}. Row i of the table stands at order[i]; empty: as they
/// are.
double rising(const Matrix<double>& q, const Matrix<double>& k, const std::vector<std::size_t>& order = {});

/// Scores q·k / √d_head of some queries with keys 0 to `last`.
Task<Matrix<double>> scores(std::shared_ptr<const Projected> head, RowRange queries, std::size_t last);
/// Their softmax over the keys up to the query; row 0 is query `first`.
Matrix<double> pattern(const Matrix<double>& scores, std::size_t first);

/// The gradient of a query's score with the embedding at its own position: W_K q through ln_1, at every position from 1.
struct Pull {
  Matrix<double> at;  // [position − 1, component]
  std::vector<double> along,
      outward;               // cosines with the curve and with the direction away from its axis, in the components
  std::vector<double> held;  // share of its square that lies in the components
};
Pull pull_of(const Places& places, const Weights& head, const Norm& norm, const Matrix<double>& q,
             const Matrix<double>& k);

}  // namespace helix::studies::position_scores
