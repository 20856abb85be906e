// The floor of a space: a round grid below the marks and the shadow of the curves, which shows circles as circles.
#include <algorithm>
#include <cmath>
#include <variant>

#include "figure/space_frame.h"

namespace helix::figure {
namespace {

constexpr int kLines = 4;  // grid lines to each side of the centre

void draw_grid(const SpaceFrame& f) {
  const Theme& theme = f.context.theme;
  const Rgba ink = mix(theme.background, theme.line, 0.75);
  const double radius = f.reach.level * 1.04, x = f.reach.middle[0], y = f.reach.middle[1];
  const auto line = [&](const Vec3& from, const Vec3& to) {
    f.context.block.top().capsules.push_back({f.level.at(from), f.level.at(to), 0.5f, ink, ink});
  };
  for (int i = -kLines; i <= kLines; ++i) {
    const double off = radius * i / (kLines + 0.5), half = std::sqrt(radius * radius - off * off);
    line({x + off, y - half, f.floor}, {x + off, y + half, f.floor});
    line({x - half, y + off, f.floor}, {x + half, y + off, f.floor});
  }
}

void draw_shadow(const Line& curve, const SpaceFrame& f) {
  const Theme& theme = f.context.theme;
  const Rgba ink = mix(theme.background, theme.mute, 0.42);
  Point before{};
  for (std::size_t i = 0; i < curve.at.size(); ++i) {
    Vec3 p{};
    for (std::size_t a = 0; a < 3; ++a)
      if (f.axes[a] < curve.at.dims && std::isfinite(curve.at(i, f.axes[a]))) p[a] = curve.at(i, f.axes[a]);
    p = figure::apply(f.space.frame, p);
    p[2] = f.floor;
    const Point at = f.level.at(p);
    if (i > 0) f.context.block.top().capsules.push_back({before, at, 1.1f, ink, ink});
    before = at;
  }
}

}  // namespace

void draw_floor(const SpaceFrame& f) {
  draw_grid(f);
  for (const Mark& mark : f.space.marks)
    if (const auto* line = std::get_if<Line>(&mark); line && line->dots) draw_shadow(*line, f);
}

}  // namespace helix::figure
