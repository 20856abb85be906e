// Weights first: the composition needs no text. Then one pass keeps what each part adds to the residual stream before the
// head's layer, and its share of the lead follows by sums; then the text runs once without each earlier head.
#include <algorithm>
#include <cmath>
#include <utility>

#include "base/text.h"
#include "studies/check_index.h"
#include "studies/head_sources/composition.h"
#include "studies/head_sources/direct.h"
#include "studies/null_range.h"
#include "studies/undefined.h"

namespace helix::studies::head_sources {
namespace {

using protocol::Grid, protocol::Quantity;

constexpr const char* kNoText = "no text ran";
constexpr const char* kNoEarlier = "there is no earlier head";

std::vector<ModelNeeds> needs(const ParamValues& values, const Known& known) {
  const auto size = known.size("");
  const Params params = read_params<Params>(values);
  const std::size_t layer = layer_of(params.layer, size ? size->n_layer : 1);
  ModelNeeds own{"", head_tensors(layer)};
  if (const auto others = heads_named(params.others); others && size)
    for (const auto& [other, head] : *others)
      if (other < size->n_layer)
        for (std::string& name : head_tensors(other)) own.tensors.push_back(std::move(name));
  for (std::size_t l = 0; l < layer && size; ++l)
    for (const char* name : {"attn.c_attn.weight", "attn.c_proj.weight", "attn.c_proj.bias"})
      own.tensors.push_back(in_layer(l, name));
  return {own};
}

// ---- the numbers

Grid by_head(const Weights& w, const std::vector<double>& values) { return {{w.head.layer, w.heads}, values, 0}; }

std::size_t largest_of(const std::vector<double>& values) {
  std::size_t at = 0;
  for (std::size_t i = 1; i < values.size(); ++i)
    if (values[i] > values[at] || !std::isfinite(values[at])) at = i;
  return at;
}

double correlation(const std::vector<double>& a, const std::vector<double>& b) {
  const auto n = static_cast<double>(a.size());
  double mean_a = 0, mean_b = 0, ab = 0, aa = 0, bb = 0;
  for (std::size_t i = 0; i < a.size(); ++i) mean_a += a[i] / n, mean_b += b[i] / n;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double x = a[i] - mean_a, y = b[i] - mean_b;
    ab += x * y, aa += x * x, bb += y * y;
  }
  return aa > 0 && bb > 0 ? ab / std::sqrt(aa * bb) : std::nan("");
}

void add_weights(Output& out, const Weights& w, Through through) {
  out.k_composition = by_head(w, w.k), out.q_composition = by_head(w, w.q), out.v_composition = by_head(w, w.v);
  out.layer = {static_cast<double>(w.head.layer), "counted from 0"};
  const std::vector<double>& values = through == Through::keys ? w.k : w.q;
  double sum = 0;
  for (const double x : values) sum += x;
  out.readers_composition = by_head(w, w.with_readers);
  out.readers = {static_cast<double>(w.readers.size()), ""};
  if (values.empty()) {
    out.composition.note = out.mean_composition.note = out.readers_largest.note = kNoEarlier;
    return;
  }
  const std::size_t at = largest_of(values);
  const std::string of = ", of " + std::to_string(values.size()) + " earlier heads";
  out.composition = {values[at], "head " + dotted(at / w.heads, at % w.heads) + of};
  out.mean_composition = {sum / static_cast<double>(values.size()), std::to_string(values.size()) + " earlier heads"};
  const std::size_t most = largest_of(w.with_readers);
  out.readers_largest = {w.with_readers[most], "head " + dotted(most / w.heads, most % w.heads)};
  if (w.first_reader == 0) out.readers_largest = {.note = "a head that reads is in layer 0"};
  for (Quantity* q : {&out.composition, &out.mean_composition})
    if (!std::isfinite(q->value)) q->note = "a matrix is zero";
}

void leave_text_out(Output& out, const std::string& why) {
  leave_undefined({&out.lead, &out.attention, &out.even_attention, &out.strongest, &out.strongest_removed,
                   &out.strongest_attention, &out.agreement, &out.residual_error, &out.queries},
                  why);
}

void add_explained(Output& out, const Weights& w, const Explained& e, const std::string& over) {
  out.lead = {e.question.lead, over}, out.attention = {e.attention, over}, out.even_attention = {e.even, over};
  out.queries = {static_cast<double>(count_of(e.question.targets)), over};
  out.contribution = by_head(w, e.heads);
  out.parts = e.parts, out.part = {{e.part.size()}, e.part, 0};
  out.random_strongest = over_seeds(e.random);
  out.residual_error = std::isfinite(e.residual) ? Quantity{e.residual, "the rounding of the pass"}
                                                 : Quantity{.note = "what edits change is a part of its own"};
  for (Quantity* q : {&out.strongest_removed, &out.strongest_attention, &out.agreement})
    q->note = w.sources() > 0 ? "the runs without each head follow" : kNoEarlier;
  if (w.sources() == 0) {
    out.strongest.note = kNoEarlier;
    return;
  }
  const std::size_t at = largest_of(e.heads);
  out.strongest = {e.heads[at], "head " + dotted(at / w.heads, at % w.heads)};
}

void add_removed(Output& out, const Weights& w, const Explained& e, const Removed& removed) {
  out.ablated = by_head(w, removed.heads), out.attention_without = by_head(w, removed.attention);
  out.part_ablated = {{e.part.size()}, removed.parts, 0};
  if (w.sources() == 0) return;
  const std::size_t at = largest_of(e.heads);
  const std::string head = "without head " + dotted(at / w.heads, at % w.heads);
  out.strongest_removed = {removed.heads[at], head}, out.strongest_attention = {removed.attention[at], head};
  out.agreement = {correlation(e.heads, removed.heads), "over " + std::to_string(w.sources()) + " heads"};
  if (!std::isfinite(out.agreement.value)) out.agreement.note = "needs two heads that differ";
}

/// How many of the six heads are among the six that add most; by composition where no text ran.
protocol::Claim of_4_11(const Weights& w, const std::vector<double>& values, bool ran, const std::string& convention) {
  constexpr std::pair<std::size_t, std::size_t> kRead[] = {{1, 0}, {2, 2}, {2, 4}, {3, 2}, {3, 3}, {3, 7}};
  double count = 0;
  for (const auto& [layer, head] : kRead) {
    const std::size_t at = layer * w.heads + head;
    if (head >= w.heads || at >= values.size() || !std::isfinite(values[at]))
      return {"T13", {}, {}, {}, "no such heads"};
    count += std::ranges::count_if(values, [&](double x) { return x > values[at]; }) < 6 ? 1 : 0;
  }
  return {"T13",
          count,
          ran ? std::optional(count == 6) : std::nullopt,
          {},
          convention + (ran ? "; the six largest of " : "; by weights alone, the six largest K-compositions of ") +
              std::to_string(values.size()) + " earlier heads"};
}

bool is_of_T13(const Weights& w, const Params& params) {
  return w.head.layer == 4 && w.head.head == 11 && params.through == Through::keys &&
         params.target == Target::previous && params.query < 0;
}

/// Why the text cannot run on these weights; empty if it can.
std::string why_no_text(const Context& context, const Weights& w) {
  const auto& network = context.inputs().network;
  if (!network) return context.inputs().no_network.empty() ? say("note.no_text") : context.inputs().no_network;
  const checkpoint::Config& config = network->config();
  return config.d_model == w.d_model() && config.n_head == w.heads && config.n_layer == w.n_layer
             ? ""
             : say("note.other_weights");
}

constexpr const char* kWhat[] = {"the key it attends to most", "the previous token", "what followed the same token",
                                 "the first token", "the token itself"};
constexpr const char* kNone[] = {"needs two tokens", "needs two tokens", "no token of this text occurred earlier",
                                 "needs two tokens", "needs two tokens"};

std::string key_of(const Params& params, const Weights& w, const Ready& text) {
  return dotted(w.head.layer, w.head.head) + " " + std::to_string(static_cast<int>(params.through)) +
         std::to_string(static_cast<int>(params.target)) + " " + std::to_string(params.query) + " " + run_key(text);
}

/// `context`, `params`, `w` and `out` outlive the task.
Task<Expected<void>> add_text(Context* context, const Params* params, const Weights* w, Output* out) {
  const auto text = co_await context->runner().prepare(false);
  if (!text) co_return text.error();
  if (params->query >= 0)
    if (const auto ok = check_index("position", static_cast<std::size_t>(params->query), text->prompt.ids.size()); !ok)
      co_return ok.error();
  const std::string key = key_of(*params, *w, *text);
  const auto explained =
      co_await context->cached_run<Explained>("parts " + key, [&] { return explain(context, params, w, &*text); });
  if (!explained) co_return explained.error();
  const std::string before = std::move(out->convention);
  context->describe_text(*text, *out);
  out->convention = before + ", " + out->convention + ", LayerNorm's scales held";
  const Explained& e = **explained;
  const std::size_t count = count_of(e.question.targets);
  if (count == 0) {
    leave_text_out(*out,
                   params->query >= 0 ? "this query has no such key" : kNone[static_cast<std::size_t>(params->target)]);
    co_return Expected<void>();
  }
  add_explained(*out, *w, e,
                params->query >= 0 ? "query " + std::to_string(params->query)
                                   : "mean over " + std::to_string(count) + " queries");
  if (is_of_T13(*w, *params)) out->claims = {of_4_11(*w, e.heads, true, out->convention)};
  context->first_picture(*out);
  const auto removed = co_await context->cached_run<Removed>(
      "removed " + key, [&] { return remove_each(context, &e.question, e.edits); });
  if (!removed) co_return removed.error();
  add_removed(*out, *w, e, **removed);
  co_return Expected<void>();
}

Task<Expected<Output>> compute(Params params, Context& context) {
  const auto w = co_await read_weights(&params, &context);
  if (!w) co_return w.error();
  Output out;
  const bool keys = params.through == Through::keys;
  out.convention = "head " + dotted(w->head.layer, w->head.head) + " through its " + (keys ? "keys" : "queries") +
                   ", score of " + kWhat[static_cast<std::size_t>(params.target)] +
                   ", composition by Frobenius norms, raw weights";
  add_weights(out, *w, params.through);
  const auto random = co_await context.cached<std::vector<double>>("random " + std::to_string(w->d_head()), [&] {
    return as_expected(random_compositions(w->d_model(), w->d_head()));
  });
  if (!random) co_return random.error();
  out.random_composition = over_seeds(**random);
  out.random_mean = {range_of(**random).mean, std::to_string(kNullSeeds) + " seeds"};
  const auto means = co_await context.cached<std::vector<double>>(
      "random readers " + std::to_string(w->d_head()) + " " + std::to_string(w->readers.size()),
      [&] { return as_expected(random_reader_means(w->d_model(), w->d_head(), w->readers.size())); });
  if (!means) co_return means.error();
  out.random_readers = over_seeds(**means);
  out.random_readers_mean = {range_of(**means).mean, std::to_string(kNullSeeds) + " seeds"};
  leave_text_out(out, kNoText);
  if (const std::string why = why_no_text(context, *w); !why.empty()) {
    context.note(sentences({why, say("note.weights_alone")}));
    if (is_of_T13(*w, params)) out.claims = {of_4_11(*w, w->k, false, out.convention)};
    co_return std::move(out);
  }
  if (const auto ok = co_await add_text(&context, &params, &*w, &out); !ok) co_return ok.error();
  co_return std::move(out);
}

}  // namespace

ComputeStudy compute_study() { return study_of<describe, compute>(needs); }

}  // namespace helix::studies::head_sources
