// Chance levels as they are shown: the same number of as many random tables as there are seeds, and its range over them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "base/shared_words.h"
#include "base/text.h"
#include "protocol/outputs.h"

namespace helix::studies {

inline constexpr std::uint32_t kNullSeeds = 20;  // 1, 2, … of default_rng

/// A number over the seeds; `known` only where every seed has it.
struct NullRange {
  double least = std::nan(""), most = std::nan(""), mean = std::nan("");
  std::size_t seeds = 0;
  bool known() const { return seeds > 0; }
};

inline NullRange range_of(const std::vector<double>& by_seed) {
  if (by_seed.empty() || !std::ranges::all_of(by_seed, [](double x) { return std::isfinite(x); })) return {};
  const auto [least, most] = std::ranges::minmax(by_seed);
  double sum = 0;
  for (const double x : by_seed) sum += x;
  return {least, most, sum / static_cast<double>(by_seed.size()), by_seed.size()};
}

/// A grid over the seeds, counted from 1.
inline protocol::Grid over_seeds(std::vector<double> values) { return {{values.size()}, std::move(values), 1}; }

/// "82.4–82.7 %", "0.64–0.67"; empty where nothing is known.
inline std::string span_text(const NullRange& range, int digits, bool percent = false) {
  if (!range.known()) return {};
  const double scale = percent ? 100 : 1;
  const std::string least = to_fixed(range.least * scale, digits), most = to_fixed(range.most * scale, digits);
  return (least == most ? least : least + "–" + most) + (percent ? " %" : "");
}

/// "82.4–82.7 % over 20 seeds"
inline std::string null_text(const NullRange& range, int digits, bool percent = false) {
  return range.known() ? shared_words("over_seeds", {{"range", span_text(range, digits, percent)},
                                                     {"n", std::to_string(range.seeds)}})
                       : "";
}

}  // namespace helix::studies
