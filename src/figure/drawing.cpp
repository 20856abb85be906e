#include "figure/drawing.h"

#include <algorithm>
#include <cmath>

namespace helix::figure {

float text_width(std::string_view text, float size) {
  const auto starts = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; };  // of a UTF-8 character
  return 0.53f * size * static_cast<float>(std::count_if(text.begin(), text.end(), starts));
}

bool overlap(const Rect& a, const Rect& b) {
  return a.x < b.right() - 0.5f && b.x < a.right() - 0.5f && a.y < b.bottom() - 0.5f && b.y < a.bottom() - 0.5f;
}

Rect label_box(const Label& label) {
  const float width = text_width(label.text, label.size), height = label.size * 1.1f;
  const float before = label.anchor == Anchor::start ? 0 : label.anchor == Anchor::end ? width : width / 2;
  if (label.turned) return {label.at.x - height / 2, label.at.y - width + before, height, width};
  return {label.at.x - before, label.at.y - height / 2, width, height};
}

std::string shortened(const std::string& text, float width, float size) {
  if (text_width(text, size) <= width) return text;
  std::string out;
  std::size_t i = 0;
  while (i < text.size()) {
    std::size_t next = i + 1;
    while (next < text.size() && (static_cast<unsigned char>(text[next]) & 0xC0) == 0x80) ++next;
    if (text_width(out, size) + 2 * text_width("n", size) > width) break;
    out.append(text, i, next - i);
    i = next;
  }
  return out + "…";
}

std::optional<CellScale::Cell> CellScale::at(Point p) const {
  if (rows <= 0 || cols <= 0 || !rect.contains(p)) return std::nullopt;
  return nearest(p);
}

CellScale::Cell CellScale::nearest(Point p) const {
  const auto index = [](float part, int count) {
    return std::clamp(static_cast<int>(std::floor(part * static_cast<float>(count))), 0, std::max(count - 1, 0));
  };
  return {first_row + index((p.y - rect.y) / std::max(rect.h, 1.0f), rows),
          first_col + index((p.x - rect.x) / std::max(rect.w, 1.0f), cols)};
}

Rect CellScale::of(int row, int col) const {
  if (row < first_row || row >= first_row + rows || col < first_col || col >= first_col + cols) return {};
  const float w = rect.w / static_cast<float>(cols), h = rect.h / static_cast<float>(rows);
  return {rect.x + w * static_cast<float>(col - first_col), rect.y + h * static_cast<float>(row - first_row), w, h};
}

std::optional<TileScale::Tile> TileScale::at(Point p) const {
  if (step <= 0 || !rect.contains(p)) return std::nullopt;
  const int layer = static_cast<int>((p.y - rect.y) / step), head = static_cast<int>((p.x - rect.x) / step);
  if (layer >= layers || head >= heads) return std::nullopt;
  const Rect tile = of(layer, head);
  return Tile{layer, head, std::clamp((p.y - tile.y) / tile.h, 0.0f, 0.999f),
              std::clamp((p.x - tile.x) / tile.w, 0.0f, 0.999f)};
}

Rect TileScale::of(int layer, int head) const {
  if (layer < 0 || layer >= layers || head < 0 || head >= heads) return {};
  return {rect.x + step * static_cast<float>(head), rect.y + step * static_cast<float>(layer), side, side};
}

int IndexScale::index_at(float x) const {
  if (rect.w <= 0) return 0;
  const double part = (static_cast<double>(x) - rect.x) / rect.w;
  return std::clamp(static_cast<int>(std::floor(part * (last + 1))), 0, last);
}

const Block* Drawing::find(std::string_view panel) const {
  const auto it = std::find_if(blocks.begin(), blocks.end(), [&](const Block& b) { return b.panel == panel; });
  return it == blocks.end() ? nullptr : &*it;
}

const Spot* Drawing::spot_near(Point p, float reach) const {
  const Spot* best = nullptr;
  float nearest = reach * reach;
  for (const Spot& s : spots) {
    const float dx = s.at.x - p.x, dy = s.at.y - p.y;
    if (const float d = dx * dx + dy * dy; d <= nearest) nearest = d, best = &s;
  }
  return best;
}

const Spot* Drawing::spot_of(int index) const {
  const auto it = std::lower_bound(spots.begin(), spots.end(), index, [](const Spot& s, int i) { return s.index < i; });
  return it != spots.end() && it->index == index ? &*it : nullptr;
}

const Handle* Drawing::handle_at(Point p, float reach, bool finger) const {
  const Handle* best = nullptr;
  float nearest = 0;
  for (const Handle& h : handles) {
    if (h.broad && (finger || !h.rect.contains(p))) continue;
    if (!Rect{h.rect.x - reach, h.rect.y - reach, h.rect.w + 2 * reach, h.rect.h + 2 * reach}.contains(p)) continue;
    const bool whole = h.which == Handle::Which::whole;
    const float away = std::abs(p.x - (h.rect.x + h.rect.w / 2));
    // The ends lie on the whole: they come first, and the nearer of the two.
    if (!best || (!whole && (best->which == Handle::Which::whole || away < nearest))) best = &h, nearest = away;
  }
  return best;
}

int Drawing::moment_at(Point p, bool near) const {
  const IndexScale* best = nullptr;
  for (const IndexScale& plot : moments) {
    const auto away = [&](const IndexScale& s) {
      const float dx = std::max({s.rect.x - p.x, p.x - s.rect.right(), 0.0f});
      return dx + std::max({s.rect.y - p.y, p.y - s.rect.bottom(), 0.0f});
    };
    if (plot.rect.contains(p) || (near && (!best || away(plot) < away(*best)))) best = &plot;
  }
  return best ? best->index_at(p.x) : -1;
}

const Item* Drawing::item_at(Point p) const {
  const auto it = std::find_if(items.begin(), items.end(), [&](const Item& i) { return i.rect.contains(p); });
  return it == items.end() ? nullptr : &*it;
}

const Item* Drawing::item_of(int index) const {
  const auto it = std::find_if(items.begin(), items.end(), [&](const Item& i) { return i.index == index; });
  return it == items.end() ? nullptr : &*it;
}

}  // namespace helix::figure
