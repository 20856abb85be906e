// A figure as a value: what is shown, with units and names, before anybody decides how it is drawn. The screen, the
// SVG, the accessible table and the spoken sentence are all made from this.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/view.h"
#include "figure/shades.h"

namespace helix::figure {

using Vec3 = std::array<double, 3>;
/// Row-major.
using Mat3 = std::array<Vec3, 3>;
inline constexpr Mat3 kIdentity{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};

/// Points of a curve in three dimensions, one per index, joined in order and coloured by index.
struct Path3 {
  std::vector<Vec3> points;
  int first = 0;                           // index of points[0]
  std::string index_name = "position";     // what an index is
  std::array<std::string, 3> axis_labels;  // "PC1"
  std::array<std::string, 3> axis_notes;   // "33.7 %"
  Camera camera;
  ColourMap map = ColourMap::viridis;
  Mat3 frame = kIdentity;  // turns the drawing, not the numbers: keeps the picture still while axes are refitted
  double extent =
      0;  // the radius that is shown, where axes and scale stay as they are from result to result; 0: the points'
  std::vector<Vec3> beside{};  // another curve of the same indices to compare with, drawn faintly
  Focus focus{};
};

/// Horizontal bars with their numbers; as many as there is room for.
struct Bars {
  struct Bar {
    std::string label;
    double value = 0;  // of at least 0; the longest bar is the largest
    std::string text;  // "33.7 %"
    bool strong = false;
  };
  std::string what;  // "share of variance"
  std::vector<Bar> bars;
  enum class Each { nothing, position, item } each = Each::nothing;  // what one points at who points at a bar
  int first = 0;                                                     // the index of bars[0], when it is something
  Focus focus{};
};

/// A matrix, a cell a number: rows from the top, columns from the left. What is no number is drawn as not being there.
struct Heatmap {
  Pyramid cells;
  ShadeScale scale;
  std::vector<std::string> row_labels, col_labels;  // of every row and column
  std::string row_name = "query", col_name = "key";
  std::string what;          // "attention": beside the colours
  bool masked = false;       // some cells are not there: the legend says what that looks like
  std::string masked_label;  // "the future"
  ColourMap map = ColourMap::viridis;
  Region region;
  Focus focus;

  std::size_t rows() const { return cells.empty() ? 0 : cells.front()->rows; }
  std::size_t cols() const { return cells.empty() ? 0 : cells.front()->cols; }
};

/// A small matrix for every head of every layer.
struct HeadGrid {
  Pyramid tiles;
  ShadeScale scale;
  std::size_t pooled = 1;  // rows and columns of the large matrix that one cell stands for
  std::size_t cells = 0;   // rows and columns of the large matrix
  int layer = 0, head = 0;
  std::string layer_key, head_key;  // the parameters a choice sets
  ColourMap map = ColourMap::viridis;
  Focus focus;

  std::size_t layers() const { return tiles.empty() || !tiles.front()->rows ? 0 : tiles.front()->down; }
  std::size_t heads() const { return tiles.empty() || !tiles.front()->rows ? 0 : tiles.front()->across; }
};

/// Big number with lines below it.
struct Headline {
  std::string number;
  std::vector<std::string> lines;
  bool settled = true;  // false: a first value, the exact one is being computed
};

/// One value per index over a longer axis, with a draggable range.
struct Profile {
  std::vector<double> values;
  int first = 0;      // index of values[0]
  int axis_last = 0;  // the axis runs 0 .. axis_last
  std::string index_name = "position";
  std::string what;                     // "distance from the three components"
  int range_first = 0, range_last = 0;  // the handles
  std::string first_key, last_key;      // the parameters they set; none: no handles
  int fit_first = -1, fit_last = -1;    // where axes were fitted, when that is another range
  ColourMap map = ColourMap::viridis;
  Focus focus;
};

/// What was measured at some moments, in plots with a scale each; one moment is marked, and the mark can be dragged.
struct Curves {
  struct Line {
    std::string name;
    std::vector<double> values;  // [moment]
    int digits = 2;              // of the number beside the name
  };
  struct Plot {
    std::string what;  // "nats a token"
    double low = 0, high = 1;
    std::vector<Line> lines;  // at most kLines: colours end there
  };
  static constexpr std::size_t kLines = 4;
  std::vector<Plot> plots;
  std::vector<std::string> moments;  // what each is called: "1.2 M"
  std::string moment_name;           // "tokens read"
  int mark = -1, beside = -1;        // the moment shown, and the one it is compared with
  std::string mark_key;              // the parameter that a drag sets
  Focus focus;
};

struct Panel {
  std::string id;  // "helix": window.helixscope.rect("figure.helix")
  std::string title;
  std::variant<Path3, Bars, Headline, Profile, Heatmap, HeadGrid, Curves> content;
};

/// A paragraph beside the figure, with live numbers in it.
struct Note {
  enum class Kind { text, equation, caution } kind = Kind::text;
  std::string text;
};

/// Columns of numbers or texts with names and units: the accessible form, and what CSV export of a panel writes.
struct Table {
  struct Column {
    std::string name, unit;
    int digits = 4;
    std::vector<double> values;
    std::vector<std::string> texts{};  // instead of the numbers, where there are any
  };
  std::string title;
  std::vector<Column> columns;
};

/// The point under the pointer or chosen by keyboard, in words.
struct Reading {
  std::string title;               // "position 313"
  std::vector<std::string> lines;  // "PC1 2.7134"
};

struct Figure {
  std::string title, subtitle, summary;  // summary: one sentence that says what a sighted visitor sees
  std::vector<Panel> panels;
  std::vector<Note> notes;
  std::vector<Table> tables;
  Reading reading;                       // of the focus; empty title: nothing is in focus
  int index_first = 0, index_last = -1;  // what the arrow keys walk along

  const Panel* find(std::string_view id) const;
};

/// Something else is in focus; the reading is the study's own.
void set_focus(Figure& figure, const Focus& focus);

/// The first panel's content of this kind.
template <class Content>
const Content* content_of(const Figure& figure) {
  for (const Panel& panel : figure.panels)
    if (const auto* found = std::get_if<Content>(&panel.content)) return found;
  return nullptr;
}

}  // namespace helix::figure
