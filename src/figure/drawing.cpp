#include "figure/drawing.h"

#include <algorithm>
#include <cmath>

namespace helix::figure {

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
  for (const Handle& h : handles)
    if (Rect{h.rect.x - reach, h.rect.y - reach, h.rect.w + 2 * reach, h.rect.h + 2 * reach}.contains(p)) return &h;
  return nullptr;
}

}  // namespace helix::figure
