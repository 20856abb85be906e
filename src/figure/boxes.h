// Boxes as rectangles: rows, columns and grids divide a width and a height among panels by their preferred sizes.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "figure/figure.h"
#include "figure/plane.h"

namespace helix::figure {

/// The height a panel prefers at a given width. `least`: below it the panel is unreadable; `grows`: takes spare height, but
/// for the part of it that is `fixed`. `most`: what it can use; one that does not grow takes up to that what the growing ones
/// leave. 0: one that grows can use any height, and one that does not no more than it prefers. `wrapped`: a row in it is
/// wrapped, so that it is scrolled and need not be as low as can be.
struct Wish {
  float height = 0, least = 0;
  bool grows = false;
  float fixed = 0, most = 0;
  bool wrapped = false;
};
using WishOf = std::function<Wish(const std::string& panel, float width)>;

inline constexpr float kNarrow = 560;  // narrower than this, rows become columns
inline constexpr float kGap = 14;

/// The figure's boxes; a figure that defines none stacks all its panels in one column.
Box boxes_of(const Figure& figure, bool narrow);

/// The height that a box of this width prefers.
Wish wish_of(const Box& box, float width, bool narrow, const WishOf& wish);

struct Placed {
  std::string panel;
  Rect rect;
};
std::vector<Placed> place(const Box& box, const Rect& rect, const WishOf& wish);

}  // namespace helix::figure
