// A space during layout: what its marks and its axes share. Internal to the figure.
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
  Projection level;  // without the rotation that keeps the picture still: the floor is drawn with it
  Reach reach;
  double floor = 0;  // its height, if the space has one

  double depth_range() const { return std::hypot(reach.level, reach.upright); }
  /// 0 (farthest) to 1 (nearest).
  double nearness(const Vec3& p) const {
    return 0.5 - (projection.depth(p) - projection.depth(reach.middle)) / (2 * depth_range());
  }
};

/// The cells of the surface that the curve's points fall into: labels avoid them.
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

inline double squared_step(const Vec3& a, const Vec3& b) {
  return (a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]);
}

/// A curve as projected; `wide`: the squared length above which a step is not part of the curve.
struct ProjectedCurve {
  const std::vector<Vec3>& points;
  const std::vector<Point>& at;
  const std::vector<double>& depth;
  const std::vector<Rgba>& ink;
  double wide;
};

/// Draws a curve with depth, farthest parts first: the nearer, the wider; where a near part crosses a far one, a margin of
/// the ground keeps them apart.
void draw_curve(const ProjectedCurve& curve, const SpaceFrame& frame);

/// Labels of points that lie close together on a curve: on stalks if all fit, else as a few lines of text in one place,
/// with lines from its ends to the first and the last point.
void draw_words(const Points& points, const std::vector<Point>& at, const SpaceFrame& frame);

/// The floor's grid, and the shadow of the curves on it.
void draw_floor(const SpaceFrame& frame);

/// Lines through the origin, or along the floor if there is one, with titles and numbers, off the curve where possible.
void draw_axes(const SpaceFrame& frame, const Crowd& crowd);

}  // namespace helix::figure
