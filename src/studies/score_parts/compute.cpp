// One pass of the text gives the residual stream before the layer, LayerNorm's scales and the scores. Texts of the same tokens in
// random places give each position's mean; what is left of the text is its tokens' part. LayerNorm's scales are held, so that
// everything up to the score is linear in the parts.
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/pcg64.h"
#include "base/text.h"
#include "studies/check_index.h"
#include "studies/context_compute.h"
#include "studies/null_range.h"
#include "studies/score_parts/parts.h"
#include "studies/undefined.h"

namespace helix::studies::score_parts {
namespace {

using Ids = std::vector<std::int32_t>;

constexpr std::size_t kPrompts = 32;  // random texts
constexpr std::size_t kMapped = 160;  // tokens of the maps
constexpr std::size_t kLags = 33;     // 0 to 32 tokens back
constexpr std::size_t kSampled = 96;  // tokens of the random heads' texts
constexpr double kRounding = 1e-9;    // of the largest score: smaller differences between scores are none
constexpr double kSameSum = 1e-3;     // of the largest score: beyond, something besides the parts made it
constexpr const char* kNames[kParts] = {"position × position",  "position × token", "token × position",
                                        "token × token",        "any × position",   "any × token",
                                        "any × what keys share"};

std::vector<ModelNeeds> needs(const ParamValues& values, const Known& known) {
  const Params params = read_params<Params>(values);
  ModelNeeds own;
  const auto size = known.size("");
  const std::size_t first = params.layer < 0 ? 0 : static_cast<std::size_t>(params.layer);
  const std::size_t last = params.layer < 0 && size ? std::max<std::size_t>(size->n_layer, 1) - 1 : first;
  for (std::size_t l = first; l <= last; ++l)
    for (std::string& name : head_tensors(l)) own.tensors.push_back(std::move(name));
  return {own};
}

// ---- the text

struct Head {
  std::size_t layer = 0, head = 0;
};

/// Of every head: mean attention to the previous token.
Task<Expected<Matrix<double>>> previous_by_head(Context* context, const Ready* text) {
  const checkpoint::Config& config = context->inputs().network->config();
  const std::size_t n = text->prompt.ids.size();
  Matrix<double> sums(config.n_layer, config.n_head);
  Wanted wanted;
  for (std::size_t l = 0; l < config.n_layer; ++l)
    wanted.taps.push_back({{model::HookKind::pattern, l}, [&sums, l, n](const model::Chunk& chunk) {
                             for (std::size_t i = 0; i < chunk.rows.rows; ++i)
                               if (const std::size_t query = chunk.first + i; query > 0)
                                 sums(l, chunk.head) +=
                                     static_cast<double>(chunk.rows(i, query - 1)) / static_cast<double>(n - 1);
                           }});
  const auto ran = co_await context->runner().run(*text, std::move(wanted));
  if (!ran) co_return ran.error();
  co_return std::move(sums);
}

/// The chosen head, or the one with the largest attention to the previous token.
Expected<Head> choose(const Params& params, const Matrix<double>& previous) {
  if (params.layer >= 0)
    if (const auto ok = check_index("layer", static_cast<std::size_t>(params.layer), previous.rows); !ok)
      return ok.error();
  if (params.head >= 0)
    if (const auto ok = check_index("head", static_cast<std::size_t>(params.head), previous.cols); !ok)
      return ok.error();
  Head best;
  double most = -1;
  for (std::size_t l = 0; l < previous.rows; ++l)
    for (std::size_t h = 0; h < previous.cols; ++h) {
      const bool asked = (params.layer < 0 || static_cast<std::size_t>(params.layer) == l) &&
                         (params.head < 0 || static_cast<std::size_t>(params.head) == h);
      if (asked && previous(l, h) > most) most = previous(l, h), best = {l, h};
    }
  return best;
}

/// Of one pass, before the layer.
struct Seen {
  Matrix<double> x;          // [position, d_model]
  Matrix<double> positions;  // hook_pos_embed
  Vec scale;                 // of ln_1 [position]
  Matrix<double> scores;     // [query, key] before the mask
};

Matrix<double> doubles(const model::Capture& kept, std::size_t rows) {
  Matrix<double> out(rows, kept.data().size() / rows);
  std::ranges::transform(kept.data(), out.data.begin(), [](float v) { return static_cast<double>(v); });
  return out;
}

Task<Expected<Seen>> see(Context* context, const Ready* text, Head at) {
  const std::size_t n = text->prompt.ids.size();
  Seen seen;
  seen.scores = Matrix<double>(n, n);
  Wanted wanted;
  wanted.hooks = {
      {model::HookKind::resid_pre, at.layer}, {model::HookKind::ln1_scale, at.layer}, {model::HookKind::pos_embed, 0}};
  model::Tap scores{{model::HookKind::scores_raw, at.layer}, [&seen](const model::Chunk& chunk) {
                      for (std::size_t i = 0; i < chunk.rows.rows; ++i)
                        for (std::size_t j = 0; j < chunk.rows.cols; ++j)
                          seen.scores(chunk.first + i, j) = static_cast<double>(chunk.rows(i, j));
                    }};
  scores.head = at.head;
  wanted.taps = {std::move(scores)};
  wanted.layers = at.layer + 1;
  const auto ran = co_await context->runner().run(*text, std::move(wanted));
  if (!ran) co_return ran.error();
  seen.x = doubles(ran->kept[0], n), seen.positions = doubles(ran->kept[2], n);
  seen.scale.assign(ran->kept[1].data().begin(), ran->kept[1].data().end());
  co_return std::move(seen);
}

// ---- what positions are without these tokens

/// The mean of the residual stream over random texts [position, d_model].
struct Means {
  Matrix<double> rows;
  std::size_t bytes() const { return 8 * rows.data.size(); }
};

/// The text's own tokens, drawn at random for every place, so that what is left of them at a place is the place's own; BOS
/// stays first.
std::vector<Ids> random_texts(const Ids& ids, bool bos) {
  const std::size_t first = bos ? 1 : 0;
  const auto count = static_cast<double>(ids.size() - first);
  std::vector<Ids> texts;
  Pcg64 random(1);
  for (std::size_t p = 0; p < kPrompts; ++p) {
    Ids one(ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(first));
    while (one.size() < ids.size()) one.push_back(ids[first + static_cast<std::size_t>(random.random() * count)]);
    texts.push_back(std::move(one));
  }
  return texts;
}

Task<Expected<Means>> means_of(Context* context, const Ready* text, std::size_t layer) {
  const Inputs& inputs = context->inputs();
  const std::size_t n = text->prompt.ids.size(), d = inputs.network->config().d_model;
  const std::vector<Ids> texts = random_texts(text->prompt.ids, inputs.subject.bos);
  Means means{Matrix<double>(n, d)};
  for (std::size_t p = 0; p < texts.size(); ++p) {
    const auto part =
        co_await progress_part(static_cast<double>(p), 1, static_cast<double>(texts.size()), "random texts");
    Wanted wanted;
    wanted.hooks = {{layer == 0 ? model::HookKind::embed : model::HookKind::resid_pre, layer}};
    wanted.layers = layer + 1, wanted.once = true;
    const auto ran = co_await context->runner().run(texts[p], text->edits, std::move(wanted));
    if (!ran) co_return ran.error();
    const std::vector<float>& x = ran->kept[0].data();
    for (std::size_t i = 0; i < n * d; ++i) means.rows.data[i] += static_cast<double>(x[i]) / kPrompts;
  }
  co_return std::move(means);
}

Vec mean_row(const Matrix<double>& rows) {
  Vec mean(rows.cols, 0);
  for (std::size_t i = 0; i < rows.rows; ++i)
    for (std::size_t j = 0; j < rows.cols; ++j) mean[j] += rows(i, j) / static_cast<double>(rows.rows);
  return mean;
}

/// x = shared + position + token, for every token of the text: [side] of [position, d_model]. In layer 0 a position's part is
/// its row of the table less the rows' mean, exactly; later it is its mean over random texts less their mean.
Sides sides_of(const Seen& seen, const Means& means, std::size_t layer) {
  const Matrix<double>& x = seen.x;
  Sides sides{x, x, x};
  const Matrix<double>& by_position = layer == 0 ? seen.positions : means.rows;
  const Vec middle = mean_row(by_position), words = layer == 0 ? mean_row(means.rows) : Vec(x.cols, 0);
  for (std::size_t i = 0; i < x.rows; ++i)
    for (std::size_t j = 0; j < x.cols; ++j) {
      sides[0](i, j) = by_position(i, j) - middle[j];
      sides[2](i, j) = middle[j] + words[j];
      sides[1](i, j) = x(i, j) - sides[0](i, j) - sides[2](i, j);
    }
  return sides;
}

// ---- the numbers

/// Mean by lag of each part and of the score, each less its mean over the keys that the query sees.
struct Lags {
  std::array<Vec, kParts + 1> sum;
  Vec count;
  explicit Lags(std::size_t lags) : count(lags, 0) { sum.fill(Vec(lags, 0)); }
  void add(const Row& row, const Vec& score, std::size_t query) {
    for (std::size_t lag = 0; lag < count.size() && lag + kLeftOut <= query; ++lag) {
      count[lag] += 1;
      for (std::size_t p = 0; p < kParts; ++p) sum[p][lag] += row[p][query - lag - kLeftOut];
      sum[kParts][lag] += score[query - lag - kLeftOut];
    }
  }
  Vec mean(std::size_t part) const {
    Vec out;
    for (std::size_t l = 0; l < count.size(); ++l) out.push_back(count[l] > 0 ? sum[part][l] / count[l] : std::nan(""));
    return out;
  }
};

void add_map_row(Output& out, const Row& row, const Vec& score, std::size_t query, std::size_t side) {
  if (query >= side) return;
  for (std::size_t j = 0; j < side; ++j) {
    const bool seen = j >= kLeftOut && j - kLeftOut < score.size();
    for (std::size_t p = 0; p < kParts; ++p)
      out.parts.data[(p * side + query) * side + j] = seen ? row[p][j - kLeftOut] : std::nan("");
    out.score.data[query * side + j] = seen ? score[j - kLeftOut] : std::nan("");
  }
}

/// How far the sum of the parts is from the score of the pass, of the largest score.
double error_of(const Row& row, const Matrix<double>& scores, std::size_t query) {
  const Vec sum = sum_of(row);
  double worst = 0;
  for (std::size_t j = 0; j < sum.size(); ++j) worst = std::max(worst, std::abs(sum[j] - scores(query, j)));
  return worst;
}

/// `context`, `v`, `seen` and `out` outlive the task.
Task<Expected<void>> add_parts(const Vectors* v, const Seen* seen, bool causal, Output* out) {
  const std::size_t n = seen->x.rows, side = std::min(n, kMapped);
  out->parts = {{kParts, side, side}, Vec(kParts * side * side, std::nan("")), 0};
  out->score = {{side, side}, Vec(side * side, std::nan("")), 0};
  Shares shares;
  Lags lags(std::min(kLags, n - kLeftOut));
  double worst = 0, largest = 0;
  for (const double s : seen->scores.data) largest = std::max(largest, std::abs(s));
  for (std::size_t i = 0; i < n; ++i) {
    Row row = row_of(*v, i, causal ? i + 1 : n);
    worst = std::max(worst, error_of(row, seen->scores, i));
    if (i <= kLeftOut) continue;  // it sees one of the keys that are compared
    compare_keys(row);
    const Vec score = sum_of(row);
    shares.add(row), lags.add(row, score, i), add_map_row(*out, row, score, i, side);
    if (i % 16 == 15) co_await pause_point(static_cast<double>(i), static_cast<double>(n), "scores");
  }
  out->share = {{kParts}, shares.shares(kRounding * largest), 0};
  out->by_lag.shape = {kParts, lags.count.size()};
  for (std::size_t p = 0; p < kParts; ++p) {
    const Vec mean = lags.mean(p);
    out->by_lag.data.insert(out->by_lag.data.end(), mean.begin(), mean.end());
  }
  out->score_by_lag = {{lags.count.size()}, lags.mean(kParts), 0};
  out->residual_error = {largest > 0 ? worst / largest : 0, "the rounding of the pass"};
  co_return Expected<void>();
}

/// The same shares of heads whose W_Q and W_K are random, with the mean and deviation of the learned ones: what comes of the
/// parts' sizes alone. On some tokens of the text, evenly spaced.
Task<Vec> random_shares(const Sides* sides, const HeadWeights* w, bool causal) {
  const std::size_t n = (*sides)[0].rows, count = std::min(n, kSampled);
  Sides some;
  for (std::size_t s = 0; s < kSides; ++s) {
    some[s] = Matrix<double>(count, (*sides)[s].cols);
    for (std::size_t i = 0; i < count; ++i)
      std::ranges::copy((*sides)[s].row(count > 1 ? i * (n - 1) / (count - 1) : 0), some[s].row(i).begin());
  }
  const auto drawn = [](const Matrix<double>& like, Pcg64& random) {
    double mean = 0, square = 0;
    const auto size = static_cast<double>(like.data.size());
    for (const double x : like.data) mean += x / size;
    for (const double x : like.data) square += (x - mean) * (x - mean) / size;
    Matrix<double> out = like;
    random.normal(std::span(out.data));
    for (double& x : out.data) x = mean + std::sqrt(square) * x;
    return out;
  };
  Vec all;
  for (std::uint32_t seed = 1; seed <= kNullSeeds; ++seed) {
    Pcg64 random(seed);
    const Matrix<double> w_q = drawn(w->q, random), w_k = drawn(w->k, random);
    const Vectors v = vectors_of(some, w_q, w_k, *w);
    Shares shares;
    for (std::size_t i = kLeftOut + 1; i < count; ++i) {
      Row row = row_of(v, i, causal ? i + 1 : count);
      compare_keys(row);
      shares.add(row);
    }
    const Vec one = shares.shares(0);
    all.insert(all.end(), one.begin(), one.end());
    co_await pause_point(seed, kNullSeeds, "random heads");
  }
  co_return all;
}

/// Which head it is, and what every head gives the previous token.
void add_head(Output& out, Head at, const Matrix<double>& previous, std::size_t n, bool causal) {
  out.previous_by_head = {{previous.rows, previous.cols}, previous.data, 0};
  out.previous = {previous(at.layer, at.head), "mean over queries 1.." + std::to_string(n - 1)};
  double even = 0;
  for (std::size_t i = 1; i < n; ++i) even += 1 / static_cast<double>(causal ? i + 1 : n) / static_cast<double>(n - 1);
  out.even_previous = {even, "the mean of 1/(query + 1)"};
  out.layer = {static_cast<double>(at.layer), "counted from 0"};
  out.head = {static_cast<double>(at.head), "counted from 0"};
}

void add_numbers(Output& out) {
  for (const char* name : kNames) out.part.emplace_back(name);
  const Vec& share = out.share.data;
  const auto of = [&](Part part) { return share[static_cast<std::size_t>(part)]; };
  const bool varies = std::isfinite(share[0]);
  const char* const over = "the variance of a query's scores over its keys";
  const auto put = [&](protocol::Quantity& to, double value) {
    to = varies ? protocol::Quantity{value, over} : protocol::Quantity{.note = "all keys have the same score"};
  };
  put(out.position_share, of(Part::position_position) + of(Part::shared_position));
  put(out.token_share, of(Part::token_token) + of(Part::shared_token));
  put(out.mixed_share, of(Part::position_token) + of(Part::token_position));
  const auto lags = static_cast<std::ptrdiff_t>(out.score_by_lag.data.size());
  const auto peak = std::max_element(out.by_lag.data.begin(), out.by_lag.data.begin() + lags);
  out.peak_lag = {static_cast<double>(peak - out.by_lag.data.begin()), "of at most " + std::to_string(lags - 1)};
  if (!varies) out.peak_lag = {.note = "all keys have the same score"};
  if (std::all_of(out.by_lag.data.begin(), out.by_lag.data.begin() + lags, [](double x) { return x == 0; }))
    out.peak_lag = {.note = "no token knows where it is"};
  out.prompts = {static_cast<double>(kPrompts), "the text's own tokens, drawn at random for every place"};
}

/// Weights and network can be of two models where a file is incomplete.
bool fits(const Context& context) {
  const checkpoint::Config& config = context.inputs().network->config();
  const ModelSize& size = context.size();
  return size.d_model == config.d_model && size.n_head == config.n_head && size.n_layer == config.n_layer;
}

Task<Expected<Output>> compute(Params params, Context& context) {
  const auto text = co_await context.runner().prepare(false);
  if (!text) co_return text.error();
  const std::size_t n = text->prompt.ids.size();
  if (n < 3)
    co_return Error{
        "The first token is left out of the keys, and two others are needed to compare: type a longer text."};
  const auto previous = co_await context.cached_run<Matrix<double>>("previous " + run_key(*text),
                                                                    [&] { return previous_by_head(&context, &*text); });
  if (!previous) co_return previous.error();
  const auto at = choose(params, **previous);
  if (!at) co_return at.error();
  Output out;
  add_head(out, *at, **previous, n, text->edits.causal);
  if (!fits(context)) {
    leave_undefined(
        {&out.position_share, &out.token_share, &out.mixed_share, &out.peak_lag, &out.residual_error, &out.prompts},
        "the weights are not those of the network that runs the text");
    context.describe_text(*text, out);
    co_return std::move(out);
  }
  const auto w = co_await context.head(at->layer, at->head);
  if (!w) co_return w.error();
  const std::string key = run_key(*text);
  const auto seen = co_await see(&context, &*text, *at);
  if (!seen) co_return seen.error();
  const auto means = co_await context.cached_run<Means>("means " + std::to_string(at->layer) + " " + key,
                                                        [&] { return means_of(&context, &*text, at->layer); });
  if (!means) co_return means.error();
  Sides sides = sides_of(*seen, **means, at->layer);
  normalize(sides, seen->scale, *w);
  const Vectors vectors = vectors_of(sides, w->q, w->k, *w);
  if (const auto ok = co_await add_parts(&vectors, &*seen, text->edits.causal, &out); !ok) co_return ok.error();
  add_numbers(out);
  context.describe_text(*text, out);
  out.convention = "head " + std::to_string(at->layer) + "." + std::to_string(at->head) +
                   ", the first token left out of the keys, LayerNorm's scales held, positions as means over 32 texts "
                   "of its tokens in random places, " +
                   out.convention;
  if (out.residual_error.value > kSameSum) context.note(say("note.edit"));
  if (n > kMapped)
    context.note(
        say("note.mapped", {{"mapped", std::to_string(kMapped)}, {"n", with_thousands(static_cast<long long>(n))}}));
  context.first_picture(out);
  Vec random = co_await random_shares(&sides, &*w, text->edits.causal);
  out.random_share = {{kNullSeeds, kParts}, std::move(random), 1};
  co_return std::move(out);
}

}  // namespace

ComputeStudy compute_study() { return study_of<describe, compute>(needs); }

}  // namespace helix::studies::score_parts
