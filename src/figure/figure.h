// A figure as a value: the data shown, with units and names, independent of how it is drawn or viewed. The canvas,
// the SVG, the accessible table and the spoken summary are all made from it.
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

/// A token that a gesture appends to the prompt.
struct Appended {
  int id = 0;
  std::string bytes{};
};

/// What the visitor can do in a panel besides pointing; `help` says so in one sentence.
struct Gesture {
  /// click: on something that has an index along each of `axes`. drag: one index along one axis, or a height over it. brush: a range of it.
  /// carry: what is in a locked focus, along the first axis to the index {to}; it replaces an edit that begins like this one
  /// up to {to}, and back where it was it is no edit. act: by a key or from a menu, on what is in focus or on all that is
  /// selected; of two acts on one thing only the last holds, and a second time it is taken back. pinch: two fingers on what can be
  /// carried, pulled towards each other: a range along one axis, as of a brush, before the edit that a drag makes.
  enum class On { click, drag, brush, carry, act, pinch } on = On::click;
  std::vector<std::string> axes{};
  /// window: zooms to this part of the axes. set: parameters of the open study, "layer={layer}&head={head}", of a brush
  /// "first={position.first}&last={position.last}". go: a link fragment. edit: an intervention, "ablate_head:{layer}.{head}".
  /// append: a token to the prompt.
  enum class Effect { window, set, go, edit, append } effect = Effect::window;
  std::string text{};  // of set, go and edit, with {axis} for the index
  std::string help{};
  int first = -1, last = -1;              // drag: where the grip is (`first`); brush: both ends
  int other_first = -1, other_last = -1;  // brush: a second range, not draggable: where axes were fitted
  std::vector<Appended> tokens{};         // append: one for each index of the axis, from 0
  /// drag with a second axis: the height of the pointer, in so many steps from the plot's bottom to its top. The index
  /// along the first is the one where the drag began.
  int steps = 0;
  std::string key{};    // act: the key that does it, by its KeyboardEvent.key. carry: "Shift" where it must be held
  std::string label{};  // act: in the menu
  std::string until{};  // carry: the axis whose index in the focus is the last that it can be carried to
  bool before = false;  // carry: the edit acts before those that are there
};

/// Two axes and what is drawn between them.
struct Plot {
  Scale x{}, y{};
  std::vector<Mark> marks{};
  std::optional<ColourScale> colour{};
  std::vector<Gesture> gestures{};
  std::vector<Place> chosen{};  // the selection made by the controls, outlined: {layer, head}
  std::vector<Place> whole{};   // places of the whole plot, beside its axes: {matrix, 2}; part of every hit
  float height = 0;             // CSS pixels at the default font size; 0: as high as the room allows
  bool square = false;          // one unit is as long along both axes: angles are true
};

/// Three axes, seen by an orbiting camera; all spaces of a figure turn together.
struct Space {
  struct Axis {
    std::string title{}, note{};  // "PC1", "33.7 %"
  };
  std::vector<Axis> axes{};  // at least three; with more, the visitor chooses which three are shown
  std::vector<Mark> marks{};
  std::string index_name = "position";  // what the colour along a curve encodes
  Coordinates fit_to{};    // what the view is fitted to, where the scale stays from result to result; none: the marks
  Mat3 frame = kIdentity;  // rotates the drawing, not the numbers: keeps the picture still while axes are refitted
  std::vector<Gesture> gestures{};
  std::string id{};    // spaces of one id share their scale
  bool floor = false;  // a floor below the marks, on which curves cast their shadow
  bool legend = true;  // shows what the colour along a curve encodes; off where another panel says it
};

/// A big number with lines below it; without a number, its first line is a heading over the panels below it.
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

/// How panels are arranged: side by side, in a column, or in a grid of equal columns. On a phone a row becomes a column
/// unless `stays_row` is set.
struct Box {
  enum class Kind { panel, row, column, grid } kind = Kind::panel;
  std::string panel{};  // of a panel
  std::vector<Box> children{};
  float share = 0;            // in a row: fraction of the width; 0: an equal part of what is left
  float least = 0, most = 0;  // bounds in CSS pixels of that width or, in a column, of the height; 0: none
  bool stays_row = false;     // of a row: stays a row on a phone too
  int columns = 0;            // of a grid; 0: as many as fit
};
inline Box panel(std::string id, float share = 0, float least = 0, float most = 0) {
  return {Box::Kind::panel, std::move(id), {}, share, least, most};
}
inline Box row(std::vector<Box> children) { return {Box::Kind::row, {}, std::move(children)}; }
inline Box column(std::vector<Box> children, float share = 0, float least = 0, float most = 0) {
  return {Box::Kind::column, {}, std::move(children), share, least, most};
}
/// A row that stays a row on narrow screens too.
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
    std::vector<std::string> texts{};  // shown instead of the numbers if not empty
  };
  std::string title;
  std::vector<Column> columns;
  std::vector<std::string> go{};  // a link fragment for each row; empty if rows are not links
  std::string help{};             // what clicking a row does, in one sentence
  bool open = false;              // shown expanded, as part of the figure
  /// Which column says what where rows are shown as cards: rows of one `group` stand together under it; `here` and `stated`
  /// are numbers in `unit`, which a card shows on a scale of their own. `missing`: why there is no card.
  struct Cards {
    std::size_t group = 0, name = 0, verdict = 0, text = 0, stated = 0, here = 0, unit = 0, note = 0, missing = 0;
  };
  std::optional<Cards> cards{};     // nothing: rows are lines of a table
  std::vector<std::string> over{};  // the axes of the lists it has, of which a result then needs no other table
};

/// What the rows of a result's own table lead to (Table::go), where a view writes no table for them.
struct RowLinks {
  std::vector<std::string> over;  // the axes of the table
  std::string go;                 // "head={head}": an axis stands for its index, a list along it for its number
  std::string help;
  bool open = false;
  std::string title{};  // empty: the table's own
};

/// The point under the pointer or chosen by keyboard, in words.
struct Reading {
  std::string title;               // "position 313"
  std::vector<std::string> lines;  // "PC1 2.7134"
};

/// The range of indices that the arrow keys step through.
struct Walk {
  std::string axis{};
  int first = 0, last = -1;
  bool empty() const { return last < first; }
};

struct Figure {
  std::string title, subtitle, summary;  // summary: one sentence that says what a sighted visitor sees
  Number lead{};                         // the key result, beside the title; no number: none is shown
  std::vector<Panel> panels;
  Box root{Box::Kind::column};    // without children: all panels below each other
  Box narrow{Box::Kind::column};  // on a phone; without children: the root, its rows as columns
  std::vector<Note> notes;
  std::vector<Table> tables;  // those that say more than the lists of the result do, which has its own
  std::vector<RowLinks> row_links{};
  Walk across, down;  // left and right; up and down, if there are rows to step through

  const Panel* find(std::string_view id) const;
};

/// The summary with what the callouts say: for readers who do not see them.
std::string spoken_summary(const Figure& figure);

/// The figure's first space, whose points are tracked while axes are refitted; nullptr: none.
const Space* first_space(const Figure& figure);

}  // namespace helix::figure
