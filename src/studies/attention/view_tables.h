// The means beside even attention, and the largest of each row of a long prompt's pattern, as tables.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "figure/figure.h"
#include "studies/attention/view_scene.h"

namespace helix::studies::attention {

inline constexpr std::size_t kTopKeys = 3;  // keys per query, for longer prompts

/// The keys of a query with the largest numbers, largest first.
inline std::vector<std::size_t> top_keys(const Scene& s, std::size_t q, std::size_t count) {
  std::vector<std::size_t> keys;
  for (std::size_t k = 0; k < s.cols(); ++k) {
    if (!std::isfinite(s(q, k))) continue;
    if (keys.size() == count && !(s(q, k) > s(q, keys.back()))) continue;
    const auto at = std::find_if(keys.begin(), keys.end(), [&](std::size_t other) { return s(q, k) > s(q, other); });
    keys.insert(at, k);
    if (keys.size() > count) keys.pop_back();
  }
  return keys;
}

inline figure::Table top_of_each(const Scene& s) {
  figure::Table t{say("table.top", {{"head", s.head()}}), {{"query", "", 0, {}}, {"token", "", 0, {}, {}}}};
  for (std::size_t rank = 1; rank <= kTopKeys; ++rank) {
    const std::string which = " " + std::to_string(rank);
    t.columns.push_back({"key" + which, "", 0, {}});
    t.columns.push_back({"token" + which, "", 0, {}, {}});
    t.columns.push_back({s.what() + which, "", 4, {}});
  }
  for (std::size_t q = 0; q < s.rows(); ++q) {
    t.columns[0].values.push_back(static_cast<double>(q));
    t.columns[1].texts.push_back(s.token(q));
    const auto keys = top_keys(s, q, kTopKeys);
    for (std::size_t rank = 0; rank < kTopKeys; ++rank) {
      const bool there = rank < keys.size();
      t.columns[2 + 3 * rank].values.push_back(there ? static_cast<double>(keys[rank]) : std::nan(""));
      t.columns[3 + 3 * rank].texts.push_back(there ? s.token(keys[rank]) : "");
      t.columns[4 + 3 * rank].values.push_back(there ? s(q, keys[rank]) : std::nan(""));
    }
  }
  return t;
}

/// The chosen head's means, each beside what even attention has.
inline figure::Table means(const Scene& s) {
  figure::Table t{"Means",
                  {{"attention, mean over queries", "", 0, {}, {}},
                   {"this head", "fraction", 4, {}},
                   {"even attention", "fraction", 4, {}},
                   {"remark", "", 0, {}, {}}}};
  const auto add = [&](const std::string& to, const Mean& mean) {
    t.columns[0].texts.emplace_back(to);
    t.columns[1].values.push_back(mean.here.value), t.columns[2].values.push_back(mean.even);
    t.columns[3].texts.push_back(mean.here.note);
  };
  add(say("row.previous"), s.previous), add(say("row.first"), s.first), add(say("row.self"), s.self);
  add(say("row.induction"), s.induction);
  return t;
}

}  // namespace helix::studies::attention
