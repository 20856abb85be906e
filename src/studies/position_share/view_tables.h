// Every number as tables; a row of the layers draws its positions.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "figure/figure.h"
#include "studies/position_share/view_scene.h"

namespace helix::studies::position_share {

inline figure::Table layers_table(const Scene& s) {
  const Output& o = s.out;
  const auto column = [](const char* name, const char* unit, int digits, const Grid& values) {
    return figure::Table::Column{name, unit, digits, values.data, {}};
  };
  figure::Table t{"Layers",
                  {{"", "", 0, {}},
                   column("position", "fraction", 4, o.share_position),
                   column("context", "fraction", 4, o.share_context),
                   column("rest", "fraction", 4, o.share_rest),
                   column("averaging leaves", "fraction", 4, o.share_chance),
                   column("stable rank", "dimensions", 3, o.rank),
                   column("without what averaging leaves", "dimensions", 3, o.rank_less),
                   column("relative norm: position", "fraction", 3, o.norm_position),
                   column("context", "fraction", 3, o.norm_context),
                   column("rest", "fraction", 3, o.norm_rest),
                   column("root mean square", "vector length", 3, o.length),
                   column("of positions", "vector length", 3, o.length_position),
                   column("neighbours", "cosine", 3, o.neighbour_cosine),
                   column("position and context", "|cosine|", 3, o.context_cosine)}};
  if (s.layers == 0) return {t.title, {{"", "", 0, {}}}};
  for (std::size_t l = 0; l < s.layers; ++l) {
    t.columns[0].texts.push_back(s.place(l));
    t.go.push_back("from=here&layer=" + std::to_string(l));
  }
  for (auto& c : t.columns)
    if (c.texts.empty()) c.values.resize(s.layers, std::nan(""));
  t.help = say("hint.row");
  return t;
}

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

inline std::vector<figure::Table> tables(const Scene& s) {
  const Output& o = s.out;
  figure::Table numbers{"Numbers",
                        {{"position", "fraction", 4, {o.position.value}},
                         {"context", "fraction", 4, {o.context.value}},
                         {"rest", "fraction", 4, {o.rest.value}},
                         {"averaging leaves", "fraction", 4, {o.chance.value}},
                         {"stable rank", "dimensions", 3, {o.stable_rank.value}},
                         {"of the table of positions", "dimensions", 3, {o.table_rank.value}},
                         {"variance in three components", "fraction", 4, {o.explained_first3.value}},
                         {"turns", "turns", 2, {o.turns.value}},
                         {"correlation of component 3 with the position", "", 3, {o.along.value}}}};
  figure::Table walks{say("table.walks"),
                      {{"stable rank", "dimensions", 3, o.walk_rank.data},
                       {"variance in three components", "fraction", 4, o.walk_explained_first3.data},
                       {"turns", "turns", 2, o.walk_turns.data},
                       {"component 3 along the position", "|r|", 3, o.walk_along.data}}};
  return {layers_table(s), std::move(numbers), stated_table(s), std::move(walks)};
}

}  // namespace helix::studies::position_share
