#include "protocol/result.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "base/text.h"
#include "base/utf8.h"
#include "protocol/json.h"

namespace helix::protocol {
namespace {

Json typed(const ParamSpec& spec, const std::string& text) {
  switch (spec.type) {
    case ParamType::boolean:
      return text == "1";
    case ParamType::integer:
      return *parse_int(text);
    case ParamType::real:
      return *parse_real(text);
    case ParamType::choice:
      return text;
    case ParamType::integers: {
      Json list = Json::array();
      for (const std::string& part : split(text, ',')) list.push_back(*parse_int(part));
      return list;
    }
  }
  return {};
}

std::string untyped(const Json& json) {
  if (json.is_boolean()) return json.get<bool>() ? "1" : "0";
  if (json.is_number()) return to_text(json.get<double>());
  if (json.is_string()) return json.get<std::string>();
  std::vector<std::string> parts;
  if (json.is_array())
    for (const Json& part : json) parts.push_back(untyped(part));
  return join(parts, ",");
}

Json optional_number(const std::optional<double>& value) { return value ? number(*value) : Json(nullptr); }

Json claim_json(const Claim& claim) {
  Json json = {{"id", claim.id},
               {"text", claim.text},
               {"stated", optional_number(claim.stated)},
               {"here", optional_number(claim.here)},
               {"unit", claim.unit},
               {"holds", claim.holds ? Json(*claim.holds) : Json(nullptr)}};
  if (!claim.needs.empty()) json["needs"] = claim.needs;
  json["convention"] = claim.convention;
  return json;
}

Claim read_claim(const Json& json) {
  Claim claim;
  claim.id = text_at(json, "id"), claim.text = text_at(json, "text");
  claim.unit = text_at(json, "unit"), claim.convention = text_at(json, "convention");
  const auto optional = [&](const char* key) -> std::optional<double> {
    const Json* found = find(json, key);
    if (!found || found->is_null()) return std::nullopt;
    return to_number(*found);
  };
  claim.stated = optional("stated"), claim.here = optional("here");
  if (const Json* holds = find(json, "holds"); holds && holds->is_boolean()) claim.holds = holds->get<bool>();
  if (const Json* needs = find(json, "needs"); needs && needs->is_array())
    for (const Json& need : *needs) claim.needs.push_back(untyped(need));
  return claim;
}

Json provenance_json(const Provenance& p) {
  Json tensors = Json::object();
  for (const TensorHash& t : p.tensors) tensors[t.name] = t.sha256;
  return {{"model", p.model},     {"sha256", p.sha256},         {"precision", p.precision},   {"kernels", p.kernels},
          {"version", p.version}, {"arithmetic", p.arithmetic}, {"convention", p.convention}, {"tensors", tensors}};
}

/// Everything but the numbers of the arrays.
Json head(const Result& result, const StudySchema& schema) {
  Json params = Json::object();
  for (const auto& [key, text] : result.params)
    if (const ParamSpec* spec = schema.find(key)) params[key] = typed(*spec, text);
  Json scalars = Json::object();
  for (const Scalar& s : result.scalars)
    scalars[s.name] = {{"value", number(s.value)}, {"unit", s.unit}, {"note", s.note}};
  Json arrays = Json::object();
  for (const Array& a : result.arrays)
    arrays[a.name] = {{"shape", a.shape}, {"axes", a.axes}, {"unit", a.unit}, {"first", a.first}};
  Json words = Json::object();
  for (const Words& w : result.words) words[w.name] = {{"axis", w.axis}, {"data", w.data}};
  Json tokens = Json::array();
  for (const Token& t : result.tokens)
    tokens.push_back({{"id", t.id}, {"text", shown_bytes(t.bytes)}, {"bytes", to_hex(t.bytes)}});
  Json claims = Json::array();
  for (const Claim& c : result.claims) claims.push_back(claim_json(c));
  return {{"study", result.study},
          {"params", params},
          {"provenance", provenance_json(result.provenance)},
          {"complete", result.complete},
          {"subject", result.subject},
          {"notes", result.notes},
          {"scalars", scalars},
          {"arrays", arrays},
          {"words", words},
          {"tokens", tokens},
          {"claims", claims}};
}

std::vector<std::string> texts(const Json* list) {
  std::vector<std::string> out;
  if (list && list->is_array())
    for (const Json& item : *list) out.push_back(untyped(item));
  return out;
}

/// A number that is one on every machine: a page counts in 32 bits, where 2^32 would read as 0.
bool is_count(const Json& json) {
  return json.is_number_unsigned() && json.get<std::uint64_t>() <= std::numeric_limits<std::uint32_t>::max();
}

Expected<Array> read_array(const std::string& name, const Json& json, const double* data, std::size_t count) {
  const Error bad{"The result's array " + in_quotes(name) + " does not fit the data that came with it."};
  Array array;
  array.name = name, array.unit = text_at(json, "unit"), array.axes = texts(find(json, "axes"));
  array.first = static_cast<long long>(number_at(json, "first"));
  const Json* shape = find(json, "shape");
  if (!shape || !shape->is_array()) return bad;
  std::size_t size = 1;
  for (const Json& extent : *shape) {
    if (!is_count(extent)) return bad;
    array.shape.push_back(extent.get<std::size_t>());
    if (array.shape.back() && size > count / array.shape.back()) return bad;
    size *= array.shape.back();
  }
  const Json* offset = find(json, "offset");
  if (!offset || !is_count(*offset)) return bad;
  const auto first = offset->get<std::size_t>();
  if (first > count || size > count - first) return bad;
  array.data.assign(data + first, data + first + size);
  return array;
}

Provenance read_provenance(const Json& json) {
  Provenance p;
  p.model = text_at(json, "model"), p.sha256 = text_at(json, "sha256");
  p.precision = text_at(json, "precision"), p.kernels = text_at(json, "kernels");
  p.version = text_at(json, "version"), p.convention = text_at(json, "convention");
  p.arithmetic = text_at(json, "arithmetic", p.arithmetic);
  if (const Json* tensors = find(json, "tensors"); tensors && tensors->is_object())
    for (const auto& [name, hash] : tensors->items()) p.tensors.push_back({name, untyped(hash)});
  return p;
}

}  // namespace

const Scalar* Result::scalar(std::string_view name) const {
  const auto it = std::find_if(scalars.begin(), scalars.end(), [&](const Scalar& s) { return s.name == name; });
  return it == scalars.end() ? nullptr : &*it;
}

const Array* Result::array(std::string_view name) const {
  const auto it = std::find_if(arrays.begin(), arrays.end(), [&](const Array& a) { return a.name == name; });
  return it == arrays.end() ? nullptr : &*it;
}

const Words* Result::words_of(std::string_view name) const {
  const auto it = std::find_if(words.begin(), words.end(), [&](const Words& w) { return w.name == name; });
  return it == words.end() ? nullptr : &*it;
}

std::string provenance_line(const Provenance& p) {
  std::string line = p.convention.empty() ? "" : p.convention + "; ";
  line += p.model.empty() ? "no weights" : p.model;
  if (!p.sha256.empty()) line += ", sha256 " + p.sha256 + "…";
  for (const TensorHash& t : p.tensors) line += ", " + t.name + " " + t.sha256.substr(0, 12) + "…";
  if (!p.precision.empty()) line += ", " + p.precision;
  return line + ", " + p.arithmetic + " on " + p.kernels + ", helixscope " + p.version;
}

EncodedResult encode(const Result& result, const StudySchema& schema) {
  EncodedResult out;
  Json json = head(result, schema);
  for (const Array& a : result.arrays) {
    json["arrays"][a.name]["dtype"] = "f64";
    json["arrays"][a.name]["offset"] = out.data.size();
    out.data.insert(out.data.end(), a.data.begin(), a.data.end());
  }
  out.header = dump(json);
  return out;
}

Expected<Result> decode(std::string_view header, const double* data, std::size_t count) {
  const auto json = parse_json(header);
  if (!json || !json->is_object() || text_at(*json, "study").empty())
    return Error{"The engine sent something that is not a result; reload the page."};
  Result result;
  result.study = text_at(*json, "study");
  result.subject = text_at(*json, "subject");
  result.complete = flag_at(*json, "complete", true);
  result.notes = texts(find(*json, "notes"));
  if (const Json* params = find(*json, "params"); params && params->is_object())
    for (const auto& [key, value] : params->items()) result.params.emplace_back(key, untyped(value));
  if (const Json* p = find(*json, "provenance")) result.provenance = read_provenance(*p);
  if (const Json* scalars = find(*json, "scalars"); scalars && scalars->is_object())
    for (const auto& [name, s] : scalars->items()) {
      const Json* value = find(s, "value");
      const double x = value ? to_number(*value) : std::numeric_limits<double>::quiet_NaN();
      result.scalars.push_back({name, x, text_at(s, "unit"), text_at(s, "note")});
    }
  if (const Json* arrays = find(*json, "arrays"); arrays && arrays->is_object())
    for (const auto& [name, a] : arrays->items()) {
      auto array = read_array(name, a, data, count);
      if (!array) return array.error();
      result.arrays.push_back(std::move(*array));
    }
  if (const Json* words = find(*json, "words"); words && words->is_object())
    for (const auto& [name, w] : words->items())
      result.words.push_back({name, text_at(w, "axis"), texts(find(w, "data"))});
  if (const Json* tokens = find(*json, "tokens"); tokens && tokens->is_array())
    for (const Json& t : *tokens)
      result.tokens.push_back({static_cast<std::int32_t>(number_at(t, "id")), from_hex(text_at(t, "bytes"))});
  if (const Json* claims = find(*json, "claims"); claims && claims->is_array())
    for (const Json& claim : *claims) result.claims.push_back(read_claim(claim));
  return result;
}

std::string to_json(const Result& result, const StudySchema& schema, bool arrays) {
  Json json = head(result, schema);
  if (arrays)
    for (const Array& a : result.arrays) {
      Json data = Json::array();
      for (const double x : a.data) data.push_back(number(x));
      json["arrays"][a.name]["data"] = std::move(data);
    }
  return dump(json);
}

}  // namespace helix::protocol
