// The output head: logits of a pass against sums in double precision over the token embeddings, and their softmax.
#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "model/sampling.h"
#include "studies/verification/texts.h"

namespace helix::studies::verification {
namespace {

constexpr std::size_t kTokens = 8;  // of a text that any vocabulary has
constexpr double kNear = 1e-4;      // of the largest logit: sums of float32
constexpr double kNearOne = 1e-9;

/// A pass over a few tokens: the row after ln_f that the output head reads, and the logits that it gives.
struct End {
  std::vector<float> x, logits;
};

Task<Expected<End>> run_few(Context* context) {
  const auto network = context->inputs().network;
  const checkpoint::Config& config = network->config();
  std::vector<std::int32_t> ids;
  for (std::size_t i = 0; i < std::min(kTokens, config.n_ctx); ++i)
    ids.push_back(static_cast<std::int32_t>(i * 7919 % config.n_vocab));
  const std::size_t last = ids.size() - 1;
  Wanted wanted;
  wanted.hooks = {{model::HookKind::resid_post, config.n_layer - 1}};
  wanted.logits_at = {last}, wanted.once = true;
  auto ran = co_await context->runner().run(std::move(ids), model::Interventions(), std::move(wanted));
  if (!ran) co_return ran.error();
  const std::vector<float>& rows = ran->kept.front().data();
  const MatrixView<const float> row(rows.data() + last * config.d_model, 1, config.d_model);
  End end;
  end.x = model::final_norm(*network, row).data;
  end.logits = std::move(ran->logits.data);
  co_return std::move(end);
}

/// The largest |logit − E·x|.
Task<double> farthest(const model::Network* network, const End* end) {
  std::vector<float> e(network->config().d_model);
  double worst = 0;
  for (std::size_t id = 0; id < network->config().n_vocab; ++id) {
    network->read_embedding(id, e.data());
    double sum = 0;
    for (std::size_t j = 0; j < e.size(); ++j) sum += static_cast<double>(e[j]) * static_cast<double>(end->x[j]);
    const double apart = std::abs(sum - static_cast<double>(end->logits[id]));
    worst = std::isnan(apart) ? apart : std::max(worst, apart);
    if (id % 1024 == 0) co_await pause_point();
  }
  co_return worst;
}

double largest(const std::vector<float>& logits) {
  double most = 0;
  for (const float x : logits) most = std::max(most, std::abs(static_cast<double>(x)));
  return most;
}

}  // namespace

Task<Expected<void>> check_head(Context* context, Output* out) {
  const auto network = context->inputs().network;
  protocol::Claim claim{"F3", std::nullopt, std::nullopt, {}, ""};
  if (!network) {  // without a convention, so that the table of claims prefers a model that can run
    claim.needs = {kWhole};
    out->head_error.note = "needs a model that can run";
    out->claims.push_back(std::move(claim));
    co_return Expected<void>();
  }
  claim.convention = "after " + std::to_string(kTokens) + " tokens, no BOS";
  const auto end = co_await run_few(context);
  if (!end) co_return end.error();
  double sum = 0;
  for (const double p : model::probabilities(end->logits)) sum += p;
  if (std::isfinite(sum)) claim.here = sum;
  if (!std::isfinite(sum)) {
    out->head_error.note = "the logits are not numbers";
    claim.convention += "; " + out->head_error.note;
  } else if (!network->config().tied_head) {
    out->head_error.note = "this model's output matrix is not its token embeddings";
    claim.convention += "; " + out->head_error.note + ", so only the softmax is checked";
  } else {
    const double worst = co_await farthest(network.get(), &*end);
    const double most = largest(end->logits);
    out->head_error = {most > 0 ? worst / most : worst, "of the largest logit, after a short text"};
    const bool eight = network->precision() == Precision::q8;
    if (!eight) claim.holds = out->head_error.value <= kNear && std::abs(sum - 1) <= kNearOne;
    claim.convention += "; the logits are within " + number_text(worst, 6) +
                        " of E·x in double precision, the largest is " + number_text(most, 2);
    if (eight) claim.convention += "; in 8 bits the rows are rounded, so it is not judged";
  }
  out->claims.push_back(std::move(claim));
  co_return Expected<void>();
}

}  // namespace helix::studies::verification
