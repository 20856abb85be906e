// A shuffle, and how much it changes what a model computes from tokens.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/matrix.h"

namespace helix::studies::permutation {

/// 0 .. count − 1 in a random order that is the same on every machine and, for count ≥ 2, never the identity (Fisher
/// and Yates).
std::vector<std::size_t> shuffled(std::size_t count, std::uint64_t seed);

/// |a − b| / |b|: 0 for equal vectors, about √2 for unrelated vectors. 0 / 0 is 0.
double relative_change(std::span<const float> a, std::span<const float> b);

/// For each row of `before`, its change in `after`, whose row j corresponds to row order[j]. Rows are [position, size].
std::vector<double> changes(MatrixView<const float> after, MatrixView<const float> before,
                            const std::vector<std::size_t>& order);

/// The mean change over all rows without undoing the shuffle: every row is compared with the one in its place.
double mean_change_in_place(MatrixView<const float> after, MatrixView<const float> before);

}  // namespace helix::studies::permutation
