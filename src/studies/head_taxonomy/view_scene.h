// The result as the figure reads it: the metrics of all heads, and the head that the controls have chosen.
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "base/shared_words.h"
#include "base/text.h"
#include "studies/head_taxonomy/head_taxonomy.h"
#include "studies/scaled_heads_view.h"

namespace helix::studies::head_taxonomy {

using protocol::Grid;

inline constexpr double kTimesEven = 2;        // from so many times even attention on a head is said to stand out
inline constexpr std::size_t kLagsShown = 32;  // lags of the profile, more if the largest diagonal lies farther away

/// The smallest and largest number of a window.
struct Between {
  double least = std::nan(""), most = std::nan("");
  bool known() const { return std::isfinite(least) && std::isfinite(most); }
};
inline Between between(const Grid& least, const Grid& most, std::size_t i) {
  return i < least.data.size() && i < most.data.size() ? Between{least.data[i], most.data[i]} : Between{};
}

/// The result, and the head chosen by the controls: the result has all heads, so choosing one needs no run.
struct Scene {
  Output out;
  Params params;
  bool difference = false, complete = true;
  std::size_t layers = 0, heads = 0, lags = 0;
  std::size_t layer = 0, head = 0;  // whose profile is drawn
  std::vector<ScaledHead> scaled{};
  Grid range{};  // of each head, the sum of its mean diagonals in the chosen range
  double even_range = std::nan("");
  bool range_spread = false;  // whether the windows' spread is that of the chosen range

  std::pair<std::size_t, std::size_t> lag_range() const { return head_taxonomy::lag_range(params, lags); }
  bool empty() const { return layers == 0; }
  std::size_t at(std::size_t l, std::size_t h) const { return l * heads + h; }
  bool looks_back(std::size_t i) const { return i < out.argmax_lag.data.size() && out.argmax_lag.data[i] == 1; }
  /// Whether the finding is about previous-token heads.
  bool about_previous() const { return params.metric == Metric::previous || params.metric == Metric::ratio; }

  const Grid& values(Metric metric) const {
    if (metric == Metric::lags) return range;
    const Grid* const all[kMetrics] = {&out.previous,  &out.self,    &out.first, &out.induction,
                                       &out.duplicate, &out.entropy, &out.ratio};
    return *all[static_cast<std::size_t>(metric)];
  }
  std::size_t windows() const { return out.windows.value > 1 ? static_cast<std::size_t>(out.windows.value) : 1; }
  /// The smallest and largest of a window; NaN where the text is one window.
  Between spread(Metric metric, std::size_t i) const {
    const bool ranged = metric == Metric::lags;
    if (difference || windows() < 2 || (ranged && !range_spread)) return {};
    const std::size_t at = ranged ? i : static_cast<std::size_t>(metric) * layers * heads + i;
    return between(ranged ? out.range_least : out.least, ranged ? out.range_most : out.most, at);
  }
  /// The same of one mean diagonal of the chosen head.
  Between lag_spread(std::size_t lag) const {
    if (difference || windows() < 2) return {};
    return between(out.diagonal_least, out.diagonal_most, at(layer, head) * lags + lag);
  }
  /// Of a head that attends evenly.
  double level(Metric metric) const {
    if (metric == Metric::lags) return even_range;
    const auto i = static_cast<std::size_t>(metric);
    return i < out.level.data.size() ? out.level.data[i] : std::nan("");
  }
};

/// Whether a small number is the remarkable one.
inline bool counts_down(Metric metric) { return metric == Metric::entropy || metric == Metric::ratio; }

inline std::string id_of(Metric metric) { return std::string(kMetricIds.begin()[static_cast<std::size_t>(metric)]); }

/// The object of "attends to": "what followed the same token", "the tokens 2 to 5 back".
inline std::string object_of(const Scene& s, Metric metric) {
  if (metric != Metric::lags) return say(std::string("object.") + id_of(metric));
  const auto [first, last] = s.lag_range();
  if (first == last) return say("object.lag", {{"lag", std::to_string(last)}});
  return say("object.lags", {{"first", std::to_string(first)}, {"last", std::to_string(last)}});
}

/// "attention to the first token", "entropy of its attention".
inline std::string metric_name(Metric metric) { return say(std::string("choice.") + id_of(metric)); }

inline std::string metric_text(Metric metric, double value) {
  if (!std::isfinite(value)) return shared_words("undefined");
  if (metric == Metric::entropy) return say("bits", {{"n", number_text(value, 2)}});
  return metric == Metric::ratio ? number_text(value, 3) : percent_text(value, 1);
}

/// "82.4–88.1 % over 3 windows"; empty where the text is one window.
inline std::string spread_text(const Scene& s, Metric metric, std::size_t i) {
  const Between range = s.spread(metric, i);
  if (!range.known()) return {};
  std::string least = metric_text(metric, range.least);
  const std::string most = metric_text(metric, range.most);
  const std::string windows = std::to_string(s.windows());
  if (least == most) return say("spread.same", {{"value", most}, {"windows", windows}});
  if (metric != Metric::ratio) least.resize(least.rfind(' '));  // the unit stands behind the second number
  return say("spread", {{"least", least}, {"most", most}, {"windows", windows}});
}

inline bool is_whole(const Grid& grid, const std::vector<std::size_t>& shape) {
  return grid.shape == shape &&
         grid.data.size() == std::accumulate(shape.begin(), shape.end(), std::size_t{1}, std::multiplies<>());
}

inline double value_of(const Grid& grid, std::size_t i) { return i < grid.data.size() ? grid.data[i] : std::nan(""); }

/// Heads by the metric, the remarkable ones first and NaN last; where it is about the previous token, previous-token heads by
/// their ratio.
inline std::vector<std::size_t> ranking(const Scene& s) {
  std::vector<std::size_t> order(s.layers * s.heads);
  std::iota(order.begin(), order.end(), std::size_t{0});
  const Grid& values = s.about_previous() ? s.out.ratio : s.values(s.params.metric);
  const bool down = s.about_previous() || counts_down(s.params.metric);
  const auto key = [&](std::size_t i) {
    const double value = value_of(values, i);
    return std::pair(s.about_previous() && !s.looks_back(i), std::isfinite(value) ? (down ? value : -value) : HUGE_VAL);
  };
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
  return order;
}

/// The sum of means of neighbouring diagonals.
inline double sum_over(const Grid& means, std::size_t from, std::pair<std::size_t, std::size_t> lags) {
  double sum = 0;
  for (std::size_t lag = lags.first; lag <= lags.second; ++lag) sum += value_of(means, from + lag);
  return sum;
}

inline Scene read(const protocol::Result& result, const ParamValues& asked) {
  Scene s{protocol::read_outputs<Output>(result), read_params<Params>(asked.empty() ? defaults(describe()) : asked),
          result.difference, result.complete};
  s.scaled = scaled_heads(result.edits);
  const auto& shape = s.out.mean_diagonal.shape;
  if (shape.size() != 3 || shape[0] == 0 || shape[1] == 0 || shape[2] == 0) return s;
  if (!is_whole(s.out.mean_diagonal, shape) || !is_whole(s.out.ratio, {shape[0], shape[1]})) return s;
  s.layers = shape[0], s.heads = shape[1], s.lags = shape[2];
  s.range.shape = {s.layers, s.heads};
  for (std::size_t i = 0; i < s.layers * s.heads; ++i)
    s.range.data.push_back(sum_over(s.out.mean_diagonal, i * s.lags, s.lag_range()));
  s.range_spread = s.lag_range() == lag_range(read_params<Params>(result.params), s.lags);
  s.even_range = sum_over(s.out.even, 0, s.lag_range());
  const std::size_t clearest = ranking(s).front();
  const auto chosen = [](int index, std::size_t other, std::size_t count) {
    return index < 0 ? other : std::min(static_cast<std::size_t>(index), count - 1);
  };
  s.layer = chosen(s.params.layer, clearest / s.heads, s.layers);
  s.head = chosen(s.params.head, clearest % s.heads, s.heads);
  return s;
}

inline std::string name_of(std::size_t layer, std::size_t head) {
  return say("head", {{"head", std::to_string(layer) + "." + std::to_string(head)}});
}

inline std::string lag_text(double lag) {
  if (!std::isfinite(lag)) return "–";
  return lag == 0 ? say("lag.itself") : say("lag.back", {{"n", to_fixed(lag, 0)}});
}

inline std::vector<double> profile(const Scene& s) {
  const auto from = s.out.mean_diagonal.data.begin() + static_cast<std::ptrdiff_t>(s.at(s.layer, s.head) * s.lags);
  return {from, from + static_cast<std::ptrdiff_t>(s.lags)};
}

/// Whether a previous-token head could be found: one token back was examined.
inline bool is_examined(const Scene& s) { return std::isfinite(s.out.previous_token_heads.value); }

/// Why the chosen head has no ratio.
inline std::string no_ratio(const Scene& s) {
  return shared_words("undefined.why", {{"why", say(s.lags < 2 ? "ratio.one_diagonal" : "ratio.no_attention")}});
}

}  // namespace helix::studies::head_taxonomy
