#include "studies/walks_compute.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/random_rows.h"
#include "base/sha256.h"
#include "geometry/helix.h"
#include "geometry/products.h"
#include "studies/helix_compute.h"
#include "studies/null_range.h"

namespace helix::studies {
namespace {

/// Directions near the leading components of a walk: its rows weighted by cosines of half a wave, one wave, …
Matrix<double> cosine_directions(const Matrix<double>& walk, std::size_t k) {
  Matrix<double> weights(walk.rows, k), out(k, walk.cols);
  for (std::size_t i = 0; i < walk.rows; ++i)
    for (std::size_t c = 0; c < k; ++c)
      weights(i, c) = std::cos(std::numbers::pi * static_cast<double>(c + 1) * (static_cast<double>(i) + 0.5) /
                               static_cast<double>(walk.rows));
  geometry::add_weighted_rows(walk, weights, out.view());
  return out;
}

}  // namespace

Matrix<double> walk_like(const Matrix<double>& rows, std::uint32_t seed) {
  Pcg64 rng(seed);
  return random_walk(rows.row(0), step_norms(rows), rng);
}

Task<geometry::Pca> walk_components(std::shared_ptr<const Matrix<double>> walk, bool centre, std::size_t k) {
  Matrix<double> start = cosine_directions(*walk, std::min({k, walk->rows, walk->cols}));
  co_await pause_point();
  co_return co_await geometry::top_components(walk, centre, k, std::move(start));
}

std::string walk_key(const Matrix<double>& rows, bool centre, std::size_t a, std::size_t b) {
  const std::vector<double> steps = step_norms(rows);
  Sha256 hash;
  hash.update(std::as_bytes(std::span(steps)));
  if (!centre) hash.update(std::as_bytes(rows.row(0)));  // about the origin, the start counts
  return hash.hex() + " " + std::to_string(rows.cols) + (centre ? " c " : " u ") + std::to_string(a) + " " +
         std::to_string(b);
}

Task<Expected<WalkNumbers>> walk_numbers(std::shared_ptr<const Matrix<double>> rows, bool centre, std::size_t a,
                                         std::size_t b) {
  WalkNumbers out;
  const std::size_t components = std::max<std::size_t>({3, a + 1, b + 1});
  for (std::uint32_t seed = 1; seed <= kNullSeeds; ++seed) {
    co_await pause_point(seed, kNullSeeds, "random walks");
    const auto walk = std::make_shared<const Matrix<double>>(walk_like(*rows, seed));
    co_await pause_point();
    const geometry::Pca fit = co_await walk_components(walk, centre, components);
    const HelixNumbers numbers = helix_numbers(*walk, fit, true, components, a, b);
    out.explained_first3.push_back(numbers.explained_first3);
    out.turns.push_back(numbers.turns ? numbers.turns->turns : std::nan(""));
    out.along.push_back(numbers.points.cols > 2 ? std::abs(correlation_with_row(numbers.points, 2)) : std::nan(""));
  }
  co_return std::move(out);
}

std::size_t rank_of(const std::vector<double>& values) {
  constexpr double kCliff = 0.01;
  for (std::size_t k = 1; k <= values.size() / 2; ++k)
    if (values[k - 1] > 0 && values[k] < kCliff * values[k - 1]) return k;
  return values.size();
}

}  // namespace helix::studies
