// Elementary functions in double without branches, so that the compiler can turn loops of them into vectors. The same bits
// on every machine. The polynomials are those of fdlibm (e_exp.c, e_log.c, k_sin.c, k_cos.c):
//
//   Copyright (C) 1993, 2004 by Sun Microsystems, Inc. All rights reserved.
//   Permission to use, copy, modify, and distribute this software is freely granted, provided that this notice is
//   preserved.
#pragma once

#include <bit>
#include <cstdint>
#include <numbers>

namespace helix {

inline constexpr double kInteger = 0x1.8p52;  // a small number plus this is rounded to an integer, in the last bits
inline constexpr double kLn2High = 6.93147180369123816490e-01, kLn2Low = 1.90821492927058770002e-10;
inline constexpr double kLeastExponent = -708;  // e^x is a normal number down to here

/// e^x of a number of at most 0, within one unit in the last place; 0 below −708, NaN of NaN.
inline double exponential(double x) {
  const double shifted = x * std::numbers::log2e + kInteger, k = shifted - kInteger;
  const double high = x - k * kLn2High, low = k * kLn2Low, r = high - low, z = r * r;
  const double series =
      1.66666666666666019037e-01 +
      z * (-2.77777777770155933842e-03 +
           z * (6.61375632143793436117e-05 + z * (-1.65339022054652515390e-06 + z * 4.13813679705723846039e-08)));
  const double c = r - z * series;
  const double within = 1 - ((low - r * c / (2 - c)) - high);
  const double power = std::bit_cast<double>((std::bit_cast<std::uint64_t>(shifted) + 1023) << 52);  // 2ᵏ
  return x < kLeastExponent ? 0 : within * power;
}

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

}  // namespace helix
