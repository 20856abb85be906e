#include "studies/prompt_compute.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "base/utf8.h"
#include "model/edits.h"

namespace helix::studies {
namespace {

/// The active edits, in order. Inactive ones are not checked: they must not block a run.
Expected<model::Edits> read_edits(const Subject& subject) {
  model::Edits edits;
  for (const Edit& edit : subject.edits) {
    if (!edit.on) continue;
    auto parsed = parse_edit(edit.spec);
    if (!parsed) return parsed.error();
    edits.emplace_back(edit.spec, std::move(*parsed));
  }
  return edits;
}

model::EditedText edited_text(const Inputs& inputs, std::vector<std::int32_t> ids) {
  model::EditedText text{std::move(ids), {}, {}};
  if (!inputs.tokenizer) return text;
  text.bos = inputs.tokenizer->end_of_text();
  if (const auto hello = inputs.tokenizer->encode("hello"); !hello.empty()) text.filler = hello.front();
  return text;
}

/// The other side of a comparison, ready to be run for its values. Its own edits that would take values from this side
/// are left out.
std::optional<Inputs> inputs_of_other(const Inputs& inputs, const model::Edits& edits) {
  if (inputs.subject.other.empty() || std::ranges::none_of(edits, [](const auto& e) { return from_other(e.second); }))
    return std::nullopt;
  Inputs other = inputs;
  other.subject = inputs.subject.other.front();
  other.subject.other.clear(), other.more.clear();
  std::erase_if(other.subject.edits, [](const Edit& edit) {
    const auto parsed = parse_edit(edit.spec);
    return parsed && from_other(*parsed);
  });
  return other;
}

std::string convention_of(const Prompt& prompt, const Subject& subject, const std::vector<std::string>& specs) {
  std::string text = std::to_string(prompt.ids.size()) + (prompt.ids.size() == 1 ? " token, " : " tokens, ") +
                     (subject.bos ? "with BOS" : "no BOS");
  return specs.empty() ? text : text + ", edits: " + join(specs, ", ");
}

}  // namespace

Expected<Prompt> read_prompt(const Inputs& inputs, std::size_t most) {
  const Subject& subject = inputs.subject;
  Prompt prompt;
  prompt.ids = subject.tokens;
  if (prompt.ids.empty()) {
    if (!inputs.tokenizer) return Error{inputs.no_tokenizer};
    prompt.ids = inputs.tokenizer->encode(subject.prompt);
  }
  const std::size_t bos = subject.bos ? 1 : 0;
  if (most > 0 && prompt.ids.size() + bos > most) {
    const auto count = [](std::size_t n) { return with_thousands(static_cast<long long>(n)); };
    const std::size_t left_out = prompt.ids.size() + bos - most;
    const std::string sentence =
        "The prompt has " + count(prompt.ids.size() + bos) + " tokens and this model reads at most " + count(most);
    if (!subject.keep_last) return Error{sentence + ".", Remedy::keep_last};
    prompt.notes.push_back(sentence + ": its first " + count(left_out) + " are left out.");
    prompt.ids.erase(prompt.ids.begin(), prompt.ids.begin() + static_cast<std::ptrdiff_t>(left_out));
  }
  if (bos) {
    const auto id = inputs.tokenizer ? inputs.tokenizer->end_of_text() : std::nullopt;
    if (!id)
      return Error{inputs.tokenizer
                       ? "This model's vocabulary has no <|endoftext|>, so there is no BOS to put in front."
                       : inputs.no_tokenizer};
    prompt.ids.insert(prompt.ids.begin(), *id);
  }
  if (prompt.ids.empty()) return Error{"The prompt is empty: type some text, or switch BOS on."};
  for (const std::int32_t id : prompt.ids)
    prompt.tokens.push_back({id, inputs.tokenizer ? std::string(inputs.tokenizer->bytes(id)) : std::string()});
  return prompt;
}

std::vector<std::int32_t> tokens_of_edits(const Inputs& inputs) {
  const auto edits = read_edits(inputs.subject);
  if (!edits) return {};
  std::vector<std::int32_t> tokens = model::tokens_of_edits(*edits, edited_text(inputs, {}));
  if (const auto other = inputs_of_other(inputs, *edits)) {
    if (const auto prompt = read_prompt(*other, 0)) tokens.insert(tokens.end(), prompt->ids.begin(), prompt->ids.end());
    std::ranges::copy(tokens_of_edits(*other), std::back_inserter(tokens));
  }
  return tokens;
}

Task<Expected<Ready>> make_ready(Inputs inputs, bool logits) {
  if (!inputs.network) co_return Error{inputs.no_network};
  const checkpoint::Config& config = inputs.network->config();
  const auto edits = read_edits(inputs.subject);
  if (!edits) co_return edits.error();
  auto prompt = read_prompt(inputs, config.n_ctx);
  if (!prompt) co_return prompt.error();
  if (const auto fit = model::check_edits(*edits, config, prompt->ids.size()); !fit) co_return fit.error();
  for (std::string& note : model::idle_notes(*edits, config, prompt->ids.size()))
    prompt->notes.push_back(std::move(note));
  model::EditedText text = edited_text(inputs, prompt->ids);
  if (auto other = inputs_of_other(inputs, *edits)) {
    auto ready = co_await make_ready(std::move(*other), false);
    if (!ready) co_return Error{"The other side: " + ready.error().sentence, ready.error().remedy};
    std::string key = run_key(*ready);
    text.other = model::OtherRun{std::move(ready->prompt.ids), std::move(ready->edits), std::move(key)};
  }
  model::PassNeeds need{logits, prompt->ids};
  std::ranges::copy(model::tokens_of_edits(*edits, text), std::back_inserter(need.tokens));
  const auto prepared = co_await inputs.network->prepare(need);
  if (!prepared) co_return prepared.error();
  co_await pause_point();
  auto run = co_await model::interventions(inputs.network, *edits, text);
  if (!run) co_return run.error();
  Ready ready{std::move(*prompt), std::move(*run), {}, {}};
  for (const auto& [spec, edit] : *edits) ready.specs.push_back(spec);
  ready.convention = convention_of(ready.prompt, inputs.subject, ready.specs);
  co_return ready;
}

std::string run_key(const Ready& ready) {
  std::string key = model::prefix_key(ready.edits);
  for (const model::Tap& tap : ready.edits.taps) key += "|" + tap.key;
  for (const model::BiasChange& bias : ready.edits.biases) key += "|" + bias.key;
  for (const std::int32_t id : ready.prompt.ids) key += " " + std::to_string(id);
  return key;
}

std::string token_text(const Inputs& inputs, std::int32_t id) {
  return inputs.tokenizer ? shown_bytes(inputs.tokenizer->bytes(id)) : "token " + std::to_string(id);
}

protocol::Provenance provenance_of(const Inputs& inputs) {
  protocol::Provenance provenance = inputs.provenance;
  provenance.precision = inputs.network->precision_text();
  const bool q8 = inputs.network->precision() == Precision::q8;
  provenance.arithmetic = q8 ? "int8 products, float32 sums" : "float32";
  provenance.kernels = q8 ? inputs.network->kernels().q8.name : inputs.network->kernels().name;
  if (const std::size_t threads = inputs.network->threads().count(); threads > 1)
    provenance.kernels += ", " + std::to_string(threads) + " threads";
  return provenance;
}

}  // namespace helix::studies
