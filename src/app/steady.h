// Keeps the picture still while its axes are refitted: components may flip sign, swap or rotate from one row range
// to the next, while the curve itself does not. Only the drawing is rotated, the numbers never change.
#pragma once

#include <optional>
#include <vector>

#include "figure/layout.h"

namespace helix::app {

class Steady {
 public:
  bool reduced_motion = false;

  /// Takes a new result's curve: finds the frame in which it lies closest to what was drawn.
  void follow(const figure::Curve& next);
  /// Forgets what was drawn: the next curve is a different one, not the same one refitted.
  void forget();
  /// Animates the rotation back to the true axes; called when nothing is dragged.
  void release(double now);
  bool moving(double now) const { return released_ && now < started_ + kDuration; }
  figure::Mat3 frame(double now) const;

 private:
  static constexpr double kDuration = 350;  // milliseconds
  figure::Mat3 frame_ = figure::kIdentity;
  bool released_ = false;
  double started_ = 0;
  std::vector<figure::Vec3> drawn_;  // in the drawing's frame, from index first_
  int first_ = 0;
};

}  // namespace helix::app
