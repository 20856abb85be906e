// The study of verification as a verdict: the exit status says whether every number that could be tested holds.
#include <algorithm>

#include "base/text.h"
#include "cli/opened.h"
#include "protocol/json.h"
#include "studies/known_model_compute.h"

namespace helix::cli {
namespace {

std::string line_of(const protocol::Claim& claim, const ClaimSpec& declared) {
  std::string line(verdict(claim));
  line.resize(std::max<std::size_t>(line.size(), 20), ' ');
  line += claim.id + "  " + declared.text + " Stated " + to_text(declared.stated.value_or(0));
  if (claim.here) line += ", here " + to_text(*claim.here);
  if (!claim.needs.empty()) line += ", needs " + join(claim.needs, ", ");
  return line + "\n";
}

}  // namespace

Outcome verify(const Options& options) {
  if (options.get("model").empty()) return misuse("verify needs --model PATH.");
  const auto* study = helix::studies::find_compute_study("verification");
  const auto subject = subject_from(options);
  if (!subject) return misuse(subject.error().sentence);
  const ParamValues params = defaults(study->schema);
  const auto threads = threads_from(options);
  if (!threads) return misuse(threads.error().sentence);
  auto opened = open_model(options, *subject, study->schema.reads, *threads);
  if (!opened) return failure(opened.error().sentence);
  std::vector<Opened> models{std::move(*opened)};
  auto inputs = inputs_for(*study, params, models, *threads);
  if (!inputs) return failure(inputs.error().sentence);
  const auto result = run_to_end(helix::studies::run_judged(*study, params, std::move(*inputs)));
  if (!result) return failure(result.error().sentence);
  const bool differs = result->scalar("differ")->value > 0;
  if (options.has("json")) return {protocol::to_json(*result, study->schema) + "\n", "", differs ? 1 : 0};
  std::string out;
  for (const protocol::Claim& claim : result->claims) out += line_of(claim, *study->schema.claim(claim.id));
  for (const protocol::Scalar& s : result->scalars) out += s.name + "  " + to_text(s.value) + " " + s.unit + "\n";
  for (const std::string& note : result->notes) out += "note: " + note + "\n";
  return {out + provenance_line(result->provenance) + "\n", "", differs ? 1 : 0};
}

}  // namespace helix::cli
