#include "cli/python_script.h"

#include <algorithm>

#include "protocol/json.h"

namespace helix::cli {
namespace {

using protocol::Json;

constexpr std::string_view kPlace = "@VIEW@";
constexpr std::size_t kMostNumbers = 1024;  // of an array; of a longer one the script holds every k-th number

/// An odd step, so that entries of every row and column of a matrix are among those that are kept.
std::size_t step_over(std::size_t count) {
  const std::size_t step = (count + kMostNumbers - 1) / kMostNumbers;
  return step <= 1 ? 1 : step | 1;
}

Json spread(const protocol::Array& array, const Json& whole) {
  const std::size_t step = step_over(array.data.size());
  Json data = Json::array();
  for (std::size_t i = 0; i < array.data.size(); i += step) data.push_back(whole["data"][i]);
  return {{"shape", whole["shape"]}, {"every", step}, {"data", std::move(data)}};
}

std::string refusal(const protocol::Result& result) {
  if (result.study == "claims")
    return "The table of claims has no Python script: its numbers are those of other studies, to which its rows lead.";
  if (result.difference) return "A Python script recomputes one run: leave the comparison out.";
  if (!result.provenance.others.empty()) return "A Python script recomputes one model: this result is of several.";
  if (result.provenance.precision.find("I8") != std::string::npos || result.provenance.precision == "q8")
    return "A Python script recomputes weights in floating point: those of this model are 8-bit integers.";
  return "";
}

}  // namespace

Expected<std::string> python_script(const protocol::Result& result, const StudySchema& schema,
                                    const std::string& link) {
  if (std::string why = refusal(result); !why.empty()) return Error{std::move(why)};
  const auto scripts = study_scripts();
  const auto script = std::ranges::find(scripts, result.study, &StudyScript::study);
  if (script == scripts.end()) return Error{"There is no Python script for the study " + result.study + "."};

  const Json whole = *protocol::parse_json(protocol::to_json(result, schema));
  Json view = Json::object();
  view["study"] = result.study;
  view["link"] = link;
  for (const char* key : {"provenance", "params", "edits"}) view[key] = whole[key];
  view["tokens"] = Json::array();
  for (const protocol::Token& token : result.tokens) view["tokens"].push_back(token.id);
  view["scalars"] = Json::object();
  for (const auto& [name, scalar] : whole["scalars"].items()) view["scalars"][name] = scalar["value"];
  view["arrays"] = Json::object();
  for (const protocol::Array& array : result.arrays)
    view["arrays"][array.name] = spread(array, whole["arrays"][array.name]);

  std::string lines;
  for (const auto& [key, value] : view.items())
    lines += (lines.empty() ? "{" : ",\n ") + protocol::dump(key) + ": " + protocol::dump(value);
  std::string text(script->text);
  const std::size_t at = text.find(kPlace);
  return text.replace(at, kPlace.size(), lines + "}");
}

}  // namespace helix::cli
