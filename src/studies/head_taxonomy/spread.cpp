#include "studies/head_taxonomy/spread.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "studies/head_taxonomy/diagonals.h"

namespace helix::studies::head_taxonomy {
namespace {

/// A metric of one head in one window; the heads are counted through all layers.
double metric_of(const Seen& seen, const Window& window, std::size_t metric, std::size_t head, std::size_t lags) {
  const auto means = means_of(seen, window, head, lags);
  if (metric == static_cast<std::size_t>(Metric::previous)) return lags > 1 ? means[1] : std::nan("");
  if (metric == static_cast<std::size_t>(Metric::ratio)) return largest_of(means).ratio();
  return window.kinds[metric - 1][head];
}

void put(const OverWindows& spread, protocol::Grid& least, protocol::Grid& most) {
  least.data.push_back(spread.least), most.data.push_back(spread.most);
}

/// Which heads are previous-token heads, window by window.
void write_counts(Output& out, const Seen& seen, std::size_t lags) {
  const std::size_t heads = seen.layers * seen.heads, windows = seen.windows.size();
  out.in_windows = {{seen.layers, seen.heads}, std::vector<double>(heads, 0)};
  out.window_heads = {{windows}, std::vector<double>(windows, 0)};
  for (std::size_t w = 0; w < windows; ++w)
    for (std::size_t head = 0; head < heads; ++head)
      if (largest_of(means_of(seen, seen.windows[w], head, lags)).lag == 1)
        ++out.window_heads.data[w], ++out.in_windows.data[head];
  const auto all = std::ranges::count(out.in_windows.data, static_cast<double>(windows));
  out.every_window = {static_cast<double>(all), "of " + std::to_string(heads)};
}

void write_metrics(Output& out, const Seen& seen, std::size_t lags) {
  const std::size_t heads = seen.layers * seen.heads;
  out.least.shape = out.most.shape = {kMetrics, seen.layers, seen.heads};
  for (std::size_t metric = 0; metric < kMetrics; ++metric)
    for (std::size_t head = 0; head < heads; ++head)
      put(over_windows(seen, [&](const Window& w) { return metric_of(seen, w, metric, head, lags); }), out.least,
          out.most);
}

void write_diagonals(Output& out, const Params& params, const Seen& seen, std::size_t lags) {
  const std::size_t heads = seen.layers * seen.heads;
  const auto [first, last] = lag_range(params, lags);
  out.diagonal_least.shape = out.diagonal_most.shape = {seen.layers, seen.heads, lags};
  out.range_least.shape = out.range_most.shape = {seen.layers, seen.heads};
  for (std::size_t head = 0; head < heads; ++head) {
    for (std::size_t lag = 0; lag < lags; ++lag)
      put(over_windows(seen, [&](const Window& w) { return means_of(seen, w, head, lags)[lag]; }), out.diagonal_least,
          out.diagonal_most);
    const auto sum = [&, from = first, to = last](const Window& w) {
      double total = 0;
      for (std::size_t lag = from; lag <= to; ++lag) total += means_of(seen, w, head, lags)[lag];
      return total;
    };
    put(over_windows(seen, sum), out.range_least, out.range_most);
  }
}

}  // namespace

void OverWindows::add(double value) {
  if (std::isnan(value)) return;
  sum += value, ++count;
  least = std::fmin(least, value), most = std::fmax(most, value);
}

void write_spread(Output& out, const Params& params, const Seen& seen, std::size_t lags) {
  if (seen.windows.size() < 2) {
    out.every_window.note = "the text is one window";
    return;
  }
  write_counts(out, seen, lags);
  write_metrics(out, seen, lags);
  write_diagonals(out, params, seen, lags);
}

}  // namespace helix::studies::head_taxonomy
