#include "base/text.h"
#include "studies/prompt_compute.h"
#include "studies/tokens/tokens.h"

namespace helix::studies::tokens {
namespace {

std::vector<ModelNeeds> needs(const ParamValues&, const Known&) { return {}; }

Output outputs_of(const Inputs& inputs, Prompt prompt) {
  Output out;
  out.convention = inputs.subject.bos ? "with BOS" : "no BOS";
  out.notes = std::move(prompt.notes);
  out.count = {static_cast<double>(prompt.ids.size()), out.convention};
  std::size_t bytes = 0, of_text = 0;
  for (std::size_t i = 0; i < prompt.tokens.size(); ++i) {
    const protocol::Token& token = prompt.tokens[i];
    out.id.data.push_back(token.id);
    out.text.push_back(token_text(inputs, token.id));
    out.bytes.push_back(to_hex(token.bytes));
    if (i == 0 && inputs.subject.bos) continue;
    bytes += token.bytes.size(), ++of_text;
  }
  out.id.shape = {out.id.data.size()};
  if (of_text > 0 && inputs.tokenizer)
    out.bytes_per_token = {static_cast<double>(bytes) / static_cast<double>(of_text), "UTF-8, without BOS"};
  else
    out.bytes_per_token.note = "needs a text and a vocabulary";
  out.tokens = std::move(prompt.tokens);
  return out;
}

Task<Expected<protocol::Result>> run(ParamValues values, Inputs inputs) {
  co_await pause_point();
  auto prompt = read_prompt(inputs, 0);
  if (!prompt) co_return prompt.error();
  co_await pause_point();
  protocol::Provenance provenance = inputs.provenance;
  provenance.arithmetic = "tokens";
  co_return to_result(describe(), values, provenance, outputs_of(inputs, std::move(*prompt)));
}

}  // namespace

ComputeStudy compute_study() { return {describe(), needs, run}; }

}  // namespace helix::studies::tokens
