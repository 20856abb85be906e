// Singular values and right singular directions of a matrix, read a block of rows at a time: a table of word embeddings
// would take 300 MB in double.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "base/expected.h"
#include "base/matrix.h"
#include "base/task.h"

namespace helix::geometry {

/// A matrix [rows, cols] that can be read anywhere. `read` fills `into` [count, cols] with rows first, first + 1, …;
/// what it refers to outlives the task.
struct RowBlocks {
  std::size_t rows = 0, cols = 0;
  std::function<Expected<void>(std::size_t first, MatrixView<double> into)> read;
};

/// A matrix in memory as blocks.
RowBlocks row_blocks(std::shared_ptr<const Matrix<double>> rows);

struct Singular {
  std::vector<double> values;  // [min(rows, cols)] largest first
  Matrix<double> directions;   // [k, cols] orthonormal rows, right singular vectors, largest-magnitude entry positive
};

/// For a Store.
inline std::size_t kept_bytes(const Singular& found) {
  return (found.values.size() + found.directions.data.size()) * sizeof(double);
}

/// The right singular directions of the rows, minus their mean when `centre`; k is cut to min(rows, cols). They are the
/// eigenvectors of the Gram matrix, in double, because Eigen's BDCSVD cannot pause: values below about 1e-8 of the
/// largest are noise, and their directions an arbitrary basis of the space that the others leave. Where the matrix
/// holds NaN or an infinity, every number of the result is NaN. An error is one of `read`.
Task<Expected<Singular>> right_singular(RowBlocks matrix, bool centre, std::size_t k);

}  // namespace helix::geometry
