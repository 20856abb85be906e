// A text in several windows: the mean over them, and the smallest and largest of a single one.
#pragma once

#include <cmath>
#include <cstddef>

#include "studies/head_taxonomy/runs.h"

namespace helix::studies::head_taxonomy {

/// A number that each window has; windows where it is undefined are left out.
struct OverWindows {
  double sum = 0, least = std::nan(""), most = std::nan("");
  std::size_t count = 0;

  void add(double value);
  double mean() const { return count > 0 ? sum / static_cast<double>(count) : std::nan(""); }
};

/// `at(window)`, over all windows.
template <class At>
OverWindows over_windows(const Seen& seen, At at) {
  OverWindows out;
  for (const Window& window : seen.windows) out.add(at(window));
  return out;
}

/// The first `lags` mean diagonals of a head in one window.
inline std::span<const double> means_of(const Seen& seen, const Window& window, std::size_t head, std::size_t lags) {
  return std::span(window.diagonals).subspan(head * seen.lags, lags);
}

/// What the single windows of a text have; nothing if it is one window.
void write_spread(Output& out, const Params& params, const Seen& seen, std::size_t lags);

}  // namespace helix::studies::head_taxonomy
