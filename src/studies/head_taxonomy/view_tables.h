// The tables beside the figure.
#pragma once

#include <string>
#include <utility>

#include "studies/head_taxonomy/view_scene.h"
#include "studies/registry_view.h"

namespace helix::studies::head_taxonomy {

inline figure::Table all_heads(const Scene& s) {
  figure::Table t{"All heads",
                  {{"head", "", 0, {}, {}},
                   {"layer", "", 0, {}},
                   {"ratio", "", 3, {}},
                   {"largest mean at", "tokens", 0, {}},
                   {"one token back", "", 4, {}},
                   {"largest mean", "", 4, {}}}};
  for (const char* name : {"itself", "first token", "after the same", "the same earlier"})
    t.columns.push_back({name, "", 4, {}});
  t.columns.push_back({"entropy", "bits", 2, {}});
  for (const std::size_t i : ranking(s)) {
    const std::string l = std::to_string(i / s.heads), h = std::to_string(i % s.heads);
    const double lag = value_of(s.out.argmax_lag, i);
    t.columns[0].texts.push_back(l + "." + h);
    t.columns[1].values.push_back(static_cast<double>(i / s.heads));
    t.columns[2].values.push_back(s.out.ratio.data[i]);
    t.columns[3].values.push_back(lag);
    t.columns[4].values.push_back(value_of(s.out.previous, i));
    const bool there = lag >= 0 && lag < static_cast<double>(s.lags);
    t.columns[5].values.push_back(there ? s.out.mean_diagonal.data[i * s.lags + static_cast<std::size_t>(lag)]
                                        : std::nan(""));
    for (std::size_t k = 1; k + 1 < kMetrics; ++k)
      t.columns[5 + k].values.push_back(value_of(s.values(static_cast<Metric>(k)), i));
    t.go.push_back("from=here&study=attention&attention.layer=" + l + "&attention.head=" + h);
  }
  t.help =
      "Ratio: the second-largest mean diagonal over the largest. A row opens the attention of its head on this prompt";
  t.open = !s.empty();
  return t;
}

inline figure::Table profile_table(const Scene& s) {
  figure::Table t{"Mean attention by distance, " + name_of(s.layer, s.head),
                  {{"tokens back", "", 0, {}}, {"mean attention", "", 4, {}}, {"even attention", "", 4, {}}}};
  if (s.empty()) return t;
  t.columns[1].values = profile(s);
  for (std::size_t lag = 0; lag < s.lags; ++lag) {
    t.columns[0].values.push_back(static_cast<double>(lag));
    t.columns[2].values.push_back(value_of(s.out.even, lag));
  }
  return t;
}

}  // namespace helix::studies::head_taxonomy
