// A diagonal stroke through each switched-off head in a map of heads.
#pragma once

#include <cmath>

#include "figure/figure.h"
#include "studies/silenced_heads.h"

namespace helix::studies {

/// A thin line on a wider one of the opposite shade, so that the stroke is visible on every colour.
inline void strike_out(figure::Plot& plot, const std::vector<HeadPlace>& heads) {
  constexpr double kFar = 0.42, kNear = 0.24;  // fraction of a cell from its centre, which stays free for its number
  for (const HeadPlace& place : heads) {
    const auto x = static_cast<double>(place.head), y = static_cast<double>(place.layer);
    for (const bool outer : {true, false}) {
      figure::Line line;
      line.axis = "silenced";  // an axis of its own, so that no focus highlights the stroke
      line.at = {2, {x - kFar, y + kFar, x - kNear, y + kNear, std::nan(""), std::nan("")}};
      line.at.data.insert(line.at.data.end(), {x + kNear, y - kNear, x + kFar, y - kFar});
      line.ink = outer ? figure::kText : figure::kFaint, line.width = outer ? 4.5f : 1.8f;
      plot.marks.push_back(std::move(line));
    }
  }
}

}  // namespace helix::studies
