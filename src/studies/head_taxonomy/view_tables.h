// The tables beside the figure.
#pragma once

#include <string>
#include <utility>

#include "studies/head_taxonomy/view_scene.h"
#include "studies/registry_view.h"

namespace helix::studies::head_taxonomy {

/// What a head that attends evenly has in each column.
inline void add_even_row(const Scene& s, figure::Table& t) {
  if (s.empty() || s.difference || s.out.level.data.size() != kMetrics) return;
  const double itself = value_of(s.out.even, 0);
  t.columns[0].texts.push_back(say("row.even"));
  const double first[] = {std::nan(""), s.level(Metric::ratio), 0, s.level(Metric::previous), itself};
  for (std::size_t c = 0; c < std::size(first); ++c) t.columns[c + 1].values.push_back(first[c]);
  for (std::size_t k = 1; k + 1 < kMetrics; ++k) t.columns[5 + k].values.push_back(s.level(static_cast<Metric>(k)));
  for (std::size_t c = 5 + kMetrics - 1; c < t.columns.size(); ++c) t.columns[c].values.push_back(std::nan(""));
}

/// Of the shown metric, and in how many windows a head is a previous-token head.
inline void add_window_columns(const Scene& s, figure::Table& t) {
  const Metric metric = s.params.metric;
  if (s.difference || s.windows() < 2) return;
  const int digits = metric == Metric::entropy ? 2 : metric == Metric::ratio ? 3 : 4;
  figure::Table::Column least{say("column.least", {{"metric", metric_name(metric)}}), "", digits, {}},
      in{"previous-token head in", "windows", 0, {}};
  figure::Table::Column most{"largest of a window", "", digits, {}};
  for (const std::size_t i : ranking(s)) {
    least.values.push_back(s.spread(metric, i).least), most.values.push_back(s.spread(metric, i).most);
    in.values.push_back(value_of(s.out.in_windows, i));
  }
  t.columns.push_back(std::move(least)), t.columns.push_back(std::move(most)), t.columns.push_back(std::move(in));
}

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
  add_window_columns(s, t);
  add_even_row(s, t);
  t.over = {"layer", "head"}, t.help = say("hint.row");
  t.open = !s.empty();
  return t;
}

inline figure::Table profile_table(const Scene& s) {
  figure::Table t{say("table.profile", {{"head", name_of(s.layer, s.head)}}),
                  {{"tokens back", "", 0, {}}, {"mean attention", "", 4, {}}, {"even attention", "", 4, {}}}};
  t.over = {"lag"};
  if (s.empty()) return t;
  t.columns[1].values = profile(s);
  for (std::size_t lag = 0; lag < s.lags; ++lag) {
    t.columns[0].values.push_back(static_cast<double>(lag));
    t.columns[2].values.push_back(value_of(s.out.even, lag));
  }
  if (s.difference || s.windows() < 2) return t;
  t.columns.push_back({"smallest of a window", "", 4, {}}), t.columns.push_back({"largest of a window", "", 4, {}});
  for (std::size_t lag = 0; lag < s.lags; ++lag) {
    t.columns[3].values.push_back(s.lag_spread(lag).least);
    t.columns[4].values.push_back(s.lag_spread(lag).most);
  }
  return t;
}

}  // namespace helix::studies::head_taxonomy
