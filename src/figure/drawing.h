// A figure laid out on a surface: flat shapes in CSS pixels, ready to be painted by anything that can fill and write.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "figure/shades.h"
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

/// A colour for each shade.
using Palette = std::array<Rgba, 256>;

/// Part of a matrix, a rectangle a cell, without smoothing. `col`, `row`: where the part begins, in cells.
struct Image {
  Rect rect;
  std::shared_ptr<const Shades> shades;
  std::shared_ptr<const Palette> palette;
  float col = 0, row = 0, cols = 0, rows = 0;
};

enum class Anchor { start, middle, end };
enum class Weight { regular, strong };

/// `at` is on the left, middle or right of the text, at half its height. `turned`: a quarter to the left about `at`, so
/// that it reads upwards.
struct Label {
  Point at;
  std::string text;
  float size = 12;
  Rgba colour;
  Anchor anchor = Anchor::start;
  Weight weight = Weight::regular;
  bool turned = false;
};

/// Where a label lies, as far as its width can be told.
Rect label_box(const Label& label);
/// By more than half a pixel.
bool overlap(const Rect& a, const Rect& b);

/// About how wide a text is, in CSS pixels: figures are laid out where no font can be asked.
float text_width(std::string_view text, float size);

/// The beginning of a text that is no wider than this, with "…" where something is left out.
std::string shortened(const std::string& text, float width, float size);

/// Shapes of one panel, painted capsules first, then images, boxes, rings, labels, and clipped to `rect`.
struct Block {
  std::string panel;
  Rect rect;
  std::vector<Capsule> capsules;
  std::vector<Box> boxes;
  std::vector<Ring> rings;
  std::vector<Label> labels;
  std::vector<Image> images{};
};

/// A place that stands for an index: the nearest within reach is what the pointer reads.
struct Spot {
  int index = 0;
  Point at;
};

/// Something to drag along x: the ends of the range, or the mark of a moment. Value = index at the pointer. `broad`: a mouse
/// takes it anywhere in its rect, a finger scrolls the page there.
struct Handle {
  enum class Which { first, last, whole, moment } which = Which::first;
  Rect rect;
  bool broad = false;
};

/// Turns an x of the profile into an index and back.
struct IndexScale {
  Rect rect;  // the plotted area; empty: no profile in this figure
  int last = 0;
  float x_of(double index) const { return rect.x + rect.w * static_cast<float>((index + 0.5) / (last + 1)); }
  int index_at(float x) const;
};

/// The cells of a matrix on the surface; empty: no matrix in this figure.
struct CellScale {
  struct Cell {
    int row = 0, col = 0;
  };
  Rect rect;
  int first_row = 0, rows = 0, first_col = 0, cols = 0;
  std::optional<Cell> at(Point p) const;
  /// The cell nearest to p, for a drag that has left the matrix.
  Cell nearest(Point p) const;
  /// An empty rect for a cell that is not shown.
  Rect of(int row, int col) const;
};

/// The tiles of a grid of heads.
struct TileScale {
  struct Tile {
    int layer = 0, head = 0;
    float row = 0, col = 0;  // 0..1 inside of it
  };
  Rect rect;
  int layers = 0, heads = 0;
  float step = 0, side = 0;  // from one tile to the next, and what of it is drawn
  std::optional<Tile> at(Point p) const;
  Rect of(int layer, int head) const;
};

/// An entry of a list.
struct Item {
  int index = 0;
  Rect rect;
};

struct Drawing {
  float width = 0, height = 0;
  float unit = 1;  // CSS pixels of what is one pixel at the usual font size
  std::vector<Block> blocks;
  std::vector<Spot> spots;  // of the path, in index order
  std::vector<Handle> handles;
  IndexScale scale;
  std::vector<IndexScale> moments;  // one a plot, of the same moments
  CellScale cells;
  TileScale tiles;
  std::vector<Item> items;

  const Block* find(std::string_view panel) const;
  /// The spot nearest to p within `reach` pixels; nullptr when none is.
  const Spot* spot_near(Point p, float reach) const;
  const Spot* spot_of(int index) const;
  /// `finger`: broad handles are not meant.
  const Handle* handle_at(Point p, float reach, bool finger = false) const;
  /// The moment under p, -1 for none; with `near` the one of the plot that lies nearest along x.
  int moment_at(Point p, bool near = false) const;
  const Item* item_at(Point p) const;
  const Item* item_of(int index) const;
};

}  // namespace helix::figure
