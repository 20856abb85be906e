// What is drawn inside a panel, in the order of its list. Every mark names the axis it runs over, so that whatever runs
// over the focused axis is highlighted in every panel without code of its own.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/view.h"
#include "figure/scale.h"

namespace helix::figure {

/// A colour by its role. series: the n-th of a colour-blind-safe set, repeated with dashes. along: by the index, on the
/// visitor's colour map. value: by a number of each point. good, bad: verdicts, and nothing else.
struct Ink {
  enum class Role { series, text, mute, line, accent, warm, along, value, good, bad } role = Role::series;
  int series = 0;
};
inline constexpr Ink kAlong{Ink::Role::along}, kAccent{Ink::Role::accent}, kWarm{Ink::Role::warm},
    kText{Ink::Role::text}, kMute{Ink::Role::mute}, kFaint{Ink::Role::line}, kByValue{Ink::Role::value},
    kGood{Ink::Role::good}, kBad{Ink::Role::bad};
inline Ink series(int n) { return {Ink::Role::series, n}; }

/// Points as rows of `dims` numbers. In a plot: {y} over the index, or {x, y}. In a space: at least three numbers, of
/// which the visitor's choice of axes picks three.
struct Coordinates {
  std::size_t dims = 0;
  std::vector<double> data{};

  std::size_t size() const { return dims ? data.size() / dims : 0; }
  double operator()(std::size_t i, std::size_t d) const { return data[i * dims + d]; }
};
inline Coordinates over_index(std::vector<double> y) { return {1, std::move(y)}; }

/// Points joined in order. A name stands at the line's end, with the value at the marked or focused index.
struct Line {
  std::string axis{};  // the axis that its index runs over
  int first = 0;       // index of the first point
  Coordinates at{};
  Ink ink{};
  std::string name{};
  bool dashed = false, dots = false;  // dots: every point is drawn, and can be pointed at
  float width = 2.2f;
  int digits = 2;  // decimals of the value beside the name
};

/// disc: filled. ring: an alternative, or where something was before. tick: an upright stroke, for a number that others stated.
enum class Shape { disc, ring, tick };

/// Separate points. Shared, because a large cloud is uploaded to the GPU once and recognised by its address.
struct Points {
  std::string axis{};
  int first = 0;
  std::shared_ptr<const Coordinates> at{};
  Ink ink{};
  float radius = 2.4f;
  std::vector<double> values{};       // of each point, for the panel's colours (Ink::Role::value)
  std::vector<std::string> labels{};  // of each point; written if there is room
  std::vector<Place> whole{};         // places of all of them, beside the axis: {layer, 2}; part of every hit
  /// They can be dragged along the axis; labels stand on stalks above them, at heights where they do not overlap.
  bool carried = false;
  Shape shape = Shape::disc;
};

/// One bar per index, from zero. `across`: horizontal bars, one below the other, with their texts at the end.
struct Bars {
  std::string axis{};
  int first = 0;
  std::vector<double> values{};
  Ink ink{};
  bool across = false;
  std::vector<std::string> texts{};  // across: instead of the number
  /// Bars to emphasise; empty: none. Of bars over kComponentAxis, those of the components on the space's axes.
  std::vector<std::uint8_t> strong{};
  /// The same bars on the other side of a comparison, drawn as a line where each would end; empty: none.
  std::vector<double> before{};
};
inline constexpr const char* kComponentAxis = "component";

/// The area between two curves over the index: an interval, a spread.
struct Area {
  std::string axis{};
  int first = 0;
  std::vector<double> low{}, high{};
  Ink ink{};
};

/// What was done to a cell or a tile: a short text in its upper right corner; without a text, the cell is struck out.
struct Tag {
  int row = 0, col = 0;  // indices along the plot's scales
  std::string text{};
};

/// A matrix, one cell per number: rows from the top, columns from the left. With outer axes it is tiled: one matrix for
/// each entry of down × across (layers and heads), and the plot's scales run over these.
struct Cells {
  Pyramid cells{};
  std::string row_axis{}, col_axis{};
  std::string down_axis{}, across_axis{};  // of the tiles; empty: one matrix
  std::size_t pooled = 1;                  // cell size of a tile, in rows and columns of the full matrix
  std::vector<float> numbers{};  // row-major, written only if all of them fit in their cells; NaN: none in this cell
  int digits = 0;                // decimals of these numbers
  std::vector<float> before{};  // row-major, on the colours' scale: what the cell was, in its corner; NaN: as it is now
  std::vector<std::string> words{};    // row-major, instead of numbers: cut to their cells where these are wide enough
  std::vector<std::uint8_t> strong{};  // words to emphasise, all in one colour; empty: none
  std::vector<Tag> tags{};             // of cells, or of tiles
  float stretch = 1;                   // how much wider than high a cell may be if there is width to spare
};

/// A line across the whole plot at a value or an index, or a band between two.
struct Rule {
  bool upright = false;  // vertical, at an x
  double at = 0;
  double to = 0;  // with `band`: the other end
  bool band = false;
  std::string label{};
  Ink ink{Ink::Role::line};
  float width = 1;
  bool dashed = false;
};

/// An arrow from one point to another: a vector, in a plot or in a space.
struct Arrow {
  std::vector<double> from{}, to{};
  std::string label{};
  Ink ink{};
};

/// A text at a point; omitted if it would overlap another.
struct Text {
  std::vector<double> at{};
  std::string text{};
  Ink ink{Ink::Role::mute};
};

/// A note on the data: a short text in free space, with a leader to the value or place it speaks of, or to a bracket over a
/// range (`to`). The layout chooses where the text stands: on no curve and no other text. Left out where there is no room;
/// screen readers get it in the figure's summary.
struct Callout {
  std::vector<double> at{};  // {x, y} in a plot, the coordinates in a space
  std::string text{};
  std::vector<double> to{};  // the other end of a range; empty: a place
  Ink ink = kWarm;
  bool lead = false;  // what the figure's headline number speaks of: written strong
};

/// Texts in lines like running text, each in a tile with its number above and a smaller text below.
struct Words {
  std::string axis{};
  int first = 0;
  std::vector<std::string> texts{};
  std::vector<std::string> below{};
  std::vector<double> values{};  // of each text, for the panel's colours; NaN: no colour; empty: colours in turn
};

/// Arcs above the columns of a matrix whose rows and columns are the same entries: each joins two of them, the thicker
/// the larger its weight (0 to 1). No arc joins an entry to itself.
struct Arc {
  int row = 0, col = 0;
  float weight = 0;
};
struct Arcs {
  std::string row_axis{};
  std::vector<Arc> arcs{};
};

using Mark = std::variant<Line, Points, Bars, Area, Cells, Rule, Arrow, Text, Callout, Words, Arcs>;

}  // namespace helix::figure
