#include <cmath>
#include <numbers>

#include "base/text.h"
#include "model/sampling.h"
#include "studies/predictions/predictions.h"
#include "studies/prompt_compute.h"

namespace helix::studies::predictions {
namespace {

std::vector<ModelNeeds> needs(const ParamValues&, const Known&) { return {}; }

Output outputs_of(const Inputs& inputs, const Params& params, std::span<const float> logits, std::size_t position) {
  Output out;
  const std::vector<double> p = model::probabilities(logits, params.temperature);
  const double nats = model::entropy_nats(p);
  out.entropy_nats = {nats, "−Σ p·ln p over the whole vocabulary"};
  out.entropy_bits = {nats / std::numbers::ln2, "the same, base 2"};
  out.position = {static_cast<double>(position), "counted from 0, BOS included"};
  double sum = 0;
  for (const std::int32_t id : model::top_ids(logits, static_cast<std::size_t>(params.top))) {
    const auto at = static_cast<std::size_t>(id);
    out.token.data.push_back(id);
    out.probability.data.push_back(p[at]);
    out.logit.data.push_back(logits[at]);
    out.text.push_back(token_text(inputs, id));
    out.bytes.push_back(inputs.tokenizer ? to_hex(inputs.tokenizer->bytes(id)) : "");
    sum += p[at];
  }
  out.listed = {sum, "of the whole vocabulary's 1"};
  for (protocol::Grid* grid : {&out.token, &out.probability, &out.logit})
    grid->shape = {grid->data.size()}, grid->first = 1;
  return out;
}

Task<Expected<protocol::Result>> run(ParamValues values, Inputs inputs) {
  const auto params = read_params<Params>(values);
  auto ready = co_await make_ready(inputs);
  if (!ready) co_return ready.error();
  const std::size_t last = ready->prompt.ids.size() - 1;
  const bool beyond = params.position > static_cast<int>(last);
  const std::size_t position = params.position < 0 || beyond ? last : static_cast<std::size_t>(params.position);
  model::Asked asked;
  asked.tokens = ready->prompt.ids, asked.edits = ready->edits;
  asked.logits_at.push_back(position);
  auto logits = co_await model::forward(inputs.network, inputs.session, std::move(asked));
  if (!logits) co_return logits.error();
  Output out = outputs_of(inputs, params, logits->row(0), position);
  out.convention = ready->convention;
  if (params.temperature != 1) out.convention += ", temperature " + to_text(params.temperature);
  out.notes = ready->prompt.notes;
  if (beyond)
    out.notes.push_back("The prompt ends at position " + std::to_string(last) +
                        ", so the prediction is the one after that.");
  out.tokens = std::move(ready->prompt.tokens);
  out.edits = std::move(ready->specs);
  co_return to_result(describe(), values, provenance_of(inputs), out);
}

}  // namespace

ComputeStudy compute_study() { return {describe(), needs, run}; }

}  // namespace helix::studies::predictions
