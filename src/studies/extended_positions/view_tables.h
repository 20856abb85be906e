// Every number as tables; the variants' rows open them.
#pragma once

#include <array>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "figure/figure.h"
#include "studies/extended_positions/view_scene.h"

namespace helix::studies::extended_positions {

inline figure::Table variant_table(const Scene& s) {
  figure::Table t{say("table.angles"),
                  {{"between", "", 0, {}},
                   {"smallest", "°", 1, {}},
                   {"second", "°", 1, {}},
                   {"largest", "°", 1, {}},
                   {"", "", 0, {}}}};
  t.help = say("hint.row");
  if (s.empty()) return t;
  const auto row = [&](std::string name, const std::array<double, kAxes>& angles, std::string badge) {
    t.columns[0].texts.push_back(std::move(name)), t.columns[4].texts.push_back(std::move(badge));
    for (std::size_t k = 0; k < kAxes; ++k) t.columns[k + 1].values.push_back(angles[k]);
  };
  for (std::size_t v = 0; v < kVariants; ++v) {
    const bool of_text = v == kOfText && s.params.hook != Hook::ln1_normalized;
    std::vector<std::string> badges;
    if (of_text) badges.push_back(say(s.first == 0 ? "badge.of_text" : "badge.of_text_but_row"));
    if (v == s.chosen()) badges.push_back(say("badge.shown"));
    row(s.out.variants[v], {s.out.angles(v, 0), s.out.angles(v, 1), s.out.angles(v, 2)}, join(badges, "; "));
    const std::string hook = v % 2 == 0                              ? "resid_pre"
                             : s.params.hook == Hook::ln1_normalized ? "ln1_normalized"
                                                                     : "ln1";
    t.go.push_back(std::string("from=here&side=") + (v < 4 ? "right" : "left") + "&centre=" + (v % 4 < 2 ? "1" : "0") +
                   "&hook=" + hook);
  }
  return t;
}

inline std::vector<figure::Table> tables(const Scene& s) {
  const Output& o = s.out;
  figure::Table layers{say("table.layers"),
                       {{"layer", "", 0, {}},
                        {"smallest angle", "°", 1, {}},
                        {"second", "°", 1, {}},
                        {"largest", "°", 1, {}},
                        {"variance in three components", "fraction", 4, {}},
                        {"cosine between prompts", "", 4, {}}}};
  for (std::size_t i = 0; i < s.layers() && !o.angles_by_layer.data.empty(); ++i) {
    layers.columns[0].values.push_back(static_cast<double>(i));
    for (std::size_t k = 0; k < kAxes; ++k) layers.columns[k + 1].values.push_back(o.angles_by_layer(i, k));
    layers.columns[4].values.push_back(o.explained_by_layer.data[i]);
    layers.columns[5].values.push_back(i < o.agreement_by_layer.data.size() ? o.agreement_by_layer.data[i]
                                                                            : std::nan(""));
  }
  figure::Table numbers{say("table.numbers"),
                        {{"in the positions' three directions", "fraction", 4, {o.shared.value}},
                         {"in its own three", "fraction", 4, {o.explained_first3.value}},
                         {"turns", "turns", 2, {o.turns.value}},
                         {"correlation of component 3 with the position", "", 3, {o.along.value}},
                         {"dimensions beyond the threshold", "dimensions", 0, {o.dimensions_over.value}},
                         {"of the positions", "dimensions", 0, {o.dimensions_over_positions.value}},
                         {"effective dimensions", "dimensions", 1, {o.effective.value}},
                         {"of the positions", "dimensions", 1, {o.effective_positions.value}}}};
  figure::Table tokens{say("table.tokens"), {{"id", "", 0, o.token.data}, {"token", "", 0, {}, o.text}}};
  return {variant_table(s), std::move(layers), std::move(numbers), std::move(tokens)};
}

}  // namespace helix::studies::extended_positions
