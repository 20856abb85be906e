// A stroke through each switched-off head of a map of heads.
#pragma once

#include <cmath>

#include "figure/figure.h"
#include "studies/silenced_heads.h"

namespace helix::studies {

/// A dark line on a light one, or the other way round, so that it is seen on every colour.
inline void strike_out(figure::Plot& plot, const std::vector<HeadPlace>& heads) {
  constexpr double kFar = 0.42, kNear = 0.24;  // of a cell, from its middle, where its number stands
  for (const HeadPlace& place : heads) {
    const auto x = static_cast<double>(place.head), y = static_cast<double>(place.layer);
    for (const bool outer : {true, false}) {
      figure::Line line;
      line.axis = "silenced";  // along no axis that a focus lies on
      line.at = {2, {x - kFar, y + kFar, x - kNear, y + kNear, std::nan(""), std::nan("")}};
      line.at.data.insert(line.at.data.end(), {x + kNear, y - kNear, x + kFar, y - kFar});
      line.ink = outer ? figure::kText : figure::kFaint, line.width = outer ? 4.5f : 1.8f;
      plot.marks.push_back(std::move(line));
    }
  }
}

}  // namespace helix::studies
