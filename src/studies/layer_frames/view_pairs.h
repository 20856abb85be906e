// The panel of the finding: every two layers' mean angle by how far they are apart, beside the mean and random frames.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>

#include "base/text.h"
#include "studies/layer_frames/view_tables.h"

namespace helix::studies::layer_frames {

/// The mean of all pairs, and that of random frames, as lines across.
inline void add_levels(const Scene& s, figure::Plot& plot) {
  const double mean = s.out.dispersion.value, random = s.out.random_dispersion.value;
  if (std::isfinite(random))
    plot.marks.push_back(
        figure::Rule{.at = random, .label = random_text(random), .ink = figure::kMute, .dashed = true});
  if (!std::isfinite(mean)) return;
  plot.marks.push_back(figure::Rule{.at = mean, .ink = figure::series(0), .width = 1.6f});
  figure::Callout callout{{static_cast<double>(s.layers) - 1, mean},
                          say("callout.mean", {{"mean", percent_text(mean, 1)}})};
  callout.ink = figure::kAccent, callout.lead = true;
  plot.marks.push_back(std::move(callout));
}

inline figure::Plot pairs(const Scene& s) {
  const int n = static_cast<int>(s.layers);
  figure::Plot plot{figure::over("apart", 1, std::max(n - 1, 0)), figure::quantity("of a right angle")};
  plot.height = kHigh, plot.x.title = "layers apart";
  if (s.empty()) return plot;
  plot.y.percent = true, plot.y.from_zero = true;
  if (!s.difference) plot.y.high = 1;
  for (std::size_t i = 0; i + 1 < s.layers; ++i) {
    auto at = std::make_shared<figure::Coordinates>(figure::Coordinates{2, {}});
    for (std::size_t j = i + 1; j < s.layers; ++j)
      at->data.insert(at->data.end(), {static_cast<double>(j - i), mean_angle(s, i, j) / 90});
    figure::Points points{"other layer", static_cast<int>(i) + 1, std::move(at), figure::series(0), 3.6f};
    points.whole = {{"layer", static_cast<int>(i)}};
    plot.marks.push_back(std::move(points));
  }
  if (!s.difference) add_levels(s, plot);
  return plot;
}

/// The mean over all pairs of layers so many apart.
inline figure::Reading reading_of_apart(const Scene& s, std::size_t apart) {
  double sum = 0;
  for (std::size_t i = 0; i + apart < s.layers; ++i) sum += mean_angle(s, i, i + apart);
  return {say("reading.apart", {{"n", std::to_string(apart)}}),
          {"mean angle  " + number_text(sum / static_cast<double>(s.layers - apart), 1) + "°"}};
}

}  // namespace helix::studies::layer_frames
