#include <algorithm>
#include <cmath>
#include <utility>

#include "base/text.h"
#include "model/convert.h"
#include "model/self_check.h"
#include "studies/prompt_compute.h"
#include "studies/verification/published.h"
#include "studies/verification/verification.h"

namespace helix::studies::verification {
namespace {

using protocol::Claim;

constexpr const char* kPositions = "wpe.weight";

std::vector<std::string> needs(const ParamValues&) { return {kPositions}; }

/// Norms of rows, added one after the other.
struct Norms {
  std::vector<double> all;

  void add(std::span<const float> row) {
    double square = 0;
    for (const float x : row) square += static_cast<double>(x) * static_cast<double>(x);
    all.push_back(std::sqrt(square));
  }
};

Claim claim_of(const PublishedNorms& published, const char* what, double stated, std::optional<double> here) {
  Claim claim;
  claim.id = published.id;
  claim.text = std::string(what) + " of the norms of the " + published.words;
  claim.stated = stated, claim.here = here;
  claim.convention = std::string(published.tensor) + ", all rows, deviation divided by n; printed with four digits";
  if (here)
    claim.holds = std::abs(*here - stated) <= kNormTolerance;
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
  claims.push_back(claim_of(published, "mean", published.mean, mean));
  claims.push_back(claim_of(published, "standard deviation", published.deviation, deviation));
  claims.push_back(claim_of(published, "largest", published.most, most));
  claims.push_back(claim_of(published, "smallest", published.least, least));
}

Norms norms_of_positions(const Inputs& inputs) {
  Norms norms;
  if (!inputs.weights) return norms;
  const auto tensor = inputs.weights->tensor(kPositions);
  if (!tensor) return norms;
  const auto rows = model::to_f32(*tensor);
  for (std::size_t i = 0; rows && i < rows->rows; ++i) norms.add(rows->row(i));
  return norms;
}

Task<Norms> norms_of_tokens(std::shared_ptr<const model::Network> network) {
  Norms norms;
  if (!network) co_return norms;
  std::vector<float> row(network->config().d_model);
  for (std::size_t i = 0; i < network->config().n_vocab; ++i) {
    network->read_embedding(i, row.data());
    norms.add(row);
    if (i % 1024 == 0) co_await checkpoint();
  }
  co_return norms;
}

/// All published logits of a prompt, told by the first of them; `row` is empty where nothing could be run.
Claim claim_of(const PublishedLogits& published, std::span<const float> row) {
  Claim claim;
  claim.id = published.id;
  claim.text = published.text + ", and " + std::to_string(published.logits.size()) + " logits after it";
  claim.stated = published.logits.front().second;
  claim.convention = "shown is token " + std::to_string(published.logits.front().first) + "; float32, no BOS";
  if (row.empty()) {
    claim.needs = {"the whole checkpoint"};
    return claim;
  }
  double worst = 0;
  for (const auto& [id, stated] : published.logits)
    worst = std::max(worst, std::abs(static_cast<double>(row[static_cast<std::size_t>(id)]) - stated));
  claim.here = row[static_cast<std::size_t>(published.logits.front().first)];
  claim.holds = worst <= kLogitTolerance;
  claim.convention += ", all within " + to_text(kLogitTolerance) + ": max |Δ| " + to_fixed(worst, 5);
  return claim;
}

Task<Expected<void>> check_published(Inputs inputs, Output* out) {
  const Norms positions = norms_of_positions(inputs);
  const Norms tokens = co_await norms_of_tokens(inputs.network);
  for (const PublishedNorms& published : published_norms())
    add_norm_claims(published, published.tensor == std::string(kPositions) ? positions : tokens, out->claims);
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
      for (const auto& [id, stated] : published.logits)
        worst = std::max(worst, std::abs(static_cast<double>(row[static_cast<std::size_t>(id)]) - stated));
    }
    out->claims.push_back(claim_of(published, row));
  }
  if (inputs.network) out->worst_logit = {worst, "of " + std::to_string(published_logits().size()) + " prompts"};
  co_return Expected<void>();
}

Task<Expected<void>> check_engine(std::shared_ptr<model::Network> network, Output* out) {
  const Matrix<double> errors = co_await model::matrix_errors(network);
  out->product_error = {{errors.rows, errors.cols}, errors.data, 0};
  const bool eight = network->precision() == Precision::q8;
  out->worst_product = {errors.data.empty() ? 0 : *std::max_element(errors.data.begin(), errors.data.end()),
                        eight ? "one seeded row, its rounding to integers included" : "one seeded row, against double"};
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

/// The sizes of the open model, also where it cannot run.
std::optional<model::Config> config_of(const Inputs& inputs) {
  if (inputs.network) return inputs.network->config();
  if (!inputs.weights || !inputs.weights->header()) return std::nullopt;
  const auto config = model::make_config(*inputs.weights->header(), std::nullopt, inputs.provenance.model);
  return config ? std::optional(*config) : std::nullopt;
}

Task<Expected<protocol::Result>> run(ParamValues values, Inputs inputs) {
  Output out;
  co_await checkpoint();
  if (inputs.network) {
    const auto prepared = co_await inputs.network->prepare();
    if (!prepared) co_return prepared.error();
  }
  co_await checkpoint();
  const auto config = config_of(inputs);
  if (config && is_gpt2_small(*config)) {
    const auto done = co_await check_published(inputs, &out);
    if (!done) co_return done.error();
  } else {
    out.notes.push_back("The published numbers are of OpenAI's GPT-2 small, which this model is not by its sizes.");
  }
  count(out);
  const bool eight = inputs.network && inputs.network->precision() == Precision::q8;
  if (out.differ.value > 0)
    out.notes.push_back(
        eight ? "With weights of 8 bits the numbers are near the published ones, not at them: floats decide this."
              : "These weights have GPT-2 small's sizes but not its numbers: they are another model's, or changed.");
  out.convention = "published numbers within their printed digits";
  if (!inputs.network) {
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
