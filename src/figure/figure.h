// A figure as a value: what is shown, with units and names, before anybody decides how it is drawn or looked at. The
// screen, the SVG, the accessible table and the spoken sentence are all made from this.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/view.h"
#include "figure/marks.h"
#include "figure/scale.h"

namespace helix::figure {

using Vec3 = std::array<double, 3>;
/// Row-major.
using Mat3 = std::array<Vec3, 3>;
inline constexpr Mat3 kIdentity{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};

/// A token as the prompt would go on with it.
struct Appended {
  int id = 0;
  std::string bytes{};
};

/// What a hand can do in a panel besides pointing, and one sentence that says so.
struct Gesture {
  /// click: on something that has an index along each of `axes`. drag: of one index along one axis. brush: of a range.
  enum class On { click, drag, brush } on = On::click;
  std::vector<std::string> axes{};
  /// window: shows this part of the axes. set: parameters of the open study, "layer={layer}&head={head}", of a brush
  /// "first={position.first}&last={position.last}". go: a link fragment. edit: an intervention, "ablate_head:{layer}.{head}".
  /// append: a token to the prompt.
  enum class Effect { window, set, go, edit, append } effect = Effect::window;
  std::string text{};  // of set, go and edit, with {axis} for the index
  std::string help{};
  int first = -1, last = -1;              // drag: where the grip is (`first`); brush: both ends
  int other_first = -1, other_last = -1;  // brush: another range, shown but not moved: where axes were fitted
  std::vector<Appended> tokens{};         // append: one for each index of the axis, from 0
};

/// Two axes and what is drawn between them.
struct Plot {
  Scale x{}, y{};
  std::vector<Mark> marks{};
  std::optional<ColourScale> colour{};
  std::vector<Gesture> gestures{};
  std::vector<Place> chosen{};  // what the controls say, outlined: {layer, head}
  std::vector<Place> whole{};   // where all of the plot is, beside its axes: {matrix, 2}; part of what is pointed at
  float height = 0;             // CSS pixels at the usual font size; 0: as high as there is room
};

/// Three axes, seen by an orbiting camera; all spaces of a figure turn together.
struct Space {
  struct Axis {
    std::string title{}, note{};  // "PC1", "33.7 %"
  };
  std::vector<Axis> axes{};  // at least three; where there are more, the visitor chooses which three are seen
  std::vector<Mark> marks{};
  std::string index_name = "position";  // what the colour runs along
  Coordinates fit_to{};    // what the view is fitted to, where the scale stays from result to result; none: the marks
  Mat3 frame = kIdentity;  // turns the drawing, not the numbers: keeps the picture still while axes are refitted
  std::vector<Gesture> gestures{};
  std::string id{};    // spaces of one id share their scale
  bool floor = false;  // a ground below the marks, on which curves cast their shadow
  bool legend = true;  // what the colour along a curve means; not where another panel says it
};

/// A big number with lines below it.
struct Number {
  std::string number{};
  std::vector<std::string> lines{};
  bool settled = true;  // false: a first value, the exact one is being computed
};

struct Panel {
  std::string id{};  // "helix": window.helixscope.rect("figure.helix")
  std::string title{};
  std::variant<Plot, Space, Number> content{};
};

/// Where panels stand: side by side, below each other, or in rows of equal parts. On a phone a row becomes a column unless
/// it stays one.
struct Box {
  enum class Kind { panel, row, column, grid } kind = Kind::panel;
  std::string panel{};  // of a panel
  std::vector<Box> children{};
  float share = 0;            // in a row: the part of the width; 0: what is left, in equal parts
  float least = 0, most = 0;  // bounds of that width, or in a column of the height, in CSS pixels; 0: none
  bool stays_row = false;     // of a row: also on a phone
  int columns = 0;            // of a grid; 0: as many as there is room for
};
inline Box panel(std::string id, float share = 0, float least = 0, float most = 0) {
  return {Box::Kind::panel, std::move(id), {}, share, least, most};
}
inline Box row(std::vector<Box> children) { return {Box::Kind::row, {}, std::move(children)}; }
inline Box column(std::vector<Box> children, float share = 0, float least = 0, float most = 0) {
  return {Box::Kind::column, {}, std::move(children), share, least, most};
}
/// A row also where it is the width that there is little of.
inline Box kept_row(std::vector<Box> children) {
  Box box = row(std::move(children));
  box.stays_row = true;
  return box;
}
inline Box grid(std::vector<Box> children, int columns = 0) {
  Box box{Box::Kind::grid, {}, std::move(children)};
  box.columns = columns;
  return box;
}

/// A paragraph beside the figure, with live numbers in it.
struct Note {
  enum class Kind { text, equation, caution } kind = Kind::text;
  std::string text;
};

/// Columns of numbers or texts with names and units: the accessible form, and what CSV export of a panel writes. The page
/// shows it as a table that can be sorted and filtered.
struct Table {
  struct Column {
    std::string name, unit;
    int digits = 4;  // after the point; below 0: as many as each number needs (plain_number)
    std::vector<double> values;
    std::vector<std::string> texts{};  // instead of the numbers, where there are any
  };
  std::string title;
  std::vector<Column> columns;
  std::vector<std::string> go{};  // a link fragment for each row, where rows lead somewhere
  std::string help{};             // what that does, in one sentence
  bool open = false;              // part of the figure: shown unfolded
};

/// The point under the pointer or chosen by keyboard, in words.
struct Reading {
  std::string title;               // "position 313"
  std::vector<std::string> lines;  // "PC1 2.7134"
};

/// What the arrow keys walk along.
struct Walk {
  std::string axis{};
  int first = 0, last = -1;
  bool empty() const { return last < first; }
};

struct Figure {
  std::string title, subtitle, summary;  // summary: one sentence that says what a sighted visitor sees
  Number lead{};                         // what is remarkable, beside the title; without a number there is none
  std::vector<Panel> panels;
  Box root{Box::Kind::column};    // without children: all panels below each other
  Box narrow{Box::Kind::column};  // on a phone; without children: the root, its rows as columns
  std::vector<Note> notes;
  std::vector<Table> tables;
  Walk across, down;  // left and right; up and down, where there are rows to walk

  const Panel* find(std::string_view id) const;
};

/// The figure's first space, whose points are followed while axes are refitted; nullptr: there is none.
const Space* first_space(const Figure& figure);

}  // namespace helix::figure
