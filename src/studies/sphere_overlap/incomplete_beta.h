// The logarithm of the regularised incomplete beta function, for values too small for a double.
#pragma once

namespace helix::studies::sphere_overlap {

/// ln I_x(a, b) for a, b > 0. After NIST's Digital Library of Mathematical Functions, 8.17.22: a continued fraction.
class LogIncompleteBeta {
 public:
  LogIncompleteBeta(double a, double b);

  /// `y` is 1 − x, passed separately because the subtraction loses digits near the ends. 0 ≤ x ≤ 1; −∞ at x = 0.
  double operator()(double x, double y) const;

 private:
  double a_, b_, log_beta_;  // ln B(a, b)
};

/// ln of the fraction of its volume that a ball of radius r in n dimensions shares with an equal one, centres d apart:
/// ln I_x((n + 1)/2, 1/2) with x = 1 − (d/2r)². −∞ if they only touch or are disjoint, 0 if they coincide.
class LogOverlap {
 public:
  LogOverlap(double dimension, double radius) : beta_((dimension + 1) / 2, 0.5), radius_(radius) {}
  double operator()(double distance) const;

 private:
  LogIncompleteBeta beta_;
  double radius_;
};

/// 1 − (1 − ε)^n: the share of a ball's volume in a shell of ε radii.
double shell_fraction(double dimension, double epsilon);

}  // namespace helix::studies::sphere_overlap
