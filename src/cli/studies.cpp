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
  return to_text(p.min) + ".." + to_text(p.max);
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
                      {"choices", choices},
                      {"unit", p.unit},
                      {"help", p.help}});
  }
  Json outputs = Json::array();
  for (const OutputSpec& o : study.schema.outputs)
    outputs.push_back({{"name", o.name}, {"unit", o.unit}, {"axes", o.axes}});
  return {{"id", study.schema.id},
          {"title", study.schema.title},
          {"needs", study.needs(defaults(study.schema))},
          {"source", study.schema.source},
          {"params", params},
          {"outputs", outputs}};
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
    out += study.schema.id + ": " + study.schema.title + "\n  needs " +
           join(study.needs(defaults(study.schema)), ", ") + "\n";
    for (const ParamSpec& p : study.schema.params)
      out += "  " + p.key + " = " + p.default_text + "  [" + range_text(p) + "]  " + p.help + "\n";
  }
  return {out, "", 0};
}

}  // namespace helix::cli
