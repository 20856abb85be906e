#include "geometry/positions.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace helix::geometry {

Matrix<double> sinusoidal_positions(std::size_t n, std::size_t d, double base) {
  Matrix<double> out(n, d);
  for (std::size_t j = 0; j < d; ++j) {
    const double period = std::pow(base, static_cast<double>(j / 2 * 2) / static_cast<double>(d));
    for (std::size_t p = 0; p < n; ++p) {
      const double angle = static_cast<double>(p) / period;
      out(p, j) = j % 2 == 0 ? std::sin(angle) : std::cos(angle);
    }
  }
  return out;
}

void average_groups(Matrix<double>& rows, std::size_t g) {
  if (g <= 1) return;
  std::vector<double> mean(rows.cols);
  for (std::size_t first = 1; first < rows.rows; first += g) {
    const std::size_t count = std::min(g, rows.rows - first);
    std::fill(mean.begin(), mean.end(), 0.0);
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t j = 0; j < rows.cols; ++j) mean[j] += rows(first + i, j);
    }
    for (double& x : mean) x /= static_cast<double>(count);
    for (std::size_t i = 0; i < count; ++i) std::copy(mean.begin(), mean.end(), rows.row(first + i).begin());
  }
}

}  // namespace helix::geometry
