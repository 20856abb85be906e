#include "figure/drawing.h"

#include <algorithm>
#include <cmath>

namespace helix::figure {

float text_width(std::string_view text, float size) {
  const auto starts = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; };  // of a UTF-8 character
  return 0.53f * size * static_cast<float>(std::count_if(text.begin(), text.end(), starts));
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

const Handle* Drawing::handle_at(Point p, float reach) const {
  const Handle* best = nullptr;
  float nearest = 0;
  for (const Handle& h : handles) {
    if (!Rect{h.rect.x - reach, h.rect.y - reach, h.rect.w + 2 * reach, h.rect.h + 2 * reach}.contains(p)) continue;
    const bool whole = h.which == Handle::Which::whole;
    const float away = std::abs(p.x - (h.rect.x + h.rect.w / 2));
    // The ends lie on the whole: they come first, and the nearer of the two.
    if (!best || (!whole && (best->which == Handle::Which::whole || away < nearest))) best = &h, nearest = away;
  }
  return best;
}

}  // namespace helix::figure
