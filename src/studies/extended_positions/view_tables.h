// The angles of every variant as a table, whose rows open them.
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
  t.over = {"variant", "angle"}, t.help = say("hint.row");
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

}  // namespace helix::studies::extended_positions
