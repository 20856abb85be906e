#include <cmath>
#include <numbers>

#include "base/text.h"
#include "model/sampling.h"
#include "studies/context_compute.h"
#include "studies/predictions/predictions.h"

namespace helix::studies::predictions {
namespace {

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

/// The likeliest token without the edits, as the note of its probability.
Task<Expected<protocol::Quantity>> intact(const Params& params, Context& context, std::size_t position) {
  Subject subject = context.inputs().subject;
  subject.edits.clear(), subject.other.clear();
  const auto text = co_await context.runner().prepare(std::move(subject));
  if (!text) co_return text.error();
  Wanted wanted;
  wanted.logits_at = {position};
  const auto ran = co_await context.runner().run(*text, std::move(wanted));
  if (!ran) co_return ran.error();
  const std::span<const float> logits = ran->logits.row(0);
  const std::int32_t id = model::top_ids(logits, 1)[0];
  const double p = model::probabilities(logits, params.temperature)[static_cast<std::size_t>(id)];
  co_return protocol::Quantity{p, token_text(context.inputs(), id)};
}

Task<Expected<Output>> compute(Params params, Context& context) {
  const auto text = co_await context.runner().prepare();
  if (!text) co_return text.error();
  const std::size_t last = text->prompt.ids.size() - 1;
  const bool beyond = params.position > static_cast<int>(last);
  const std::size_t position = params.position < 0 || beyond ? last : static_cast<std::size_t>(params.position);
  Wanted wanted;
  wanted.logits_at = {position};
  const auto ran = co_await context.runner().run(*text, std::move(wanted));
  if (!ran) co_return ran.error();
  Output out = outputs_of(context.inputs(), params, ran->logits.row(0), position);
  out.intact.note = "there are no edits";
  if (!text->specs.empty()) {
    auto without = co_await intact(params, context, position);
    if (!without) co_return without.error();
    out.intact = std::move(*without);
  }
  context.describe_text(*text, out);
  if (params.temperature != 1) out.convention += ", temperature " + to_text(params.temperature);
  if (beyond) context.note(say("note.end", {{"last", std::to_string(last)}}));
  co_return std::move(out);
}

}  // namespace

ComputeStudy compute_study() { return study_of<describe, compute>(); }

}  // namespace helix::studies::predictions
