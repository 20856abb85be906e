// Vectors that carry a position: rotated by it, or with a sinusoid added. All have kDimensions numbers.
#pragma once

#include <cstdint>
#include <vector>

#include "studies/rope/rope.h"

namespace helix::studies::rope {

using Vector = std::vector<double>;

/// Standard normal numbers, the same on every machine; advances the state.
Vector gaussian(std::uint64_t& state);

/// Angle of pair `pair` at a position, in radians: position / base^(2·pair/d).
double angle_of(std::size_t pair, double position, double base);

/// Each pair (a, b) becomes (a cos − b sin, a sin + b cos) of its angle (Su et al. 2021, equation 34).
Vector rotated(const Vector& vector, double position, double base, Pairing pairing);

/// The vector plus the sinusoidal encoding of the position (Vaswani et al. 2017, §3.5), sines and cosines interleaved.
Vector with_added(const Vector& vector, double position, double base);

/// a · b / √d.
double score(const Vector& a, const Vector& b);

/// The largest spread within a column; the rows have `cols` numbers each.
double largest_spread(const std::vector<double>& rows, std::size_t cols);

}  // namespace helix::studies::rope
