#include "geometry/scaled_rows.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <utility>

#include "geometry/pace.h"

namespace helix::geometry {
namespace {

/// The largest magnitude in `values` and `so_far`; infinity when any value is not finite.
double largest(std::span<const double> values, double so_far) {
  double most = so_far;
  bool finite = true;
  for (const double value : values) {
    const double size = std::fabs(value);
    finite &= size <= DBL_MAX;
    most = size > most ? size : most;
  }
  return finite ? most : HUGE_VAL;
}

/// The power of two that brings `size` into [0.5, 1), as far as it is itself a normal number.
double scale_for(double size) {
  if (size == 0) return 1;
  int exponent = 0;
  std::frexp(size, &exponent);
  return std::ldexp(1.0, -std::clamp(exponent, -1000, 1000));
}

void centre_row(std::span<const double> from, double scale, const std::vector<double>& mean, std::span<double> to) {
  for (std::size_t j = 0; j < to.size(); ++j) to[j] = from[j] * scale - mean[j];
}

void add_differences(std::span<const double> row, std::span<const double> first, double scale,
                     std::vector<double>& sums) {
  for (std::size_t j = 0; j < sums.size(); ++j) sums[j] += row[j] * scale - first[j] * scale;
}

}  // namespace

Task<ScaledRows> scaled_rows(std::shared_ptr<const Matrix<double>> input, bool centre) {
  const Matrix<double>& in = *input;
  const auto n = static_cast<double>(in.rows), cost = 4 * static_cast<double>(in.cols);
  Pace pace;
  ScaledRows out;
  out.mean.assign(in.cols, 0);
  double size = 0;
  for (std::size_t i = 0; i < in.rows; ++i) {
    size = largest(in.row(i), size);
    if (pace.due(cost)) co_await pause_point();
  }
  out.finite = size <= DBL_MAX;
  if (!out.finite) co_return std::move(out);
  out.scale = scale_for(size);

  std::vector<double> mean(in.cols, 0);  // [d] scaled
  for (std::size_t i = 0; centre && i < in.rows; ++i) {
    add_differences(in.row(i), in.row(0), out.scale, mean);
    if (pace.due(cost)) co_await pause_point();
  }
  for (std::size_t j = 0; centre && in.rows > 0 && j < in.cols; ++j) {
    mean[j] = in(0, j) * out.scale + mean[j] / n;
    out.mean[j] = mean[j] / out.scale;
  }

  auto rows = std::make_shared<Matrix<double>>(in.rows, in.cols);
  size = 0;
  for (std::size_t i = 0; i < in.rows; ++i) {
    centre_row(in.row(i), out.scale, mean, rows->row(i));
    size = largest(rows->row(i), size);
    if (pace.due(2 * cost)) co_await pause_point();
  }
  // A small spread beside a large constant column is scaled up a second time. Elsewhere that would buy
  // nothing.
  if (size > 0 && size < 0x1p-20) {
    const double again = std::min(scale_for(size), 0x1p1000 / out.scale);
    for (double& value : rows->data) value *= again;
    out.scale *= again;
  }
  out.rows = std::move(rows);
  co_return std::move(out);
}

}  // namespace helix::geometry
