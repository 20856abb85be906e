// Encodes a tensor's numbers as the bytes that a pack stores, a few rows in memory at a time, and measures how much
// they change.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "base/expected.h"
#include "checkpoint/safetensors.h"
#include "checkpoint/weights.h"

namespace helix::checkpoint {

/// How much numbers changed when they were stored; numbers that are not finite are left out.
struct Difference {
  double max = 0;
  double sum = 0;
  std::uint64_t count = 0;

  void add(double a, double b);
  double mean() const { return count == 0 ? 0 : sum / static_cast<double>(count); }
};

/// Takes the bytes, piece after piece.
using ByteSink = std::function<Expected<void>(std::span<const std::byte>)>;

/// As F32 or F16, little-endian. An error names a number beyond F16's largest.
Expected<void> encode_numbers(const TensorView& tensor, DType stored, Difference& difference, const ByteSink& out);

/// As 8-bit integers (checkpoint/quantised.h); their scales are added to `scales`: the tensor's own if it is stored as
/// 8-bit integers, otherwise new ones. An error names a tensor with a number that is not finite.
Expected<void> encode_integers(const TensorView& tensor, Difference& difference, std::vector<float>& scales,
                               const ByteSink& out);

}  // namespace helix::checkpoint
