// The figure as tables.
#pragma once

#include <string>

#include "figure/figure.h"
#include "studies/averaged_positions/view_scene.h"

namespace helix::studies::averaged_positions {

inline figure::Table sizes_table(const Scene& s) {
  const Output& out = s.out;
  figure::Table t{"Group sizes",
                  {{"tokens a position", "", 0, out.size.data},
                   {"loss", "nats", 4, out.loss.data},
                   {"left", "fraction", 3, out.loss_kept.data},
                   {say("column.head", {{"head", s.head()}}), "fraction", 4, out.head_previous.data},
                   {"left", "fraction", 3, out.head_kept.data},
                   {"copying", "fraction", 4, out.copying.data},
                   {"left", "fraction", 3, out.copying_kept.data},
                   {"prompt’s next token", "fraction", 4, out.answer.data},
                   {"left", "fraction", 3, out.answer_kept.data}}};
  t.over = {"group"};
  if (s.difference) return t;
  const double none[] = {std::nan(""), out.loss_none.value,    std::nan(""), out.none_previous.value,
                         std::nan(""), out.copying_none.value, std::nan(""), out.answer_none.value,
                         std::nan("")};
  for (std::size_t c = 0; c < t.columns.size(); ++c) {
    t.columns[c].values.resize(s.groups(), std::nan(""));
    t.columns[c].values.push_back(c % 2 == 0 && c > 0 && std::isfinite(value({{}, t.columns[c].values}, 0)) ? 0
                                                                                                            : none[c]);
  }
  for (std::size_t i = 0; i < s.groups(); ++i) t.columns[0].texts.push_back(s.size(i));
  t.columns[0].texts.push_back("none");
  for (std::size_t i = 0; i < s.groups(); ++i) t.go.push_back("from=here&study=averaged_positions&group=" + s.size(i));
  t.go.push_back("from=here&study=averaged_positions&edit=zero_positions");
  t.help = say("hint.sizes");
  return t;
}

inline figure::Table heads_table(const Scene& s) {
  figure::Table t{say("table.heads"),
                  {{"head", "", 0, {}, {}},
                   {"its own position", "fraction", 4, {}},
                   {say("column.group", {{"n", s.size(s.chosen)}}), "fraction", 4, {}},
                   {"no positions", "fraction", 4, s.out.previous_none.data}}};
  const std::size_t all = s.layers * s.heads;
  for (std::size_t i = 0; i < all; ++i) {
    t.columns[0].values.push_back(static_cast<double>(i)), t.columns[0].texts.push_back(s.name(i));
    t.columns[1].values.push_back(value(s.out.previous, i));
    t.columns[2].values.push_back(value(s.out.previous, s.chosen * all + i));
    t.go.push_back("from=here&study=averaged_positions&layer=" + std::to_string(i / s.heads) +
                   "&head=" + std::to_string(i % s.heads));
  }
  t.over = {"layer", "head"}, t.help = say("hint.heads");
  return t;
}

}  // namespace helix::studies::averaged_positions
