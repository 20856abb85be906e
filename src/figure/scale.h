// How a quantity or an axis is mapped along a side of a plot. The terms are those of Vega-Lite and Observable Plot.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "figure/shades.h"

namespace helix::figure {

/// symlog: logarithmic beyond ±1, linear between. index: whole numbers, one step each. band: an index with a name each.
enum class ScaleKind { linear, log, symlog, index, band };

struct Scale {
  ScaleKind kind = ScaleKind::linear;
  std::string title{};  // "cosine similarity", "position"
  std::string unit{};
  std::string axis{};                   // the named axis it runs over; empty for a quantity
  std::string id{};                     // scales of one id share their domain, in every panel of the figure
  std::optional<double> low{}, high{};  // of a quantity; nothing: from the data
  int first = 0, count = 0;             // entries of an index or a band
  std::vector<std::string> names{};     // of the entries, from the first; entries without a name show their number
  bool from_zero = false;
  bool percent = false;  // of fractions: tick labels in percent
  bool quiet = false;    // neither ticks nor title
};

inline Scale over(std::string axis, int first, int count, std::vector<std::string> names = {}) {
  Scale s;
  s.kind = names.empty() ? ScaleKind::index : ScaleKind::band;
  s.title = axis, s.axis = std::move(axis), s.first = first, s.count = count, s.names = std::move(names);
  return s;
}

inline Scale quantity(std::string title, std::string unit = {}) {
  Scale s;
  s.title = std::move(title), s.unit = std::move(unit);
  return s;
}

/// What the colours of a panel encode: shown as a colour bar.
struct ColourScale {
  std::string title{};  // "attention"
  ShadeScale range{};
  std::string missing{};  // what a cell without a number means: "masked"; empty: every cell has one
  std::string note{};     // "largest of 4 × 4 cells"
  std::string id{};       // plots of one id have one range; the last of them shows the bar, also if it has no marks
};

}  // namespace helix::figure
