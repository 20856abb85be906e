// The blur of the overlap's picture.
#pragma once

#include "base/matrix.h"
#include "base/task.h"

namespace helix::studies::subspace_overlap {

/// A Gaussian of standard deviation `sigma`, in cells, cut off at four of them. Beyond its edges the matrix is continued by
/// its mirror image (the edge cell counts twice), so that rows and columns that add up to 1 still do. 0 changes nothing.
Task<Matrix<double>> blurred(Matrix<double> matrix, double sigma);

}  // namespace helix::studies::subspace_overlap
