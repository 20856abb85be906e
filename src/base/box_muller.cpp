#include "base/box_muller.h"

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>

#include "base/elementary.h"

namespace helix {
namespace {

/// With the sign changed where the last bit of `odd` is set.
inline double signed_by(double x, std::uint64_t odd) {
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(x) ^ odd << 63);
}

}  // namespace

void box_muller(std::span<double> u, std::span<double> v) {
  for (std::size_t i = 0; i < u.size(); ++i) {
    // A turn is reduced exactly before it is multiplied by 2π; 1 − u is never below 2⁻⁵³.
    const double radius = std::sqrt(-2 * logarithm(1 - u[i]));
    const double quarters = 4 * v[i] + kInteger;
    const auto quarter = std::bit_cast<std::uint64_t>(quarters);
    const double angle = (v[i] - 0.25 * (quarters - kInteger)) * (2 * std::numbers::pi);
    const double sine = small_sine(angle), cosine = small_cosine(angle);
    const bool turned = (quarter & 1) != 0;  // by an odd number of quarters: sine and cosine change places
    u[i] = radius * signed_by(turned ? sine : cosine, (quarter >> 1 ^ quarter) & 1);
    v[i] = radius * signed_by(turned ? cosine : sine, quarter >> 1 & 1);
  }
}

}  // namespace helix
