// The table of claims: every sentence of the source texts that a study judges, recomputed on one checkpoint.
#include <algorithm>

#include "base/text.h"
#include "cli/opened.h"
#include "cli/write_file.h"
#include "figure/table.h"
#include "protocol/json.h"
#include "studies/registry_compute.h"

namespace helix::cli {
namespace {

using helix::studies::ComputeStudy;
using protocol::Claim;
using protocol::Json;

struct Row {
  Claim claim;
  std::string study, preset;  // where to see it; no preset: the defaults
};

const char* verdict(const Claim& claim) { return claim.holds ? *claim.holds ? "holds" : "does not hold" : "shown"; }
std::string number(const std::optional<double>& value) { return value ? to_text(*value) : std::string(); }

/// A study at its defaults and at each of its presets; studies of a prompt judge nothing.
Expected<void> collect(const ComputeStudy& study, const Options& options, std::vector<Row>& rows) {
  const Reads reads = study.schema.reads;
  if (reads_prompt(reads) || reads == Reads::training) return {};
  auto opened = open_model(options, Subject(), reads, 1);
  if (!opened) return opened.error();
  std::vector<Preset> settings = study.schema.presets;
  if (std::ranges::none_of(settings, [](const Preset& p) { return p.params.empty(); }))
    settings.insert(settings.begin(), Preset());
  for (const Preset& preset : settings) {
    ParamValues params = defaults(study.schema);
    if (!preset.params.empty())
      for (const std::string& pair : split(preset.params, '&')) {
        const std::size_t at = pair.find('=');
        if (const auto set = set_value(study.schema, params, pair.substr(0, at), pair.substr(at + 1), true); !set)
          return set.error();
      }
    if (const auto loaded = opened->file->load(study.needs(params)); !loaded) return loaded.error();
    const auto result = run_to_end(study.run(params, opened->inputs));
    if (!result) continue;  // this checkpoint has not what it reads
    for (const Claim& claim : result->claims) {
      const auto same = [&](const Row& row) {
        return row.claim.id == claim.id && row.claim.convention == claim.convention;
      };
      if (std::ranges::none_of(rows, same)) rows.push_back({claim, study.schema.id, preset.id});
    }
  }
  return {};
}

Json json_of(const Row& row) {
  const Claim& c = row.claim;
  return {{"id", c.id},
          {"text", c.text},
          {"stated", c.stated ? protocol::number(*c.stated) : Json(nullptr)},
          {"here", c.here ? protocol::number(*c.here) : Json(nullptr)},
          {"unit", c.unit},
          {"holds", c.holds ? Json(*c.holds) : Json(nullptr)},
          {"needs", c.needs},
          {"convention", c.convention},
          {"study", row.study},
          {"preset", row.preset}};
}

figure::Table table_of(const std::vector<Row>& rows) {
  figure::Table table{"claims", {}};
  const auto column = [&](const char* name, auto text) {
    figure::Table::Column c{name, "", 4, {}};
    for (const Row& row : rows) c.texts.push_back(text(row));
    table.columns.push_back(std::move(c));
  };
  column("id", [](const Row& r) { return r.claim.id; });
  column("verdict", [](const Row& r) { return std::string(verdict(r.claim)); });
  column("stated", [](const Row& r) { return number(r.claim.stated); });
  column("here", [](const Row& r) { return number(r.claim.here); });
  column("unit", [](const Row& r) { return r.claim.unit; });
  column("text", [](const Row& r) { return r.claim.text; });
  column("convention", [](const Row& r) { return r.claim.convention; });
  column("needs", [](const Row& r) { return join(r.claim.needs, " "); });
  column("study", [](const Row& r) { return r.study; });
  column("preset", [](const Row& r) { return r.preset; });
  return table;
}

std::string line_of(const Row& row) {
  const Claim& c = row.claim;
  std::string line = c.id + "  " + verdict(c) + ": " + c.text;
  if (c.stated) line += "  stated " + to_text(*c.stated);
  if (c.here) line += "  here " + to_text(*c.here) + " " + c.unit;
  if (!c.needs.empty()) line += "  needs " + join(c.needs, ", ");
  return line + "  (" + c.convention + ")\n";
}

}  // namespace

Outcome claims(const Options& options) {
  if (options.get("model").empty()) return misuse("claims needs --model PATH.");
  std::vector<Row> rows;
  for (const ComputeStudy& study : helix::studies::compute_studies())
    if (const auto ok = collect(study, options, rows); !ok) return failure(ok.error().sentence);
  if (const std::string id = options.get("id"); !id.empty()) {
    std::erase_if(rows, [&](const Row& row) { return row.claim.id != id; });
    if (rows.empty()) return failure("No study judges a claim " + in_quotes(id) + " on this checkpoint.");
  }
  if (const std::string path = options.get("csv"); !path.empty()) {
    const std::string csv = figure::to_csv(table_of(rows));
    if (const auto written = write_file(path, csv.data(), csv.size()); !written)
      return failure(written.error().sentence);
  }
  if (options.has("json")) {
    Json list = Json::array();
    for (const Row& row : rows) list.push_back(json_of(row));
    return {protocol::dump(list) + "\n", "", 0};
  }
  std::string out;
  for (const Row& row : rows) out += line_of(row);
  return {out, "", 0};
}

}  // namespace helix::cli
