// What the exact and the fast computation of principal components share: the sign convention, and the result for
// unusable input.
#pragma once

#include <cstddef>

#include "base/matrix.h"
#include "geometry/pca.h"

namespace helix::geometry {

/// Turns each row so that its largest-magnitude entry (the first of equals) is positive.
void fix_signs(Matrix<double>& directions);

/// The result for rows that are not finite: NaN throughout, k directions of d entries and `values` variances.
Pca not_a_number(std::size_t d, std::size_t k, std::size_t values);

}  // namespace helix::geometry
