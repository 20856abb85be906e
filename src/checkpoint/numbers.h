// How numbers are stored: rounding to the formats a pack may hold. The way back is in checkpoint/convert.
#pragma once

#include <cstdint>

namespace helix::checkpoint {

/// The nearest F16, of two equally near the even one; exact for every float that F16 can hold. From 65520 on: infinity.
/// NaN stays NaN, with the upper bits of its payload.
std::uint16_t f32_to_f16(float value);

/// The largest number that F16 holds, and the least that is rounded to infinity.
inline constexpr float kLargestF16 = 65504;
inline constexpr float kBeyondF16 = 65520;

}  // namespace helix::checkpoint
