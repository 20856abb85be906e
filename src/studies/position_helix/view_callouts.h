// Notes on the curve: where its turns end, and a last row that lies far from the one before it.
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "figure/figure.h"
#include "protocol/outputs.h"
#include "studies/position_helix/position_helix.h"

namespace helix::studies::position_helix {

inline constexpr std::size_t kMostEnds = 4;  // turns whose ends are marked
inline constexpr double kFarSteps = 20;      // median steps: a row so far from the one before lies apart

/// The rows at which the angle in the plane of the first two components has gone once, twice, … around.
inline std::vector<std::size_t> ends_of_turns(const protocol::Grid& points) {
  const auto angle = [&](std::size_t i) { return std::atan2(points(i, 1), points(i, 0)); };
  std::vector<std::size_t> ends;
  double sum = 0;
  for (std::size_t i = 1; i < points.rows(); ++i) {
    const double step = std::remainder(angle(i) - angle(i - 1), 2 * std::numbers::pi);
    if (!(std::abs(step) <= 1)) continue;  // as where the turns are counted
    sum += step;
    if (std::abs(sum) >= 2 * std::numbers::pi * static_cast<double>(ends.size() + 1)) ends.push_back(i);
  }
  return ends;
}

/// `helix`: its turns mean something.
inline void add_callouts(const protocol::Grid& points, int first, bool helix, figure::Space& space) {
  const std::size_t n = points.rows();
  if (n < 8 || points.cols() < 3) return;
  const auto note = [&](std::size_t row, std::string text, bool lead) {
    const auto from = points.data.begin() + static_cast<std::ptrdiff_t>(row * points.cols());
    figure::Callout callout{{from, from + static_cast<std::ptrdiff_t>(points.cols())}, std::move(text)};
    callout.lead = lead;
    space.marks.push_back(std::move(callout));
  };
  const auto position = [&](std::size_t row) { return std::to_string(first + static_cast<int>(row)); };
  if (helix) {
    std::vector<std::size_t> ends = ends_of_turns(points);
    ends.resize(std::min(ends.size(), kMostEnds));
    for (std::size_t k = 0; k < ends.size(); ++k)
      note(ends[k],
           k == 0 ? say("callout.first_turn", {{"position", position(ends[k])}})
                  : say("callout.turns", {{"turns", std::to_string(k + 1)}, {"position", position(ends[k])}}),
           k + 1 == ends.size());
  }
  std::vector<double> steps;
  for (std::size_t i = 1; i < n; ++i)
    steps.push_back(
        std::hypot(points(i, 0) - points(i - 1, 0), points(i, 1) - points(i - 1, 1), points(i, 2) - points(i - 1, 2)));
  const double last = steps.back();
  std::erase_if(steps, [](double x) { return !std::isfinite(x); });
  if (steps.empty()) return;
  std::ranges::nth_element(steps, steps.begin() + static_cast<std::ptrdiff_t>(steps.size() / 2));
  if (last > kFarSteps * steps[steps.size() / 2])
    note(n - 1, say("callout.apart", {{"position", position(n - 1)}}), false);
}

}  // namespace helix::studies::position_helix
