// Arcs above the columns of a matrix: each joins a row's entry with a column's, over the names of both.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "figure/matrix.h"

namespace helix::figure {
namespace {

constexpr int kPieces = 18;      // straight pieces of an arc
constexpr float kNarrowest = 7;  // pixels per entry; closer arcs would blur together
constexpr double kFaint = 0.18;  // of arcs that do not involve the focus

Rgba ink_of(const Arc& arc, bool strong, const PanelContext& context) {
  const Theme& theme = context.theme;
  const double weight = std::clamp(static_cast<double>(arc.weight), 0.0, 1.0);
  const Rgba full = colour(context.view.map, 0.25 + 0.75 * weight, theme.dark);
  return mix(theme.background, full, strong ? 0.35 + 0.65 * weight : kFaint);
}

void draw_arc(const Arc& arc, const Side& cols, const Rect& room, bool strong, PanelContext& context) {
  const float from = cols.at(arc.row), to = cols.at(arc.col), middle = (from + to) / 2, half = std::abs(from - to) / 2;
  const float reach = cols.step() * static_cast<float>(cols.count) / 2;
  const float high = std::max(room.h * std::sqrt(std::min(half / std::max(reach, 1.0f), 1.0f)), 4.0f);
  const Rgba ink = ink_of(arc, strong, context);
  const float radius = 0.5f + 2 * std::clamp(arc.weight, 0.0f, 1.0f);
  Point last{middle - half, room.bottom()};
  for (int i = 1; i <= kPieces; ++i) {
    const float angle = std::numbers::pi_v<float> * static_cast<float>(i) / kPieces;
    const Point next{middle - half * std::cos(angle), room.bottom() - (high - radius) * std::sin(angle)};
    context.block.top().capsules.push_back({last, next, radius, ink, ink});
    last = next;
  }
}

}  // namespace

float arcs_height(const Plot& plot, float cell) {
  return std::ranges::any_of(plot.marks, [](const Mark& m) { return std::holds_alternative<Arcs>(m); }) &&
                 cell >= kNarrowest
             ? kArcsHeight
             : 0;
}

void draw_arcs(const Arcs& arcs, const Side& cols, const Rect& room, PanelContext& context) {
  const Focus& focus = context.view.focus;
  const int row = focus.at(arcs.row_axis), position = focus.at("position");
  const auto meant = [&](const Arc& arc) {
    if (row >= 0) return arc.row == row;
    return position < 0 || arc.row == position || arc.col == position;
  };
  const auto shown = [&](const Arc& arc) {
    return arc.row != arc.col && std::min(arc.row, arc.col) >= cols.first &&
           std::max(arc.row, arc.col) < cols.first + cols.count;
  };
  for (const bool strong : {false, true}) {  // emphasised arcs lie above the others
    context.block.above();
    for (const Arc& arc : arcs.arcs)
      if (shown(arc) && meant(arc) == strong) draw_arc(arc, cols, room, strong, context);
  }
}

/// Arcs are drawn above a matrix only: other plots have no row of names to join.
void draw_mark(const Arcs&, PlotFrame&) {}

}  // namespace helix::figure
