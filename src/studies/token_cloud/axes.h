// Three axes of a table too large to convert to double, and the projection of all of its rows on them.
#pragma once

#include <memory>
#include <vector>

#include "base/expected.h"
#include "base/matrix.h"
#include "base/task.h"
#include "geometry/singular.h"

namespace helix::studies::token_cloud {

using Blocks = std::shared_ptr<const geometry::RowBlocks>;

struct Axes {
  std::vector<double> mean;       // [d] of all rows; zeros when not centred
  Matrix<double> directions;      // [≤ 3, d] orthonormal, by decreasing variance, largest-magnitude entry positive
  std::vector<double> variances;  // along them, over n
  double total = 0;               // variance in all directions; about the origin when not centred
  std::size_t fitted_on = 0;      // number of rows
};

/// Principal axes of at most this many evenly spaced rows: a first picture of a large table.
inline constexpr std::size_t kSample = 2048;
Task<Expected<Axes>> axes_of_sample(Blocks table, bool centre);
/// Principal axes of all rows, exact in double, a block of rows at a time.
Task<Expected<Axes>> axes_of_all(Blocks table, bool centre);

struct Along {
  Matrix<double> points;      // [n, axes of `axes`]
  std::vector<double> norms;  // [n] of the rows as they are
  double held = 0;            // share of the variance along `other`
};

/// Every row along the axes; `other` (may be empty) are orthonormal directions [m, d] whose variance is measured too.
Task<Expected<Along>> rows_along(Blocks table, std::shared_ptr<const Axes> axes, Matrix<double> other, bool centre);

}  // namespace helix::studies::token_cloud
