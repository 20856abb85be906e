#include "geometry/pca.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "geometry/directions.h"
#include "geometry/products.h"
#include "geometry/scaled_rows.h"
#include "geometry/simd.h"
#include "geometry/symmetric.h"

namespace helix::geometry {
namespace {

/// Directions in the space of columns from eigenvectors u [k, n] of XXᵀ: v = Xᵀu / ‖Xᵀu‖. Where X has nothing
/// left (rank below k) any direction orthogonal to the ones before is an eigenvector.
Matrix<double> directions_from_rows(const Matrix<double>& rows, const Matrix<double>& u) {
  Matrix<double> weights(u.cols, u.rows);  // [n, k]
  for (std::size_t i = 0; i < u.rows; ++i) {
    for (std::size_t r = 0; r < u.cols; ++r) weights(r, i) = u(i, r);
  }
  Matrix<double> out(u.rows, rows.cols);
  add_weighted_rows(rows, weights, out.view());
  double longest = 0;
  FixedNoise noise(1);
  for (std::size_t i = 0; i < out.rows; ++i) {
    const std::span<double> v = out.row(i);
    const double length = std::sqrt(dot(v.data(), v.data(), v.size()));
    longest = std::max(longest, length);
    if (length <= 1e-7 * longest || orthonormalise(v, out, i) < 1e-8) {
      noise.fill(v);
      orthonormalise(v, out, i);
    }
  }
  return out;
}

double trace(const Matrix<double>& square) {
  double total = 0;
  for (std::size_t i = 0; i < square.rows; ++i) total += square(i, i);
  return total;
}

/// to = row - mean.
void centre_row(std::span<const double> row, const std::vector<double>& mean, std::span<double> to) {
  for (std::size_t j = 0; j < row.size(); ++j) to[j] = row[j] - mean[j];
}

}  // namespace

Pca not_a_number(std::size_t d, std::size_t k, std::size_t values) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  Pca out{std::vector<double>(d, kNan), Matrix<double>(k, d), std::vector<double>(values, kNan), kNan, false};
  std::fill(out.directions.data.begin(), out.directions.data.end(), kNan);
  return out;
}

void fix_signs(Matrix<double>& directions) {
  for (std::size_t i = 0; i < directions.rows; ++i) {
    const std::span<double> v = directions.row(i);
    const auto largest =
        std::max_element(v.begin(), v.end(), [](double a, double b) { return std::fabs(a) < std::fabs(b); });
    if (largest == v.end() || *largest >= 0) continue;
    for (double& x : v) x = -x;
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
  out.total_variance = x.unscaled(trace(covariance) / count);
  Spectrum spectrum = co_await symmetric_spectrum(std::move(covariance), k);
  for (const double value : spectrum.values) out.variances.push_back(x.unscaled(std::max(value, 0.0) / count));
  out.directions = d <= n ? std::move(spectrum.vectors) : directions_from_rows(*x.rows, spectrum.vectors);
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
    for (std::size_t c = 0; c < along.cols; ++c)
      add_scaled(rest.data(), -along(i, c), fit.directions.row(c).data(), rest.size());
    out[i] = std::sqrt(dot(rest.data(), rest.data(), rest.size()));
  }
  return out;
}

std::vector<double> captured(MatrixView<const double> rows, const Pca& fit, std::size_t k) {
  const Matrix<double> along = project(rows, fit, k);
  std::vector<double> out(along.cols, 0), centred(rows.cols);
  double total = 0;
  for (std::size_t i = 0; i < rows.rows; ++i) {
    centre_row(rows.row(i), fit.mean, centred);
    total += dot(centred.data(), centred.data(), centred.size());
    for (std::size_t c = 0; c < along.cols; ++c) out[c] += along(i, c) * along(i, c);
  }
  if (total == 0) return std::vector<double>(along.cols, 0);
  for (double& share : out) share /= total;
  return out;
}

}  // namespace helix::geometry
