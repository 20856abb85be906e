// The regularised incomplete beta function as a logarithm, which is a number where the value itself is too small for one.
#pragma once

namespace helix::studies::sphere_overlap {

/// ln I_x(a, b) for a, b > 0. After NIST's Digital Library of Mathematical Functions, 8.17.22: a continued fraction.
class LogIncompleteBeta {
 public:
  LogIncompleteBeta(double a, double b);

  /// `y` is 1 − x, given apart because the difference loses digits near its ends. 0 ≤ x ≤ 1; −∞ at x = 0.
  double operator()(double x, double y) const;

 private:
  double a_, b_, log_beta_;  // ln B(a, b)
};

/// ln of the share of its volume that a ball of radius r in n dimensions has in common with an equal one, centres d apart:
/// ln I_x((n + 1)/2, 1/2) with x = 1 − (d/2r)². −∞ where they only touch or lie apart, 0 where they are one.
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
