// The term by dimension from weights alone; then the text as it is and once with each removal, by edits.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/pcg64.h"
#include "base/text.h"
#include "studies/attention_sink/attention_sink.h"
#include "studies/check_index.h"
#include "studies/context_compute.h"
#include "studies/null_range.h"
#include "studies/undefined.h"

namespace helix::studies::attention_sink {
namespace {

using protocol::Quantity;
using Vec = std::vector<double>;

constexpr std::size_t kLargest = 3;
constexpr const char* kNames[kRemovals] = {"nothing",       "b_Q",           "b_K",       "position 0",
                                           "the first MLP", "all positions", "all tokens"};

/// The layers of the mean: from a quarter of the way to the last but one, as in the text, or the chosen one.
struct Layers {
  std::size_t first = 0, last = 0;
  bool has(std::size_t layer) const { return layer >= first && layer <= last; }
  double count() const { return static_cast<double>(last - first + 1); }
};
Layers layers_of(int layer, std::size_t n_layer) {
  if (layer >= 0) return {static_cast<std::size_t>(layer), static_cast<std::size_t>(layer)};
  const std::size_t first = n_layer / 4;
  return {first, std::max(first, std::max<std::size_t>(n_layer, 2) - 2)};
}

std::vector<ModelNeeds> needs(const ParamValues& values, const Known& known) {
  const auto size = known.size("");
  const Layers layers = layers_of(read_params<Params>(values).layer, size ? size->n_layer : 1);
  ModelNeeds own{"", {}};
  for (std::size_t l = layers.first; l <= layers.last; ++l)
    for (const char* name : {"attn.c_attn.weight", "attn.c_attn.bias", "ln_1.weight"})
      own.tensors.push_back(in_layer(l, name));
  return {own};
}

// ---- the term

struct Term {
  Vec raw, gain;
  std::vector<Vec> random, random_gain;  // [seed][dimension]
  std::size_t bytes() const { return 16 * raw.size() * (1 + random.size()); }
};

/// |W_K b_Q| of each head, and that of a normal W_K with the same mean and standard deviation: each entry is then normal, with
/// the mean of W times the sum of b, and the deviation of W times the length of b.
Expected<void> add_layer(Term& term, const Matrix<float>& w, const Matrix<float>& b, const Matrix<float>& g,
                         std::size_t heads, double share, std::vector<Pcg64>& streams) {
  const std::size_t d = w.rows, d_head = heads > 0 ? d / heads : 0;
  if (d_head * heads != d || w.cols != 3 * d || b.data.size() != 3 * d || g.data.size() != d)
    return Error{"The tensors of a layer's attention do not fit each other."};
  for (Vec* v : {&term.raw, &term.gain}) v->resize(d);
  for (std::vector<Vec>* random : {&term.random, &term.random_gain})
    for (Vec& v : *random) v.resize(d);
  double mean = 0, square = 0;
  const auto n = static_cast<double>(d * d);
  for (std::size_t i = 0; i < d; ++i)
    for (std::size_t j = 0; j < d; ++j) mean += static_cast<double>(w(i, d + j)) / n;
  for (std::size_t i = 0; i < d; ++i)
    for (std::size_t j = 0; j < d; ++j) square += std::pow(static_cast<double>(w(i, d + j)) - mean, 2) / n;
  Vec drawn(d);
  for (std::size_t h = 0; h < heads; ++h) {
    double sum = 0, length = 0;
    for (std::size_t j = 0; j < d_head; ++j) {
      const auto x = static_cast<double>(b.data[h * d_head + j]);
      sum += x, length += x * x;
    }
    for (std::size_t i = 0; i < d; ++i) {
      double u = 0;
      for (std::size_t j = h * d_head; j < (h + 1) * d_head; ++j)
        u += static_cast<double>(w(i, d + j)) * static_cast<double>(b.data[j]);
      term.raw[i] += share * std::abs(u), term.gain[i] += share * std::abs(u * static_cast<double>(g.data[i]));
    }
    for (std::size_t s = 0; s < streams.size(); ++s) {
      streams[s].normal(std::span(drawn));
      for (std::size_t i = 0; i < d; ++i) {
        const double u = mean * sum + std::sqrt(square * length) * drawn[i];
        term.random[s][i] += share * std::abs(u);
        term.random_gain[s][i] += share * std::abs(u * static_cast<double>(g.data[i]));
      }
    }
  }
  return {};
}

/// `context` outlives the task, here and below.
Task<Expected<Term>> term_of(Context* context, Layers layers, std::size_t heads) {
  Term term;
  term.random.resize(kNullSeeds), term.random_gain.resize(kNullSeeds);
  std::vector<Pcg64> streams;
  for (std::uint32_t seed = 1; seed <= kNullSeeds; ++seed) streams.emplace_back(seed);
  for (std::size_t l = layers.first; l <= layers.last; ++l) {
    const auto part = co_await progress_part(static_cast<double>(l - layers.first), 1, layers.count(), "layers");
    std::vector<Matrix<float>> read;
    for (const char* name : {"attn.c_attn.weight", "attn.c_attn.bias", "ln_1.weight"}) {
      auto one = co_await context->whole(in_layer(l, name));
      if (!one) co_return one.error();
      read.push_back(std::move(*one));
    }
    const double share = 1 / (layers.count() * static_cast<double>(heads));
    if (const auto ok = add_layer(term, read[0], read[1], read[2], heads, share, streams); !ok) co_return ok.error();
    if (l > layers.first && term.raw.size() != read[0].rows) co_return Error{"The layers have different widths."};
  }
  co_return std::move(term);
}

/// Means over the chosen dimensions and over all others.
struct Means {
  double chosen = 0, others = 0;
  double ratio() const { return others > 0 ? chosen / others : std::nan(""); }
};
Means means_of(const Vec& term, const std::vector<std::size_t>& chosen) {
  Means out;
  double sum = 0;
  for (const double x : term) sum += x;
  for (const std::size_t i : chosen) out.chosen += term[i];
  const auto rest = static_cast<double>(term.size() - chosen.size());
  out.others = rest > 0 ? (sum - out.chosen) / rest : std::nan("");
  out.chosen /= static_cast<double>(chosen.size());
  return out;
}

std::vector<std::size_t> largest(const Vec& term) {
  std::vector<std::size_t> order(term.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return term[a] > term[b]; });
  order.resize(std::min(kLargest, order.size()));
  return order;
}

Expected<void> add_term(Output& out, const Term& term, const Params& params, const std::string& over) {
  const bool given = !params.dimensions.empty();
  std::vector<std::size_t> chosen;
  for (const int i : params.dimensions) {
    const auto at = static_cast<std::size_t>(i);
    if (const auto ok = check_index("dimension", at, term.raw.size()); !ok) return ok;
    if (std::ranges::find(chosen, at) == chosen.end()) chosen.push_back(at);
  }
  if (!given) chosen = largest(term.raw);
  for (const std::size_t i : chosen) out.dimension.data.push_back(static_cast<double>(i));
  out.dimension.shape = {chosen.size()}, out.dimension.first = 1;
  out.bias_term = {{term.raw.size()}, term.raw, 0}, out.bias_term_gain = {{term.gain.size()}, term.gain, 0};
  const Means raw = means_of(term.raw, chosen), gain = means_of(term.gain, chosen);
  const char* const no_rest = "no other dimension has any";
  const auto put = [&](Quantity& to, double value) {
    to = {value, std::isfinite(value) ? over : std::string(no_rest)};
  };
  put(out.chosen, raw.chosen), put(out.others, raw.others), put(out.ratio, raw.ratio());
  put(out.chosen_gain, gain.chosen), put(out.others_gain, gain.others), put(out.ratio_gain, gain.ratio());
  Vec ratios, ratios_gain;
  for (std::size_t s = 0; s < term.random.size(); ++s) {
    const std::vector<std::size_t> of = given ? chosen : largest(term.random[s]);
    ratios.push_back(means_of(term.random[s], of).ratio());
    ratios_gain.push_back(means_of(term.random_gain[s], of).ratio());
  }
  const std::string which = given ? "the same dimensions" : "the three largest of each, raw";
  const auto put_random = [&](Quantity& to, protocol::Grid& each, Vec found) {
    const double mean = range_of(found).mean;
    to = {mean, std::isfinite(mean) ? which : std::string(no_rest)};
    each = over_seeds(std::move(found));
  };
  put_random(out.random_ratio, out.random_ratios, std::move(ratios));
  put_random(out.random_ratio_gain, out.random_ratios_gain, std::move(ratios_gain));
  return {};
}

// ---- the text

std::vector<std::string> edits_of(Without without, std::size_t n_layer) {
  switch (without) {
    case Without::nothing:
      return {};
    case Without::query_bias:
    case Without::key_bias: {
      std::vector<std::string> all;
      for (std::size_t l = 0; l < n_layer; ++l)
        all.push_back(std::string("zero_bias:") + (without == Without::query_bias ? "q:" : "k:") + std::to_string(l));
      return all;
    }
    case Without::position:
      return {"replace_position:0:1"};
    case Without::mlp:
      return {"zero_mlp:0"};
    case Without::positions:
      return {"zero_positions"};
    case Without::tokens:
      return {"zero_tokens"};
  }
  return {};
}

std::size_t first_query(std::size_t tokens) { return std::max<std::size_t>(tokens / 2, 1); }

/// Attention to the first token, by layer: mean over the heads and over the queries of the second half.
Task<Expected<Vec>> to_first(Context* context, std::vector<std::string> edits) {
  Subject subject = context->inputs().subject;
  for (std::string& edit : edits) subject.edits.push_back({std::move(edit), true});
  const auto text = co_await context->runner().prepare(std::move(subject), false);
  if (!text) co_return text.error();
  const checkpoint::Config& config = context->inputs().network->config();
  const std::size_t n = text->prompt.ids.size(), from = first_query(n);
  Vec sums(config.n_layer, 0);
  const double share = 1 / static_cast<double>(config.n_head * (n - from));
  Wanted wanted;
  for (std::size_t l = 0; l < config.n_layer; ++l)
    wanted.taps.push_back({{model::HookKind::pattern, l}, [&sums, l, from, share](const model::Chunk& chunk) {
                             for (std::size_t i = 0; i < chunk.rows.rows; ++i)
                               if (chunk.first + i >= from) sums[l] += share * static_cast<double>(chunk.rows(i, 0));
                           }});
  const auto ran = co_await context->runner().run(*text, std::move(wanted));
  if (!ran) co_return ran.error();
  co_return std::move(sums);
}

/// [removal][layer]; empty where an edit does not fit this text or model.
struct Runs {
  std::vector<Vec> by_layer;
  std::vector<std::string> left_out;  // a sentence each
  std::size_t bytes() const { return by_layer.empty() ? 0 : 8 * by_layer.size() * by_layer.front().size(); }
};
Task<Expected<Runs>> all_removals(Context* context) {
  const std::size_t n_layer = context->inputs().network->config().n_layer;
  Runs runs;
  for (std::size_t i = 0; i < kRemovals; ++i) {
    const auto part = co_await progress_part(static_cast<double>(i), 1, kRemovals, "removals");
    auto one = co_await to_first(context, edits_of(static_cast<Without>(i), n_layer));
    if (!one && i == 0) co_return one.error();
    if (!one) runs.left_out.push_back("Not removed: " + std::string(kNames[i]) + ". " + one.error().sentence);
    runs.by_layer.push_back(one ? std::move(*one) : Vec(n_layer, std::nan("")));
  }
  co_return std::move(runs);
}

double mean_over(const Vec& by_layer, Layers layers) {
  double sum = 0;
  for (std::size_t l = layers.first; l <= layers.last; ++l) sum += by_layer[l] / layers.count();
  return sum;
}

void leave_text_out(Output& out, const std::string& why) {
  leave_undefined({&out.to_first, &out.even, &out.without, &out.queries}, why);
}

void add_runs(Output& out, const Runs& runs, const Params& params, Layers layers, std::size_t tokens, bool causal) {
  const std::size_t from = first_query(tokens);
  const std::string over = "layers " + std::to_string(layers.first) + ".." + std::to_string(layers.last) +
                           ", queries " + std::to_string(from) + ".." + std::to_string(tokens - 1);
  double even = 0;
  for (std::size_t i = from; i < tokens; ++i)
    even += 1 / static_cast<double>(causal ? i + 1 : tokens) / static_cast<double>(tokens - from);
  const auto chosen = static_cast<std::size_t>(params.without);
  for (std::size_t i = 0; i < kRemovals; ++i) {
    out.removal.emplace_back(kNames[i]);
    out.removed.data.push_back(mean_over(runs.by_layer[i], layers));
  }
  const double whole = out.removed.data[0];
  for (const double x : out.removed.data) out.share.data.push_back(whole > 0 ? x / whole : std::nan(""));
  out.removed.shape = out.share.shape = {kRemovals};
  out.by_layer = {{runs.by_layer[0].size()}, runs.by_layer[0], 0};
  out.without_by_layer = {{runs.by_layer[chosen].size()}, runs.by_layer[chosen], 0};
  out.to_first = {whole, over}, out.even = {even, "the mean of 1/(query + 1)"};
  out.without = {out.removed.data[chosen], std::string("without ") + kNames[chosen]};
  if (!std::isfinite(out.without.value)) out.without.note = "this removal does not fit the text";
  out.queries = {static_cast<double>(tokens - from), "the second half of the text"};
}

Task<Expected<void>> add_text(Context* context, const Params* params, Output* out) {
  const auto text = co_await context->runner().prepare(false);
  if (!text) co_return text.error();
  const std::size_t n = text->prompt.ids.size(), n_layer = context->inputs().network->config().n_layer;
  if (n < 2) {
    leave_text_out(*out, "needs two tokens");
    co_return Expected<void>();
  }
  const Layers layers = layers_of(params->layer, n_layer);
  if (const auto ok = check_index("layer", layers.last, n_layer); !ok) co_return ok.error();
  const auto runs =
      co_await context->cached_run<Runs>("removals " + run_key(*text), [&] { return all_removals(context); });
  if (!runs) co_return runs.error();
  const std::string before = std::move(out->convention);
  context->describe_text(*text, *out);
  context->notes((*runs)->left_out);
  out->convention = before + ", " + out->convention;
  add_runs(*out, **runs, *params, layers, n, text->edits.causal);
  co_return Expected<void>();
}

Task<Expected<Output>> compute(Params params, Context& context) {
  const auto heads = context.heads();
  if (!heads) co_return heads.error();
  const std::size_t n_layer = std::max<std::size_t>(context.size().n_layer, 1);
  const Layers layers = layers_of(params.layer, n_layer);
  if (const auto ok = check_index("layer", layers.last, n_layer); !ok) co_return ok.error();
  Output out;
  const std::string over =
      "mean over layers " + std::to_string(layers.first) + ".." + std::to_string(layers.last) + " and their heads";
  const std::string key = "term " + std::to_string(params.layer);
  const bool known = context.known<Term>(context.inputs().weights, key) != nullptr;
  const auto term = co_await context.cached<Term>(key, [&] { return term_of(&context, layers, *heads); });
  if (!term) co_return term.error();
  if (const auto ok = add_term(out, **term, params, over); !ok) co_return ok.error();
  out.first_layer = {static_cast<double>(layers.first), "counted from 0"};
  out.last_layer = {static_cast<double>(layers.last), "counted from 0"};
  out.convention = "|b_Q W_Kᵀ| of each head, " + over;
  leave_text_out(out, "no text ran");
  if (!context.inputs().network) {
    const std::string& why = context.inputs().no_network;
    context.note((why.empty() ? "This model cannot run a text." : why) + " Shown is what the weights alone say.");
    co_return std::move(out);
  }
  if (!known) context.first_picture(out);
  if (const auto ok = co_await add_text(&context, &params, &out); !ok) co_return ok.error();
  co_return std::move(out);
}

}  // namespace

ComputeStudy compute_study() { return study_of<describe, compute>(needs); }

}  // namespace helix::studies::attention_sink
