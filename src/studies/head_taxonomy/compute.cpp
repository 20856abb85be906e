// One pass over each window keeps the mean diagonals of every head; which of them count is decided later, without another pass.
#include <algorithm>
#include <cmath>
#include <utility>

#include "studies/head_taxonomy/claims.h"
#include "studies/head_taxonomy/diagonals.h"
#include "studies/head_taxonomy/runs.h"
#include "studies/head_taxonomy/spread.h"
#include "studies/undefined.h"

namespace helix::studies::head_taxonomy {
namespace {

/// Windows of a longer text are prompts of the study's own.
std::vector<ModelNeeds> needs(const ParamValues&, const Known&) {
  ModelNeeds own;
  own.vocabulary = true;
  return {own};
}

/// Mean diagonals of uniform attention over the keys that each query can see, without the first row and column.
protocol::Grid even_means(std::size_t n, std::size_t lags) {
  protocol::Grid out{{lags}, std::vector<double>(lags)};
  for (std::size_t lag = 0; lag < lags; ++lag) {
    for (std::size_t query = kLeftOut + lag; query < n; ++query) out.data[lag] += 1 / static_cast<double>(query + 1);
    out.data[lag] /= static_cast<double>(n - kLeftOut - lag);
  }
  return out;
}

/// Means over the windows. Which diagonal is the largest is read off the mean diagonals.
void write_heads(Output& out, const Seen& seen, std::size_t lags) {
  out.mean_diagonal.shape = {seen.layers, seen.heads, lags};
  for (protocol::Grid* grid : {&out.ratio, &out.argmax_lag, &out.previous}) grid->shape = {seen.layers, seen.heads};
  double count = 0;
  for (std::size_t i = 0; i < seen.layers * seen.heads; ++i) {
    for (std::size_t lag = 0; lag < lags; ++lag)
      out.mean_diagonal.data.push_back(
          over_windows(seen, [&](const Window& w) { return means_of(seen, w, i, lags)[lag]; }).mean());
    const std::span<const double> means = std::span(out.mean_diagonal.data).last(lags);
    const double ratio =
        over_windows(seen, [&](const Window& w) { return largest_of(means_of(seen, w, i, lags)).ratio(); }).mean();
    const Largest largest = largest_of(means);
    out.ratio.data.push_back(ratio);
    out.argmax_lag.data.push_back(largest.where());
    out.previous.data.push_back(lags > 1 ? means[1] : std::nan(""));
    if (largest.lag != 1) continue;
    ++count;
    if (!(ratio >= out.smallest_ratio.value))
      out.smallest_ratio = {ratio,
                            "layer " + std::to_string(i / seen.heads) + ", head " + std::to_string(i % seen.heads)};
  }
  const std::size_t all = seen.layers * seen.heads;
  out.previous_token_heads = {count, "of " + std::to_string(all)};
  out.heads = {static_cast<double>(all), {}};
  if (count == 0) out.smallest_ratio.note = "no head looks one token back most";
}

/// The chance levels: what heads that attend evenly have on the same tokens.
void write_even(Output& out, std::size_t n, std::size_t lags) {
  out.even = even_means(n, lags);
  const bool all = largest_of(out.even.data).where() == 1;
  out.even_heads = {all ? out.heads.value : 0, "their largest mean diagonal is the token itself"};
  if (lags > 1) out.even_previous = {out.even.data[1], "the mean of 1/(query + 1)"};
}

constexpr const char* kMetricNames[kMetrics] = {"previous token",    "the token itself",       "first token",
                                                "after the same",    "the same token earlier", "entropy, bits",
                                                "ratio of diagonals"};

void write_metrics(Output& out, const Seen& seen) {
  protocol::Grid* const grids[kKinds] = {&out.self, &out.first, &out.induction, &out.duplicate, &out.entropy};
  for (std::size_t k = 0; k < kKinds; ++k) {
    grids[k]->shape = out.ratio.shape;
    for (std::size_t i = 0; i < seen.layers * seen.heads; ++i)
      grids[k]->data.push_back(over_windows(seen, [&](const Window& w) { return w.kinds[k][i]; }).mean());
  }
  for (const char* name : kMetricNames) out.metric.emplace_back(name);
  out.level = {{kMetrics}, {out.even_previous.value}, 0};
  for (std::size_t k = 0; k < kKinds; ++k)
    out.level.data.push_back(over_windows(seen, [&](const Window& w) { return w.even[k]; }).mean());
  out.level.data.push_back(largest_of(out.even.data).ratio());
}

/// Where the shortest diagonal is longer than that of one token back, which heads look there was not examined.
void leave_out(Output& out, std::size_t n, std::size_t shortest) {
  const std::string why = "the diagonal one token back has " + std::to_string(n - kLeftOut - 1) +
                          (n - kLeftOut == 2 ? " entry" : " entries") + ", and only diagonals of at least " +
                          std::to_string(shortest) + " are examined";
  leave_undefined({&out.previous_token_heads, &out.even_heads, &out.smallest_ratio, &out.even_previous}, why);
  if (out.windows.value > 1) out.every_window = {.note = why}, out.window_heads = out.in_windows = {};
}

Output outputs_of(const Params& params, const Text& text, const Seen& seen, Context& context) {
  Output out;
  out.tokens = text.prompt.tokens, out.edits = text.first.specs, out.convention = text.convention;
  context.notes(text.prompt.notes);
  const std::size_t n = text.size(), all = n - kLeftOut;
  const auto shortest = std::min(static_cast<std::size_t>(params.min_length), all);
  const std::size_t lags = all - shortest + 1;
  out.windows.value = static_cast<double>(seen.windows.size());
  out.window = {static_cast<double>(n), context.inputs().subject.bos ? "BOS included" : ""};
  write_heads(out, seen, lags);
  write_even(out, n, lags);
  write_metrics(out, seen);
  write_spread(out, params, seen, lags);
  if (lags < 2) leave_out(out, n, shortest);
  out.convention += ", first row and column left out, means of all diagonals of at least " + std::to_string(shortest) +
                    (shortest == 1 ? " entry" : " entries");
  if (static_cast<std::size_t>(params.min_length) > all)
    context.note(say("note.longest", {{"n", std::to_string(all)}}));
  if (!text.first.edits.causal) context.note(say("note.mask"));
  out.claims = claims(out, text.convention, all);
  return out;
}

Task<Expected<Output>> compute(Params params, Context& context) {
  const auto text = co_await text_of(params, &context);
  if (!text) co_return text.error();
  const auto seen = co_await seen_in(&context, &*text);
  if (!seen) co_return seen.error();
  co_await pause_point();
  Output out = outputs_of(params, *text, **seen, context);
  co_return std::move(out);
}

}  // namespace

ComputeStudy compute_study() { return study_of<describe, compute>(needs); }

}  // namespace helix::studies::head_taxonomy
