// Eigenvalues of a symmetric matrix, and the few eigenvectors wanted: what principal components cost after
// the products.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/matrix.h"
#include "base/task.h"

namespace helix::geometry {

struct Spectrum {
  std::vector<double> values;  // [n] all, largest first
  Matrix<double> vectors;      // [k, n] orthonormal rows, those of the k largest values
};

/// Householder tridiagonalisation, implicit QL for the values, inverse iteration for k <= n vectors
/// (Golub & Van Loan, Matrix Computations, 4th ed., §8.3 and §8.2.2). Only the upper triangle of `matrix` [n,
/// n] is read. Entries are expected to be finite and near 1 in size: squares must neither overflow nor all
/// vanish.
Task<Spectrum> symmetric_spectrum(Matrix<double> matrix, std::size_t k);

/// Takes out of `vector` what lies along the first `count` rows of `basis` (orthonormal) and makes it a unit
/// vector. Returns its length before that as a share of what it was: about 0 when it lay in their span, and
/// is then noise.
double orthonormalise(std::span<double> vector, MatrixView<const double> basis, std::size_t count);

/// The same numbers between -1/2 and 1/2 on every machine (SplitMix64): starting vectors that favour no
/// direction.
class FixedNoise {
 public:
  explicit FixedNoise(std::uint64_t seed) : state_(seed) {}
  void fill(std::span<double> values);

 private:
  std::uint64_t state_;
};

}  // namespace helix::geometry
