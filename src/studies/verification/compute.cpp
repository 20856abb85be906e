#include <algorithm>
#include <cmath>
#include <utility>

#include "base/text.h"
#include "checkpoint/convert.h"
#include "model/self_check.h"
#include "studies/known_model_compute.h"
#include "studies/prompt_compute.h"
#include "studies/verification/published.h"
#include "studies/verification/verification.h"

namespace helix::studies::verification {
namespace {

using protocol::Claim;

constexpr const char* kPositions = "wpe.weight";

std::vector<ModelNeeds> needs(const ParamValues&, const Known&) { return {{"", {kPositions}}}; }

/// Collects the norms of rows, one after the other.
struct Norms {
  std::vector<double> all;

  void add(std::span<const float> row) {
    double square = 0;
    for (const float x : row) square += static_cast<double>(x) * static_cast<double>(x);
    all.push_back(std::sqrt(square));
  }
};

double stated(const std::string& id) {
  static const std::vector<ClaimSpec> declared = declared_claims();
  return *std::ranges::find(declared, id, &ClaimSpec::id)->stated;
}

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

Expected<Norms> norms_of_positions(const Inputs& inputs) {
  Norms norms;
  if (!inputs.weights) return norms;
  const auto tensor = inputs.weights->tensor(kPositions);
  if (!tensor) return norms;
  const auto rows = checkpoint::to_finite_f32(*tensor);
  if (!rows) return rows.error();
  for (std::size_t i = 0; i < rows->rows; ++i) norms.add(rows->row(i));
  return norms;
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
    claim.needs = {"the whole checkpoint"};
    return claim;
  }
  const double worst = farthest(published, row);
  claim.here = row[static_cast<std::size_t>(published.shown)];
  claim.holds = worst <= kLogitTolerance;
  claim.convention += ", all within " + to_text(kLogitTolerance) + ": max |Δ| " + to_fixed(worst, 5);
  return claim;
}

/// For any model: what is published about GPT-2 small is a useful comparison for other models.
Task<Expected<std::vector<Claim>>> compare_norms(Inputs inputs) {
  std::vector<Claim> claims;
  const auto positions = norms_of_positions(inputs);
  if (!positions) co_return positions.error();
  const Norms tokens = co_await norms_of_tokens(inputs.network);
  for (const PublishedNorms& published : kPublishedNorms)
    add_norm_claims(published, published.tensor == std::string(kPositions) ? *positions : tokens, claims);
  co_return claims;
}

Task<Expected<void>> compare_logits(Inputs inputs, Output* out) {
  double worst = 0;
  for (const PublishedLogits& published : published_logits()) {
    std::vector<float> row;
    if (inputs.network) {
      model::Asked asked;
      asked.tokens = published.tokens;
      asked.logits_at.push_back(published.tokens.size() - 1);
      const auto logits = co_await model::forward(inputs.network, std::make_shared<model::Session>(), asked);
      if (!logits) co_return logits.error();
      row.assign(logits->row(0).begin(), logits->row(0).end());
      worst = std::max(worst, farthest(published, row));
    }
    out->claims.push_back(claim_of(published, row));
  }
  if (inputs.network) out->worst_logit = {worst, "of " + std::to_string(published_logits().size()) + " prompts"};
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

Task<Expected<void>> check_engine(std::shared_ptr<model::Network> network, Output* out) {
  const Matrix<double> errors = co_await model::matrix_errors(network);
  put_products(errors, network->precision() == Precision::q8, *out);
  const auto cache = co_await model::cache_difference(network);
  if (!cache) co_return cache.error();
  out->cache_difference = {*cache, "largest |Δlogit| of a short text"};
  co_return Expected<void>();
}

void count(Output& out) {
  double held = 0, differ = 0, untested = 0;
  for (const Claim& claim : out.claims) ++(!claim.holds ? untested : *claim.holds ? held : differ);
  const std::string of = "of " + std::to_string(out.claims.size());
  out.held = {held, of}, out.differ = {differ, of}, out.untested = {untested, of};
}

void say_not_published(Output& out) {
  for (protocol::Quantity* one : {&out.held, &out.differ, &out.untested, &out.worst_logit})
    one->note = "the published numbers are for GPT-2 small";
  out.notes.push_back(
      "The published numbers are for GPT-2 small; this model has a different size, so its own products and cache are "
      "checked instead.");
}

/// Judges what others have published about GPT-2 small; for a model of another size only useful comparisons are made.
Task<Expected<void>> compare_published(Inputs inputs, Output* out) {
  auto norms = co_await compare_norms(inputs);
  if (!norms) co_return norms.error();
  out->claims = std::move(*norms);
  const auto config = config_of(inputs);
  if (!config || !has_gpt2_small_sizes(*config)) {
    say_not_published(*out);
    co_return Expected<void>();
  }
  const auto logits = co_await compare_logits(inputs, out);
  if (!logits) co_return logits.error();
  count(*out);
  co_return Expected<void>();
}

Task<Expected<protocol::Result>> run(ParamValues values, Inputs inputs) {
  Output out;
  co_await pause_point();
  if (inputs.network) {
    const auto prepared = co_await inputs.network->prepare();
    if (!prepared) co_return prepared.error();
  }
  co_await pause_point();
  const auto compared = co_await compare_published(inputs, &out);
  if (!compared) co_return compared.error();
  const bool eight = inputs.network && inputs.network->precision() == Precision::q8;
  if (out.differ.value > 0)
    out.notes.push_back(eight ? "With 8-bit weights the numbers are close to the published ones, not equal: this check "
                                "needs float32 weights."
                              : "These weights have GPT-2 small's sizes but not its numbers: they belong to another "
                                "model, or were changed.");
  out.convention = "published numbers within their printed digits";
  if (!inputs.network) {
    for (protocol::Quantity* one : {&out.worst_product, &out.cache_difference})
      one->note = "needs a model that can run";
    if (out.worst_logit.note.empty()) out.worst_logit.note = "needs a model that can run";
    out.notes.push_back(inputs.no_network);
    co_return to_result(describe(), values, inputs.provenance, out);
  }
  out.complete = false;
  inputs.on_first_picture(to_result(describe(), values, provenance_of(inputs), out));
  const auto done = co_await check_engine(inputs.network, &out);
  if (!done) co_return done.error();
  out.complete = true;
  co_return to_result(describe(), values, provenance_of(inputs), out);
}

}  // namespace

ComputeStudy compute_study() { return {describe(), needs, run}; }

}  // namespace helix::studies::verification
