// Single eigenvectors of a tridiagonal matrix whose eigenvalue is known.
#pragma once

#include <Eigen/Core>
#include <cstddef>

namespace helix::geometry {

struct Tridiagonal {
  Eigen::VectorXd diagonal;  // [n]
  Eigen::VectorXd off;       // [n - 1], off[i] couples i and i + 1
};

/// The largest sum of magnitudes in a row; NaN or infinite where an entry is.
double norm_of(const Tridiagonal& t);

/// Fills column `index` with the unit eigenvector of `value`, at right angles to the columns before it, which belong to
/// other or nearly equal eigenvalues. Columns start from noise that depends on `index` alone.
void inverse_iteration(const Tridiagonal& t, double value, double norm, std::size_t index, Eigen::MatrixXd& vectors);

}  // namespace helix::geometry
