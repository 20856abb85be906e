#include "studies/subspace_overlap/blur.h"

#include <cmath>
#include <cstddef>
#include <vector>

namespace helix::studies::subspace_overlap {
namespace {

constexpr double kCutOff = 4;            // radius in standard deviations
constexpr std::size_t kRowsAtOnce = 16;  // between two pauses: at most 768 columns of 161 terms each

/// Weights from −radius to radius, with sum 1.
std::vector<double> gaussian(double sigma) {
  const int radius = static_cast<int>(kCutOff * sigma + 0.5);
  std::vector<double> weights;
  double total = 0;
  for (int t = -radius; t <= radius; ++t) total += weights.emplace_back(std::exp(-t * t / (2 * sigma * sigma)));
  for (double& w : weights) w /= total;
  return weights;
}

/// The index of the entry at `at` − radius if 0 .. n−1 is extended by its mirror image on both sides.
std::size_t mirrored(std::size_t at, std::size_t radius, std::size_t n) {
  const std::size_t period = 2 * n, place = (at + period - radius % period) % period;
  return place < n ? place : period - 1 - place;
}

void blur_row(std::span<double> row, const std::vector<double>& weights, std::vector<double>& continued) {
  const std::size_t n = row.size(), radius = weights.size() / 2;
  continued.resize(n + 2 * radius);
  for (std::size_t i = 0; i < continued.size(); ++i) continued[i] = row[mirrored(i, radius, n)];
  for (std::size_t i = 0; i < n; ++i) {
    double sum = 0;
    for (std::size_t t = 0; t < weights.size(); ++t) sum += weights[t] * continued[i + t];
    row[i] = sum;
  }
}

}  // namespace

Task<Matrix<double>> blurred(Matrix<double> matrix, double sigma) {
  if (!(sigma > 0) || matrix.data.empty()) co_return std::move(matrix);
  const std::vector<double> weights = gaussian(sigma);
  const std::size_t radius = weights.size() / 2;
  std::vector<double> continued;
  for (std::size_t i = 0; i < matrix.rows; ++i) {
    blur_row(matrix.row(i), weights, continued);
    if (i % kRowsAtOnce == 0) co_await pause_point();
  }
  Matrix<double> out(matrix.rows, matrix.cols);
  for (std::size_t i = 0; i < matrix.rows; ++i) {
    const auto to = out.row(i);
    for (std::size_t t = 0; t < weights.size(); ++t) {
      const auto from = matrix.row(mirrored(i + t, radius, matrix.rows));
      for (std::size_t j = 0; j < to.size(); ++j) to[j] += weights[t] * from[j];
    }
    if (i % kRowsAtOnce == 0) co_await pause_point();
  }
  co_return std::move(out);
}

}  // namespace helix::studies::subspace_overlap
