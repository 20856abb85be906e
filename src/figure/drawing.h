// A figure laid out on a surface: flat shapes in CSS pixels, ready to be painted by anything that can fill and write.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/view.h"
#include "figure/marks.h"
#include "figure/project.h"
#include "figure/theme.h"

namespace helix::figure {

/// A line with round ends; a disc when both ends are one.
struct Capsule {
  Point a, b;
  float radius = 1;
  Rgba from, to;
};

struct FilledRect {
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

/// Points by the ten thousand: projected where they are painted, not one by one in the layout.
struct Cloud {
  std::shared_ptr<const Coordinates> points;
  std::array<std::size_t, 3> axes{};  // which of the coordinates
  Projection projection;
  float radius = 1.5f;
  std::shared_ptr<const Palette> palette;
  std::shared_ptr<const std::vector<std::uint8_t>> shades;  // of each point, into the palette; null: the first colour
};

/// Shapes that are painted one kind after the other: images, boxes, capsules, clouds, rings.
struct Layer {
  std::vector<Image> images;
  std::vector<FilledRect> boxes;
  std::vector<Capsule> capsules;
  std::vector<Cloud> clouds;
  std::vector<Ring> rings;
  bool empty() const { return images.empty() && boxes.empty() && capsules.empty() && clouds.empty() && rings.empty(); }
};

/// One panel: its layers in their order, its labels above them, all clipped to `rect`.
struct Block {
  std::string panel;
  Rect rect;
  std::vector<Layer> layers{};
  std::vector<Label> labels{};

  /// The layer on top; there is always one.
  Layer& top() { return layers.empty() ? layers.emplace_back() : layers.back(); }
  /// A layer above what has been drawn so far.
  Layer& above() { return layers.empty() || !layers.back().empty() ? layers.emplace_back() : layers.back(); }
};

/// Something that can be pointed at: it turns a point of the surface into an index along each of its axes, and back.
struct Hit {
  /// Entries along a side of a rectangle, all equally wide. `drawn`: the part of a step that is filled, before a gap.
  struct Side {
    std::string axis;
    int first = 0, count = 0;
    float drawn = 1;
    bool none() const { return count == 0; }
  };
  /// One point an index, the nearest within reach is meant.
  struct Spots {
    std::string axis;
    int first = 0;
    std::vector<Point> at;
  };

  std::string panel;
  Rect rect;
  std::vector<Place> places{};  // where all of it is
  Side x{}, y{};                // what divides it; none: nothing does
  std::optional<Spots> spots{};
  bool carried = false;  // its spots can be dragged along the axis

  std::optional<std::vector<Place>> at(Point p, float reach) const;
  /// As at(), of a drag that has left it.
  std::vector<Place> nearest(Point p) const;
  /// Where these places are; nothing when they are not all of this.
  std::optional<Rect> of(const std::vector<Place>& places) const;
  bool over(std::string_view axis) const;
};

/// Something to drag: an end of a range, all of it, or the mark of an index. `broad`: a mouse takes it anywhere in its
/// rect, a finger scrolls the page there.
struct Grip {
  enum class Part { first, last, whole, mark } part = Part::first;
  std::string panel;
  std::size_t gesture = 0;  // of the panel
  std::string axis;
  Rect rect;
  Rect track;  // what is dragged along: entries from left to right
  int first = 0, count = 0;
  bool broad = false;

  int index_at(float x) const;
  float x_of(double index) const;
};

struct Drawing {
  float width = 0, height = 0;
  float unit = 1;  // CSS pixels of what is one pixel at the usual font size
  std::vector<Block> blocks;
  std::vector<Hit> hits;  // what was drawn later comes first
  std::vector<Grip> grips;
  std::vector<std::string> spaces;  // panels that turn

  const Block* find(std::string_view panel) const;
  struct Picked {
    const Hit* hit = nullptr;
    std::vector<Place> places;
  };
  std::optional<Picked> pick(Point p, float reach) const;
  /// Where these places are drawn first; an empty rect where they are not.
  Rect rect_of(const std::vector<Place>& places, std::string_view panel = {}) const;
  /// `finger`: broad grips are not meant.
  const Grip* grip_at(Point p, float reach, bool finger = false) const;
  const Grip* grip_of(std::string_view panel, Grip::Part part) const;
  /// The panel under p that turns; nullptr: none does.
  const Block* space_at(Point p) const;
};

}  // namespace helix::figure
