#include "studies/helix_compute.h"

#include <algorithm>
#include <cmath>

#include "checkpoint/convert.h"

namespace helix::studies {

Expected<Matrix<double>> learned_positions(const checkpoint::WeightFile& weights) {
  const auto tensor = weights.tensor(kPositionTable);
  if (!tensor) return tensor.error();
  if (tensor->info->shape.size() != 2)
    return Error{"The tensor " + std::string(kPositionTable) + " has " + std::to_string(tensor->info->shape.size()) +
                 " dimensions, not position and d_model."};
  const auto rows = checkpoint::to_finite_f32(*tensor);
  if (!rows) return rows.error();
  Matrix<double> out(rows->rows, rows->cols);
  std::copy(rows->data.begin(), rows->data.end(), out.data.begin());
  return out;
}

Expected<RowRange> range_within(int first, int last, std::size_t n, const std::string& what,
                                std::vector<std::string>& notes) {
  const int end = static_cast<int>(n) - 1;
  if (first > end)
    return Error{what + " starts at position " + std::to_string(first) + ", but the last one is " +
                 std::to_string(end) + "."};
  if (last < first)
    return Error{what + " ends at position " + std::to_string(last) + ", before it starts at " + std::to_string(first) +
                 "."};
  if (last > end) {
    notes.push_back(what + " ends at " + std::to_string(end) + ", the last position there is, not at " +
                    std::to_string(last) + ".");
    last = end;
  }
  return RowRange{static_cast<std::size_t>(first), static_cast<std::size_t>(last)};
}

std::shared_ptr<const Matrix<double>> copy_rows(const Matrix<double>& all, RowRange range) {
  auto rows = std::make_shared<Matrix<double>>(range.count(), all.cols);
  std::copy_n(all.data.begin() + static_cast<std::ptrdiff_t>(range.first * all.cols), rows->data.size(),
              rows->data.begin());
  return rows;
}

std::string rows_text(RowRange range) {
  return "rows " + std::to_string(range.first) + ".." + std::to_string(range.last);
}

HelixNumbers helix_numbers(const Matrix<double>& shown, const geometry::Pca& fit, bool fitted_here,
                           std::size_t components, std::size_t a, std::size_t b) {
  HelixNumbers out;
  components = std::min(components, geometry::rank_of(fit));
  out.points = geometry::project(shown, fit, components);
  out.explained = fitted_here ? geometry::explained(fit) : geometry::captured(shown, fit, components);
  if (std::ranges::all_of(out.explained, [](double share) { return share == 0; })) out.explained.clear();
  out.residual = geometry::residuals(shown, fit, std::min<std::size_t>(3, components));
  if (out.explained.empty()) out.explained_first3 = std::nan("");
  for (std::size_t i = 0; i < std::min<std::size_t>(3, out.explained.size()); ++i)
    out.explained_first3 += out.explained[i];
  out.components_for_90 = geometry::components_for(out.explained, 0.9);
  if (a < out.points.cols && b < out.points.cols && a != b && shown.rows > 1)
    out.turns = geometry::turns(out.points, a, b);
  return out;
}

double correlation_with_row(MatrixView<const double> points, std::size_t column) {
  const double n = static_cast<double>(points.rows);
  double mean_x = 0, mean_y = 0, xx = 0, yy = 0, xy = 0;
  for (std::size_t i = 0; i < points.rows; ++i) mean_x += static_cast<double>(i) / n, mean_y += points(i, column) / n;
  for (std::size_t i = 0; i < points.rows; ++i) {
    const double x = static_cast<double>(i) - mean_x, y = points(i, column) - mean_y;
    xx += x * x, yy += y * y, xy += x * y;
  }
  return xy / std::sqrt(xx * yy);
}
}  // namespace helix::studies
