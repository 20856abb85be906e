// The claims of the source text about overlaps, each judged on the pairs of matrices in the result.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/matrix.h"
#include "studies/subspace_overlap/subspace_overlap.h"

namespace helix::studies::subspace_overlap {

/// What a pair of matrices holds in the corners that the claims are about, before the blur. "Top" is the first 30
/// directions of one and the first 100 of the other, "bottom" its last 100: as in the text's own plots.
struct Corners {
  double dot = 0;                            // largest overlap of the first five of both
  double a_in_top_b = 0, a_in_bottom_b = 0;  // of the first 30 of a, within directions of b
  double b_in_top_a = 0, b_in_bottom_a = 0;  // of the first 30 of b, within directions of a
  double a_chance = 0, b_chance = 0;         // of random directions
};

/// The corners of every pair.
class Masses {
 public:
  Masses(std::size_t rows, std::size_t cols) : cols_(cols), corners_(rows * cols) {}
  void add(std::size_t i, std::size_t j, const Matrix<double>& overlap, std::size_t dimension);
  const Corners& operator()(std::size_t i, std::size_t j) const { return corners_[i * cols_ + j]; }

 private:
  std::size_t cols_;
  std::vector<Corners> corners_;
};

/// Only claims that these matrices can judge.
std::vector<protocol::Claim> claims(const Params& params, const Output& output, const Masses& masses);

}  // namespace helix::studies::subspace_overlap
