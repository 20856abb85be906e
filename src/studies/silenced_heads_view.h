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

/// What can be done to the heads of a map: by a key, from the menu, or to all that are dragged over.
inline void add_head_acts(figure::Plot& plot) {
  const auto act = [](const char* text, const char* key, const char* label, const char* help) {
    figure::Gesture g{figure::Gesture::On::act, {"layer", "head"}, figure::Gesture::Effect::edit, text, help};
    g.key = key, g.label = label;
    return g;
  };
  plot.gestures.push_back(act("ablate_head:{layer}.{head}", "Delete", "Switch off",
                              "Drag over several heads, or right-click or press long on one, to switch them off or "
                              "double them; Delete and 2 do so for the head in focus."));
  plot.gestures.push_back(act("scale_head:{layer}.{head}:2", "2", "Double", ""));
}

}  // namespace helix::studies
