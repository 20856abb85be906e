// Directions made orthonormal one at a time, and the noise that stands in where one is missing.
#pragma once

#include <cstdint>
#include <span>

#include "base/matrix.h"

namespace helix::geometry {

/// Removes from `vector` its components along the rows of `basis` (orthonormal) and makes it a unit vector. Returns the
/// share of its length that was left: about 0 if it lay in their span; the result is then noise. Eigen's HouseholderQR
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
