// The table of claims: every sentence that a study declares, recomputed on one checkpoint where that can be done.
#include <algorithm>
#include <map>
#include <span>

#include "base/text.h"
#include "checkpoint/write_file.h"
#include "cli/claim_line.h"
#include "cli/opened.h"
#include "figure/table.h"
#include "protocol/claim_json.h"
#include "state/fragment.h"
#include "studies/known_model_compute.h"

namespace helix::cli {
namespace {

using helix::studies::ComputeStudy;
using protocol::Claim;
using protocol::Json;
using state::AppState;

struct Row {
  const ClaimSpec* declared;
  Claim found;
  std::string study, preset, fragment;  // where to see it; no preset: none leads there
};

std::string number(const std::optional<double>& value) { return value ? to_text(*value) : std::string(); }

using Models = std::vector<Opened>;  // the one that is given, or none

std::vector<helix::studies::ModelNeeds> needs_of(const ComputeStudy& study, const AppState& asked) {
  const helix::studies::Known nothing{[](const std::string&) { return std::nullopt; }};
  return helix::studies::all_needs(study, asked.params, "", nothing);
}

/// Where the study's claims are to be judged, first each where its declaration says, then at the presets too: a number
/// may hold with one convention and not with another. Texts are run for claims alone.
std::vector<std::string> fragments_of(const StudySchema& schema) {
  std::vector<std::string> all;
  const auto add = [&](const std::string& fragment) {
    if (std::ranges::find(all, fragment) == all.end()) all.push_back(fragment);
  };
  for (const ClaimSpec& claim : schema.claims) add(claim.fragment);
  if (!reads_prompt(schema.reads))
    for (const Preset& preset : schema.presets) add(preset.fragment);
  return all;
}

/// The result of one setting; nothing where this checkpoint, or the lack of one, does not allow it.
Expected<std::optional<protocol::Result>> result_of(const ComputeStudy& study, const AppState& asked, Models& models) {
  if (models.empty() && !needs_of(study, asked).empty()) return std::optional<protocol::Result>();
  auto inputs = inputs_for(study, asked.params, models);
  if (!inputs) return inputs.error();
  inputs->subject = asked.subject;
  auto result = run_to_end(helix::studies::run_judged(study, asked.params, std::move(*inputs)));
  return result ? std::optional(std::move(*result)) : std::nullopt;
}

/// A declared claim that nothing was computed for.
Claim untested(const ClaimSpec& declared, const ComputeStudy& study, const AppState& asked, const Models& models,
               const protocol::Provenance& used) {
  Claim claim;
  claim.id = declared.id;
  if (!models.empty() && !declared.about.empty())
    claim.elsewhere = helix::studies::which_model(models.front().inputs, used) != declared.about;
  if (claim.elsewhere) return claim;
  for (const auto& needs : needs_of(study, asked))
    claim.needs.insert(claim.needs.end(), needs.tensors.begin(), needs.tensors.end());
  if (claim.needs.empty()) claim.needs = {"the whole checkpoint"};
  return claim;
}

/// The rows of one study, in the order of its declarations.
Expected<void> collect(const ComputeStudy& study, const Options& options, std::vector<Row>& rows) {
  const StudySchema& schema = study.schema;
  if (schema.claims.empty()) return {};
  Models models;
  if (!options.get("model").empty()) {
    auto opened = open_model(options, Subject(), schema.reads, 1);
    if (!opened) return opened.error();
    models.push_back(std::move(*opened));
  }
  AppState start;
  start.study = schema.id, start.params = defaults(schema);
  std::vector<Row> found;
  std::map<std::string, AppState> states;  // by fragment
  protocol::Provenance used = models.empty() ? protocol::Provenance() : models.front().inputs.provenance;
  for (const std::string& fragment : fragments_of(schema)) {
    auto applied = state::apply_fragment(start, fragment, {schema});
    if (!applied) return applied.error();
    const AppState& asked = states[fragment] = std::move(applied->state);
    const auto result = result_of(study, asked, models);
    if (!result) return result.error();
    if (!*result) continue;
    if (fragment.empty()) used = (*result)->provenance;
    const auto preset = std::ranges::find(schema.presets, fragment, &Preset::fragment);
    for (const Claim& claim : (*result)->claims) {
      const auto same = [&](const Row& r) { return r.found.id == claim.id && r.found.convention == claim.convention; };
      if (std::ranges::none_of(found, same))
        found.push_back(
            {schema.claim(claim.id), claim, schema.id, preset == schema.presets.end() ? "" : preset->id, fragment});
    }
  }
  for (const ClaimSpec& declared : schema.claims) {
    const std::size_t before = rows.size();
    std::ranges::copy_if(found, std::back_inserter(rows), [&](const Row& r) { return r.declared == &declared; });
    if (rows.size() > before) continue;
    const Claim none = untested(declared, study, states[declared.fragment], models, used);
    rows.push_back({&declared, none, schema.id, "", declared.fragment});
  }
  return {};
}

Json json_of(const Row& row) {
  Json json = claim_json(row.found, *row.declared);
  json["needs"] = row.found.needs;
  json["study"] = row.study, json["preset"] = row.preset, json["fragment"] = row.fragment;
  return json;
}

figure::Table table_of(const std::vector<Row>& rows) {
  figure::Table table{"claims", {}};
  const auto column = [&](const char* name, auto text) {
    figure::Table::Column c{name, "", 4, {}};
    for (const Row& row : rows) c.texts.push_back(text(row));
    table.columns.push_back(std::move(c));
  };
  column("id", [](const Row& r) { return r.found.id; });
  column("verdict", [](const Row& r) { return std::string(verdict(r.found)); });
  column("stated", [](const Row& r) { return number(r.declared->stated); });
  column("here", [](const Row& r) { return number(r.found.here); });
  column("unit", [](const Row& r) { return r.declared->unit; });
  column("text", [](const Row& r) { return r.declared->text; });
  column("convention", [](const Row& r) { return r.found.convention; });
  column("needs", [](const Row& r) { return join(r.found.needs, " "); });
  column("study", [](const Row& r) { return r.study; });
  column("preset", [](const Row& r) { return r.preset; });
  column("about", [](const Row& r) { return r.declared->about; });
  column("fragment", [](const Row& r) { return r.fragment; });
  return table;
}

}  // namespace

Outcome claims(const Options& options) {
  std::vector<Row> rows;
  for (const ComputeStudy& study : helix::studies::compute_studies())
    if (const auto ok = collect(study, options, rows); !ok) return failure(ok.error().sentence);
  if (const std::string id = options.get("id"); !id.empty()) {
    // "F9" asks for each of its numbers, "F9-wpe-mean" for one.
    std::erase_if(rows, [&](const Row& row) { return row.found.id != id && !row.found.id.starts_with(id + "-"); });
    if (rows.empty()) return failure("No study judges a claim " + in_quotes(id) + ".");
  }
  if (const std::string path = options.get("csv"); !path.empty()) {
    const std::string csv = figure::to_csv(table_of(rows));
    if (const auto written = checkpoint::write_whole(path, std::as_bytes(std::span(csv))); !written)
      return failure(written.error().sentence);
  }
  if (options.has("json")) {
    Json list = Json::array();
    for (const Row& row : rows) list.push_back(json_of(row));
    return {protocol::dump(list) + "\n", "", 0};
  }
  std::string out;
  for (const Row& row : rows) out += claim_line(*row.declared, row.found);
  return {out, "", 0};
}

}  // namespace helix::cli
