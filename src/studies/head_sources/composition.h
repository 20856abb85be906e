// Composition of two heads by their weights alone: the Frobenius norm of a product, of the product of the norms (Elhage et
// al. 2021). 1/√d_model, roughly, for matrices that have nothing to do with each other.
#pragma once

#include <vector>

#include "base/matrix.h"
#include "base/task.h"

namespace helix::studies::head_sources {

/// Rows are a head's own dimensions: [d_head, d_model], W_V and the matrices that read transposed.
struct Source {
  Matrix<double> v, o;
};
/// ‖W_V W_O W‖ / (‖W_V W_O‖ ‖W‖) for each W; NaN where one is zero. None of the products is formed.
std::vector<double> compositions(const Source& source, const std::vector<Matrix<double>>& readers);
/// The same of normal numbers in these shapes, one for each of kNullSeeds.
Task<std::vector<double>> random_compositions(std::size_t d_model, std::size_t d_head);
/// W_QK as such a W: rows [d_head, d_model] whose products have the norms of those with W_K W_Qᵀ. `q` and `k` are [d_model, d_head].
Matrix<double> qk_reader(const Matrix<double>& q, const Matrix<double>& k);
/// With W_QK of so many random readers, the mean over them, one for each of kNullSeeds.
Task<std::vector<double>> random_reader_means(std::size_t d_model, std::size_t d_head, std::size_t readers);

}  // namespace helix::studies::head_sources
