// The text runs once as it is and once for each height; all of these begin at the edited layer. They are kept, so that a
// dragged weight costs one more run of the layers above it.
#include <algorithm>
#include <cmath>
#include <utility>

#include "base/text.h"
#include "model/sampling.h"
#include "studies/attention_dose/attention_dose.h"
#include "studies/check_index.h"
#include "studies/context_compute.h"

namespace helix::studies::attention_dose {
namespace {

constexpr double kLeast = 1e-300;   // a probability that has underflowed
constexpr std::size_t kOfEach = 3;  // likeliest tokens as it is, at 0 and at 100 %, that are listed

/// One weight: whose it is, and from where to where.
struct Edge {
  std::size_t layer = 0, head = 0, query = 0, key = 0;

  std::string spec(double share) const {
    std::string text = "set_pattern:" + std::to_string(layer) + "." + std::to_string(head);
    for (const std::size_t position : {query, key}) text += ":" + std::to_string(position);
    return text + ":" + to_text(share);
  }
};

/// A prediction, and the query's row of the pattern that led to it.
struct Seen {
  std::vector<double> probabilities, row;
};

struct Sweep {
  Seen as_is;
  std::vector<std::int32_t> tokens;         // the first is the likeliest as it is
  std::vector<std::vector<double>> curves;  // [step][token]
  std::vector<double> divergence;           // [step]
  std::vector<double> by_head;              // [head]
};

std::size_t kept_bytes(const Sweep& sweep) {
  const std::size_t listed = sweep.curves.size() * (sweep.tokens.size() + 1) + sweep.by_head.size();
  return (sweep.as_is.probabilities.size() + sweep.as_is.row.size() + listed) * sizeof(double);
}

Expected<Edge> edge_of(const Params& params, const checkpoint::Config& config, std::size_t n, bool causal) {
  Edge edge{static_cast<std::size_t>(params.layer), static_cast<std::size_t>(params.head)};
  if (const auto ok = check_index("layer", edge.layer, config.n_layer); !ok) return ok.error();
  if (const auto ok = check_index("head", edge.head, config.n_head); !ok) return ok.error();
  if (n < 2) return Error{"A single token has nothing else to look at; type a longer text."};
  edge.query = params.query < 0 ? n - 1 : static_cast<std::size_t>(params.query);
  if (const auto ok = check_index("position", edge.query, n); !ok) return ok.error();
  if (edge.query == 0 && causal) return Error{"The first token sees only itself; choose a later query."};
  edge.key = params.key >= 0 ? static_cast<std::size_t>(params.key) : edge.query > 0 ? edge.query - 1 : 1;
  if (const auto ok = check_index("position", edge.key, n); !ok) return ok.error();
  if (causal && edge.key > edge.query)
    return Error{"Position " + std::to_string(edge.key) + " comes after the query at " + std::to_string(edge.query) +
                 ", which cannot see it."};
  return edge;
}

/// The run with the visitor's edits and, unless `share` is NaN, the weight at this height.
Task<Expected<Seen>> see(Context* context, Edge edge, double share) {
  Subject subject = context->inputs().subject;
  if (!std::isnan(share)) subject.edits.push_back({edge.spec(share), true});
  const auto text = co_await context->runner().prepare(std::move(subject));
  if (!text) co_return text.error();
  Seen seen;
  Wanted wanted;
  wanted.logits_at = {text->prompt.ids.size() - 1};
  wanted.taps = {{{model::HookKind::pattern, edge.layer},
                  [&seen, query = edge.query](const model::Chunk& chunk) {
                    if (query < chunk.first || query >= chunk.first + chunk.rows.rows) return;
                    const auto row = chunk.rows.row(query - chunk.first);
                    seen.row.assign(row.begin(), row.end());
                  },
                  edge.head}};
  const auto ran = co_await context->runner().run(*text, std::move(wanted));
  if (!ran) co_return ran.error();
  seen.probabilities = model::probabilities(ran->logits.row(0));
  co_return std::move(seen);
}

/// Token ids by falling probability, the first so many.
std::vector<std::int32_t> likeliest(const std::vector<double>& p, std::size_t count) {
  std::vector<std::int32_t> ids(p.size());
  for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = static_cast<std::int32_t>(i);
  const auto end = ids.begin() + static_cast<std::ptrdiff_t>(std::min(count, ids.size()));
  const auto more = [&](std::int32_t a, std::int32_t b) {
    return p[static_cast<std::size_t>(a)] > p[static_cast<std::size_t>(b)];
  };
  std::partial_sort(ids.begin(), end, ids.end(), more);
  return {ids.begin(), end};
}

double divergence(const std::vector<double>& p, const std::vector<double>& q) {
  double sum = 0;
  for (std::size_t i = 0; i < p.size(); ++i)
    if (p[i] > 0) sum += p[i] * std::log(p[i] / std::max(q[i], kLeast));
  return std::max(sum, 0.0);
}

std::vector<double> of_tokens(const std::vector<std::int32_t>& tokens, const std::vector<double>& p) {
  std::vector<double> out;
  for (const std::int32_t id : tokens) out.push_back(p[static_cast<std::size_t>(id)]);
  return out;
}

/// The change of one token's probability from 0 to 100 % of the same weight, in every head of the layer but the edge's.
Task<Expected<std::vector<double>>> other_heads(Context* context, Edge edge, std::size_t token) {
  std::vector<double> change(context->inputs().network->config().n_head, 0);
  const std::size_t own = edge.head;
  for (edge.head = 0; edge.head < change.size(); ++edge.head) {
    if (edge.head == own) continue;
    for (const double share : {0.0, 1.0}) {
      const auto seen = co_await see(context, edge, share);
      if (!seen) co_return seen.error();
      change[edge.head] += (share > 0 ? 1 : -1) * seen->probabilities[token];
    }
  }
  co_return std::move(change);
}

Task<Expected<Sweep>> sweep(Context* context, Edge edge) {
  Sweep sweep;
  auto as_is = co_await see(context, edge, std::nan(""));
  if (!as_is) co_return as_is.error();
  sweep.as_is = std::move(*as_is);
  std::vector<std::vector<double>> at;
  for (std::size_t step = 0; step < kSteps; ++step) {
    auto seen = co_await see(context, edge, static_cast<double>(step) / (kSteps - 1));
    if (!seen) co_return seen.error();
    sweep.divergence.push_back(divergence(sweep.as_is.probabilities, seen->probabilities));
    at.push_back(std::move(seen->probabilities));
  }
  for (const auto* p : {&sweep.as_is.probabilities, &at.front(), &at.back()})
    for (const std::int32_t id : likeliest(*p, kOfEach))
      if (std::ranges::find(sweep.tokens, id) == sweep.tokens.end()) sweep.tokens.push_back(id);
  for (const auto& p : at) sweep.curves.push_back(of_tokens(sweep.tokens, p));
  auto others = co_await other_heads(context, edge, static_cast<std::size_t>(sweep.tokens.front()));
  if (!others) co_return others.error();
  sweep.by_head = std::move(*others);
  sweep.by_head[edge.head] = sweep.curves.back().front() - sweep.curves.front().front();
  co_return std::move(sweep);
}

protocol::Grid list(std::vector<double> values) {
  protocol::Grid grid;
  grid.shape = {values.size()}, grid.data = std::move(values);
  return grid;
}

void add_sweep(Output& out, const Sweep& sweep, const Edge& edge) {
  const double as_is = sweep.as_is.probabilities[static_cast<std::size_t>(sweep.tokens.front())];
  double least = 1, most = 0, others = 0;
  out.curves.shape = {kSteps, sweep.tokens.size()};
  for (std::size_t step = 0; step < kSteps; ++step) {
    out.height.data.push_back(static_cast<double>(step) / (kSteps - 1));
    out.curves.data.insert(out.curves.data.end(), sweep.curves[step].begin(), sweep.curves[step].end());
    least = std::min(least, sweep.curves[step].front()), most = std::max(most, sweep.curves[step].front());
  }
  for (std::size_t head = 0; head < sweep.by_head.size(); ++head)
    if (head != edge.head) others = std::max(others, std::abs(sweep.by_head[head]));
  out.height.shape = {kSteps};
  out.divergence_at = list(sweep.divergence), out.by_head = list(sweep.by_head);
  out.row_as_is = list(sweep.as_is.row);
  out.probability_as_is = {as_is, "after the last token"};
  out.share_as_is = {sweep.as_is.row[edge.key], "after the softmax"};
  const std::string heights = "of " + std::to_string(kSteps) + " heights from 0 to 100 %";
  out.lowest = {least, heights}, out.highest = {most, heights};
  out.largest_change = {std::max(std::abs(least - as_is), std::abs(most - as_is)), heights};
  out.others_largest = sweep.by_head.size() > 1 ? protocol::Quantity{others, "the same query and key"}
                                                : protocol::Quantity{.note = "the layer has no other head"};
}

Task<Expected<Output>> compute(Params params, Context& context) {
  const auto text = co_await context.runner().prepare();
  if (!text) co_return text.error();
  const auto edge = edge_of(params, context.inputs().network->config(), text->prompt.ids.size(), text->edits.causal);
  if (!edge) co_return edge.error();
  const auto kept =
      co_await context.cached_run<Sweep>(edge->spec(0) + " " + run_key(*text), [&] { return sweep(&context, *edge); });
  if (!kept) co_return kept.error();
  Output out;
  add_sweep(out, **kept, *edge);
  const bool set = params.height >= 0;
  Seen here = (*kept)->as_is;
  if (set) {
    auto seen = co_await see(&context, *edge, params.height / 100.0);
    if (!seen) co_return seen.error();
    here = std::move(*seen);
  }
  for (const std::int32_t id : (*kept)->tokens) {
    out.token.data.push_back(id);
    out.text.push_back(token_text(context.inputs(), id));
  }
  out.token.shape = {out.token.data.size()}, out.token.first = 1;
  out.now = list(of_tokens((*kept)->tokens, here.probabilities)), out.now.first = 1;
  out.probability = {out.now.data.front(), "after the last token"};
  out.share = {here.row[edge->key], set ? "set by hand" : "as the model has it"};
  out.divergence = {divergence((*kept)->as_is.probabilities, here.probabilities), "over the whole vocabulary"};
  out.row = list(std::move(here.row));
  out.query = {static_cast<double>(edge->query), "counted from 0, BOS included"};
  out.key = {static_cast<double>(edge->key), "counted from 0, BOS included"};
  context.describe_text(*text, out);
  out.convention += ", the weight is set after the softmax, the other keys share the rest in proportion";
  co_return std::move(out);
}

}  // namespace

ComputeStudy compute_study() { return study_of<describe, compute>(); }

}  // namespace helix::studies::attention_dose
