// Everything that does not depend on the query is kept from run to run: another query costs one row of scores.
#include <algorithm>
#include <cmath>
#include <utility>

#include "base/pcg64.h"
#include "base/text.h"
#include "studies/check_index.h"
#include "studies/context_compute.h"
#include "studies/null_range.h"
#include "studies/position_scores/heads.h"
#include "studies/position_scores/position_scores.h"
#include "studies/walks_compute.h"

namespace helix::studies::position_scores {
namespace {

constexpr const char* kWeight = "h.0.attn.c_attn.weight";
constexpr const char* kBias = "h.0.attn.c_attn.bias";
constexpr const char* kGain = "h.0.ln_1.weight";
constexpr const char* kShift = "h.0.ln_1.bias";
constexpr std::size_t kTile = 48;     // cells of a side of a small pattern
constexpr std::size_t kMostLag = 64;  // of the mean by lag
constexpr double kEverywhere = 1 - 1e-9;

std::vector<ModelNeeds> needs(const ParamValues&, const Known&) {
  return {{"", {kPositionTable, kGain, kShift, kWeight, kBias}}};
}

/// The tensors of a run, checked against each other.
struct Layer {
  Rows table;
  std::shared_ptr<const Norm> norm;
  Matrix<float> weight, bias;  // c_attn
  std::size_t heads = 0, d_head = 0;

  std::size_t positions() const { return table->rows; }
  std::shared_ptr<const Weights> head(std::size_t which) const {
    const std::size_t d = table->cols, at = which * d_head;
    auto out = std::make_shared<Weights>(Weights{Matrix<double>(d_head, d), Matrix<double>(d_head, d), {}, {}});
    for (std::size_t r = 0; r < d_head; ++r) {
      for (std::size_t j = 0; j < d; ++j)
        out->q(r, j) = static_cast<double>(weight(j, at + r)),
                  out->k(r, j) = static_cast<double>(weight(j, d + at + r));
      out->q_bias.push_back(static_cast<double>(bias.data[at + r]));
      out->k_bias.push_back(static_cast<double>(bias.data[d + at + r]));
    }
    return out;
  }
};

std::vector<double> in_double(const Matrix<float>& m) { return {m.data.begin(), m.data.end()}; }

Task<Expected<Layer>> layer_of(Context* context) {
  const auto heads = context->heads();
  if (!heads) co_return heads.error();
  auto table = co_await context->positions(PositionSource::learned, 0);
  if (!table) co_return table.error();
  Layer out;
  std::vector<Matrix<float>> parts;
  for (const char* name : {kWeight, kBias, kGain, kShift}) {
    auto one = co_await context->whole(name);
    if (!one) co_return one.error();
    parts.push_back(std::move(*one));
  }
  const std::size_t d = table->cols;
  if (parts[0].rows != d || parts[0].cols != 3 * d || parts[1].data.size() != 3 * d || parts[2].data.size() != d ||
      parts[3].data.size() != d || d % *heads != 0)
    co_return Error{"The positions, ln_1 and attention of layer 0 do not fit each other."};
  if (table->rows < 3)
    co_return Error{"This needs at least three positions, so that one has a neighbour on each side; here are " +
                    std::to_string(table->rows) + "."};
  out.table = std::make_shared<const Matrix<double>>(std::move(*table));
  out.norm = std::make_shared<const Norm>(Norm{in_double(parts[2]), in_double(parts[3])});
  out.weight = std::move(parts[0]), out.bias = std::move(parts[1]);
  out.heads = *heads, out.d_head = d / *heads;
  co_return std::move(out);
}

/// Mean and standard deviation, divided by n.
std::pair<double, double> spread(const std::vector<float>& numbers) {
  const double n = static_cast<double>(numbers.size());
  double mean = 0, square = 0;
  for (const float x : numbers) mean += static_cast<double>(x) / n;
  for (const float x : numbers) square += (static_cast<double>(x) - mean) * (static_cast<double>(x) - mean) / n;
  return {mean, std::sqrt(square)};
}

// ---- chance levels

std::vector<double> in_random_order(const Matrix<double>& q, const Matrix<double>& k) {
  std::vector<double> out;
  for (std::uint32_t seed = 1; seed <= kNullSeeds; ++seed) out.push_back(rising(q, k, Pcg64(seed).order(q.rows)));
  return out;
}

std::string random_key(const Params& p) { return std::string("random heads") + (p.biases ? " with biases" : ""); }
std::string walks_key(const Params& p) {
  return "walks of head " + std::to_string(p.head) + (p.biases ? " with biases" : "");
}

/// Whether nothing slow is left to be computed, so that no first picture is needed.
bool levels_known(const Context& context, const Params& p) {
  const auto known = [&](const std::string& key) {
    return context.inputs().store->find<std::vector<double>>(context.inputs().weights, describe().id + " " + key);
  };
  return known(random_key(p)) && known(walks_key(p));
}

/// The same head on random walks with the table's steps.
Task<std::vector<double>> on_walks(Rows table, std::shared_ptr<const Norm> norm, std::shared_ptr<const Weights> head,
                                   bool biases) {
  std::vector<double> out;
  for (std::uint32_t seed = 1; seed <= kNullSeeds; ++seed) {
    co_await pause_point(seed, kNullSeeds, "random walks");
    const auto walk = std::make_shared<const Matrix<double>>(walk_like(*table, seed));
    const Projected some = co_await project(co_await normalized(walk, norm), head);
    out.push_back(rising(biases ? with_bias(some.q, head->q_bias) : some.q, some.k));
  }
  co_return std::move(out);
}

/// Random heads on these positions.
Task<std::vector<double>> of_random_heads(Rows normalized, std::size_t d_head, Spread like, bool biases) {
  std::vector<double> out;
  for (std::uint32_t seed = 1; seed <= kNullSeeds; ++seed) {
    co_await pause_point(seed, kNullSeeds, "random heads");
    const auto head = std::make_shared<const Weights>(random_weights(d_head, normalized->cols, like, seed));
    const Projected some = co_await project(normalized, head);
    out.push_back(rising(biases ? with_bias(some.q, head->q_bias) : some.q, some.k));
  }
  co_return std::move(out);
}

// ---- one head

struct Head {
  std::shared_ptr<const Weights> weights;
  std::shared_ptr<const Projected> bare, used;  // without biases; as asked
};

protocol::Grid grid_of(Matrix<double> m, std::size_t first = 0) {
  return {{m.rows, m.cols}, std::move(m.data), static_cast<long long>(first)};
}

/// What a pattern gives to the previous position, to its own and to the first; queries from the second on.
struct Means {
  double previous = 0, self = 0, first = 0, even = 0, queries = 0;
};

Means means_of(const Matrix<double>& pattern, std::size_t first) {
  Means m;
  for (std::size_t i = 0; i < pattern.rows; ++i) {
    const std::size_t query = first + i;
    if (query == 0 || query >= pattern.cols) continue;
    m.previous += pattern(i, query - 1), m.self += pattern(i, query), m.first += pattern(i, 0);
    m.even += 1 / static_cast<double>(query + 1), ++m.queries;
  }
  for (double* sum : {&m.previous, &m.self, &m.first, &m.even}) *sum /= m.queries;  // none: not a number
  return m;
}

void add_means(Output& out, const Means& m, const std::string& over) {
  const auto quantity = [&](double value) {
    return m.queries > 0 ? protocol::Quantity{value, over} : protocol::Quantity{.note = "needs a second position"};
  };
  out.previous = quantity(m.previous), out.self = quantity(m.self), out.to_first = quantity(m.first);
  out.even = quantity(m.even);
  if (m.queries > 0) out.even.note = "the mean of 1/(query + 1), " + over;
}

/// The mean over the queries that have so many neighbours on each side: the same queries at every lag.
Task<Expected<void>> add_by_lag(Output* out, std::shared_ptr<const Projected> head, RowRange queries) {
  const std::size_t n = head->q.rows;
  const std::size_t reach = std::min({kMostLag, (queries.last + 1) / 2, (n - 1) / 4, n - 1 - queries.first});
  const std::size_t from = std::max(queries.first, reach), to = std::min(queries.last, n - 1 - reach);
  std::vector<double> sum(2 * reach + 1, 0), square(2 * reach + 1, 0);
  if (from > to) co_return Expected<void>();
  const Matrix<double> s = co_await scores(head, {from, to}, std::min(to + reach, n - 1));
  const double count = static_cast<double>(s.rows);
  for (std::size_t i = 0; i < s.rows; ++i)
    for (std::size_t lag = 0; lag < sum.size(); ++lag) {
      const double less = s(i, from + i + lag - reach) - s(i, from + i);
      sum[lag] += less / count, square[lag] += less * less / count;
    }
  for (std::size_t lag = 0; lag < sum.size(); ++lag)
    square[lag] = std::sqrt(std::max(square[lag] - sum[lag] * sum[lag], 0.0));
  const long long first = -static_cast<long long>(reach);
  out->by_lag = {{sum.size()}, std::move(sum), first}, out->lag_spread = {{square.size()}, std::move(square), first};
  co_return Expected<void>();
}

std::string where_rising(const Layer& layer) {
  const RowRange range = rising_range(layer.positions());
  return "positions " + std::to_string(range.first) + ".." + std::to_string(range.last);
}

double mean_square(const std::vector<double>& values, RowRange range, bool squared) {
  double sum = 0;
  for (std::size_t i = range.first; i <= range.last; ++i) {
    if (i - 1 >= values.size()) return std::nan("");
    sum += squared ? values[i - 1] * values[i - 1] : values[i - 1];
  }
  return sum / static_cast<double>(range.count());
}

void add_pull(Output& out, const Places& places, const Layer& layer, const Head& head) {
  const RowRange range = rising_range(layer.positions());
  if (places.directions.rows < kComponents) {
    for (protocol::Quantity* q : {&out.along_share, &out.outward_share, &out.held})
      q->note = "the positions have fewer than three components";
    return;
  }
  Pull pull = pull_of(places, *head.weights, *layer.norm, head.used->q, head.bare->k);
  const std::string over = "mean over " + where_rising(layer);
  const auto share = [&](double value, const std::string& how) {
    return std::isfinite(value) ? protocol::Quantity{value, how} : protocol::Quantity{.note = "the head has no pull"};
  };
  out.along_share = share(mean_square(pull.along, range, true), over + "; of a random direction 1/3");
  out.outward_share = share(mean_square(pull.outward, range, true), over + "; of a random direction 1/3");
  out.held = share(mean_square(pull.held, range, false),
                   over + "; of a random direction " + to_text(kComponents) + "/" + std::to_string(layer.table->cols));
  const std::size_t n = places.points.rows;
  out.points = grid_of(places.points, 1), out.pull = grid_of(std::move(pull.at), 1);
  out.explained = {{places.explained.size()}, places.explained, 1};
  out.along = {{n}, std::move(pull.along), 1}, out.outward = {{n}, std::move(pull.outward), 1};
}

/// The largest entry of each block.
void add_tile(std::vector<double>& into, const Matrix<double>& pattern, std::size_t block, std::size_t cells) {
  const std::size_t at = into.size();
  into.resize(at + cells * cells, 0);
  for (std::size_t i = 0; i < pattern.rows; ++i)
    for (std::size_t j = 0; j < pattern.rows; ++j) {
      double& cell = into[at + i / block * cells + j / block];
      cell = std::max(cell, pattern(i, j));
    }
}

// ---- the run

struct Run {
  Params params;
  Layer layer;
  std::shared_ptr<const Places> places;
  RowRange queries;
  std::size_t query = 0;
  std::string over;  // "mean over queries 1..255"
};

Task<Expected<Head>> head_of(Context* context, const Run* run, std::size_t which) {
  Head out;
  out.weights = run->layer.head(which);
  const Rows rows = run->places->normalized;
  const auto bare = co_await context->cached<Projected>("head " + std::to_string(which),
                                                        [&] { return as_expected(project(rows, out.weights)); });
  if (!bare) co_return bare.error();
  out.bare = out.used = *bare;
  if (run->params.biases)
    out.used = std::make_shared<const Projected>(
        Projected{with_bias((*bare)->q, out.weights->q_bias), with_bias((*bare)->k, out.weights->k_bias)});
  co_return std::move(out);
}

Task<Expected<void>> add_one(Output* out, const Run* run, const Head* head) {
  const RowRange queries = run->queries;
  out->rising = {rising(head->used->q, head->bare->k), where_rising(run->layer)};
  Matrix<double> s = co_await scores(head->used, queries, queries.last), p = pattern(s, queries.first);
  add_means(*out, means_of(p, queries.first), run->over);
  // The other way, only b_Q counts: b_K adds the same to all keys of a query.
  const auto other = std::make_shared<const Projected>(
      Projected{run->params.biases ? head->bare->q : with_bias(head->bare->q, head->weights->q_bias), head->bare->k});
  const Matrix<double> switched = pattern(co_await scores(other, queries, queries.last), queries.first);
  const Means means = means_of(switched, queries.first);
  out->to_first_other = means.queries > 0 ? protocol::Quantity{means.first, run->over}
                                          : protocol::Quantity{.note = "needs a second position"};
  out->score = grid_of(std::move(s), queries.first), out->pattern = grid_of(std::move(p), queries.first);
  if (const auto ok = co_await add_by_lag(out, head->used, queries); !ok) co_return ok.error();
  Matrix<double> row = co_await scores(head->used, {run->query, run->query}, run->layer.positions() - 1);
  out->query_score = {{row.cols}, std::move(row.data), 0};
  add_pull(*out, *run->places, run->layer, *head);
  co_return Expected<void>();
}

/// The share of rising positions of every head; with small patterns of all of them where all are shown.
Task<Expected<void>> add_all(Output* out, Context* context, const Run* run) {
  const std::size_t heads = run->layer.heads, shown = run->queries.last + 1;
  const std::size_t block = (shown + kTile - 1) / kTile, cells = (shown + block - 1) / block;
  out->rising_by_head.shape = {heads};
  Means sum;
  for (std::size_t h = 0; h < heads; ++h) {
    co_await pause_point(static_cast<double>(h), static_cast<double>(heads), "heads");
    const auto head = co_await head_of(context, run, h);
    if (!head) co_return head.error();
    out->rising_by_head.data.push_back(rising(head->used->q, head->bare->k));
    if (run->params.head >= 0) continue;
    const Matrix<double> p = pattern(co_await scores(head->used, {0, run->queries.last}, run->queries.last), 0);
    add_tile(out->patterns.data, p, block, cells);
    Matrix<double> counted(run->queries.count(), p.cols);
    std::copy_n(p.row(run->queries.first).data(), counted.data.size(), counted.data.begin());
    const Means m = means_of(counted, run->queries.first);
    const double share = 1 / static_cast<double>(heads);
    sum.previous += share * m.previous, sum.self += share * m.self, sum.first += share * m.first;
    sum.even = m.even, sum.queries = m.queries;
  }
  const std::string where = where_rising(run->layer);
  const auto& by_head = out->rising_by_head.data;
  out->rising_heads = {
      static_cast<double>(std::ranges::count_if(by_head, [](double share) { return share > kEverywhere; })), where};
  if (run->params.head >= 0) co_return Expected<void>();
  double mean = 0;
  for (const double share : by_head) mean += share / static_cast<double>(heads);
  out->rising = {mean, where + ", mean of the heads"};
  out->patterns.shape = {heads, cells, cells};
  add_means(*out, sum, run->over + ", mean of the heads");
  for (protocol::Quantity* q : {&out->to_first_other, &out->along_share, &out->outward_share, &out->held})
    q->note = "of one head";
  co_return Expected<void>();
}

Task<Expected<void>> add_levels(Output* out, Context* context, const Run* run, const Head* head) {
  const bool biases = run->params.biases;
  const auto random = co_await context->cached<std::vector<double>>(random_key(run->params), [&] {
    const auto [mean, deviation] = spread(run->layer.weight.data);
    const auto [bias_mean, bias_deviation] = spread(run->layer.bias.data);
    return as_expected(of_random_heads(run->places->normalized, run->layer.d_head,
                                       Spread{mean, deviation, bias_mean, bias_deviation}, biases));
  });
  if (!random) co_return random.error();
  out->random_rising = over_seeds(**random);
  if (!head) co_return Expected<void>();
  const auto walks = co_await context->cached<std::vector<double>>(walks_key(run->params), [&] {
    return as_expected(on_walks(run->layer.table, run->layer.norm, head->weights, biases));
  });
  if (!walks) co_return walks.error();
  out->walk_rising = over_seeds(**walks);
  out->rows_rising = over_seeds(in_random_order(head->used->q, head->bare->k));
  co_return Expected<void>();
}

Task<Expected<Run>> settle(const Params* params, Context* context) {
  Run run;
  run.params = *params;
  auto layer = co_await layer_of(context);
  if (!layer) co_return layer.error();
  run.layer = std::move(*layer);
  if (params->head >= 0)
    if (const auto ok = check_index("head", static_cast<std::size_t>(params->head), run.layer.heads); !ok)
      co_return ok.error();
  const std::size_t end = run.layer.positions() - 1;
  std::vector<std::string> notes;
  // The default range reaches beyond a short table: that is no news.
  const auto queries = range_within(params->first, std::min(params->last, static_cast<int>(end)), end + 1,
                                    "The range of queries", notes);
  if (!queries) co_return queries.error();
  run.queries = *queries;
  run.query = std::min(static_cast<std::size_t>(params->query), end);
  if (params->query > static_cast<int>(end)) context->note(say("note.end", {{"end", std::to_string(end)}}));
  run.over = "mean over queries " + std::to_string(std::max<std::size_t>(run.queries.first, 1)) + ".." +
             std::to_string(run.queries.last);
  const auto places = co_await context->cached<Places>(
      "places", [&] { return as_expected(places_of(run.layer.table, run.layer.norm)); });
  if (!places) co_return places.error();
  run.places = *places;
  co_return std::move(run);
}

Task<Expected<Output>> compute(Params params, Context& context) {
  const auto run = co_await settle(&params, &context);
  if (!run) co_return run.error();
  Output out;
  out.convention = (params.head < 0 ? "all heads" : "head 0." + std::to_string(params.head)) +
                   (params.biases ? "" : " without b_Q and b_K") + ", positions alone through ln_1, queries " +
                   std::to_string(run->queries.first) + ".." + std::to_string(run->queries.last);
  out.query = {static_cast<double>(run->query), "counted from 0"};
  out.heads = {static_cast<double>(run->layer.heads), "of layer 0"};
  out.positions = {static_cast<double>(run->layer.positions()), "rows of wpe"};
  std::optional<Head> head;
  if (params.head >= 0) {
    auto found = co_await head_of(&context, &*run, static_cast<std::size_t>(params.head));
    if (!found) co_return found.error();
    head = std::move(*found);
    if (const auto ok = co_await add_one(&out, &*run, &*head); !ok) co_return ok.error();
    if (!levels_known(context, params)) context.first_picture(out);
  }
  if (const auto ok = co_await add_all(&out, &context, &*run); !ok) co_return ok.error();
  if (const auto ok = co_await add_levels(&out, &context, &*run, head ? &*head : nullptr); !ok) co_return ok.error();
  co_return std::move(out);
}

}  // namespace

ComputeStudy compute_study() { return study_of<describe, compute>(needs); }

}  // namespace helix::studies::position_scores
