// Points of a plot, with labels if there is room.
#include <algorithm>
#include <cmath>

#include "figure/plot.h"

namespace helix::figure {
namespace {

struct PointLabel {
  const std::string& text;
  Point at;
  float away;
};

/// Writes a label beside its point: where the panel has room for it, and no other point or label lies. It has the ground
/// behind it, so that a line does not run through it.
void add_point_label(const PointLabel& label, const std::vector<Point>& points, std::vector<Rect>& taken,
                     PlotFrame& f) {
  const float away = label.away, up = label.away + f.size * 0.6f;
  const struct {
    float dx, dy;
    Anchor anchor;
  } sides[] = {{away, 0, Anchor::start}, {-away, 0, Anchor::end}, {0, -up, Anchor::middle}, {0, up, Anchor::middle}};
  const Rect& room = f.context.block.rect;
  for (const auto& [dx, dy, anchor] : sides) {
    Label l{{label.at.x + dx, label.at.y + dy}, label.text, f.size, f.context.theme.text, anchor};
    const Rect box = label_box(l);
    if (box.x < room.x || box.right() > room.right() || box.y < room.y || box.bottom() > room.bottom()) continue;
    if (points.size() <= 400 && std::ranges::any_of(points, [&](Point p) { return box.contains(p); })) continue;
    if (!add_label(f.context.block, std::move(l), taken)) continue;
    f.context.block.top().boxes.push_back({box, f.context.theme.background, 2});
    return;
  }
}

}  // namespace

void draw_mark(const Points& points, PlotFrame& f) {
  if (!points.at || points.at->dims < 2) return;
  const Coordinates& at = *points.at;
  const Theme& theme = f.context.theme;
  Layer& layer = f.context.block.top();
  const auto palette = points.ink.role == Ink::Role::value && f.plot.colour
                           ? point_palette_of(f.plot.colour->range, f.context.view.map, theme)
                           : nullptr;
  const auto ink = [&](std::size_t i) {
    if (palette && i < points.values.size()) return (*palette)[shade(points.values[i], f.plot.colour->range)];
    if (points.ink.role == Ink::Role::along) return ink_along(f.context.view.map, i, at.size(), theme);
    return ink_of(points.ink, theme);
  };
  Hit hit{f.context.panel.id, spots_area(f), f.plot.whole};
  hit.places.insert(hit.places.end(), points.whole.begin(), points.whole.end());
  hit.spots = Hit::Spots{points.axis, points.first, {}};
  const Focus& focus = f.context.view.focus;
  const bool here = std::ranges::all_of(points.whole, [&](const Place& p) { return focus.at(p.axis) == p.index; });
  const auto lit = here ? focus.lit(points.axis) : decltype(focus.lit(points.axis))();
  std::vector<Rect> taken;
  for (const Label& l : f.context.block.labels) taken.push_back(label_box(l));
  for (std::size_t i = 0; i < at.size(); ++i) {
    const bool seen = f.x.shows(at(i, 0)) && f.y.shows(at(i, 1));
    const Point p = seen ? Point{f.x.at(at(i, 0)), f.y.at(at(i, 1))} : Point{-1e6f, -1e6f};
    hit.spots->at.push_back(p);
    if (!seen) continue;
    if (points.shape == Shape::disc)
      layer.capsules.push_back({p, p, points.radius, ink(i), ink(i)});
    else if (points.shape == Shape::ring)
      layer.rings.push_back({p, points.radius, 1.5f, ink(i)});
    else
      layer.boxes.push_back({{p.x - 1.25f, p.y - 2 * points.radius, 2.5f, 4 * points.radius}, ink(i), 1});
    const bool focused = std::find(lit.begin(), lit.end(), points.first + static_cast<int>(i)) != lit.end();
    if (focused) layer.rings.push_back({p, points.radius + 4, f.context.view.focus.locked ? 2.2f : 1.5f, theme.text});
  }
  for (std::size_t i = 0; i < std::min(at.size(), points.labels.size()); ++i)
    if (const Point p = hit.spots->at[i]; p.x > -1e5f && !points.labels[i].empty())
      add_point_label({points.labels[i], p, points.radius + 4}, hit.spots->at, taken, f);
  if (!points.axis.empty()) f.context.drawing.hits.push_back(std::move(hit));
}

}  // namespace helix::figure
