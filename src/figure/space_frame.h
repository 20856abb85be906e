// A space as it is laid out: what its marks and its axes share. Internal to the figure.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "figure/plot.h"
#include "figure/project.h"

namespace helix::figure {

struct SpaceFrame {
  const Space& space;
  PanelContext& context;
  std::array<std::size_t, 3> axes;
  Projection projection;
  Projection level;  // without the turn that keeps the picture still: what the floor lies in
  Reach reach;
  double floor = 0;  // its height, where there is one

  double depth_range() const { return std::hypot(reach.level, reach.upright); }
  /// 0 far away to 1 near.
  double nearness(const Vec3& p) const {
    return 0.5 - (projection.depth(p) - projection.depth(reach.middle)) / (2 * depth_range());
  }
};

/// What lies on the curve is not to be written on: cells of the surface that points fall into.
class Crowd {
 public:
  explicit Crowd(const Rect& rect) : rect_(rect), across_(count(rect.w)), cells_(across_ * count(rect.h), 0) {}
  void add(Point p) {
    if (rect_.contains(p)) cells_[cell(p)] = 1;
  }
  bool in(const Rect& box) const {
    for (float y = box.y; y < box.bottom() + kCell; y += kCell)
      for (float x = box.x; x < box.right() + kCell; x += kCell)
        if (const Point p{std::min(x, box.right()), std::min(y, box.bottom())}; rect_.contains(p) && cells_[cell(p)])
          return true;
    return false;
  }

 private:
  static constexpr float kCell = 6;
  static std::size_t count(float length) { return static_cast<std::size_t>(std::max(length, 0.0f) / kCell) + 1; }
  std::size_t cell(Point p) const {
    return static_cast<std::size_t>((p.y - rect_.y) / kCell) * across_ +
           static_cast<std::size_t>((p.x - rect_.x) / kCell);
  }
  Rect rect_;
  std::size_t across_;
  std::vector<std::uint8_t> cells_;
};

/// The labels of points that stand close together on a curve: on stalks where all find room, else as lines of a text in
/// one place, its ends joined to the first and the last point.
void draw_words(const Points& points, const std::vector<Point>& at, const SpaceFrame& frame);

/// The floor's grid, and the shadow of the curves on it.
void draw_floor(const SpaceFrame& frame);

/// Lines through the origin, or along the floor where there is one, with their titles and numbers, off the curve where that can be.
void draw_axes(const SpaceFrame& frame, const Crowd& crowd);

}  // namespace helix::figure
