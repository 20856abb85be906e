#include "studies/prompt_compute.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "base/utf8.h"
#include "model/edits.h"
#include "studies/positions_compute.h"

namespace helix::studies {
namespace {

using Edits = std::vector<std::pair<std::string, ParsedEdit>>;

/// The active edits, in order. Inactive ones are not checked: they must not block a run.
Expected<Edits> read_edits(const Subject& subject) {
  Edits edits;
  for (const Edit& edit : subject.edits) {
    if (!edit.on) continue;
    auto parsed = parse_edit(edit.spec);
    if (!parsed) return parsed.error();
    edits.emplace_back(edit.spec, std::move(*parsed));
  }
  return edits;
}

std::string convention_of(const Prompt& prompt, const Subject& subject, const std::vector<std::string>& specs) {
  std::string text = std::to_string(prompt.ids.size()) + (prompt.ids.size() == 1 ? " token, " : " tokens, ") +
                     (subject.bos ? "with BOS" : "no BOS");
  return specs.empty() ? text : text + ", edits: " + join(specs, ", ");
}

/// The table of positions after the edits; null if none changes it. Kept by the edits' text: to make it can take longer
/// than the pass that follows.
Task<Expected<std::shared_ptr<const Matrix<float>>>> kept_positions(Inputs inputs, Edits edits) {
  std::string key = "positions";
  std::erase_if(edits, [](const auto& edit) { return !edits_positions(edit.second.kind); });
  if (edits.empty()) co_return nullptr;
  for (const auto& [spec, edit] : edits) key += " " + spec;
  if (auto known = inputs.store->find<Matrix<float>>(inputs.network, key)) co_return known;
  auto made = co_await edited_positions(inputs.network, edits);
  inputs.store->keep<Matrix<float>>(inputs.network, std::move(key), made);
  co_return made;
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

Task<Expected<Ready>> make_ready(Inputs inputs, bool logits) {
  if (!inputs.network) co_return Error{inputs.no_network};
  const checkpoint::Config& config = inputs.network->config();
  const auto edits = read_edits(inputs.subject);
  if (!edits) co_return edits.error();
  auto prompt = read_prompt(inputs, config.n_ctx);
  if (!prompt) co_return prompt.error();
  auto run = model::interventions(*edits, config, prompt->ids.size());
  if (!run) co_return run.error();
  const model::PassNeeds need{logits, prompt->ids};
  const auto prepared = co_await inputs.network->prepare(need);
  if (!prepared) co_return prepared.error();
  co_await pause_point();
  auto table = co_await kept_positions(inputs, *edits);
  if (!table) co_return table.error();
  run->positions = std::move(*table);
  Ready ready{std::move(*prompt), std::move(*run), {}, {}};
  for (const auto& [spec, edit] : *edits) ready.specs.push_back(spec);
  ready.convention = convention_of(ready.prompt, inputs.subject, ready.specs);
  co_return ready;
}

std::string run_key(const Ready& ready) {
  std::string key = model::prefix_key(ready.edits);
  for (const model::Tap& tap : ready.edits.taps) key += "|" + tap.key;
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
