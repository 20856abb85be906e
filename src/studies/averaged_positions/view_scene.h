// The result as the figure reads it. Arrays that do not fit each other count as missing.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>

#include "base/text.h"
#include "studies/averaged_positions/averaged_positions.h"

namespace helix::studies::averaged_positions {

struct Scene {
  const protocol::Result& result;
  Output out;
  Params params;
  bool difference = false;
  std::size_t chosen = 0, layers = 0, heads = 0;

  std::size_t groups() const { return out.groups(); }
  bool empty() const { return groups() == 0; }
  std::size_t at() const {
    return static_cast<std::size_t>(out.layer.value) * heads + static_cast<std::size_t>(out.head.value);
  }
  std::string size(std::size_t i) const { return to_fixed(out.size.data[i], 0); }
  std::string name(std::size_t head) const { return std::to_string(head / heads) + "." + std::to_string(head % heads); }
  /// "4.11"
  std::string head() const { return name(at()); }
  bool extended() const { return params.averaged == Averaged::extended; }
  /// The layer before which that is averaged.
  std::string before() const { return number_text(out.before.value, 0); }
};

inline double value(const protocol::Grid& grid, std::size_t i) {
  return i < grid.data.size() ? grid.data[i] : std::nan("");
}

inline Scene read(const protocol::Result& result) {
  Scene s{result, protocol::read_outputs<Output>(result), read_params<Params>(result.params), result.difference};
  const auto& none = s.out.previous_none.shape;
  const double layer = s.out.layer.value, head = s.out.head.value;
  const bool whole = none.size() == 2 && s.out.previous_none.data.size() == none[0] * none[1] && layer >= 0 &&
                     head >= 0 && layer < static_cast<double>(none[0]) && head < static_cast<double>(none[1]) &&
                     s.out.size.shape.size() == 1 && s.out.size.data.size() == s.out.size.shape[0] &&
                     std::ranges::all_of(s.out.size.data, [](double x) { return x >= 1; });
  if (!whole) {
    s.out.size.data.clear();
    return s;
  }
  s.layers = none[0], s.heads = none[1];
  const auto found = std::ranges::find(s.out.size.data, s.out.group.value);
  s.chosen =
      found == s.out.size.data.end() ? s.groups() - 1 : static_cast<std::size_t>(found - s.out.size.data.begin());
  return s;
}

/// The layers in which the counter-test hides the previous token.
inline std::string layers_name(std::size_t depth) {
  if (depth == 0) return say("layers.none");
  return depth == 1 ? say("layers.first") : say("layers.some", {{"last", std::to_string(depth - 1)}});
}

}  // namespace helix::studies::averaged_positions
