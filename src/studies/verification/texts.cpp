#include "studies/verification/texts.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "base/text.h"
#include "model/sampling.h"
#include "studies/known_model_compute.h"
#include "studies/verification/published.h"

namespace helix::studies::verification {
namespace {

using protocol::Claim;
using Ids = std::vector<std::int32_t>;

/// A text's tokens in the open model's vocabulary; nothing where it has none.
std::optional<Ids> tokens_of(const Context& context, const KnownText& text) {
  if (has_published_sizes(context)) return text.tokens;
  const auto& tokenizer = context.inputs().tokenizer;
  if (!tokenizer) return std::nullopt;
  return tokenizer->encode(text.text);
}

std::optional<std::int32_t> bos_of(const Context& context) {
  if (has_published_sizes(context)) return kGpt2Bos;
  const auto& tokenizer = context.inputs().tokenizer;
  return tokenizer ? tokenizer->end_of_text() : std::nullopt;
}

/// BOS and the texts, one after the other.
std::optional<Ids> after_bos(const Context& context, const std::vector<KnownText>& texts) {
  const auto bos = bos_of(context);
  if (!bos) return std::nullopt;
  Ids all{*bos};
  for (const KnownText& text : texts) {
    const auto ids = tokens_of(context, text);
    if (!ids) return std::nullopt;
    all.insert(all.end(), ids->begin(), ids->end());
  }
  return all;
}

/// A runner with a session of its own: the page's keeps the visitor's text.
Runner own_runner(Context& context) {
  static_cast<void>(context.runner());  // the result names the network that ran
  Inputs own = context.inputs();
  own.session = std::make_shared<model::Sessions>();
  own.subject = Subject();
  return Runner(std::move(own));
}

Claim undefined(const std::string& id, std::string why) { return {id, std::nullopt, std::nullopt, {}, std::move(why)}; }

constexpr const char* kNoTokens = "this model's vocabulary is not at hand, or has no BOS";

Claim judged(const std::string& id, double here, double within, std::string convention) {
  if (!std::isfinite(here)) return undefined(id, "it is not a number here");
  const double apart = std::abs(here - stated(id));
  return {id, here, apart <= within, {}, std::move(convention) + "; holds within " + to_text(within)};
}

// ---- losses

std::string convention_of(const PublishedLoss& published, std::size_t predicted) {
  std::string text = "BOS in front, mean of −ln p over " + std::to_string(predicted) + " predicted tokens";
  if (!published.edit.empty())
    text +=
        ", output of head 0.8 set to zero, as it is without values; with b_V folded into b_O, as TransformerLens does "
        "by "
        "default, b_V would stay and the loss of GPT-2 small would be 5.453";
  return text;
}

Task<Expected<Claim>> loss_claim(const Context* context, Runner* runner, const PublishedLoss* published) {
  const checkpoint::Config& config = context->inputs().network->config();
  const auto ids = after_bos(*context, {published->text});
  if (!ids) co_return undefined(published->id, kNoTokens);
  if (ids->size() > config.n_ctx)
    co_return undefined(published->id,
                        "the text has " + std::to_string(ids->size()) + " tokens, more than this model reads");
  if (!published->edit.empty() && config.n_head <= 8) co_return undefined(published->id, "this model has no head 0.8");
  Subject subject;
  subject.tokens = *ids;
  if (!published->edit.empty()) subject.edits = {{published->edit, true}};
  auto text = co_await runner->prepare(std::move(subject));
  if (!text) co_return text.error();
  WantedLoss wanted;
  wanted.once = true;
  const auto loss = co_await runner->loss(std::move(*text), std::move(wanted));
  if (!loss) co_return loss.error();
  co_return judged(published->id, loss->mean(), published->within, convention_of(*published, ids->size() - 1));
}

// ---- names

/// The logits after the last token.
Task<Expected<std::vector<float>>> last_logits(Runner* runner, Ids ids) {
  Wanted wanted;
  wanted.logits_at = {ids.size() - 1}, wanted.once = true;
  auto ran = co_await runner->run(std::move(ids), model::Interventions(), std::move(wanted));
  if (!ran) co_return ran.error();
  co_return std::move(ran->logits.data);
}

/// The likeliness of the name that is given something, less that of the giver's; NaN where a name is not one token.
Task<Expected<double>> name_difference(const Context* context, Runner* runner, const NamePair* pair,
                                       std::size_t giver) {
  const KnownText &gives = pair->names[giver], &given = pair->names[1 - giver];
  const auto ids = after_bos(*context, {pair->before, gives, pair->after});
  const auto wrong = tokens_of(*context, gives), right = tokens_of(*context, given);
  if (!ids || !wrong || !right || wrong->size() != 1 || right->size() != 1 ||
      ids->size() > context->inputs().network->config().n_ctx)
    co_return std::nan("");
  const auto logits = co_await last_logits(runner, *ids);
  if (!logits) co_return logits.error();
  const auto of = [&](const Ids& one) { return static_cast<double>((*logits)[static_cast<std::size_t>(one.front())]); };
  co_return of(*right) - of(*wrong);
}

Task<Expected<Claim>> names_claim(const Context* context, Runner* runner, Output* out) {
  double sum = 0, count = 0;
  for (const NamePair& pair : name_pairs())
    for (std::size_t giver = 0; giver < 2; ++giver) {
      const auto difference = co_await name_difference(context, runner, &pair, giver);
      if (!difference) co_return difference.error();
      out->name_prompt.push_back(pair.before.text + pair.names[giver].text + pair.after.text);
      out->name_difference.data.push_back(*difference);
      if (std::isfinite(*difference)) sum += *difference, ++count;
    }
  const std::size_t all = out->name_prompt.size();
  out->name_difference.shape = {all};
  if (count < static_cast<double>(all))
    co_return undefined("TL-names", "in " + number_text(static_cast<double>(all) - count, 0) + " of the " +
                                        std::to_string(all) +
                                        " prompts a name is not one token here, or its logit is no number");
  co_return judged(
      "TL-names", sum / count, kNamesTolerance,
      "BOS in front, mean over " + std::to_string(all) +
          " prompts; they are pairs in which the names change places, so with the names exchanged the same "
          "number has the other sign");
}

// ---- greedy generation

Task<Expected<Claim>> greedy_claim(const Context* context, Runner* runner, Output* out) {
  auto ids = tokens_of(*context, dog());
  if (!ids || ids->empty()) co_return undefined("HF-greedy", kNoTokens);
  const Ids& published = published_greedy();
  const std::size_t most = context->inputs().network->config().n_ctx;
  for (std::size_t step = 0; step < published.size() && ids->size() < most; ++step) {
    const auto logits = co_await last_logits(runner, *ids);
    if (!logits) co_return logits.error();
    ids->push_back(model::top_ids(*logits, 1).front());
    out->greedy.data.push_back(ids->back());
  }
  out->greedy.shape = {out->greedy.data.size()}, out->greedy.first = 1;
  if (!has_published_sizes(*context)) co_return undefined("HF-greedy", "no BOS; this model's ids mean other tokens");
  std::size_t same = 0;
  while (same < out->greedy.data.size() && out->greedy.data[same] == published[same]) ++same;
  co_return judged("HF-greedy", static_cast<double>(same), 0.5,
                   "no BOS; counted are the tokens up to the first that differs");
}

constexpr const char* kNeedRun[] = {"TL-hello", "TL-tasks", "TL-tasks-0.8", "TL-names", "HF-greedy"};

}  // namespace

double stated(const std::string& id) {
  static const Claims declared = declared_claims();
  return *std::ranges::find(declared, id, &ClaimSpec::id)->stated;
}

bool has_published_sizes(const Context& context) {
  const auto config = config_of(context.inputs());
  return config && has_gpt2_small_sizes(*config);
}

Task<Expected<void>> compare_texts(Context* context, Output* out) {
  if (!context->inputs().network) {
    for (const char* id : kNeedRun) out->claims.push_back({id, std::nullopt, std::nullopt, {kWhole}, "float32"});
    co_return Expected<void>();
  }
  Runner runner = own_runner(*context);
  for (const PublishedLoss& published : published_losses()) {
    auto claim = co_await loss_claim(context, &runner, &published);
    if (!claim) co_return claim.error();
    out->claims.push_back(std::move(*claim));
  }
  auto names = co_await names_claim(context, &runner, out);
  if (!names) co_return names.error();
  out->claims.push_back(std::move(*names));
  auto greedy = co_await greedy_claim(context, &runner, out);
  if (!greedy) co_return greedy.error();
  out->claims.push_back(std::move(*greedy));
  co_return Expected<void>();
}

}  // namespace helix::studies::verification
