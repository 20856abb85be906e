// Eigen views of the matrices that the layers hand to each other: no copy, the same order of the numbers.
#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "base/matrix.h"

namespace helix::geometry {

/// Rows one after the other, as in Matrix<double>.
using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

inline auto map(MatrixView<double> m) {
  return Eigen::Map<RowMatrix, Eigen::Unaligned, Eigen::OuterStride<>>(m.data, m.rows, m.cols,
                                                                       Eigen::OuterStride<>(m.stride));
}
inline auto map(MatrixView<const double> m) {
  return Eigen::Map<const RowMatrix, Eigen::Unaligned, Eigen::OuterStride<>>(m.data, m.rows, m.cols,
                                                                             Eigen::OuterStride<>(m.stride));
}
inline auto map(Matrix<double>& m) { return map(m.view()); }
inline auto map(const Matrix<double>& m) { return map(m.view()); }

inline auto map(std::span<double> v) { return Eigen::Map<Eigen::VectorXd>(v.data(), v.size()); }
inline auto map(std::span<const double> v) { return Eigen::Map<const Eigen::VectorXd>(v.data(), v.size()); }
inline auto map(std::vector<double>& v) { return map(std::span<double>(v)); }
inline auto map(const std::vector<double>& v) { return map(std::span<const double>(v)); }

}  // namespace helix::geometry
