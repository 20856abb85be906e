#include "studies/extended_positions/fits.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "base/pcg64.h"
#include "geometry/orthonormal.h"
#include "geometry/products.h"
#include "geometry/symmetric.h"
#include "studies/helix_compute.h"
#include "studies/null_range.h"
#include "studies/walks_compute.h"

namespace helix::studies::extended_positions {
namespace {

/// Of two orthonormal bases [3, d].
Task<Angles> angles_of(const Matrix<double>* a, const Matrix<double>* b) {
  Angles out;
  out.fill(std::nan(""));
  if (a->rows < kAxes || b->rows < kAxes) co_return out;
  Matrix<double> products(kAxes, kAxes), square(kAxes, kAxes);
  geometry::inner_products(a->view(), b->view(), products.view());
  for (std::size_t i = 0; i < kAxes; ++i)
    for (std::size_t j = 0; j < kAxes; ++j)
      for (std::size_t k = 0; k < kAxes; ++k) square(i, j) += products(k, i) * products(k, j);
  const geometry::Spectrum found = co_await geometry::symmetric_spectrum(std::move(square), 0);
  for (std::size_t i = 0; i < kAxes; ++i)
    out[i] = std::acos(std::sqrt(std::clamp(found.values[i], 0.0, 1.0))) * 180 / std::numbers::pi;
  co_return out;
}

}  // namespace

Task<Fit> fit_of(Rows rows, bool centre) {
  Fit out;
  out.pca = co_await walk_components(rows, centre, kAxes);  // a curve's components are near cosines
  if (out.pca.directions.rows < kAxes || geometry::rank_of(out.pca) < kAxes) co_return std::move(out);
  const Matrix<double> along = geometry::project(*rows, out.pca, kAxes);
  out.profiles = Matrix<double>(kAxes, rows->rows);
  for (std::size_t k = 0; k < kAxes; ++k) {
    double square = 0;
    for (std::size_t i = 0; i < along.rows; ++i) square += along(i, k) * along(i, k);
    for (std::size_t i = 0; i < along.rows; ++i) out.profiles(k, i) = along(i, k) / std::sqrt(square);
  }
  co_return std::move(out);
}

Task<Angles> angles_between(const Fit* a, const Fit* b, Side side) {
  Angles none;
  none.fill(std::nan(""));
  if (a->profiles.rows == 0 || b->profiles.rows == 0) co_return none;
  co_return co_await angles_of(&a->basis(side), &b->basis(side));
}

Task<std::vector<double>> random_angles(std::size_t dimension) {
  std::vector<double> out;
  if (dimension < kAxes) co_return out;
  // Only their relative position counts: one is spanned by the first three coordinates.
  Matrix<double> axes(kAxes, dimension);
  for (std::size_t k = 0; k < kAxes; ++k) axes(k, k) = 1;
  for (std::uint32_t seed = 1; seed <= kNullSeeds; ++seed) {
    Pcg64 rng(seed);
    Matrix<double> basis(kAxes, dimension);
    rng.normal(std::span(basis.data));
    for (std::size_t k = 0; k < kAxes; ++k) geometry::orthonormalise(basis.row(k), basis.view().slice(0, k));
    const Angles angles = co_await angles_of(&axes, &basis);
    out.insert(out.end(), angles.begin(), angles.end());
  }
  co_return out;
}

/// Each walk is decomposed whole, which takes the time of everything else: fewer than elsewhere.
constexpr std::uint32_t kWalks = 5;

Task<Expected<Walks>> walks_beside(Rows rows, bool centre, const Fit* positions) {
  Walks out;
  for (std::uint32_t seed = 1; seed <= kWalks; ++seed) {
    co_await pause_point(seed - 1, kWalks, "random walks");
    const Rows walk = less_mean(walk_like(*rows, seed));
    co_await pause_point();
    const Fit fit = co_await fit_of(walk, centre);
    const HelixNumbers numbers = helix_numbers(*walk, fit.pca, true, kAxes);
    out.explained_first3.push_back(numbers.explained_first3);
    out.turns.push_back(numbers.turns ? numbers.turns->turns : std::nan(""));
    out.along.push_back(numbers.points.cols > 2 ? std::abs(correlation_with_row(numbers.points, 2)) : std::nan(""));
    out.effective.push_back(effective_dimensions(*walk));
    for (const Side side : {Side::right, Side::left}) {
      const Angles angles = co_await angles_between(&fit, positions, side);
      auto& all = out.angles[static_cast<std::size_t>(side)];
      all.insert(all.end(), angles.begin(), angles.end());
    }
  }
  co_return std::move(out);
}

Rows less_mean(const Matrix<double>& rows) {
  auto out = std::make_shared<Matrix<double>>(rows);
  std::vector<double> mean(rows.cols, 0);
  for (std::size_t i = 0; i < rows.rows; ++i)
    for (std::size_t j = 0; j < rows.cols; ++j) mean[j] += rows(i, j) / static_cast<double>(rows.rows);
  for (std::size_t i = 0; i < rows.rows; ++i)
    for (std::size_t j = 0; j < rows.cols; ++j) (*out)(i, j) -= mean[j];
  return out;
}

double effective_dimensions(const Matrix<double>& rows) {
  std::vector<double> squares(rows.cols, 0);
  for (std::size_t i = 0; i < rows.rows; ++i)
    for (std::size_t j = 0; j < rows.cols; ++j) squares[j] += rows(i, j) * rows(i, j);
  const double most = rows.cols == 0 ? 0 : std::ranges::max(squares);
  if (!(most > 0)) return std::nan("");
  double sum = 0, square = 0;
  for (const double x : squares) sum += x / most, square += x / most * (x / most);
  return sum * sum / square;
}

}  // namespace helix::studies::extended_positions
