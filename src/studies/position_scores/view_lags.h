// Notes on the mean score by lag.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "figure/figure.h"
#include "protocol/outputs.h"
#include "studies/position_scores/position_scores.h"

namespace helix::studies::position_scores {

/// Where the keys before a query score highest, and whether the query itself scores less than both its neighbours.
inline void add_lag_notes(const protocol::Grid& mean, int first, figure::Plot& plot) {
  const auto zero = static_cast<std::size_t>(-first);
  if (zero == 0 || zero + 1 >= mean.data.size()) return;
  const auto note = [&](std::size_t i, std::string text) {
    figure::Callout callout{{first + static_cast<double>(i), mean.data[i]}, std::move(text)};
    if (std::isfinite(mean.data[i])) plot.marks.push_back(std::move(callout));
  };
  const auto end = mean.data.begin() + static_cast<std::ptrdiff_t>(zero);
  const auto peak = static_cast<std::size_t>(std::max_element(mean.data.begin(), end) - mean.data.begin());
  if (mean.data[peak] > mean.data[zero]) note(peak, say("callout.peak", {{"lag", std::to_string(zero - peak)}}));
  if (mean.data[zero] < mean.data[zero - 1] && mean.data[zero] < mean.data[zero + 1]) note(zero, say("callout.dip"));
}

}  // namespace helix::studies::position_scores
