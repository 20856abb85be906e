// Without branches. The rational approximation is that of fdlibm (e_exp.c):
//
//   Copyright (C) 1993, 2004 by Sun Microsystems, Inc. All rights reserved.
//   Permission to use, copy, modify, and distribute this software is freely granted, provided that this notice is
//   preserved.
#include "model/exponential.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>

namespace helix::model {
namespace {

constexpr double kInteger = 0x1.8p52;  // a small number plus this is rounded to an integer, in the last bits
constexpr double kLeast = -708;        // e^x is a normal number down to here

inline double exponential(double x) {
  constexpr double kLn2High = 6.93147180369123816490e-01, kLn2Low = 1.90821492927058770002e-10;
  const double shifted = x * std::numbers::log2e + kInteger, k = shifted - kInteger;
  const double high = x - k * kLn2High, low = k * kLn2Low, r = high - low, z = r * r;
  const double series =
      1.66666666666666019037e-01 +
      z * (-2.77777777770155933842e-03 +
           z * (6.61375632143793436117e-05 + z * (-1.65339022054652515390e-06 + z * 4.13813679705723846039e-08)));
  const double c = r - z * series;
  const double within = 1 - ((low - r * c / (2 - c)) - high);
  const double power = std::bit_cast<double>((std::bit_cast<std::uint64_t>(shifted) + 1023) << 52);  // 2ᵏ
  return x < kLeast ? 0 : within * power;
}

/// Calls `use(i, e^(logit i − less))`, where no logit is above `less`.
template <class Use>
void each_exponential(std::span<const float> logits, double less, const Use& use) {
  std::array<double, 512> some;
  for (std::size_t at = 0; at < logits.size(); at += some.size()) {
    const std::size_t n = std::min(some.size(), logits.size() - at);
    for (std::size_t i = 0; i < n; ++i) some[i] = static_cast<double>(logits[at + i]) - less;
    exponentials(std::span(some).first(n));
    for (std::size_t i = 0; i < n; ++i) use(at + i, some[i]);
  }
}

}  // namespace

void exponentials(std::span<double> x) {
  for (double& each : x) each = exponential(each);
}

double log_sum_exp(std::span<const float> logits) {
  const auto top = static_cast<double>(*std::ranges::max_element(logits));
  double sum = 0;
  each_exponential(logits, top, [&](std::size_t, double e) { sum += e; });
  return top + std::log(sum);
}

double divergence(std::span<const float> p, std::span<const float> q) {
  const double p_sum = log_sum_exp(p), q_sum = log_sum_exp(q);
  double total = 0;
  each_exponential(p, p_sum, [&](std::size_t i, double e) {
    if (e > 0) total += e * (static_cast<double>(p[i]) - p_sum - (static_cast<double>(q[i]) - q_sum));
  });
  return std::max(total, 0.0);
}

}  // namespace helix::model
