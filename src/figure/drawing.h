// A figure laid out on a surface: flat shapes in CSS pixels, for any backend that can fill shapes and write text.
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

/// A line with round ends; a disc when both ends are the same point.
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

/// Part of a matrix: one rectangle per cell, without smoothing. `col`, `row`: where the part begins, in cells.
struct Image {
  Rect rect;
  std::shared_ptr<const Shades> shades;
  std::shared_ptr<const Palette> palette;
  float col = 0, row = 0, cols = 0, rows = 0;
};

enum class Anchor { start, middle, end };
enum class Weight { regular, strong };

/// `at` is on the left, middle or right of the text, at half its height. `turned`: rotated 90 degrees counterclockwise
/// about `at`, so that the text reads upwards.
struct Label {
  Point at;
  std::string text;
  float size = 12;
  Rgba colour;
  Anchor anchor = Anchor::start;
  Weight weight = Weight::regular;
  bool turned = false;
};

/// The rectangle of a label; its width is estimated (text_width).
Rect label_box(const Label& label);
/// True if they overlap by more than half a pixel.
bool overlap(const Rect& a, const Rect& b);

/// The width of a text in CSS pixels, from the advances of the page's font; other scripts are estimated.
float text_width(std::string_view text, float size);

/// The longest beginning of a text that fits this width, with "…" if something is cut off.
std::string shortened(const std::string& text, float width, float size);

/// A cloud of thousands of points: they are projected by the painter, not one by one in the layout.
struct Cloud {
  std::shared_ptr<const Coordinates> points;
  std::array<std::size_t, 3> axes{};  // which of the coordinates
  Projection projection;
  float radius = 1.5f;
  std::shared_ptr<const Palette> palette;
  std::shared_ptr<const std::vector<std::uint8_t>> shades;  // of each point, into the palette; null: the first colour
};

/// Shapes that are painted kind by kind: images, boxes, capsules, clouds, rings.
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
  Rect below_title{};  // of a space
  std::vector<Layer> layers{};
  std::vector<Label> labels{};

  /// The layer on top; there is always one.
  Layer& top() { return layers.empty() ? layers.emplace_back() : layers.back(); }
  /// A layer above what has been drawn so far.
  Layer& above() { return layers.empty() || !layers.back().empty() ? layers.emplace_back() : layers.back(); }
};

/// Something that can be pointed at: maps a point of the surface to an index along each of its axes, and back.
struct Hit {
  /// Entries along a side of a rectangle, all equally wide. `drawn`: the filled part of an entry; the rest is a gap.
  struct Side {
    std::string axis;
    int first = 0, count = 0;
    float drawn = 1;
    bool none() const { return count == 0; }
  };
  /// One point per index; pointing picks the nearest within reach.
  struct Spots {
    std::string axis;
    int first = 0;
    std::vector<Point> at;
  };

  std::string panel;
  Rect rect;
  std::vector<Place> places{};  // places that hold everywhere in this hit
  Side x{}, y{};                // the entries that divide it; none(): not divided along that side
  std::optional<Spots> spots{};
  bool carried = false;  // its spots can be dragged along the axis

  std::optional<std::vector<Place>> at(Point p, float reach) const;
  /// As at(), for a drag that has left the rectangle: clamped to the nearest entry.
  std::vector<Place> nearest(Point p) const;
  /// The rectangle of these places; nothing if one of them does not belong to this hit.
  std::optional<Rect> of(const std::vector<Place>& places) const;
  bool over(std::string_view axis) const;
};

/// Something to drag: an end of a range, the whole range, or the mark of an index. `broad`: a mouse can start the drag
/// anywhere in its rect; a finger there scrolls the page.
struct Grip {
  enum class Part { first, last, whole, mark } part = Part::first;
  std::string panel;
  std::size_t gesture = 0;  // index among the panel's gestures
  std::string axis;
  Rect rect;
  Rect track;  // the track it is dragged along: entries from left to right
  int first = 0, count = 0;
  bool broad = false;
  std::string up_axis{};  // also dragged up and down; empty: only along the track
  int up_steps = 0;

  /// The step at a height, 0 at the track's bottom.
  int step_at(float y) const;
  int index_at(float x) const;
  float x_of(double index) const;
};

struct Drawing {
  float width = 0, height = 0;
  float unit = 1;  // scale factor: CSS pixels per pixel at the default font size
  std::vector<Block> blocks;
  std::vector<Hit> hits;  // what was drawn later comes first
  std::vector<Grip> grips;
  std::vector<std::string> spaces;  // panels that can be rotated

  const Block* find(std::string_view panel) const;
  struct Picked {
    const Hit* hit = nullptr;
    std::vector<Place> places;
  };
  std::optional<Picked> pick(Point p, float reach) const;
  /// The rectangle of these places in the first hit that has them; empty if none has.
  Rect rect_of(const std::vector<Place>& places, std::string_view panel = {}) const;
  /// `finger`: ignores broad grips.
  const Grip* grip_at(Point p, float reach, bool finger = false) const;
  const Grip* grip_of(std::string_view panel, Grip::Part part) const;
  /// The rotatable panel under p; nullptr: none.
  const Block* space_at(Point p) const;
};

}  // namespace helix::figure
