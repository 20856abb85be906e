// Figures made by hand, of every kind of panel.
#pragma once

#include <cmath>

#include "figure/figure.h"

namespace helix::testing {

inline std::vector<double> helix_points(int n) {
  std::vector<double> at;
  for (int i = 0; i < n; ++i)
    for (const double x : {2 * std::cos(0.2 * i), 2 * std::sin(0.2 * i), 0.05 * i - 1}) at.push_back(x);
  return at;
}

inline figure::Space space_of(std::vector<double> points, int first) {
  figure::Space space;
  space.axes = {{"PC1", "33.7 %"}, {"PC2", ""}, {"PC3", "20 %"}};
  figure::Line curve{"position", first, {3, std::move(points)}, figure::kAlong};
  curve.dots = true;
  space.marks = {std::move(curve)};
  return space;
}

inline figure::Plot shares() {
  figure::Plot plot{figure::quantity("share of variance", "fraction"), figure::over("component", 1, 4)};
  figure::Bars bars{"component", 1, {0.4, 0.2, 0.1, 0}, {}, true};
  bars.texts = {"40.0 %", "20.0 %", "10.0 %", "0 %"}, bars.strong = {1, 1, 0, 0};
  plot.marks = {std::move(bars)};
  return plot;
}

/// 100 positions, some of which have a bar, with a draggable range.
inline figure::Plot strip(int n, int first) {
  figure::Plot plot{figure::over("position", 0, 100), figure::quantity("distance")};
  plot.y.quiet = plot.y.from_zero = true;
  plot.height = 74;
  figure::Bars bars{"position", first, {}, figure::kAlong};
  for (int i = 0; i < n; ++i) bars.values.push_back(0.5 + 0.4 * std::sin(0.3 * i));
  plot.marks = {std::move(bars)};
  figure::Gesture brush{figure::Gesture::On::brush,
                        {"position"},
                        figure::Gesture::Effect::set,
                        "first={position.first}&last={position.last}",
                        "Drag the ends to choose the rows."};
  brush.first = first, brush.last = first + n - 1;
  plot.gestures = {std::move(brush)};
  return plot;
}

inline figure::Figure sample(int n = 60, int first = 1) {
  figure::Figure f;
  f.title = "A title", f.subtitle = "A subtitle", f.summary = "A summary.";
  f.panels = {
      {"helix", "", space_of(helix_points(n), first)},
      {"explained", "share of variance", shares()},
      {"number", "", figure::Number{"91.06 %", {"in three components", "3 components reach 90 %", "3.02 turns"}, true}},
      {"rows", "", strip(n, first)}};
  f.root = figure::column(
      {figure::row({figure::panel("helix"),
                    figure::column({figure::panel("explained"), figure::panel("number")}, 0.2f, 190, 190)}),
       figure::panel("rows")});
  return f;
}

template <class Content>
Content& content(figure::Figure& f, std::size_t panel) {
  return std::get<Content>(f.panels[panel].content);
}

/// The first mark of this kind in a panel.
template <class Mark, class Content>
Mark& mark(Content& content) {
  for (figure::Mark& m : content.marks)
    if (auto* found = std::get_if<Mark>(&m)) return *found;
  static Mark none;
  return none;
}

}  // namespace helix::testing
