// When to offer a pause: pause points are spaced by counted work, not by the clock, so every run takes the
// same steps.
#pragma once

namespace helix::geometry {

/// Tells when about half a millisecond to a millisecond of work has gone by since it last said so.
class Pace {
 public:
  bool due(double operations) {
    spent_ += operations;
    if (spent_ < kBetween) return false;
    spent_ = 0;
    return true;
  }

 private:
  static constexpr double kBetween = 4e6;  // floating-point operations, at 4 to 8 per nanosecond
  double spent_ = 0;
};

}  // namespace helix::geometry
