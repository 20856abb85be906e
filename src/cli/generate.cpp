// The study of continuation as a text generator: prints one text and has the usual options.
#include "base/text.h"
#include "cli/opened.h"
#include "protocol/json.h"
#include "studies/registry_compute.h"

namespace helix::cli {
namespace {

using protocol::Json;

Expected<ParamValues> params_from(const StudySchema& schema, const Options& options) {
  ParamValues values = defaults(schema);
  const auto set = [&](const char* key, const std::string& text) { return set_value(schema, values, key, text, true); };
  if (const auto ok = set("choice", options.has("greedy") ? "greedy" : "sampled"); !ok) return ok.error();
  for (const auto& [option, key] :
       {std::pair("n", "count"), std::pair("temperature", "temperature"), std::pair("top-k", "top_k"),
        std::pair("top-p", "top_p"), std::pair("seed", "seed")})
    if (const std::string given = options.get(option); !given.empty())
      if (const auto ok = set(key, given); !ok) return ok.error();
  return values;
}

std::string text_of(const protocol::Result& result, std::size_t first) {
  std::string text;
  for (std::size_t i = first; i < result.tokens.size(); ++i) text += result.tokens[i].bytes;
  if (!text.empty()) return text;
  for (std::size_t i = first; i < result.tokens.size(); ++i)  // ids, where there is no vocabulary
    text += (i > first ? "," : "") + std::to_string(result.tokens[i].id);
  return text;
}

Json document(const protocol::Result& result, std::size_t first) {
  Json prompt = Json::array(), tokens = Json::array();
  for (std::size_t i = 0; i < result.tokens.size(); ++i) (i < first ? prompt : tokens).push_back(result.tokens[i].id);
  return {
      {"prompt", prompt}, {"tokens", tokens}, {"text", valid_utf8(text_of(result, first))}, {"notes", result.notes}};
}

}  // namespace

Outcome generate(const Options& options) {
  if (options.get("model").empty() || options.get("n").empty()) return misuse("generate needs --model PATH and -n N.");
  const auto* study = helix::studies::find_compute_study("continuation");
  const auto params = params_from(study->schema, options);
  if (!params) return misuse(params.error().sentence);
  const auto subject = subject_from(options);
  if (!subject) return failure(subject.error().sentence);
  const auto threads = threads_from(options);
  if (!threads) return misuse(threads.error().sentence);
  auto opened = open_model(options, *subject, study->schema.reads, *threads);
  if (!opened) return failure(opened.error().sentence);
  const auto result = run_to_end(study->run(*params, opened->inputs));
  if (!result) return failure(result.error());
  const auto first = static_cast<std::size_t>(result->scalar("prompt_tokens")->value);
  if (options.has("json")) return {protocol::dump(document(*result, first)) + "\n", "", 0};
  return {text_of(*result, first) + "\n" + join(result->notes, "\n") + (result->notes.empty() ? "" : "\n"), "", 0};
}

}  // namespace helix::cli
