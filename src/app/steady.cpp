#include "app/steady.h"

#include <algorithm>
#include <cmath>

#include "figure/project.h"

namespace helix::app {

void Steady::follow(const figure::Curve& next) {
  const int n = static_cast<int>(next.points.size());
  const int from = std::max(first_, next.first);
  const int to = std::min(first_ + static_cast<int>(drawn_.size()), next.first + n);
  frame_ = figure::kIdentity;
  if (to - from >= 4 && !reduced_motion)
    frame_ = figure::align(
        std::span(next.points)
            .subspan(static_cast<std::size_t>(from - next.first), static_cast<std::size_t>(to - from)),
        std::span(drawn_).subspan(static_cast<std::size_t>(from - first_), static_cast<std::size_t>(to - from)));
  released_ = false;
  drawn_.clear();
  for (const figure::Vec3& p : next.points) drawn_.push_back(figure::apply(frame_, p));
  first_ = next.first;
}

void Steady::forget() {
  const bool reduced = reduced_motion;
  *this = Steady();
  reduced_motion = reduced;
}

void Steady::release(double now) {
  if (released_ || frame_ == figure::kIdentity) return;
  released_ = true;
  started_ = now;
}

figure::Mat3 Steady::frame(double now) const {
  if (!released_) return frame_;
  const double t = std::clamp((now - started_) / kDuration, 0.0, 1.0);
  return figure::relax(frame_, t * t * (3 - 2 * t));
}

}  // namespace helix::app
