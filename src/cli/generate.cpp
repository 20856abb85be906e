#include "base/text.h"
#include "cli/forward.h"
#include "model/sampling.h"
#include "protocol/json.h"

namespace helix::cli {
namespace {

Expected<model::Sampling> sampling_from(const Options& options) {
  model::Sampling how;
  how.greedy = options.has("greedy");
  const auto real = [&](const char* name, double least, double most, double& into) -> Expected<void> {
    const std::string given = options.get(name);
    if (given.empty()) return {};
    const auto value = parse_real(given);
    if (!value || *value < least || *value > most)
      return Error{"--" + std::string(name) + " takes a number from " + to_text(least) + " to " + to_text(most) +
                   ", not " + in_quotes(given) + "."};
    into = *value;
    return {};
  };
  double top_k = 0, seed = 0;
  if (const auto ok = real("temperature", 0.001, 100, how.temperature); !ok) return ok.error();
  if (const auto ok = real("top-p", 0.000001, 1, how.top_p); !ok) return ok.error();
  if (const auto ok = real("top-k", 1, 1e9, top_k); !ok) return ok.error();
  if (const auto ok = real("seed", 0, 9e15, seed); !ok) return ok.error();
  how.top_k = static_cast<std::size_t>(top_k), how.seed = static_cast<std::uint64_t>(seed);
  return how;
}

}  // namespace

Outcome generate(const Options& options) {
  const auto count = parse_int(options.get("n"));
  if (options.get("model").empty() || !count || *count < 1) return misuse("generate needs --model PATH and -n N.");
  const auto how = sampling_from(options);
  if (!how) return misuse(how.error().sentence);
  auto ran = run_forward(options, Logits::last);
  if (!ran) return failure(ran.error().sentence);

  const helix::studies::Inputs& inputs = ran->opened.inputs;
  model::Asked asked;
  asked.tokens = ran->ready.prompt.ids, asked.edits = ran->ready.edits;
  std::vector<std::int32_t> fresh;
  std::string note;
  for (model::Sampler sampler(*how);;) {
    fresh.push_back(sampler.choose(ran->logits.row(0)));
    asked.tokens.push_back(fresh.back());
    if (fresh.size() == static_cast<std::size_t>(*count)) break;
    if (asked.tokens.size() > inputs.network->config().n_ctx) {
      note = "The model reads no further: its context is full.";
      break;
    }
    asked.logits_at = {asked.tokens.size() - 1};
    auto logits = run_to_end(model::forward(inputs.network, inputs.session, asked));
    if (!logits) return failure(logits.error().sentence);
    ran->logits = std::move(*logits);
  }
  const std::string text = inputs.tokenizer ? inputs.tokenizer->decode(fresh) : "";
  if (options.has("json"))
    return {protocol::dump(
                {{"prompt", ran->ready.prompt.ids}, {"tokens", fresh}, {"text", valid_utf8(text)}, {"note", note}}) +
                "\n",
            "", 0};
  std::string out = text;
  if (!inputs.tokenizer)
    for (const std::int32_t id : fresh) out += (out.empty() ? "" : ",") + std::to_string(id);
  return {out + "\n" + (note.empty() ? "" : note + "\n"), "", 0};
}

}  // namespace helix::cli
