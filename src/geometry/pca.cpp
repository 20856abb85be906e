#include "geometry/pca.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "geometry/dense.h"
#include "geometry/directions.h"
#include "geometry/orthonormal.h"
#include "geometry/pace.h"
#include "geometry/products.h"
#include "geometry/scaled_rows.h"
#include "geometry/symmetric.h"

namespace helix::geometry {
namespace {

/// Directions in the space of columns from eigenvectors u [k, n] of XXᵀ: v = Xᵀu / ‖Xᵀu‖. Beyond the rank of X,
/// any direction orthogonal to the previous ones is an eigenvector.
Task<Matrix<double>> directions_from_rows(std::shared_ptr<const Matrix<double>> rows, Matrix<double> u) {
  constexpr std::size_t kTogether = 8;
  Matrix<double> out(u.rows, rows->cols), weights(u.cols, u.rows);  // weights [n, k]
  map(weights) = map(u).transpose();
  double longest = 0;
  FixedNoise noise(1);
  Pace pace;
  for (std::size_t i = 0; i < out.rows; ++i) {
    if (i % kTogether == 0) {
      const std::size_t count = std::min(kTogether, out.rows - i);
      add_weighted_rows(*rows, {&weights.data[i], weights.rows, count, weights.cols}, out.view().slice(i, count));
    }
    const std::span<double> v = out.row(i);
    const MatrixView<const double> before = out.view().slice(0, i);
    const double length = map(v).norm();
    longest = std::max(longest, length);
    if (length <= 1e-7 * longest || orthonormalise(v, before) < 1e-8) {
      noise.fill(v);
      orthonormalise(v, before);
    }
    if (!pace.due(static_cast<double>((2 * rows->rows + 8 * i) * rows->cols))) continue;
    co_await pause_point(static_cast<double>(i), static_cast<double>(out.rows), "directions");
  }
  co_return std::move(out);
}

/// to = row - mean.
void centre_row(std::span<const double> row, const std::vector<double>& mean, std::span<double> to) {
  map(to) = map(row) - map(mean);
}

}  // namespace

Pca not_a_number(std::size_t d, std::size_t k, std::size_t values) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  Pca out{std::vector<double>(d, kNan), Matrix<double>(k, d), std::vector<double>(values, kNan), kNan, false};
  map(out.directions).setConstant(kNan);
  return out;
}

void fix_signs(Matrix<double>& directions) {
  for (std::size_t i = 0; i < directions.rows; ++i) {
    const std::span<double> v = directions.row(i);
    const auto largest =
        std::max_element(v.begin(), v.end(), [](double a, double b) { return std::fabs(a) < std::fabs(b); });
    if (largest == v.end() || *largest >= 0) continue;
    map(v) = -map(v);
  }
}

Task<Pca> pca(std::shared_ptr<const Matrix<double>> rows, bool centre, std::size_t k) {
  const std::size_t n = rows->rows, d = rows->cols, rank = std::min(n, d);
  k = std::min(k, rank);
  ScaledRows x = co_await scaled_rows(rows, centre);
  if (!x.finite) co_return not_a_number(d, k, rank);
  Pca out;
  out.mean = std::move(x.mean);
  out.directions = Matrix<double>(k, d);
  if (rank == 0) co_return std::move(out);

  Matrix<double> covariance = co_await gram(x.rows, d <= n);
  const auto count = static_cast<double>(n);
  out.total_variance = x.unscaled(map(covariance).trace() / count);
  Spectrum spectrum = co_await symmetric_spectrum(std::move(covariance), k);
  for (const double value : spectrum.values) out.variances.push_back(x.unscaled(std::max(value, 0.0) / count));
  out.directions = std::move(spectrum.vectors);
  if (d > n) out.directions = co_await directions_from_rows(x.rows, std::move(out.directions));
  fix_signs(out.directions);
  co_return std::move(out);
}

Matrix<double> project(MatrixView<const double> rows, const Pca& fit, std::size_t k) {
  constexpr std::size_t kRows = 4;
  k = std::min(k, fit.directions.rows);
  const MatrixView<const double> directions = fit.directions.view().slice(0, k);
  Matrix<double> out(rows.rows, k), centred(kRows, rows.cols);
  for (std::size_t i = 0; i < rows.rows; i += kRows) {
    const std::size_t count = std::min(kRows, rows.rows - i);
    for (std::size_t r = 0; r < count; ++r) centre_row(rows.row(i + r), fit.mean, centred.row(r));
    inner_products(centred.view().slice(0, count), directions, out.view().slice(i, count));
  }
  return out;
}

std::vector<double> explained(const Pca& fit) {
  std::vector<double> out(fit.variances.size(), 0);
  if (fit.total_variance == 0) return out;
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = fit.variances[i] / fit.total_variance;
  return out;
}

std::size_t rank_of(const Pca& fit) {
  constexpr double kRounding = 1e-13;  // of the largest eigenvalue, in double
  if (std::isnan(fit.total_variance)) return fit.directions.rows;
  std::size_t rank = 0;
  while (rank < fit.directions.rows && fit.variances[rank] > kRounding * fit.variances[0]) ++rank;
  return rank;
}

std::size_t components_for(const std::vector<double>& fractions, double share) {
  constexpr double kRounding = 1e-12;  // so that a share of 1 is reached by a sum that rounds to just below it
  double sum = 0;
  for (std::size_t i = 0; i < fractions.size(); ++i) {
    sum += fractions[i];
    if (sum >= share - kRounding) return i + 1;
  }
  return 0;
}

std::vector<double> residuals(MatrixView<const double> rows, const Pca& fit, std::size_t k) {
  const Matrix<double> along = project(rows, fit, k);
  std::vector<double> out(rows.rows, 0), rest(rows.cols);
  for (std::size_t i = 0; i < rows.rows; ++i) {
    centre_row(rows.row(i), fit.mean, rest);
    for (std::size_t c = 0; c < along.cols; ++c) map(rest) -= along(i, c) * map(fit.directions.row(c));
    out[i] = map(rest).norm();
  }
  return out;
}

std::vector<double> captured(MatrixView<const double> rows, const Pca& fit, std::size_t k) {
  const Matrix<double> along = project(rows, fit, k);
  std::vector<double> out(along.cols, 0), centred(rows.cols);
  double total = 0;
  for (std::size_t i = 0; i < rows.rows; ++i) {
    centre_row(rows.row(i), fit.mean, centred);
    total += map(centred).squaredNorm();
    for (std::size_t c = 0; c < along.cols; ++c) out[c] += along(i, c) * along(i, c);
  }
  if (total == 0) return std::vector<double>(along.cols, 0);
  for (double& share : out) share /= total;
  return out;
}

}  // namespace helix::geometry
