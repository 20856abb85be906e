// The source's numbers beside those here, as a table.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "figure/figure.h"
#include "studies/position_share/view_scene.h"

namespace helix::studies::position_share {

/// The authors' numbers beside those here, where the model has as many layers.
inline figure::Table stated_table(const Scene& s) {
  figure::Table t{say("table.source"),
                  {{"", "", 0, {}}, {"stable rank", "dimensions", 2, {}}, {"relative norm", "fraction", 3, {}}}};
  for (std::size_t l = 0; l < kStatedLayers; ++l) {
    t.columns[0].texts.push_back(l + 1 == kStatedLayers ? say("place.end")
                                                        : say("place.layer", {{"layer", std::to_string(l)}}));
    t.columns[1].values.push_back(kStatedRank[l]), t.columns[2].values.push_back(kStatedNorm[l]);
  }
  if (s.layers != kStatedLayers) return t;
  t.columns.push_back({"stable rank here", "dimensions", 2, s.out.rank_less.data, {}});
  t.columns.push_back({"relative norm here", "fraction", 3, s.out.norm_position.data, {}});
  return t;
}

}  // namespace helix::studies::position_share
