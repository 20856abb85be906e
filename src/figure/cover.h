// The ground of a panel that its marks cover: labels are put where it is free.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "figure/drawing.h"

namespace helix::figure {

/// Costs of cells of a rectangle, with sums over smaller rectangles in constant time.
class Cover {
 public:
  static constexpr float kCell = 4;            // pixels
  static constexpr int kMark = 6, kShade = 1;  // what a cell under a mark costs, and one under a heatmap or a thin line

  explicit Cover(const Rect& rect)
      : rect_(rect), across_(count(rect.w)), down_(count(rect.h)), cost_(across_ * down_, 0) {}

  void add(Point p, int cost);
  void add(Point from, Point to, int cost);
  void add(const Rect& r, int cost);
  /// To be called once, when all has been added.
  void sum();

  /// The cost of the cells under a rectangle, and how many cells it has.
  std::pair<int, int> under(const Rect& r) const;
  int at(Point p) const { return rect_.contains(p) ? cost_[column(p.x) + row(p.y) * across_] : 0; }

 private:
  static std::size_t count(float length) { return static_cast<std::size_t>(std::max(length, 0.0f) / kCell) + 1; }
  static std::size_t cell(float from, float at, std::size_t most) {
    return std::min(static_cast<std::size_t>(std::max(at - from, 0.0f) / kCell), most - 1);
  }
  std::size_t column(float x) const { return cell(rect_.x, x, across_); }
  std::size_t row(float y) const { return cell(rect_.y, y, down_); }
  std::size_t index(std::size_t x, std::size_t y) const { return x + y * (across_ + 1); }

  Rect rect_;
  std::size_t across_, down_;
  std::vector<int> cost_, sums_;
};

/// What the block's layers cover of `room`. Lines of a grid, and bands over the whole plot, may lie under a text.
Cover covered_ground(const Block& block, const Rect& room);

}  // namespace helix::figure
