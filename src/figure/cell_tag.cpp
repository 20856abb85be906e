// What was done to a cell of a matrix, or to a tile: a stroke through it, or a short text in its corner.
#include <algorithm>

#include "figure/matrix.h"

namespace helix::figure {
namespace {

/// A thin line on a wider one of the opposite shade, so that the stroke is visible on every colour.
void strike_out(const Rect& cell, PanelContext& context) {
  constexpr float kFar = 0.42f, kNear = 0.24f;  // fraction of a cell from its centre, which stays free for its number
  const float x = cell.x + cell.w / 2, y = cell.y + cell.h / 2;
  for (const auto& [ink, radius] : {std::pair{context.theme.text, 2.25f}, std::pair{context.theme.line, 0.9f}}) {
    Layer& layer = context.block.above();
    for (const float side : {-1.0f, 1.0f}) {
      const float dx = side * cell.w, dy = -side * cell.h;
      layer.capsules.push_back({{x + kNear * dx, y + kNear * dy}, {x + kFar * dx, y + kFar * dy}, radius, ink, ink});
    }
  }
}

}  // namespace

void draw_tag(const Tag& tag, const Rect& cell, PanelContext& context) {
  if (cell.w <= 0) return;
  if (tag.text.empty()) return strike_out(cell, context);
  const Theme& theme = context.theme;
  Block& block = context.block;
  const float size = theme.font - 2, wide = text_width(tag.text, size) + 4, high = size;
  const Rect box{cell.right() - wide, cell.y, wide, high};
  const auto covers = [&](const Label& label) { return overlap(label_box(label), box); };
  if (wide <= cell.w && high <= cell.h && std::ranges::none_of(block.labels, covers)) {
    block.above().boxes.push_back({box, theme.background, 2});
    block.labels.push_back({{box.x + wide / 2, box.y + high / 2}, tag.text, size, theme.text, Anchor::middle});
    return;
  }
  // No room for the text: a spot in the corner, which the reading explains.
  const float side = std::clamp(std::min(cell.w, cell.h) * 0.3f, 2.0f, 7.0f);
  block.above().boxes.push_back({{cell.right() - side - 1.5f, cell.y, side + 1.5f, side + 1.5f}, theme.background, 0});
  block.above().boxes.push_back({{cell.right() - side, cell.y, side, side}, theme.text, 0});
}

}  // namespace helix::figure
