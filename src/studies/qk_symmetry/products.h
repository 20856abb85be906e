// Distances between matrices that are never formed: they follow from products of a few columns.
#pragma once

#include <cstdint>
#include <memory>

#include "base/matrix.h"
#include "base/task.h"

namespace helix::studies::qk_symmetry {

/// One head's parts of W_Q and W_K, [d_model, d_head] each; M = W_Q W_Kᵀ.
struct Head {
  Matrix<double> q, k;
};

/// XᵀX of the tokens [d_model, d_model], both triangles, and its Frobenius norm.
struct Gram {
  Matrix<double> products;
  double norm = 0;
};

/// Cosines between two matrices taken as vectors of numbers; NaN if one of them is zero.
struct Cosines {
  double transpose = 0;  // M and Mᵀ
  double identity = 0;   // X Xᵀ and X M Xᵀ; NaN without a Gram matrix
};

/// ⟨M, Mᵀ⟩ = tr((W_KᵀW_Q)²) and ‖M‖² = tr(W_QᵀW_Q · W_KᵀW_K); with G = XᵀX, ⟨X Xᵀ, X M Xᵀ⟩ = tr(W_Kᵀ G² W_Q) and
/// ‖X M Xᵀ‖² = tr(W_QᵀG W_Q · W_KᵀG W_K).
Task<Cosines> cosines_of(std::shared_ptr<const Head> head, std::shared_ptr<const Gram> gram);

/// d(A, B) = ‖A−B‖ / (‖A‖ + ‖B‖ + ‖A−B‖) of two matrices of equal norm with this cosine. Of any two it is the smallest
/// d(A, cB) over c > 0: ‖A−cB‖² / (‖A‖ + c‖B‖)² = 1 − 2(1 + r) s / (1 + s)² with s = c‖B‖ / ‖A‖, which is least at s = 1.
double distance_at(double cosine);

/// Gaussian W_Q and W_K; the same for a seed on every machine.
Head random_head(std::size_t d_model, std::size_t d_head, std::uint64_t seed);

/// The largest cosine between X Xᵀ and any X M Xᵀ with M of this rank: that of the best approximation of X Xᵀ (Eckart and
/// Young 1936).
Task<double> best_cosine(std::shared_ptr<const Gram> gram, std::size_t rank);

}  // namespace helix::studies::qk_symmetry
