// One pass; the output head reads every position but the last for the token that follows. With edits a second pass without
// them says how far the predictions moved.
#include "studies/surprise/surprise.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "studies/context_compute.h"

namespace helix::studies::surprise {
namespace {

protocol::Quantity mean_of(const std::vector<double>& values, const std::string& none) {
  if (values.empty()) return {.note = none};
  double sum = 0;
  for (const double x : values) sum += x;
  const double mean = sum / static_cast<double>(values.size());
  if (!std::isfinite(mean)) return {.note = "a token has no loss that is a number"};
  return {mean, "mean over " + std::to_string(values.size()) + (values.size() == 1 ? " token" : " tokens")};
}

protocol::Grid column(std::vector<double> values) { return {{values.size()}, std::move(values), 1}; }

/// Whether each token but the first is one that occurred before, and what the two kinds cost.
void add_repeats(Output& out, const std::vector<std::int32_t>& ids) {
  std::vector<double> first, again;
  for (std::size_t i = 1; i < ids.size(); ++i) {
    const auto here = ids.begin() + static_cast<std::ptrdiff_t>(i);
    (std::find(ids.begin(), here, ids[i]) == here ? first : again).push_back(out.loss.data[i - 1]);
  }
  out.first_nats = mean_of(first, "every token occurred before");
  out.again_nats = mean_of(again, "no token occurs twice");
}

Output outputs_of(const TextLoss& loss, const std::vector<std::int32_t>& ids, const Inputs& inputs) {
  Output out;
  std::vector<double> nats, tokens;
  for (const double log_p : loss.log_probability) nats.push_back(0 - log_p);
  for (std::size_t i = 1; i < ids.size(); ++i) {
    tokens.push_back(ids[i]);
    out.text.push_back(token_text(inputs, ids[i]));
  }
  out.loss = column(std::move(nats)), out.token = column(std::move(tokens));
  const std::vector<double>& all = out.loss.data;
  out.mean_nats = mean_of(all, "");
  const double mean = out.mean_nats.value, perplexity = std::exp(mean);
  out.mean_bits = {mean / std::numbers::ln2, out.mean_nats.note};
  out.perplexity = std::isfinite(perplexity) ? protocol::Quantity{perplexity, "exp of the mean loss in nats"}
                                             : protocol::Quantity{.note = "too large, or the loss is not a number"};
  const auto vocabulary = inputs.network->config().n_vocab;
  out.uniform_nats = {std::log(static_cast<double>(vocabulary)), "ln " + std::to_string(vocabulary)};
  out.most_bits.note = out.most.note = out.mean_nats.note;
  if (std::isfinite(mean)) {
    const auto most = std::ranges::max_element(all);
    out.most_bits = {*most / std::numbers::ln2, "−log₂ p"};
    out.most = {static_cast<double>(most - all.begin() + 1), "counted from 0, BOS included"};
  }
  add_repeats(out, ids);
  out.kl_nats.note = "nothing is edited";
  return out;
}

Task<Expected<Output>> compute(Params, Context& context) {
  const auto text = co_await context.runner().prepare();
  if (!text) co_return text.error();
  if (text->prompt.ids.size() < 2)
    co_return Error{"A single token has nothing before it that could predict it: type at least two, or switch BOS on."};
  const auto loss = co_await context.runner().loss(*text);
  if (!loss) co_return loss.error();
  Output out = outputs_of(*loss, text->prompt.ids, context.inputs());
  context.describe_text(*text, out);
  if (!text->edits.causal) context.note(say("note.no_mask"));
  if (text->specs.empty()) co_return std::move(out);
  context.first_picture(out);
  Subject plain = context.inputs().subject;
  plain.edits.clear();
  const auto before = co_await context.runner().prepare(plain);
  if (!before) co_return before.error();
  auto kl = co_await context.runner().divergence(*before, *text);
  if (!kl) co_return kl.error();
  kl->pop_back();  // after the last token there is none to be predicted
  out.kl_nats = mean_of(*kl, "");
  if (std::isfinite(out.kl_nats.value)) out.kl_nats.note = "KL(p without edits ‖ p with them), " + out.kl_nats.note;
  out.kl = column(std::move(*kl));
  co_return std::move(out);
}

}  // namespace

ComputeStudy compute_study() { return study_of<describe, compute>(); }

}  // namespace helix::studies::surprise
