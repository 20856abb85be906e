// Directions made orthonormal one at a time, and the noise that stands in where one is missing.
#pragma once

#include <cstdint>
#include <span>

#include "base/matrix.h"

namespace helix::geometry {

/// Takes out of `vector` what lies along the rows of `basis` (orthonormal) and makes it a unit vector. Returns its length
/// before that as a share of what it was: about 0 when it lay in their span, and is then noise. Eigen's HouseholderQR
/// needs all vectors at once, and these come one after the other.
double orthonormalise(std::span<double> vector, MatrixView<const double> basis);

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
