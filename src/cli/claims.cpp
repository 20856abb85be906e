// The table of claims: what the study of that name finds on one checkpoint, as lines, JSON or CSV.
#include <algorithm>
#include <cmath>
#include <span>

#include "base/text.h"
#include "checkpoint/write_file.h"
#include "cli/claim_line.h"
#include "cli/opened.h"
#include "figure/table.h"
#include "protocol/claim_json.h"
#include "studies/known_model_compute.h"

namespace helix::cli {
namespace {

using helix::studies::ComputeStudy;
using protocol::Claim;
using protocol::Json;

struct Row {
  const ClaimSpec* declared;
  Claim found;
  std::string study, preset, fragment;  // where to see it; no preset: none leads there
};

std::string number(const std::optional<double>& value) { return value ? to_text(*value) : std::string(); }

/// One entry of the study's lists.
Row row_of(const protocol::Result& result, std::size_t i) {
  const auto text = [&](const char* name) { return result.words_of(name)->data[i]; };
  Row row{nullptr, {}, text("study"), "", text("fragment")};
  const StudySchema& schema = helix::studies::find_compute_study(row.study)->schema;
  row.declared = schema.claim(text("id"));
  const auto preset = std::ranges::find(schema.presets, row.fragment, &Preset::fragment);
  if (preset != schema.presets.end()) row.preset = preset->id;
  Claim& found = row.found;
  found.id = text("id"), found.convention = text("convention");
  if (const double here = result.array("here")->data[i]; std::isfinite(here)) found.here = here;
  if (const std::string needs = text("needs"); !needs.empty()) found.needs = {needs};
  const std::string judged = text("verdict");
  found.elsewhere = judged == protocol::kElsewhere;
  if (judged == "holds" || judged == "does not hold") found.holds = judged == "holds";
  return row;
}

/// Every claim, at its own setting and at the presets of its study.
Expected<std::vector<Row>> all_rows(const Options& options) {
  const ComputeStudy& study = *helix::studies::find_compute_study("claims");
  ParamValues params = defaults(study.schema);
  for (const auto& [key, value] : {std::pair("presets", std::string("1")), std::pair("beside", std::string()),
                                   std::pair("only", options.get("id"))})
    if (const auto set = set_value(study.schema, params, key, value, true); !set) return set.error();
  std::vector<Opened> models;
  if (!options.get("model").empty()) {
    auto opened = open_model(options, Subject(), Reads::weights, 1);
    if (!opened) return opened.error();
    models.push_back(std::move(*opened));
  }
  auto inputs = inputs_for(study, params, models);
  if (!inputs) return inputs.error();
  const auto result = run_to_end(helix::studies::run_judged(study, params, std::move(*inputs)));
  if (!result) return result.error();
  std::vector<Row> rows;
  for (std::size_t i = 0; i < result->words_of("id")->data.size(); ++i) rows.push_back(row_of(*result, i));
  return rows;
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
  auto found = all_rows(options);
  if (!found) return failure(found.error().sentence);
  const std::vector<Row>& rows = *found;
  if (rows.empty()) return failure("No study judges a claim " + in_quotes(options.get("id")) + ".");
  if (const std::string path = options.get("csv"); !path.empty()) {
    const std::string csv = figure::to_csv(table_of(rows));
    if (const auto written = checkpoint::write_whole(path, std::as_bytes(std::span(csv))); !written)
      return failure(written.error().sentence);
  }
  if (const std::string path = options.get("markdown"); !path.empty()) {
    const std::string markdown = figure::to_markdown(table_of(rows));
    if (const auto written = checkpoint::write_whole(path, std::as_bytes(std::span(markdown))); !written)
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
