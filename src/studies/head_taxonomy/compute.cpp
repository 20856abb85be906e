// One pass keeps the diagonals' sums of every head; which of them count is decided later, without another pass.
#include <algorithm>
#include <cmath>
#include <utility>

#include "model/diagonal_means.h"
#include "studies/context_compute.h"
#include "studies/head_taxonomy/claims.h"
#include "studies/head_taxonomy/head_taxonomy.h"
#include "studies/head_taxonomy/metrics.h"
#include "studies/undefined.h"

namespace helix::studies::head_taxonomy {
namespace {

/// Of each layer's patterns.
struct Layers {
  std::vector<model::DiagonalMeans> of;
  std::vector<HeadMetrics> metrics;
  Gathered even;

  std::size_t bytes() const {
    return of.empty() ? 0 : of.size() * of.front().n_head() * of.front().lags() * sizeof(double);
  }
};

/// `context` and `text` outlive the task.
Task<Expected<Layers>> diagonals(Context* context, const Ready* text) {
  const checkpoint::Config& config = context->inputs().network->config();
  Layers layers;
  const auto same = std::make_shared<const std::vector<std::vector<std::uint32_t>>>(earlier_places(text->prompt.ids));
  layers.even = even_metrics(*same, text->edits.causal);
  for (std::size_t l = 0; l < config.n_layer; ++l)
    layers.of.emplace_back(model::Hook{model::HookKind::pattern, l}, config, text->prompt.ids.size(), kLeftOut);
  for (std::size_t l = 0; l < config.n_layer; ++l)
    layers.metrics.emplace_back(model::Hook{model::HookKind::pattern, l}, config.n_head, same);
  Wanted wanted;
  for (model::DiagonalMeans& layer : layers.of) wanted.taps.push_back(layer.tap());
  for (HeadMetrics& layer : layers.metrics) wanted.taps.push_back(layer.tap());
  const auto ran = co_await context->runner().run(*text, std::move(wanted));
  if (!ran) co_return ran.error();
  co_return std::move(layers);
}

/// The two largest of a head's mean diagonals; of equal ones, the one with the smaller lag comes first.
struct Largest {
  std::size_t lag = 0;
  double first = 0, second = std::nan("");

  double ratio() const { return first > 0 ? second / first : std::nan(""); }
  /// Of a head whose diagonals are all zero, because it attends to the first token alone, none is the largest.
  double where() const { return first > 0 ? static_cast<double>(lag) : std::nan(""); }
};

Largest largest_of(std::span<const double> means) {
  Largest out{0, means[0], std::nan("")};
  for (std::size_t lag = 1; lag < means.size(); ++lag) {
    if (means[lag] > out.first)
      out = {lag, means[lag], out.first};
    else if (!(means[lag] <= out.second))
      out.second = means[lag];
  }
  return out;
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

void write_heads(Output& out, const Layers& layers, std::size_t lags) {
  const std::size_t n_layer = layers.of.size(), n_head = layers.of.front().n_head();
  out.mean_diagonal.shape = {n_layer, n_head, lags};
  for (protocol::Grid* grid : {&out.ratio, &out.argmax_lag, &out.previous}) grid->shape = {n_layer, n_head};
  double count = 0;
  for (std::size_t l = 0; l < n_layer; ++l)
    for (std::size_t head = 0; head < n_head; ++head) {
      for (std::size_t lag = 0; lag < lags; ++lag) out.mean_diagonal.data.push_back(layers.of[l].mean(head, lag));
      const std::span<const double> means(out.mean_diagonal.data.end() - static_cast<std::ptrdiff_t>(lags),
                                          out.mean_diagonal.data.end());
      const Largest largest = largest_of(means);
      out.ratio.data.push_back(largest.ratio());
      out.argmax_lag.data.push_back(largest.where());
      out.previous.data.push_back(lags > 1 ? means[1] : std::nan(""));
      if (largest.lag != 1) continue;
      ++count;
      if (!(largest.ratio() >= out.smallest_ratio.value))
        out.smallest_ratio = {largest.ratio(), "layer " + std::to_string(l) + ", head " + std::to_string(head)};
    }
  out.previous_token_heads = {count, "of " + std::to_string(n_layer * n_head)};
  out.heads = {static_cast<double>(n_layer * n_head), {}};
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

void write_metrics(Output& out, const Layers& layers) {
  protocol::Grid* const grids[kKinds] = {&out.self, &out.first, &out.induction, &out.duplicate, &out.entropy};
  for (std::size_t k = 0; k < kKinds; ++k) {
    grids[k]->shape = out.ratio.shape;
    for (const HeadMetrics& layer : layers.metrics)
      for (std::size_t head = 0; head < out.ratio.shape[1]; ++head)
        grids[k]->data.push_back(layer.mean(head, static_cast<Kind>(k)));
  }
  for (const char* name : kMetricNames) out.metric.emplace_back(name);
  out.level = {{kMetrics}, {out.even_previous.value}, 0};
  for (std::size_t k = 0; k < kKinds; ++k) out.level.data.push_back(layers.even.mean(static_cast<Kind>(k)));
  out.level.data.push_back(largest_of(out.even.data).ratio());
}

/// Where the shortest diagonal is longer than that of one token back, which heads look there was not examined.
void leave_out(Output& out, std::size_t n, std::size_t shortest) {
  const std::string why = "the diagonal one token back has " + std::to_string(n - kLeftOut - 1) +
                          (n - kLeftOut == 2 ? " entry" : " entries") + ", and only diagonals of at least " +
                          std::to_string(shortest) + " are examined";
  leave_undefined({&out.previous_token_heads, &out.even_heads, &out.smallest_ratio, &out.even_previous}, why);
}

Output outputs_of(const Params& params, const Ready& ready, const Layers& layers, Context& context) {
  Output out;
  context.describe_text(ready, out);
  const std::size_t n = ready.prompt.ids.size(), all = n - kLeftOut;
  const auto shortest = std::min(static_cast<std::size_t>(params.min_length), all);
  const std::size_t lags = all - shortest + 1;
  write_heads(out, layers, lags);
  write_even(out, n, lags);
  write_metrics(out, layers);
  if (lags < 2) leave_out(out, n, shortest);
  out.convention += ", first row and column left out, means of all diagonals of at least " + std::to_string(shortest) +
                    (shortest == 1 ? " entry" : " entries");
  if (static_cast<std::size_t>(params.min_length) > all)
    context.note("The longest diagonal has " + std::to_string(all) + (all == 1 ? " entry" : " entries") +
                 ", so it alone counts.");
  if (!ready.edits.causal)
    context.note("Without the mask heads also look ahead; only what they look back at is counted.");
  out.claims = claims(out, ready.convention, all);
  return out;
}

Task<Expected<Output>> compute(Params params, Context& context) {
  const auto text = co_await context.runner().prepare(false);
  if (!text) co_return text.error();
  if (text->prompt.ids.size() < kLeftOut + 2)
    co_return Error{
        "This needs at least three tokens: the first one is left out, and only two others can show who looks "
        "back; type a longer prompt."};
  const auto layers = co_await context.cached_run<Layers>(run_key(*text), [&] { return diagonals(&context, &*text); });
  if (!layers) co_return layers.error();
  Output out = outputs_of(params, *text, **layers, context);
  co_return std::move(out);
}

}  // namespace

ComputeStudy compute_study() { return study_of<describe, compute>(); }

}  // namespace helix::studies::head_taxonomy
