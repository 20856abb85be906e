#include <algorithm>
#include <cmath>
#include <utility>

#include "base/text.h"
#include "model/self_check.h"
#include "studies/known_model_compute.h"
#include "studies/verification/published.h"
#include "studies/verification/texts.h"

namespace helix::studies::verification {
namespace {

using protocol::Claim;

constexpr const char *kPositions = "wpe.weight", *kHeadClaim = "F3";

/// A whole model that is not GPT-2 small reads the texts in its own tokens.
std::vector<ModelNeeds> needs(const ParamValues&, const Known& known) {
  ModelNeeds own{"", {kPositions}};
  const auto size = known.size("");
  if (size && size->n_layer > 0 && size->n_vocab > 0) {
    checkpoint::Config config;
    config.n_layer = size->n_layer, config.n_head = size->n_head, config.d_model = size->d_model;
    config.n_ctx = size->n_ctx, config.n_vocab = size->n_vocab;
    own.vocabulary = !has_gpt2_small_sizes(config);
  }
  return {std::move(own)};
}

/// Collects the norms of rows, one after the other.
struct Norms {
  std::vector<double> all;

  void add(std::span<const float> row) {
    double square = 0;
    for (const float x : row) square += static_cast<double>(x) * static_cast<double>(x);
    all.push_back(std::sqrt(square));
  }
};

Claim claim_of(const PublishedNorms& published, const char* which, std::optional<double> here) {
  Claim claim;
  claim.id = std::string(published.id) + "-" + which, claim.here = here;
  claim.convention = std::string(published.tensor) + ", all rows, deviation divided by n; printed with four digits";
  if (here)
    claim.holds = std::abs(*here - stated(claim.id)) <= kNormTolerance;
  else
    claim.needs = {published.tensor};
  return claim;
}

void add_norm_claims(const PublishedNorms& published, const Norms& norms, std::vector<Claim>& claims) {
  std::optional<double> mean, deviation, most, least;
  if (!norms.all.empty()) {
    const auto n = static_cast<double>(norms.all.size());
    double sum = 0, square = 0;
    for (const double x : norms.all) sum += x / n;
    for (const double x : norms.all) square += (x - sum) * (x - sum) / n;
    mean = sum, deviation = std::sqrt(square);
    most = *std::max_element(norms.all.begin(), norms.all.end());
    least = *std::min_element(norms.all.begin(), norms.all.end());
  }
  claims.push_back(claim_of(published, "mean", mean));
  claims.push_back(claim_of(published, "sd", deviation));
  claims.push_back(claim_of(published, "max", most));
  claims.push_back(claim_of(published, "min", least));
}

Task<Expected<Norms>> norms_of_positions(Context* context) {
  Norms norms;
  const auto& weights = context->inputs().weights;
  if (!weights || !weights->tensor(kPositions)) co_return std::move(norms);
  const auto rows = co_await context->whole(kPositions);
  if (!rows) co_return rows.error();
  for (std::size_t i = 0; i < rows->rows; ++i) norms.add(rows->row(i));
  co_return std::move(norms);
}

Task<Norms> norms_of_tokens(std::shared_ptr<const model::Network> network) {
  Norms norms;
  if (!network) co_return norms;
  std::vector<float> row(network->config().d_model);
  for (std::size_t i = 0; i < network->config().n_vocab; ++i) {
    network->read_embedding(i, row.data());
    norms.add(row);
    if (i % 1024 == 0) co_await pause_point();
  }
  co_return norms;
}

/// The largest difference between the published logits of a prompt and those computed here.
double farthest(const PublishedLogits& published, std::span<const float> row) {
  const auto apart = [&](std::int32_t id, double stated) {
    return std::abs(static_cast<double>(row[static_cast<std::size_t>(id)]) - stated);
  };
  double worst = apart(published.shown, stated(published.id));
  for (const auto& [id, stated] : published.others) worst = std::max(worst, apart(id, stated));
  return worst;
}

/// One claim for all published logits of a prompt; `row` is empty if nothing could be run.
Claim claim_of(const PublishedLogits& published, std::span<const float> row) {
  Claim claim;
  claim.id = published.id;
  claim.convention = "shown is token " + std::to_string(published.shown) + "; float32, no BOS";
  if (row.empty()) {
    claim.needs = {kWhole};
    return claim;
  }
  const double worst = farthest(published, row);
  claim.here = row[static_cast<std::size_t>(published.shown)];
  claim.holds = worst <= kLogitTolerance;
  claim.convention += ", all within " + to_text(kLogitTolerance) + ": max |Δ| " + to_fixed(worst, 5);
  return claim;
}

/// For any model: what is published about GPT-2 small is a useful comparison for other models. `context` and `out`
/// outlive the tasks, here and below.
Task<Expected<void>> compare_norms(Context* context, Output* out) {
  const auto positions = co_await norms_of_positions(context);
  if (!positions) co_return positions.error();
  const Norms tokens = co_await norms_of_tokens(context->inputs().network);
  for (const PublishedNorms& published : kPublishedNorms)
    add_norm_claims(published, published.tensor == std::string(kPositions) ? *positions : tokens, out->claims);
  co_return Expected<void>();
}

Task<Expected<void>> compare_logits(Context* context, Output* out) {
  const bool runs = context->inputs().network != nullptr;
  double worst = 0;
  for (const PublishedLogits& published : published_logits()) {
    std::vector<float> row;
    if (runs) {
      Wanted wanted;
      wanted.logits_at = {published.tokens.size() - 1}, wanted.once = true;
      const auto ran = co_await context->runner().run(published.tokens, model::Interventions(), std::move(wanted));
      if (!ran) co_return ran.error();
      row = ran->logits.data;
      worst = std::max(worst, farthest(published, row));
    }
    out->claims.push_back(claim_of(published, row));
  }
  if (runs) out->worst_logit = {worst, "of " + std::to_string(published_logits().size()) + " prompts"};
  co_return Expected<void>();
}

void put_products(const Matrix<double>& errors, bool eight, Output& out) {
  out.product_error = {{errors.rows, errors.cols}, errors.data, 0};
  if (errors.data.empty()) {
    out.worst_product.note = "there are no matrices";
    return;
  }
  out.worst_product = {*std::max_element(errors.data.begin(), errors.data.end()),
                       eight ? "one seeded row, its rounding to integers included" : "one seeded row, against double"};
}

/// Products and cache.
Task<Expected<Output>> check_engine(std::shared_ptr<model::Network> network) {
  Output out;
  const Matrix<double> errors = co_await model::matrix_errors(network);
  put_products(errors, network->precision() == Precision::q8, out);
  const auto cache = co_await model::cache_difference(network);
  if (!cache) co_return cache.error();
  out.cache_difference = {*cache, "largest |Δlogit| of a short text"};
  co_return std::move(out);
}

/// Claim F3 is about any model, and published nowhere.
void count(Output& out) {
  double held = 0, differ = 0, untested = 0, all = 0;
  for (const Claim& claim : out.claims) {
    if (claim.id == kHeadClaim) continue;
    ++all, ++(!claim.holds ? untested : *claim.holds ? held : differ);
  }
  const std::string of = "of " + number_text(all, 0);
  out.held = {held, of}, out.differ = {differ, of}, out.untested = {untested, of};
}

void say_not_published(Context& context, Output& out) {
  for (protocol::Quantity* one : {&out.held, &out.differ, &out.untested, &out.worst_logit})
    one->note = "the published numbers are for GPT-2 small";
  context.note(say("note.other_size"));
}

/// What runs: the published logits, where the sizes are GPT-2 small's, the texts and the output head.
Task<Expected<Output>> run_texts(Context* context) {
  Output out;
  const bool same_sizes = has_published_sizes(*context);
  if (same_sizes)
    if (const auto logits = co_await compare_logits(context, &out); !logits) co_return logits.error();
  if (same_sizes || context->inputs().network)
    if (const auto texts = co_await compare_texts(context, &out); !texts) co_return texts.error();
  if (const auto head = co_await check_head(context, &out); !head) co_return head.error();
  co_return std::move(out);
}

/// Judges what others have published about GPT-2 small; for a model of another size only useful comparisons are made.
Task<Expected<Output>> compare_published(Context* context) {
  Output out;
  if (const auto norms = co_await compare_norms(context, &out); !norms) co_return norms.error();
  std::vector<Claim> claims = std::move(out.claims);
  if (!context->inputs().network) {
    auto none = co_await run_texts(context);
    if (!none) co_return none.error();
    out = std::move(*none);
  } else {  // once for each network: the table of claims asks twice
    const std::string key = context->inputs().tokenizer ? "texts" : "texts without a vocabulary";
    const auto ran = co_await context->cached_run<Output>(key, [&] { return run_texts(context); });
    if (!ran) co_return ran.error();
    out = **ran;
  }
  out.claims.insert(out.claims.begin(), claims.begin(), claims.end());
  if (has_published_sizes(*context))
    count(out);
  else
    say_not_published(*context, out);
  co_return std::move(out);
}

Task<Expected<Output>> compute(Params, Context& context) {
  co_await pause_point();
  const std::shared_ptr<model::Network> network = context.inputs().network;
  if (network) {
    static_cast<void>(context.runner());  // the result names the network's precision
    const auto prepared = co_await network->prepare();
    if (!prepared) co_return prepared.error();
  }
  co_await pause_point();
  auto compared = co_await compare_published(&context);
  if (!compared) co_return compared.error();
  Output out = std::move(*compared);
  const bool eight = network && network->precision() == Precision::q8;
  if (out.differ.value > 0) context.note(say(eight ? "note.eight_bits" : "note.not_its_numbers"));
  out.convention = "published numbers within their printed digits";
  if (!network) {
    for (protocol::Quantity* one : {&out.worst_product, &out.cache_difference})
      one->note = "needs a model that can run";
    if (out.worst_logit.note.empty()) out.worst_logit.note = "needs a model that can run";
    context.note(context.inputs().no_network);
    co_return std::move(out);
  }
  context.first_picture(out);
  const auto engine = co_await context.cached_run<Output>("engine", [&] { return check_engine(network); });
  if (!engine) co_return engine.error();
  out.product_error = (*engine)->product_error, out.worst_product = (*engine)->worst_product;
  out.cache_difference = (*engine)->cache_difference;
  co_return std::move(out);
}

}  // namespace

ComputeStudy compute_study() { return study_of<describe, compute>(needs); }

}  // namespace helix::studies::verification
