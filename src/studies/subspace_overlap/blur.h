// The blur of the overlap map.
#pragma once

#include "base/matrix.h"
#include "base/task.h"

namespace helix::studies::subspace_overlap {

/// A Gaussian of standard deviation `sigma`, in cells, truncated at four of them. The matrix is extended at its edges
/// its mirror image (the edge cell counts twice), so that rows and columns with sum 1 keep it. 0 changes nothing.
Task<Matrix<double>> blurred(Matrix<double> matrix, double sigma);

}  // namespace helix::studies::subspace_overlap
