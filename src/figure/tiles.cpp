// Tiles: a small matrix for each entry of two outer axes, for example for every head of every layer.
#include <algorithm>
#include <cmath>

#include "base/shared_words.h"
#include "base/text.h"
#include "figure/matrix.h"

namespace helix::figure {
namespace {

constexpr float kMostTile = 72;

struct Tiles {
  Rect area;
  int down = 0, across = 0, first_down = 0, first_across = 0;
  float step = 0, side = 0;
  Rect of(int d, int a) const {
    if (d < first_down || d >= first_down + down || a < first_across || a >= first_across + across) return {};
    return {area.x + step * static_cast<float>(a - first_across), area.y + step * static_cast<float>(d - first_down),
            side, side};
  }
};

Tiles tiles_of(const Plot& plot, const PanelContext& context) {
  const Rect& r = context.block.rect;
  const float size = context.theme.font - 1;
  Tiles t;
  t.down = plot.y.count, t.across = plot.x.count, t.first_down = plot.y.first, t.first_across = plot.x.first;
  if (t.down <= 0 || t.across <= 0) return t;
  const float left = text_width(std::to_string(t.first_down + t.down - 1), size) + 7;
  const float top = matrix_head_height(plot, context) + kMatrixLine;
  t.step = std::min(
      {(r.w - left - 2) / static_cast<float>(t.across), (r.h - top - 20) / static_cast<float>(t.down), kMostTile});
  if (t.step > 6) t.step = std::floor(t.step);
  t.side = t.step - (t.step > 16 ? 3 : t.step > 7 ? 2 : 0.5f);
  t.area = {r.x + left, r.y + top, t.step * static_cast<float>(t.across), t.step * static_cast<float>(t.down)};
  return t;
}

/// Marks the same cell in every tile.
void draw_dots(const Cells& m, const Tiles& t, float each, float cols, PanelContext& context) {
  const Focus& focus = context.view.focus;
  const int row = focus.at(m.row_axis), col = focus.at(m.col_axis);
  if (row < 0 || col < 0) return;
  const float dot = std::max(t.side / cols, 2.5f);
  const float dx = (static_cast<float>(col) + 0.5f) / each / cols * t.side,
              dy = (static_cast<float>(row) + 0.5f) / each / cols * t.side;
  if (dx >= t.side || dy >= t.side) return;
  Layer& layer = context.block.above();
  for (int d = 0; d < t.down; ++d)
    for (int a = 0; a < t.across; ++a) {
      const Rect tile = t.of(t.first_down + d, t.first_across + a);
      layer.boxes.push_back({{tile.x + dx - dot / 2, tile.y + dy - dot / 2, dot, dot}, context.theme.warm, dot / 2});
    }
}

int place_of(const std::vector<Place>& places, const std::string& axis) {
  for (const Place& p : places)
    if (p.axis == axis) return p.index;
  return -1;
}

void draw_tile_names(const Plot& plot, const Tiles& t, float size, int chosen_down, int chosen_across,
                     PanelContext& context) {
  const Theme& theme = context.theme;
  const int step = std::max(label_step(t.step), 1);
  const float wide = text_width(std::to_string(t.first_across + t.across - 1), size) + 5;
  int every = 1;
  while (t.step * static_cast<float>(every) < wide && every < t.across) ++every;
  for (int d = t.first_down; d < t.first_down + t.down; d += step)
    context.block.labels.push_back({{t.area.x - 5, t.of(d, t.first_across).y + t.side / 2},
                                    name_at(plot.y, d, false),
                                    size,
                                    d == chosen_down ? theme.accent : theme.mute,
                                    Anchor::end});
  for (int a = t.first_across; a < t.first_across + t.across; a += every)
    context.block.labels.push_back({{t.of(t.first_down, a).x + t.side / 2, t.area.y - 9},
                                    name_at(plot.x, a, false),
                                    size,
                                    a == chosen_across ? theme.accent : theme.mute,
                                    Anchor::middle});
}

}  // namespace

Wish tiles_wish(const Plot& plot, float width) {
  // Until there is a result, a height of half the width, so that the page keeps its height.
  if (!plot.x.count) return {kMatrixTitle + kMatrixLine + 22 + width / 2, 120, false};
  const float step = std::min((width - 20) / static_cast<float>(plot.x.count), kMostTile);
  return {kMatrixTitle + kMatrixLine + 22 + step * static_cast<float>(plot.y.count), 120, false};
}

void draw_tiles(const Plot& plot, const Cells& m, PanelContext& context) {
  const float size = context.theme.font - 1;
  const Tiles t = tiles_of(plot, context);
  draw_matrix_head(plot, t.area.right(), size, context);
  if (t.step < 2 || m.cells.empty() || !m.cells.front()->rows) return;
  const auto palette = palette_of(plot.colour ? plot.colour->range : ShadeScale(), context.view.map, context.theme);
  const auto& shades = finest_for(m.cells, static_cast<double>(m.cells.front()->rows), t.side);
  const auto rows = static_cast<float>(shades->rows), cols = static_cast<float>(shades->cols);
  // How many rows or columns of the full matrix one shade stands for; the last one may stand for fewer.
  const float each = static_cast<float>(std::max<std::size_t>(m.pooled, 1) * shades->pooled);
  for (int d = 0; d < t.down; ++d)
    for (int a = 0; a < t.across; ++a)
      context.block.top().images.push_back({t.of(t.first_down + d, t.first_across + a), shades, palette,
                                            cols * static_cast<float>(a), rows * static_cast<float>(d), cols, rows});
  context.drawing.hits.push_back({context.block.panel,
                                  t.area,
                                  {},
                                  {plot.x.axis, t.first_across, t.across, t.side / t.step},
                                  {plot.y.axis, t.first_down, t.down, t.side / t.step}});
  draw_dots(m, t, each, cols, context);
  for (const Tag& tag : m.tags) draw_tag(tag, t.of(tag.row, tag.col), context);
  const auto framed = [&](int d, int a, float width, Rgba ink) {
    if (const Rect tile = t.of(d, a); tile.w > 0) add_frame(context.block.above(), tile, width, ink);
  };
  const Focus& focus = context.view.focus;
  framed(focus.at(plot.y.axis), focus.at(plot.x.axis), 1, context.theme.mute);
  const int down = place_of(plot.chosen, plot.y.axis), across = place_of(plot.chosen, plot.x.axis);
  framed(down, across, 2, context.theme.accent);
  draw_tile_names(plot, t, size, down, across, context);
  if (each > 1) {
    const std::string words = shared_words("figure.each_cell", {{"n", to_fixed(each, 0)}});
    context.block.labels.push_back({{t.area.x, t.area.bottom() + 10},
                                    shortened(words, context.block.rect.right() - t.area.x, size),
                                    size,
                                    context.theme.mute});
  }
}

}  // namespace helix::figure
