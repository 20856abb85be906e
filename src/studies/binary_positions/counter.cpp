#include "studies/binary_positions/counter.h"

#include <cmath>
#include <numbers>

namespace helix::studies::binary_positions {

int bit_of(std::size_t position, std::size_t bit) { return static_cast<int>(position >> bit & 1); }

double sinusoid_at(double position, double period) {
  return -std::sin(2 * std::numbers::pi * (position + 0.5) / period);
}

std::size_t period_of(const std::function<int(std::size_t)>& wave, std::size_t count) {
  for (std::size_t shift = 1; shift < count; ++shift) {
    bool same = true;
    for (std::size_t p = 0; same && p + shift < count; ++p) same = wave(p) == wave(p + shift);
    if (same) return shift;
  }
  return 0;
}

double sign_agreement(std::size_t bit, double period, std::size_t count) {
  std::size_t same = 0;
  for (std::size_t p = 0; p < count; ++p) {
    const double wave = sinusoid_at(static_cast<double>(p), period);
    same += bit_of(p, bit) ? wave > 0 : wave < 0;
  }
  return static_cast<double>(same) / static_cast<double>(count);
}

double correlation(std::size_t bit, double period, std::size_t count) {
  double a = 0, b = 0, aa = 0, bb = 0, ab = 0;
  for (std::size_t p = 0; p < count; ++p) {
    const double x = bit_of(p, bit), y = sinusoid_at(static_cast<double>(p), period);
    a += x, b += y, aa += x * x, bb += y * y, ab += x * y;
  }
  const auto n = static_cast<double>(count);
  return (ab - a * b / n) / std::sqrt((aa - a * a / n) * (bb - b * b / n));
}

}  // namespace helix::studies::binary_positions
