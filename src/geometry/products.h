// The four matrix products that geometry spends its time in, on rows of doubles, with pause points where they are long.
// Compared with them, Eigen's take 1.7 to 1.9 times as long in WebAssembly for a Gram matrix of 1024 x 768 and 1.2 to
// 1.7 times for its application to 10 directions; natively 0.9 to 1.0 and 1.3 times (./dev bench --geometry).
#pragma once

#include <cstddef>
#include <memory>

#include "base/matrix.h"
#include "base/task.h"

namespace helix::geometry {

/// Upper triangle of XᵀX [d, d] (of_columns) or XXᵀ [n, n], from rows X [n, d]; below the diagonal is
/// unspecified.
Task<Matrix<double>> gram(std::shared_ptr<const Matrix<double>> rows, bool of_columns);

/// block · XᵀX, [m, d]: a covariance applied to m directions without forming it.
Task<Matrix<double>> through_covariance(std::shared_ptr<const Matrix<double>> rows, Matrix<double> block /* [m, d] */);

/// out [n, m] = rows [n, d] · directionsᵀ. Each entry's value does not depend on the others asked for.
void inner_products(MatrixView<const double> rows, MatrixView<const double> directions /* [m, d] */,
                    MatrixView<double> out);

/// sums [m, d] += weightsᵀ · rows, row after row.
void add_weighted_rows(MatrixView<const double> rows, MatrixView<const double> weights /* [n, m] */,
                       MatrixView<double> sums);

}  // namespace helix::geometry
