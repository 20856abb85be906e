// A layer's values over texts and positions as a sum: h(c, t) = μ + pos(t) + ctx(c) + rest(c, t). Every text has every
// position once, so the parts are orthogonal and their squares add up to the whole.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "base/matrix.h"
#include "base/task.h"

namespace helix::studies::position_share {

struct Parts {
  std::size_t texts = 0, positions = 0, features = 0;
  std::shared_ptr<const Matrix<double>> position;  // [position, d_model], mean 0
  /// Sums of squares over all texts and positions; each is summed on its own.
  double whole = 0, of_position = 0, of_context = 0, of_rest = 0;
  /// Largest singular values of the [text · position, d_model] matrices.
  double whole_norm = 0, position_norm = 0, context_norm = 0, rest_norm = 0;
  double rest_along = 0;  // squares of the rest along the first direction of the positions' part
  double neighbours = 0;  // mean cosine of pos(t) and pos(t + 1)
  double crossing = 0;    // mean |cosine| of pos(t) and ctx(c)
  /// In its first components, at most three: shares, and coordinates over the root mean square of the lengths.
  std::vector<double> explained;
  Matrix<double> points;  // [position, component]
  double turns = 0;       // NaN where there is no plane

  double share(double part) const;  // of the whole; NaN where nothing varies
  /// What the mean over the texts leaves of the rest, as a share of the whole: of noise this is pos's whole share,
  /// about 1 / texts.
  double chance() const;
  double relative(double norm) const;  // over the whole's
  /// ‖pos‖² / σ₁²; NaN where nothing varies.
  double stable_rank() const;
  /// The same after what the mean leaves of the rest was taken off both; NaN where little else is there.
  double stable_rank_corrected() const;

  std::size_t bytes() const;
};

/// Rows are text after text, each with as many positions. The rows outlive the task.
Task<Parts> parts_of(MatrixView<const float> rows, std::size_t texts);

/// Of rows about their mean; NaN where nothing varies.
Task<double> stable_rank_of(std::shared_ptr<const Matrix<double>> rows);

}  // namespace helix::studies::position_share
