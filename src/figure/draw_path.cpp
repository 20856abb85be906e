// The curve: axes through the origin, the points back to front, a legend for the colour, a ring around the focus.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "base/text.h"
#include "figure/layout.h"
#include "figure/project.h"

namespace helix::figure {
namespace {

constexpr float kPointRadius = 2.4f, kLineRadius = 0.8f;

Rgba faded(Rgba c, const Theme& theme, double nearness) {
  return mix(theme.background, c, 0.5 + 0.5 * std::clamp(nearness, 0.0, 1.0));
}

/// A multiple of `step`, with as many digits as the step has.
std::string tick_text(double value, double step) {
  const int digits = std::max(0, static_cast<int>(std::ceil(-std::log10(step) - 1e-9)));
  return (value < 0 ? "−" : "") + to_fixed(std::abs(value), digits);
}

/// An axis as it is seen: from one end to the other on the page.
struct Line {
  Point foot, tip;
  double length;
  float dx, dy;  // its direction

  Line(const Projection& p, std::size_t axis, double extent) {
    Vec3 end{};
    end[axis] = extent;
    tip = p.at(end), foot = p.at({-end[0], -end[1], -end[2]});
    length = std::hypot(tip.x - foot.x, tip.y - foot.y);
    dx = static_cast<float>((tip.x - foot.x) / length), dy = static_cast<float>((tip.y - foot.y) / length);
  }
  // Seen end-on, a label would sit on the curve.
  bool has_room() const { return length >= 24; }
};

Label title_of(const Path3& path, std::size_t axis, const Theme& theme, const Line& line, const Rect& room) {
  std::string text = path.axis_labels[axis];
  if (!path.axis_notes[axis].empty()) text += "  " + path.axis_notes[axis];
  const Anchor anchor = line.dx > 0.3f ? Anchor::start : line.dx < -0.3f ? Anchor::end : Anchor::middle;
  const float width = text_width(text, theme.font);
  const float before = anchor == Anchor::start ? 0 : anchor == Anchor::end ? width : width / 2;
  const float least = room.x + before, most = std::max(room.right() - width + before, least);
  const float x =
      std::clamp(line.tip.x + line.dx * 8, least, most);  // a label that is cut says less than one that is moved
  return {{x, line.tip.y + line.dy * 10}, text, theme.font, theme.mute, anchor};
}

/// Dots along an axis, and their numbers where nothing else is written.
void draw_ticks(std::size_t axis, const Theme& theme, const Projection& p, const Line& line, double extent,
                std::vector<Rect>& taken, Block& block) {
  const double step = nice_step(extent, 2);
  if (line.length / (2 * extent) * step < 26) return;
  for (double v = -std::floor(extent / step) * step; v <= extent * 0.99; v += step) {
    if (std::abs(v) < step / 2) continue;
    Vec3 at{};
    at[axis] = v;
    const Point t = p.at(at);
    block.capsules.push_back({t, t, 1.4f, theme.mute, theme.mute});
    const Label number{{t.x - line.dy * 10, t.y + line.dx * 10 + 1},
                       tick_text(std::round(v / step) * step, step),
                       theme.font - 2,
                       theme.mute,
                       Anchor::middle};
    const Rect box = label_box(number);
    if (std::ranges::any_of(taken, [&](const Rect& other) { return overlap(other, box); })) continue;
    block.labels.push_back(number), taken.push_back(box);
  }
}

void draw_axes(const Path3& path, const Theme& theme, const Projection& p, double extent, Block& block) {
  const std::array<Line, 3> lines{Line(p, 0, extent), Line(p, 1, extent), Line(p, 2, extent)};
  std::vector<Rect> taken;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    block.capsules.push_back({lines[axis].foot, lines[axis].tip, 0.5f, theme.line, theme.line});
    if (!lines[axis].has_room()) continue;
    block.labels.push_back(title_of(path, axis, theme, lines[axis], block.rect));
    taken.push_back(label_box(block.labels.back()));
  }
  for (std::size_t axis = 0; axis < 3; ++axis)
    if (lines[axis].has_room()) draw_ticks(axis, theme, p, lines[axis], extent, taken, block);
}

double squared_step(const Vec3& a, const Vec3& b) {
  return (a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]);
}

/// Steps much wider than most are no part of a curve (an outlier at its end): above this squared length they are drawn
/// as a hint only.
double wide_step(const std::vector<Vec3>& points) {
  std::vector<double> steps;
  for (std::size_t i = 1; i < points.size(); ++i) steps.push_back(squared_step(points[i - 1], points[i]));
  if (steps.size() < 8) return std::numeric_limits<double>::infinity();
  const auto middle = steps.begin() + static_cast<std::ptrdiff_t>(steps.size() / 2);
  std::nth_element(steps.begin(), middle, steps.end());
  return 400 * *middle;  // twenty times the median step
}

void draw_curve(const Path3& path, const Theme& theme, const Projection& p, double extent, Block& block) {
  const std::size_t n = path.points.size();
  std::vector<Point> at(n);
  std::vector<double> depth(n);
  std::vector<Rgba> ink(n);
  for (std::size_t i = 0; i < n; ++i) {
    at[i] = p.at(path.points[i]);
    depth[i] = p.depth(path.points[i]);
    const double t = n > 1 ? static_cast<double>(i) / static_cast<double>(n - 1) : 0.5;
    ink[i] = faded(colour(path.map, t, theme.dark), theme, 0.5 - depth[i] / (2 * extent));
  }
  std::vector<std::uint32_t> order(n);
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return depth[a] > depth[b]; });
  // Few points are drawn larger, so that one row of a short range can still be hit.
  const double wide = wide_step(path.points);
  const float radius = n < 40 ? kPointRadius * 1.5f : kPointRadius;
  for (const std::uint32_t i : order) {
    if (i > 0 && squared_step(path.points[i - 1], path.points[i]) <= wide)
      block.capsules.push_back({at[i - 1], at[i], kLineRadius, ink[i - 1], ink[i]});
    else if (i > 0)
      block.capsules.push_back({at[i - 1], at[i], kLineRadius / 2, theme.line, theme.line});
    block.capsules.push_back({at[i], at[i], radius, ink[i], ink[i]});
  }
}

void draw_legend(const Path3& path, const Theme& theme, Block& block) {
  if (path.points.empty()) return;
  constexpr float width = 168, height = 7;
  const float x = block.rect.x + 4, y = block.rect.bottom() - 12;
  constexpr int steps = 56;
  for (int i = 0; i < steps; ++i)
    block.boxes.push_back({{x + width * static_cast<float>(i) / steps, y, width / steps + 0.5f, height},
                           colour(path.map, (i + 0.5) / steps, theme.dark),
                           0});
  const int last = path.first + static_cast<int>(path.points.size()) - 1;
  const auto label = [&](float dx, const std::string& text, Anchor anchor) {
    block.labels.push_back({{x + dx, y - 10}, text, theme.font, theme.mute, anchor});
  };
  label(0, std::to_string(path.first), Anchor::start);
  label(width / 2, path.index_name, Anchor::middle);
  label(width, std::to_string(last), Anchor::end);
}

}  // namespace

Rect path_area(const Rect& block, float unit) {
  const float margin = std::min(block.w, block.h) * 0.06f + 12 * unit;
  return {block.x + margin, block.y + margin, block.w - 2 * margin, block.h - 2 * margin};
}

void draw_path(const Path3& path, const Theme& theme, Block& block, Drawing& drawing) {
  const double extent = path.extent > 0 ? path.extent : extent_of(path.points);
  const Projection p = project(path.camera, path.frame, path_area(block.rect), extent);
  draw_axes(path, theme, p, extent, block);
  for (std::size_t i = 1; i < path.beside.size(); ++i)
    block.capsules.push_back({p.at(path.beside[i - 1]), p.at(path.beside[i]), kLineRadius * 1.5f,
                              mix(theme.background, theme.mute, 0.45), mix(theme.background, theme.mute, 0.45)});
  draw_curve(path, theme, p, extent, block);
  for (std::size_t i = 0; i < path.points.size(); ++i)
    drawing.spots.push_back({path.first + static_cast<int>(i), p.at(path.points[i])});
  const int focus = path.focus.position - path.first;
  if (path.focus.position >= 0 && focus >= 0 && focus < static_cast<int>(path.points.size())) {
    const Point at = p.at(path.points[static_cast<std::size_t>(focus)]);
    block.rings.push_back({at, 6.5f, path.focus.locked ? 2.2f : 1.5f, theme.text});
  }
  draw_legend(path, theme, block);
}

}  // namespace helix::figure
