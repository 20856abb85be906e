// Keeps the picture still while its axes are refitted: components may flip their sign, swap or turn from one row range
// to the next, the curve in the room does not. The numbers are never touched, only the drawing.
#pragma once

#include <optional>
#include <vector>

#include "figure/layout.h"

namespace helix::app {

class Steady {
 public:
  bool reduced_motion = false;

  /// A new result's curve: the frame in which it lies closest to what was drawn.
  void follow(const figure::Curve& next);
  /// Forgets what was drawn: the next curve is another thing, not the same one refitted.
  void forget();
  /// Plays the turn back to the true axes, once nothing is dragged.
  void settle(double now);
  bool moving(double now) const { return settling_ && now < started_ + kDuration; }
  figure::Mat3 frame(double now) const;

 private:
  static constexpr double kDuration = 350;  // milliseconds
  figure::Mat3 frame_ = figure::kIdentity;
  bool settling_ = false;
  double started_ = 0;
  std::vector<figure::Vec3> drawn_;  // in the drawing's frame, from index first_
  int first_ = 0;
};

}  // namespace helix::app
