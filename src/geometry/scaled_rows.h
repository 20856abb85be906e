// Rows made safe to square: centred on their mean and scaled by a power of two, so no sum of squares
// overflows.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "base/matrix.h"
#include "base/task.h"

namespace helix::geometry {

struct ScaledRows {
  std::shared_ptr<const Matrix<double>> rows;  // [n, d] (input - mean) * scale; the largest magnitude is about 1
  std::vector<double> mean;                    // [d] in the input's units; zeros when not centred
  double scale = 1;                            // a power of two, so scaling rounds nothing
  bool finite = true;                          // false when the input holds NaN or an infinity; rows are then null

  /// Σ (scaled entries)² / n, or an eigenvalue of the scaled rows, in the input's units.
  double unscaled(double variance) const { return variance / scale / scale; }
};

/// The mean is taken about the first row: rows that are all equal then centre to exact zeros.
Task<ScaledRows> scaled_rows(std::shared_ptr<const Matrix<double>> input, bool centre);

}  // namespace helix::geometry
