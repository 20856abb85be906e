#include "checkpoint/numbers.h"

#include <bit>

namespace helix::checkpoint {

std::uint16_t f32_to_f16(float value) {
  constexpr std::uint32_t kInfinity = 0x7f800000, kTooLarge = 0x477ff000, kSmallestNormal = 0x38800000;
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = bits >> 16 & 0x8000, magnitude = bits & 0x7fffffff;
  std::uint32_t half = 0;
  if (magnitude > kInfinity) {  // NaN: a payload of nothing would read as infinity
    const std::uint32_t payload = magnitude >> 13 & 0x3ff;
    half = 0x7c00 | (payload != 0 ? payload : 0x200);
  } else if (magnitude >= kTooLarge) {  // 65520, halfway to what would be the next number
    half = 0x7c00;
  } else if (magnitude >= kSmallestNormal) {
    // Half a step less one bit, and that bit where the last digit kept is odd; a carry moves into the exponent, which
    // in F16 is 112 smaller.
    const std::uint32_t rounded = magnitude + 0xfff + (magnitude >> 13 & 1);
    half = (rounded >> 13) - (112U << 10);
  } else {
    // F16's subnormals are multiples of 2^-24, as are the floats from 0.5 on: adding 0.5 rounds to them.
    half = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) + 0.5F) - std::bit_cast<std::uint32_t>(0.5F);
  }
  return static_cast<std::uint16_t>(sign | half);
}

}  // namespace helix::checkpoint
