// Eigenvalues of a symmetric matrix and the wanted eigenvectors: what principal components cost after the matrix
// products.
#pragma once

#include <cstddef>
#include <vector>

#include "base/matrix.h"
#include "base/task.h"

namespace helix::geometry {

struct Spectrum {
  std::vector<double> values;  // [n] all, largest first
  Matrix<double> vectors;      // [k, n] orthonormal rows, those of the k largest values
};

/// What Eigen::SelfAdjointEigenSolver finds, with pauses where the matrix is large. Only the upper triangle of `matrix`
/// [n, n] is read. Entries are expected to be near 1 in size: squares must neither overflow nor all vanish. Where they
/// are not finite, the numbers mean nothing.
Task<Spectrum> symmetric_spectrum(Matrix<double> matrix, std::size_t k);

}  // namespace helix::geometry
