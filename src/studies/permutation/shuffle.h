// A shuffle, and how much of what a model makes of tokens it changes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/matrix.h"

namespace helix::studies::permutation {

/// 0 .. count − 1 in an order that is the same on every machine and never the order they came in, for count ≥ 2 (Fisher
/// and Yates).
std::vector<std::size_t> shuffled(std::size_t count, std::uint64_t seed);

/// |a − b| / |b|: 0 for equal vectors, about √2 for vectors that have nothing to do with each other. 0 / 0 is 0.
double relative_change(std::span<const float> a, std::span<const float> b);

/// For each row of `before`, how much it changed in `after`, whose row j is that of order[j]. Rows are [position, size].
std::vector<double> changes(MatrixView<const float> after, MatrixView<const float> before,
                            const std::vector<std::size_t>& order);

/// The same with every row compared with that in its own place: the shuffle is not undone. The mean over all rows.
double mean_change_in_place(MatrixView<const float> after, MatrixView<const float> before);

}  // namespace helix::studies::permutation
