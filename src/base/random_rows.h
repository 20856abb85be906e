// Tables of random rows with given norms: what a table of positions is compared with. Documented so that numpy can
// repeat them (base/pcg64.h has `normal` in three lines):
//
//   noise:  g = normal(n * d).reshape(n, d);      rows = g * (norms / np.linalg.norm(g, axis=1))[:, None]
//   walk:   steps = noise of n - 1 rows;          rows = start + np.concatenate([zeros, steps]).cumsum(0)
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "base/matrix.h"
#include "base/pcg64.h"

namespace helix {

inline double norm_of(std::span<const double> row) {
  double square = 0;
  for (const double x : row) square += x * x;
  return std::sqrt(square);
}

inline std::vector<double> row_norms(MatrixView<const double> rows) {
  std::vector<double> out(rows.rows);
  for (std::size_t i = 0; i < rows.rows; ++i) out[i] = norm_of(rows.row(i));
  return out;
}

/// Distances of neighbouring rows; one fewer than there are rows.
inline std::vector<double> step_norms(MatrixView<const double> rows) {
  std::vector<double> out, step(rows.cols);
  for (std::size_t i = 1; i < rows.rows; ++i) {
    for (std::size_t j = 0; j < rows.cols; ++j) step[j] = rows(i, j) - rows(i - 1, j);
    out.push_back(norm_of(step));
  }
  return out;
}

/// Scales a row to a norm; a row of zeros stays.
inline void scale_to(std::span<double> row, double norm) {
  const double length = norm_of(row), factor = length > 0 ? norm / length : 0;
  for (double& x : row) x *= factor;
}

/// Rows of independent normal numbers, scaled to these norms. Row after row, all from one stream.
inline Matrix<double> random_rows(std::span<const double> norms, std::size_t d, Pcg64& rng) {
  Matrix<double> out(norms.size(), d);
  rng.normal(std::span(out.data));
  for (std::size_t i = 0; i < out.rows; ++i) scale_to(out.row(i), norms[i]);
  return out;
}

/// One row more than there are steps, from `start` on: each step has a random direction and the given norm.
inline Matrix<double> random_walk(std::span<const double> start, std::span<const double> steps, Pcg64& rng) {
  Matrix<double> out(steps.size() + 1, start.size());
  std::ranges::copy(start, out.row(0).begin());
  rng.normal(std::span(out.data).subspan(start.size()));
  for (std::size_t i = 1; i < out.rows; ++i) {
    scale_to(out.row(i), steps[i - 1]);
    for (std::size_t j = 0; j < out.cols; ++j) out(i, j) += out(i - 1, j);
  }
  return out;
}

}  // namespace helix
