// A curve in a space, with depth.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "figure/space_frame.h"

namespace helix::figure {
namespace {

constexpr float kFar = 0.8f, kNear = 3.3f;  // half the width of a curve
constexpr float kDot = 1.15f;               // a point's radius, of the curve's
constexpr float kThread = 0.8f;             // between few points: half the width of the line that joins them
constexpr float kMargin = 2.2f;             // of the ground, beside a curve where it crosses another part
constexpr std::size_t kFew = 60;            // so many points are drawn one by one
constexpr float kPart = 44, kSeam = 14;     // pixels along the curve: of a part, and drawn again beyond its ends

struct CurveDrawing {
  const ProjectedCurve& c;
  const SpaceFrame& f;
  Layer& layer;
  float small;

  float radius(std::size_t i) const {
    const auto near = static_cast<float>(std::clamp(f.nearness(c.points[i]), 0.0, 1.0));
    return (kFar + (kNear - kFar) * near) * small;
  }
  bool joined(std::size_t i) const { return squared_step(c.points[i - 1], c.points[i]) <= c.wide; }
  /// The step from point i - 1 to point i.
  void step(std::size_t i, float width) const {
    if (joined(i))
      layer.capsules.push_back({c.at[i - 1], c.at[i], width, c.ink[i - 1], c.ink[i]});
    else
      layer.capsules.push_back({c.at[i - 1], c.at[i], kThread / 2, f.context.theme.line, f.context.theme.line});
  }
  void dot(std::size_t i, float width) const {
    layer.capsules.push_back({c.at[i], c.at[i], width, c.ink[i], c.ink[i]});
  }

  /// Every point, each with the step that leads to it.
  void few() const {
    std::vector<std::size_t> order(c.at.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return c.depth[a] > c.depth[b]; });
    for (const std::size_t i : order) {
      if (i > 0) step(i, kThread);
      dot(i, radius(i) * 1.35f);
    }
  }

  float length(std::size_t i) const { return std::hypot(c.at[i].x - c.at[i - 1].x, c.at[i].y - c.at[i - 1].y); }

  /// The point so many pixels along the curve before or after one; the curve's end if it is nearer.
  std::size_t before(std::size_t i, float pixels) const {
    for (; i > 0 && pixels > 0; --i) pixels -= length(i);
    return i;
  }
  std::size_t after(std::size_t i, float pixels) const {
    for (; i + 1 < c.at.size() && pixels > 0; ++i) pixels -= length(i + 1);
    return i;
  }

  /// A part covers what lies behind it with a margin, then its own ends are joined to its neighbours again.
  void part(std::size_t first, std::size_t last) const {
    const Rgba ground = f.context.theme.background;
    for (std::size_t i = first + 1; i <= last; ++i)
      if (joined(i)) layer.capsules.push_back({c.at[i - 1], c.at[i], radius(i) + kMargin, ground, ground});
    const std::size_t from = before(first, kSeam), to = after(last, kSeam);
    for (std::size_t i = from + 1; i <= to; ++i) step(i, radius(i));
    for (std::size_t i = first; i <= last; ++i)
      if ((i == 0 || !joined(i)) && (i + 1 == c.at.size() || !joined(i + 1)))
        dot(i, radius(i) * kDot);  // it stands alone
  }

  /// Parts are long enough on the surface that the margin of one does not hide the next, where the curve is seen end-on.
  void many() const {
    std::vector<std::size_t> ends{0};
    while (ends.back() + 1 < c.at.size()) ends.push_back(std::max(after(ends.back(), kPart), ends.back() + 1));
    std::vector<std::size_t> order(ends.size() - 1);
    std::iota(order.begin(), order.end(), std::size_t{0});
    const auto middle = [&](std::size_t p) { return c.depth[(ends[p] + ends[p + 1]) / 2]; };
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return middle(a) > middle(b); });
    for (const std::size_t p : order) part(ends[p], ends[p + 1]);
  }
};

}  // namespace

void draw_curve(const ProjectedCurve& curve, const SpaceFrame& f) {
  if (curve.at.empty()) return;
  const float small = std::min(f.context.block.rect.w, f.context.block.rect.h) < 260 ? 0.7f : 1;
  const CurveDrawing drawing{curve, f, f.context.block.top(), small};
  if (curve.at.size() < kFew)
    drawing.few();
  else
    drawing.many();
}

}  // namespace helix::figure
