// Points of a plot, with labels if there is room.
#include <algorithm>
#include <cmath>

#include "figure/plot.h"

namespace helix::figure {

void draw_mark(const Points& points, PlotFrame& f) {
  if (!points.at || points.at->dims < 2) return;
  const Coordinates& at = *points.at;
  const Theme& theme = f.context.theme;
  Layer& layer = f.context.block.top();
  const auto palette = points.ink.role == Ink::Role::value && f.plot.colour
                           ? palette_of(f.plot.colour->range, f.context.view.map, theme)
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
  for (std::size_t i = 0; i < at.size(); ++i) {
    const bool seen = f.x.shows(at(i, 0)) && f.y.shows(at(i, 1));
    const Point p = seen ? Point{f.x.at(at(i, 0)), f.y.at(at(i, 1))} : Point{-1e6f, -1e6f};
    hit.spots->at.push_back(p);
    if (!seen) continue;
    layer.capsules.push_back({p, p, points.radius, ink(i), ink(i)});
    const bool focused = std::find(lit.begin(), lit.end(), points.first + static_cast<int>(i)) != lit.end();
    if (focused) layer.rings.push_back({p, points.radius + 4, f.context.view.focus.locked ? 2.2f : 1.5f, theme.text});
    if (i < points.labels.size() && !points.labels[i].empty())
      add_label(f.context.block, {{p.x + points.radius + 4, p.y}, points.labels[i], f.size, theme.text}, taken);
  }
  if (!points.axis.empty()) f.context.drawing.hits.push_back(std::move(hit));
}

}  // namespace helix::figure
