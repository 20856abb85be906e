// Positions along their principal components: shared by the study of one curve and the study of several models.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/expected.h"
#include "base/matrix.h"
#include "checkpoint/weights.h"
#include "geometry/helix.h"
#include "geometry/pca.h"
#include "studies/helix_rule.h"

namespace helix::studies {

inline constexpr const char* kPositionTable = "wpe.weight";

/// The learned positions of a checkpoint, in double. [position, d_model]
Expected<Matrix<double>> learned_positions(const checkpoint::WeightFile& weights);

/// Both ends inclusive.
struct RowRange {
  std::size_t first = 0, last = 0;
  std::size_t count() const { return last - first + 1; }
  bool operator==(const RowRange&) const = default;
};

/// The requested range within 0 .. n-1; a last row beyond the end becomes the last row, with a note. `what` begins
/// the sentences: "The range".
Expected<RowRange> range_within(int first, int last, std::size_t n, const std::string& what,
                                std::vector<std::string>& notes);

std::shared_ptr<const Matrix<double>> copy_rows(const Matrix<double>& all, RowRange range);

/// "rows 1..1023"
std::string rows_text(RowRange range);

/// The fit's numbers for the rows that are shown.
struct HelixNumbers {
  Matrix<double> points;                 // [row, component], at most `components` of them
  std::vector<double> explained;         // share of the variance, largest first; empty where nothing varies
  std::vector<double> residual;          // [row] distance from the span of the first three components
  double explained_first3 = 0;           // NaN where nothing varies
  std::size_t components_for_90 = 0;     // 0: not reached by the known components
  std::optional<geometry::Turns> turns;  // nothing if the plane's two components, or two rows, are missing
};

/// Directions that hold rounding alone are left out. `fitted_here`: the fit is of these rows, so all its shares apply to them. Turns are in the plane of components a
/// and b, counted from 0.
HelixNumbers helix_numbers(const Matrix<double>& shown, const geometry::Pca& fit, bool fitted_here,
                           std::size_t components, std::size_t a = 0, std::size_t b = 1);

/// Pearson's correlation of one column of points with the index of the row.
double correlation_with_row(MatrixView<const double> points, std::size_t column);

}  // namespace helix::studies
