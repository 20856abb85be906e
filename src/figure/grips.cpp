// What can be dragged in a plot: the ends of a range, the whole range, or the marker of an index.
#include <algorithm>
#include <variant>

#include "figure/plot.h"

namespace helix::figure {
namespace {

constexpr float kTrack = 7;  // height of the track of a range, in pixels

bool brushes(const Gesture& g) { return g.on == Gesture::On::brush && g.effect != Gesture::Effect::window; }

/// Draws the chosen range; if the plot's bars are coloured along their index, the range shows the same colours.
void draw_track(const Rect& range, PlotFrame& f, Layer& layer) {
  const Theme& theme = f.context.theme;
  const bool coloured = std::ranges::any_of(f.plot.marks, [](const Mark& mark) {
    const auto* bars = std::get_if<Bars>(&mark);
    return bars && bars->ink.role == Ink::Role::along;
  });
  if (!coloured) return layer.boxes.push_back({range, theme.accent, kTrack / 2});
  constexpr int steps = 96;
  for (int i = 0; i < steps; ++i)
    layer.boxes.push_back(
        {{range.x + range.w * static_cast<float>(i) / steps, range.y, range.w / steps + 0.5f, range.h},
         mark_colour(f.context.view.map, (i + 0.5) / steps, theme.dark),
         0});
}

void draw_brush(const Gesture& g, const Grip& like, PlotFrame& f) {
  Layer& layer = f.context.block.above();
  const Theme& theme = f.context.theme;
  const auto clamped = [&](int index) { return std::clamp(index, like.first, like.first + like.count - 1); };
  const float x0 = like.x_of(clamped(g.first)), x1 = like.x_of(clamped(g.last));
  const float y = f.area.bottom() + 2;
  layer.boxes.push_back({{f.area.x, y, f.area.w, kTrack}, theme.line, kTrack / 2});
  if (g.other_first >= 0) {
    const float f0 = like.x_of(clamped(g.other_first)), f1 = like.x_of(clamped(g.other_last));
    layer.boxes.push_back({{f0, y + kTrack + 1, std::max(f1 - f0, 2.0f), 2}, theme.warm, 1});
  }
  draw_track({x0, y, std::max(x1 - x0, 2.0f), kTrack}, f, layer);
  for (const float x : {x0, x1}) {
    layer.boxes.push_back({{x - 6.5f, y + kTrack / 2 - 6.5f, 13, 13}, theme.text, 6.5f});
    layer.boxes.push_back({{x - 4.5f, y + kTrack / 2 - 4.5f, 9, 9}, theme.background, 4.5f});
  }
  const auto grip = [&](Grip::Part part, Rect rect) {
    Grip made = like;
    made.part = part, made.rect = rect;
    f.context.drawing.grips.push_back(made);
  };
  // Small targets first: if both ends lie close together, either can still be grabbed.
  grip(Grip::Part::first, {x0 - 7, y - 8, 14, 22});
  grip(Grip::Part::last, {x1 - 7, y - 8, 14, 22});
  if (x1 - x0 > 32) grip(Grip::Part::whole, {x0 + 11, y - 2, x1 - x0 - 22, kTrack + 4});
}

void add_mark_grips(const Gesture& g, const Grip& like, PlotFrame& f) {
  Grip made = like;
  made.part = Grip::Part::mark;
  if (g.first >= like.first && g.first < like.first + like.count) {
    const float wide = like.up_axis.empty() ? 12 : std::max(f.x.step(), 12.0f);
    made.rect = {like.x_of(g.first) - wide / 2, f.area.y, wide, f.area.h};
    f.context.drawing.grips.push_back(made);
  }
  made.rect = f.area, made.broad = true;
  f.context.drawing.grips.push_back(made);
}

}  // namespace

float grips_height(const Plot& plot) {
  return std::any_of(plot.gestures.begin(), plot.gestures.end(), brushes) ? 9.0f : 0.0f;
}

void draw_grips(PlotFrame& f) {
  if (!f.x.entries() || f.x.count <= 0) return;
  for (std::size_t i = 0; i < f.plot.gestures.size(); ++i) {
    const Gesture& g = f.plot.gestures[i];
    if (g.axes.empty() || g.axes.front() != f.x.axis) continue;
    Grip like;
    like.panel = f.context.panel.id, like.gesture = i, like.axis = f.x.axis;
    like.track = f.area, like.first = f.x.first, like.count = f.x.count;
    if (brushes(g)) draw_brush(g, like, f);
    if (g.on != Gesture::On::drag) continue;
    if (g.axes.size() > 1) like.up_axis = g.axes[1], like.up_steps = g.steps;
    add_mark_grips(g, like, f);
  }
}

}  // namespace helix::figure
