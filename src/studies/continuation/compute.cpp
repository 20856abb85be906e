#include <cmath>
#include <utility>

#include "model/sampling.h"
#include "studies/context_compute.h"
#include "studies/continuation/continuation.h"

namespace helix::studies::continuation {
namespace {

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

Task<Expected<Output>> compute(Params params, Context& context) {
  const auto text = co_await context.runner().prepare();
  if (!text) co_return text.error();
  if (!text->edits.causal)
    co_return Error{"Without the mask every token sees those after it, so no token can be added; switch no_mask off."};
  const checkpoint::Config& config = context.inputs().network->config();
  Output out;
  context.describe_text(*text, out);
  out.prompt_tokens = {static_cast<double>(text->prompt.ids.size()), text->convention};
  std::vector<std::int32_t> ids = text->prompt.ids;
  model::Sampler sampler(sampling_of(params));
  for (int step = 0; step < params.count; ++step) {
    Wanted wanted;
    wanted.logits_at = {ids.size() - 1};
    const auto ran = co_await context.runner().run(ids, text->edits, std::move(wanted));
    if (!ran) co_return ran.error();
    const std::int32_t id = sampler.choose(ran->logits.row(0));
    write(out, context.inputs(), ran->logits.row(0), id);
    ids.push_back(id);
    if (const auto most = model::most_tokens(text->edits, config); ids.size() > most.count) {
      context.note(say("note.stops", {{"why", most.why}}));
      break;
    }
    if (step + 1 < params.count) {
      context.first_picture(out);
      co_await pause_point(step + 1, params.count, "writing");
    }
  }
  co_return std::move(out);
}

}  // namespace

ComputeStudy compute_study() { return study_of<describe, compute>(); }

}  // namespace helix::studies::continuation
