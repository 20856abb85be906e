// A figure laid out on a surface: flat shapes in CSS pixels, ready to be painted by anything that can fill and write.
#pragma once

#include <string>
#include <vector>

#include "figure/theme.h"

namespace helix::figure {

struct Point {
  float x = 0, y = 0;
};

struct Rect {
  float x = 0, y = 0, w = 0, h = 0;
  float right() const { return x + w; }
  float bottom() const { return y + h; }
  bool contains(Point p) const { return p.x >= x && p.x < right() && p.y >= y && p.y < bottom(); }
};

/// A line with round ends; a disc when both ends are one. Painted in order, so sorting is done by the layout.
struct Capsule {
  Point a, b;
  float radius = 1;
  Rgba from, to;
};

struct Box {
  Rect rect;
  Rgba fill;
  float corner = 0;
};

struct Ring {
  Point centre;
  float radius = 6, width = 1.5f;
  Rgba colour;
};

enum class Anchor { start, middle, end };
enum class Weight { regular, strong };

/// `at` is on the left, middle or right of the text, at half its height.
struct Label {
  Point at;
  std::string text;
  float size = 12;
  Rgba colour;
  Anchor anchor = Anchor::start;
  Weight weight = Weight::regular;
};

/// About how wide a text is, in CSS pixels: figures are laid out where no font can be asked.
float text_width(std::string_view text, float size);

/// Shapes of one panel, painted capsules first, then boxes, rings, labels, and clipped to `rect`.
struct Block {
  std::string panel;
  Rect rect;
  std::vector<Capsule> capsules;
  std::vector<Box> boxes;
  std::vector<Ring> rings;
  std::vector<Label> labels;
};

/// A place that stands for an index: the nearest within reach is what the pointer reads.
struct Spot {
  int index = 0;
  Point at;
};

/// Something to drag along x: the ends of the range. Value = index at the pointer.
struct Handle {
  enum class Which { first, last, whole } which = Which::first;
  Rect rect;
};

/// Turns an x of the profile into an index and back.
struct IndexScale {
  Rect rect;  // the plotted area; empty: no profile in this figure
  int last = 0;
  float x_of(double index) const { return rect.x + rect.w * static_cast<float>((index + 0.5) / (last + 1)); }
  int index_at(float x) const;
};

struct Drawing {
  float width = 0, height = 0;
  float unit = 1;  // CSS pixels of what is one pixel at the usual font size
  std::vector<Block> blocks;
  std::vector<Spot> spots;  // of the path, in index order
  std::vector<Handle> handles;
  IndexScale scale;

  const Block* find(std::string_view panel) const;
  /// The spot nearest to p within `reach` pixels; nullptr when none is.
  const Spot* spot_near(Point p, float reach) const;
  const Spot* spot_of(int index) const;
  const Handle* handle_at(Point p, float reach) const;
};

}  // namespace helix::figure
