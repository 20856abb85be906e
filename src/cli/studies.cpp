#include "base/text.h"
#include "cli/cli.h"
#include "protocol/json.h"
#include "studies/registry_compute.h"

namespace helix::cli {
namespace {

using protocol::Json;

std::string range_text(const ParamSpec& p) {
  if (p.type == ParamType::choice) {
    std::vector<std::string> ids;
    for (const Choice& c : p.choices) ids.push_back(c.id);
    return join(ids, "|");
  }
  if (p.type == ParamType::boolean) return "0|1";
  const std::string number = std::to_string(p.count ? p.count : p.most);
  const std::string how_many = (p.count ? number : "at most " + number);
  if (p.type == ParamType::names) return how_many + " names of at most " + std::to_string(p.length) + " bytes";
  if (p.type == ParamType::text) return "text of at most " + std::to_string(p.length) + " bytes";
  const std::string range = to_text(p.min) + ".." + to_text(p.max);
  return p.type == ParamType::integers || p.type == ParamType::reals ? how_many + " of " + range : range;
}

/// The tensors of the run's own model that a study reads at its defaults, as far as that is known without one.
std::vector<std::string> tensors_of(const helix::studies::ComputeStudy& study) {
  const helix::studies::Known nothing{[](const std::string&) { return std::nullopt; }};
  std::vector<std::string> tensors;
  for (const auto& needs : study.needs(defaults(study.schema), nothing))
    if (needs.model.empty()) tensors.insert(tensors.end(), needs.tensors.begin(), needs.tensors.end());
  return tensors;
}

Json describe(const helix::studies::ComputeStudy& study) {
  Json params = Json::array();
  for (const ParamSpec& p : study.schema.params) {
    Json choices = Json::array();
    for (const Choice& c : p.choices) choices.push_back(c.id);
    params.push_back({{"key", p.key},
                      {"type", type_name(p.type)},
                      {"default", p.default_text},
                      {"min", p.min},
                      {"max", p.max},
                      {"count", p.count},
                      {"most", p.most},
                      {"length", p.length},
                      {"choices", choices},
                      {"unit", p.unit},
                      {"help", p.help}});
  }
  Json outputs = Json::array();
  for (const OutputSpec& o : study.schema.outputs)
    outputs.push_back({{"name", o.name}, {"unit", o.unit}, {"axes", o.axes}, {"role", role_name(o.role)}});
  Json presets = Json::array();
  for (const Preset& p : study.schema.presets)
    presets.push_back({{"id", p.id}, {"label", p.label}, {"note", p.note}, {"fragment", p.fragment}});
  return {{"id", study.schema.id},      {"title", study.schema.title},
          {"needs", tensors_of(study)}, {"source", study.schema.source},
          {"params", params},           {"outputs", outputs},
          {"presets", presets}};
}

}  // namespace

Outcome studies(const Options& options) {
  if (options.has("json")) {
    Json all = Json::array();
    for (const auto& study : helix::studies::compute_studies()) all.push_back(describe(study));
    return {protocol::dump(all) + "\n", "", 0};
  }
  std::string out;
  for (const auto& study : helix::studies::compute_studies()) {
    out += study.schema.id + ": " + study.schema.title + "\n  needs " + join(tensors_of(study), ", ") + "\n";
    for (const ParamSpec& p : study.schema.params)
      out += "  " + p.key + " = " + p.default_text + "  [" + range_text(p) + "]  " + p.help + "\n";
    for (const Preset& p : study.schema.presets) out += "  --preset " + p.id + "  " + p.label + ": " + p.note + "\n";
  }
  return {out, "", 0};
}

}  // namespace helix::cli
