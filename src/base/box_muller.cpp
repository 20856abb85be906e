// Without branches: a turn is reduced exactly before it is multiplied by 2π, and nothing is below 2⁻⁵³. The polynomials are
// those of fdlibm (e_log.c, k_sin.c, k_cos.c):
//
//   Copyright (C) 1993, 2004 by Sun Microsystems, Inc. All rights reserved.
//   Permission to use, copy, modify, and distribute this software is freely granted, provided that this notice is
//   preserved.
#include "base/box_muller.h"

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>

namespace helix {
namespace {

constexpr double kInteger = 0x1.8p52;  // a small number plus this is rounded to an integer, in the last bits

/// The natural logarithm of a normal number above 0, within one unit in the last place.
inline double logarithm(double x) {
  const auto bits = std::bit_cast<std::uint64_t>(x);
  const std::uint64_t above = bits - 0x3fe6a09e667f3bcdu;  // √½: the mantissa is taken between it and √2
  const auto exponent = static_cast<std::uint64_t>(static_cast<std::int64_t>(above) >> 52);
  const double k = std::bit_cast<double>(std::bit_cast<std::uint64_t>(kInteger) + exponent) - kInteger;
  const double f = std::bit_cast<double>(bits - (above & 0xfff0000000000000u)) - 1;
  const double s = f / (2 + f), z = s * s, w = z * z;
  const double odd =
      z * (6.666666666666735130e-01 +
           w * (2.857142874366239149e-01 + w * (1.818357216161805012e-01 + w * 1.479819860511658591e-01)));
  const double even = w * (3.999999999940941908e-01 + w * (2.222219843214978396e-01 + w * 1.531383769920937332e-01));
  const double half = 0.5 * f * f;
  constexpr double kLn2High = 6.93147180369123816490e-01, kLn2Low = 1.90821492927058770002e-10;
  return k * kLn2High - ((half - (s * (half + odd + even) + k * kLn2Low)) - f);
}

/// The sine of an angle of at most an eighth of a turn.
inline double small_sine(double a) {
  const double z = a * a;
  const double series =
      8.33333333332248946124e-03 +
      z * (-1.98412698298579493134e-04 +
           z * (2.75573137070700676789e-06 + z * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10)));
  return a + z * a * (-1.66666666666666324348e-01 + z * series);
}

/// Its cosine.
inline double small_cosine(double a) {
  const double z = a * a;
  const double series = z * (4.16666666666666019037e-02 +
                             z * (-1.38888888888741095749e-03 +
                                  z * (2.48015872894767294178e-05 +
                                       z * (-2.75573143513906633035e-07 +
                                            z * (2.08757232129817482790e-09 + z * -1.13596475577881948265e-11)))));
  const double half = 0.5 * z, one = 1 - half;
  return one + ((1 - one - half) + z * series);
}

/// With the sign changed where the last bit of `odd` is set.
inline double signed_by(double x, std::uint64_t odd) {
  return std::bit_cast<double>(std::bit_cast<std::uint64_t>(x) ^ odd << 63);
}

}  // namespace

void box_muller(std::span<double> u, std::span<double> v) {
  for (std::size_t i = 0; i < u.size(); ++i) {
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
