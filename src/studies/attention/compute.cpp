// One head exactly, all heads as an overview. The overview is cached: choosing another head runs only one layer.
#include <algorithm>
#include <limits>
#include <utility>

#include "studies/attention/attention.h"
#include "studies/check_index.h"
#include "studies/context_compute.h"

namespace helix::studies::attention {
namespace {

constexpr const char *kTooFew = "needs two tokens", *kNoRepeat = "needs a token that occurs again";

/// The overview: all patterns, pooled to the largest entry of each cell.
struct Glance {
  std::size_t tokens = 0, pool = 1, cells = 0;
  protocol::Grid heads, previous;

  Glance(std::size_t n_layer, std::size_t n_head, std::size_t n)
      : tokens(n), pool((n + kGridCells - 1) / kGridCells), cells((n + pool - 1) / pool) {
    heads.shape = {n_layer, n_head, cells, cells};
    heads.data.resize(n_layer * n_head * cells * cells);
    previous.shape = {n_layer, n_head};
    previous.data.resize(n_layer * n_head);
  }

  void see(std::size_t layer, const model::Chunk& chunk) {
    const std::size_t at = layer * previous.shape[1] + chunk.head;
    for (std::size_t i = 0; i < chunk.rows.rows; ++i) {
      const std::size_t query = chunk.first + i;
      const auto row = chunk.rows.row(i);
      double* cell = &heads.data[(at * cells + query / pool) * cells];
      for (std::size_t key = 0; key < row.size(); ++key) {
        double& most = cell[key / pool];
        most = std::max(most, static_cast<double>(row[key]));
      }
      if (query > 0) previous.data[at] += static_cast<double>(row[query - 1]) / static_cast<double>(tokens - 1);
    }
  }

  std::size_t bytes() const { return (heads.data.size() + previous.data.size()) * sizeof(double); }
};

model::HookKind hook_of(Stage stage) {
  switch (stage) {
    case Stage::scores:
      return model::HookKind::scores_raw;
    case Stage::masked:
      return model::HookKind::scores;
    case Stage::pattern:
      break;
  }
  return model::HookKind::pattern;
}

Expected<void> check(const Params& params, const checkpoint::Config& config) {
  if (const auto ok = check_index("layer", static_cast<std::size_t>(params.layer), config.n_layer); !ok) return ok;
  return check_index("head", static_cast<std::size_t>(params.head), config.n_head);
}

/// For each query, the keys that followed an earlier copy of its token. The query itself and the token before it are
/// left out: attention to them has simpler explanations.
std::vector<std::vector<std::size_t>> followers_of(const std::vector<std::int32_t>& ids) {
  std::vector<std::vector<std::size_t>> all(ids.size());
  for (std::size_t query = 0; query < ids.size(); ++query)
    for (std::size_t copy = 0; copy + 2 < query; ++copy)
      if (ids[copy] == ids[query]) all[query].push_back(copy + 1);
  return all;
}

/// What is copied from the chosen head: the stage that is shown, and the means of its pattern. The first query can
/// attend only to itself, so no mean counts it. Query 1 counts in all: its previous token is the first one.
struct Chosen {
  protocol::Grid stage;
  std::size_t pool = 1;  // each cell of `stage` is the largest of pool × pool entries
  std::vector<std::vector<std::size_t>> followers;
  double previous = 0, self = 0, first = 0, induction = 0;  // sums over queries
  std::size_t repeats = 0;                                  // queries with followers

  void copy(std::size_t query, std::span<const float> row) {
    double* cells = &stage.data[query / pool * stage.cols()];
    for (std::size_t key = 0; key < row.size(); ++key)
      cells[key / pool] = std::max(cells[key / pool], static_cast<double>(row[key]));
  }
  void see(std::size_t query, std::span<const float> row) {
    if (query == 0) return;
    self += static_cast<double>(row[query]);
    previous += static_cast<double>(row[query - 1]);
    first += static_cast<double>(row[0]);
    for (const std::size_t key : followers[query]) induction += static_cast<double>(row[key]);
    repeats += !followers[query].empty();
  }
};

std::vector<model::Tap> taps_of(const Params& params, Chosen* chosen, Glance* glance, std::size_t n,
                                std::size_t n_layer) {
  const auto layer = static_cast<std::size_t>(params.layer), head = static_cast<std::size_t>(params.head);
  std::vector<model::Tap> taps;
  chosen->pool = (n + kMostCells - 1) / kMostCells;
  const std::size_t cells = (n + chosen->pool - 1) / chosen->pool;
  chosen->stage.shape = {cells, cells};
  chosen->stage.data.assign(cells * cells, -std::numeric_limits<double>::infinity());
  taps.push_back({{hook_of(params.stage), layer},
                  [=](const model::Chunk& chunk) {
                    for (std::size_t i = 0; i < chunk.rows.rows; ++i) chosen->copy(chunk.first + i, chunk.rows.row(i));
                  },
                  head});
  taps.push_back({{model::HookKind::pattern, layer},
                  [=](const model::Chunk& chunk) {
                    for (std::size_t i = 0; i < chunk.rows.rows; ++i) chosen->see(chunk.first + i, chunk.rows.row(i));
                  },
                  head});
  for (std::size_t l = 0; glance && l < n_layer; ++l)
    taps.push_back({{model::HookKind::pattern, l}, [=](const model::Chunk& chunk) { glance->see(l, chunk); }});
  return taps;
}

/// What a head that attends to every key it sees equally has on these tokens: the chance level of the chosen head's means.
void add_even(Output& out, const Chosen& chosen, std::size_t n, bool causal) {
  double one_key = 0, followers = 0;
  for (std::size_t query = 1; query < n; ++query) {
    const double each = 1 / static_cast<double>(causal ? query + 1 : n);
    one_key += each, followers += each * static_cast<double>(chosen.followers[query].size());
  }
  const char* const how =
      causal ? "the mean of 1/(query + 1), queries 1 and on" : "one of all tokens, without the mask";
  for (protocol::Quantity* q : {&out.even_previous, &out.even_self, &out.even_first})
    *q = n > 1 ? protocol::Quantity{one_key / static_cast<double>(n - 1), how} : protocol::Quantity{.note = kTooFew};
  out.even_induction = chosen.repeats > 0
                           ? protocol::Quantity{followers / static_cast<double>(chosen.repeats),
                                                "the share of the keys that followed the same token earlier"}
                           : protocol::Quantity{.note = kNoRepeat};
}

Output outputs_of(const Params& params, const Ready& ready, Chosen chosen, const Glance& glance, Context& context) {
  Output out;
  context.describe_text(ready, out);
  const std::string of_head = "layer " + std::to_string(params.layer) + ", head " + std::to_string(params.head);
  const auto mean = [&](double sum, std::size_t count, const char* over) -> protocol::Quantity {
    if (count == 0) return {.note = over};
    return {sum / static_cast<double>(count), of_head + ", " + over};
  };
  const std::size_t later = ready.prompt.ids.size() - 1;
  const char* const over = later ? "queries 1 and on" : kTooFew;
  out.previous = mean(chosen.previous, later, over);
  out.self = mean(chosen.self, later, over);
  out.first = mean(chosen.first, later, over);
  out.induction =
      mean(chosen.induction, chosen.repeats, chosen.repeats ? "queries whose token occurred before" : kNoRepeat);
  add_even(out, chosen, later + 1, ready.edits.causal);
  out.repeats = {static_cast<double>(chosen.repeats), "three or more places after an earlier copy"};
  out.pooled = {static_cast<double>(glance.pool), "the largest entry of each cell is shown"};
  out.pattern_pooled = {static_cast<double>(chosen.pool),
                        chosen.pool > 1 ? "the largest entry of each cell is shown" : "every entry is shown"};
  out.pattern = std::move(chosen.stage);
  out.heads = glance.heads;
  out.previous_by_head = glance.previous;
  out.convention = of_head + ", " + out.convention;
  return out;
}

std::string before_key(const Params& params, const std::vector<std::int32_t>& ids) {
  std::string key = "without edits " + std::to_string(params.layer) + "." + std::to_string(params.head);
  for (const std::int32_t id : ids) key += " " + std::to_string(id);
  return key;
}

/// The chosen head's pattern in the run without the edits; empty where there is none to compare with. It is kept: while an
/// edit is dragged it stays the same.
Task<Expected<protocol::Grid>> pattern_before(Params params, std::shared_ptr<const Ready> edited, Context* context) {
  const std::size_t n = edited->prompt.ids.size();
  if (edited->specs.empty() || n > kMostBefore || params.stage != Stage::pattern) co_return protocol::Grid();
  const auto& network = context->inputs().network;
  const std::string key = before_key(params, edited->prompt.ids);
  auto pattern = context->known<Matrix<double>>(network, key);
  if (!pattern) {
    Matrix<double> rows(n, n);
    Wanted wanted;
    wanted.layers = static_cast<std::size_t>(params.layer) + 1;
    wanted.taps.push_back({{model::HookKind::pattern, static_cast<std::size_t>(params.layer)},
                           [&rows](const model::Chunk& chunk) {
                             for (std::size_t i = 0; i < chunk.rows.rows; ++i)
                               std::ranges::copy(chunk.rows.row(i), rows.row(chunk.first + i).begin());
                           },
                           static_cast<std::size_t>(params.head)});
    model::Interventions none;
    const auto ran = co_await context->runner().run(edited->prompt.ids, std::move(none), std::move(wanted));
    if (!ran) co_return ran.error();
    context->keep(network, key, rows);
    pattern = std::make_shared<const Matrix<double>>(std::move(rows));
  }
  protocol::Grid grid{{n, n}, pattern->data};
  co_return std::move(grid);
}

Task<Expected<Output>> compute(Params params, Context& context) {
  const auto text = co_await context.runner().prepare(false);
  if (!text) co_return text.error();
  const auto& network = context.inputs().network;
  const checkpoint::Config& config = network->config();
  if (const auto ok = check(params, config); !ok) co_return ok.error();
  const std::size_t n = text->prompt.ids.size();
  const std::string key = run_key(*text);
  const auto known = context.known<Glance>(network, key);
  Glance glance(config.n_layer, config.n_head, n);
  Chosen chosen;
  chosen.followers = followers_of(text->prompt.ids);
  Wanted wanted;
  wanted.taps = taps_of(params, &chosen, known ? nullptr : &glance, n, config.n_layer);
  if (known) wanted.layers = static_cast<std::size_t>(params.layer) + 1;
  const auto ran = co_await context.runner().run(*text, std::move(wanted));
  if (!ran) co_return ran.error();
  if (!known) context.keep(network, key, glance);
  const auto edited = std::make_shared<const Ready>(*text);
  auto before = co_await pattern_before(params, edited, &context);
  if (!before) co_return before.error();
  Output out = outputs_of(params, *text, std::move(chosen), known ? *known : glance, context);
  out.was = std::move(*before);
  co_return std::move(out);
}

}  // namespace

ComputeStudy compute_study() { return study_of<describe, compute>(); }

}  // namespace helix::studies::attention
