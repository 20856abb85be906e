// Boxes as rectangles: rows, columns and grids share out a width and a height among panels that say what they wish.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "figure/figure.h"
#include "figure/plane.h"

namespace helix::figure {

/// What a panel wishes of its height at a width. `least`: it cannot be read below; `grows`: it takes what is left over.
struct Wish {
  float height = 0, least = 0;
  bool grows = false;
};
using WishOf = std::function<Wish(const std::string& panel, float width)>;

inline constexpr float kNarrow = 560;  // below this rows become columns
inline constexpr float kGap = 14;

/// The figure's boxes; where it has none, all panels below each other.
Box boxes_of(const Figure& figure, bool narrow);

/// How high a box of this width wishes to be.
Wish wish_of(const Box& box, float width, bool narrow, const WishOf& wish);

struct Placed {
  std::string panel;
  Rect rect;
};
std::vector<Placed> place(const Box& box, const Rect& rect, const WishOf& wish);

}  // namespace helix::figure
