// Sums of a position's, a token's and a shared part through ln_1 and a head, and what each product has of the scores.
#pragma once

#include <array>
#include <cmath>
#include <vector>

#include "studies/context_compute.h"
#include "studies/score_parts/score_parts.h"

namespace helix::studies::score_parts {

using Vec = std::vector<double>;
inline constexpr std::size_t kSides = 3;  // position, token, what is shared
/// [side] of [position, d_model or d_head].
using Sides = std::array<Matrix<double>, kSides>;

/// ln_1 with its scale held is linear: (x − mean) / scale · gain; the shift goes to what is shared.
void normalize(Sides& sides, const Vec& scale, const HeadWeights& w);

/// Queries and keys of each side [position, d_head].
struct Vectors {
  Sides q, k;
};
Vectors vectors_of(const Sides& sides, const Matrix<double>& w_q, const Matrix<double>& w_k, const HeadWeights& w);

/// All parts of one query's scores [part][key].
using Row = std::array<Vec, kParts>;
Row row_of(const Vectors& v, std::size_t query, std::size_t keys);
/// The first token left out of the keys, and each part less its mean over the others: most heads attend to the first token by
/// default, and its score would be most of what there is to explain. Key j is then at j − 1.
inline constexpr std::size_t kLeftOut = 1;
void compare_keys(Row& row);
Vec sum_of(const Row& row);

/// What each part has of the scores' variance over the keys of a query: cov(part, score) / var(score), over all queries.
class Shares {
 public:
  /// The parts of one query, each less its mean over the keys.
  void add(const Row& row) {
    const Vec score = sum_of(row);
    for (std::size_t j = 0; j < score.size(); ++j) {
      total_ += score[j] * score[j];
      for (std::size_t p = 0; p < kParts; ++p) with_[p] += row[p][j] * score[j];
    }
  }
  /// NaN where the scores differ by no more than `rounding`.
  Vec shares(double rounding) const {
    Vec out;
    for (const double x : with_) out.push_back(total_ > rounding * rounding ? x / total_ : std::nan(""));
    return out;
  }

 private:
  std::array<double, kParts> with_{};
  double total_ = 0;
};

}  // namespace helix::studies::score_parts
