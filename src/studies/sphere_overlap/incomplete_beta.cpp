#include "studies/sphere_overlap/incomplete_beta.h"

#include <cmath>

namespace helix::studies::sphere_overlap {
namespace {

constexpr int kMostTerms = 10'000;
constexpr double kSettled = 1e-15, kTiny = 1e-300;

/// The continued fraction of I_x(a, b), by Lentz's method; it converges fast for x < (a + 1)/(a + b + 2).
double fraction(double a, double b, double x) {
  const auto not_zero = [](double v) { return std::fabs(v) < kTiny ? kTiny : v; };
  double c = 1, d = 1 / not_zero(1 - (a + b) * x / (a + 1)), value = d;
  for (int m = 1; m < kMostTerms; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / not_zero(1 + even * d), c = not_zero(1 + even / c);
    value *= d * c;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / not_zero(1 + odd * d), c = not_zero(1 + odd / c);
    value *= d * c;
    if (std::fabs(d * c - 1) < kSettled) break;
  }
  return value;
}

}  // namespace

LogIncompleteBeta::LogIncompleteBeta(double a, double b)
    : a_(a), b_(b), log_beta_(std::lgamma(a) + std::lgamma(b) - std::lgamma(a + b)) {}

double LogIncompleteBeta::operator()(double x, double y) const {
  if (!(x > 0)) return -HUGE_VAL;
  if (!(y > 0)) return 0;
  const double common = a_ * std::log(x) + b_ * std::log(y) - log_beta_;
  if (x < (a_ + 1) / (a_ + b_ + 2)) return common - std::log(a_) + std::log(fraction(a_, b_, x));
  return std::log1p(-std::exp(common - std::log(b_)) * fraction(b_, a_, y));  // I_x(a, b) = 1 − I_y(b, a)
}

double LogOverlap::operator()(double distance) const {
  const double half = distance / (2 * radius_);
  return beta_((1 - half) * (1 + half), half * half);
}

double shell_fraction(double dimension, double epsilon) { return -std::expm1(dimension * std::log1p(-epsilon)); }

}  // namespace helix::studies::sphere_overlap
