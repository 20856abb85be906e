// The result as the figure reads it. Arrays that do not fit each other count as missing.
#pragma once

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <string>

#include "base/text.h"
#include "studies/helix_rule.h"
#include "studies/model_name.h"
#include "studies/null_range.h"
#include "studies/position_share/position_share.h"

namespace helix::studies::position_share {

using protocol::Grid;

struct Scene {
  const protocol::Result& result;
  Output out;
  Params params;
  std::string model;
  std::size_t layers = 0;     // with shares: those of the model and the end; 0 where none were computed
  std::size_t drawn = 0;      // layers whose curve is known
  std::size_t positions = 0;  // of a curve
  std::size_t layer = 0;
  int first = 0;

  bool empty() const { return positions == 0; }
  bool alone() const { return !empty() && layers == 0; }  // only the table of positions
  std::string place(std::size_t l) const {
    return l + 1 == layers ? say("place.end") : say("place.layer", {{"layer", std::to_string(l)}});
  }
  std::string where() const { return place(layer); }
  double share(std::size_t l) const { return out.share_position.data[l]; }
  double chance(std::size_t l) const { return out.share_chance.data[l]; }
  const double* point(std::size_t t) const { return &out.points.data[(layer * positions + t) * kAxes]; }
};

inline double value(const Grid& grid, std::size_t i) { return i < grid.data.size() ? grid.data[i] : std::nan(""); }

inline Scene read(const protocol::Result& result) {
  Scene s{result, protocol::read_outputs<Output>(result),
          read_params<Params>(result.params.empty() ? defaults(describe()) : result.params),
          spoken_name(result.provenance.model)};
  const auto& shape = s.out.points.shape;
  const double layer = s.out.layer.value, first = s.out.first.value;
  const bool whole = shape.size() == 3 && shape[0] > 0 && shape[2] == kAxes &&
                     s.out.points.data.size() == shape[0] * shape[1] * kAxes &&
                     s.out.explained.data.size() == shape[0] * kAxes && layer >= 0 &&
                     layer < static_cast<double>(shape[0]) && first >= 0 && first < 1e6;
  if (!whole) return s;
  s.drawn = shape[0], s.positions = shape[1], s.layer = static_cast<std::size_t>(layer);
  s.first = static_cast<int>(first);
  const bool shares =
      std::ranges::all_of(std::initializer_list<const Grid*>{&s.out.share_position, &s.out.share_context,
                                                             &s.out.share_rest, &s.out.share_chance},
                          [&](const Grid* grid) { return grid->data.size() == s.drawn; });
  if (shares && s.drawn > 1) s.layers = s.drawn;
  return s;
}

/// Whether the positions' part is more than what averaging leaves of the rest.
inline bool is_position(const Scene& s, std::size_t l) { return s.share(l) > kAboveChance * s.chance(l); }

/// By the rule of a helix, and with more turns than any walk with its steps.
inline bool has_helix(const Scene& s) {
  const NullRange walks = range_of(s.out.walk_turns.data);
  return is_helix(s.out.turns.value, s.out.along.value) && (!walks.known() || s.out.turns.value > walks.most);
}

}  // namespace helix::studies::position_share
