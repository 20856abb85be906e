#include <cmath>
#include <utility>

#include "model/sampling.h"
#include "studies/continuation/continuation.h"
#include "studies/prompt_compute.h"

namespace helix::studies::continuation {
namespace {

std::vector<ModelNeeds> needs(const ParamValues&, const Known&) { return {}; }

model::Sampling sampling_of(const Params& params) {
  model::Sampling how;
  how.greedy = params.choice == Choice::greedy;
  how.temperature = params.temperature;
  how.top_k = static_cast<std::size_t>(params.top_k);
  how.top_p = params.top_p;
  how.seed = static_cast<std::uint64_t>(params.seed);
  return how;
}

/// Adds the token chosen from these logits.
void write(Output& out, const Inputs& inputs, std::span<const float> logits, std::int32_t id) {
  const std::vector<double> p = model::probabilities(logits);
  out.token.data.push_back(id);
  out.probability.data.push_back(p[static_cast<std::size_t>(id)]);
  out.entropy.data.push_back(model::entropy_nats(p));
  out.text.push_back(token_text(inputs, id));
  out.tokens.push_back({id, inputs.tokenizer ? std::string(inputs.tokenizer->bytes(id)) : std::string()});
  for (protocol::Grid* grid : {&out.token, &out.probability, &out.entropy})
    grid->shape = {grid->data.size()}, grid->first = 1;
  double surprise = 0;
  for (const double one : out.probability.data) surprise -= std::log(one);
  const auto written = static_cast<double>(out.token.data.size());
  out.written = {written, "at most as many as the model's context has room for"};
  if (std::isfinite(surprise))
    out.surprise = {surprise / written, "−ln p at temperature 1, mean over the generated tokens"};
  else
    out.surprise = {.note = "a generated token has the probability 0"};
}

Task<Expected<protocol::Result>> run(ParamValues values, Inputs inputs) {
  const auto params = read_params<Params>(values);
  auto ready = co_await make_ready(inputs);
  if (!ready) co_return ready.error();
  if (!ready->edits.causal)
    co_return Error{"Without the mask every token sees those after it, so no token can be added; switch no_mask off."};
  const checkpoint::Config& config = inputs.network->config();
  Output out;
  out.convention = ready->convention;
  out.notes = ready->prompt.notes;
  out.prompt_tokens = {static_cast<double>(ready->prompt.ids.size()), ready->convention};
  out.tokens = std::move(ready->prompt.tokens);
  out.edits = std::move(ready->specs);
  model::Asked asked;
  asked.tokens = std::move(ready->prompt.ids), asked.edits = std::move(ready->edits);
  model::Sampler sampler(sampling_of(params));
  for (int step = 0; step < params.count; ++step) {
    asked.logits_at.assign(1, asked.tokens.size() - 1);
    auto logits = co_await model::forward(inputs.network, inputs.session, asked);
    if (!logits) co_return logits.error();
    const std::int32_t id = sampler.choose(logits->row(0));
    write(out, inputs, logits->row(0), id);
    asked.tokens.push_back(id);
    if (const auto most = model::most_tokens(asked.edits, config); asked.tokens.size() > most.count) {
      out.notes.push_back(most.why + ", so generation stops here.");
      break;
    }
    if (step + 1 < params.count) {
      out.complete = false;
      inputs.on_first_picture(to_result(describe(), values, provenance_of(inputs), out));
      co_await pause_point(step + 1, params.count, "writing");
    }
  }
  out.complete = true;
  co_return to_result(describe(), values, provenance_of(inputs), out);
}

}  // namespace

ComputeStudy compute_study() { return {describe(), needs, run}; }

}  // namespace helix::studies::continuation
