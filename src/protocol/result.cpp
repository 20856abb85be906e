#include "protocol/result.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "base/control_name.h"
#include "base/text.h"
#include "base/utf8.h"
#include "protocol/claim_json.h"

namespace helix::protocol {
namespace {

Json typed_entry(ParamType list, const std::string& text) {
  if (list == ParamType::names) return text;
  return list == ParamType::integers ? Json(*parse_int(text)) : Json(*parse_real(text));
}

Json typed(const ParamSpec& spec, const std::string& text) {
  switch (spec.type) {
    case ParamType::boolean:
      return text == "1";
    case ParamType::integer:
      return *parse_int(text);
    case ParamType::real:
      return *parse_real(text);
    case ParamType::choice:
    case ParamType::text:
      return text;
    case ParamType::integers:
    case ParamType::reals:
    case ParamType::names: {
      Json list = Json::array();
      if (text.empty()) return list;
      for (const std::string& part : split(text, ',')) list.push_back(typed_entry(spec.type, part));
      return list;
    }
  }
  return {};
}

std::string untyped(const Json& json) {
  if (json.is_boolean()) return json.get<bool>() ? "1" : "0";
  if (json.is_number()) return helix::to_text(json.get<double>());
  if (json.is_string()) return json.get<std::string>();
  std::vector<std::string> parts;
  if (json.is_array())
    for (const Json& part : json) parts.push_back(untyped(part));
  return join(parts, ",");
}

Claim read_claim(const Json& json) {
  Claim claim;
  claim.id = text_at(json, "id"), claim.convention = text_at(json, "convention");
  if (const Json* here = find(json, "here"); here && !here->is_null()) claim.here = to_number(*here);
  if (const Json* holds = find(json, "holds"); holds && holds->is_boolean()) claim.holds = holds->get<bool>();
  if (const Json* needs = find(json, "needs"); needs && needs->is_array())
    for (const Json& need : *needs) claim.needs.push_back(untyped(need));
  claim.elsewhere = text_at(json, "verdict") == kElsewhere;
  return claim;
}

Json tensors_json(const std::vector<TensorHash>& hashes) {
  Json tensors = Json::object();
  for (const TensorHash& t : hashes) tensors[t.name] = t.sha256;
  return tensors;
}

Json provenance_json(const Provenance& p) {
  Json json = {{"model", p.model},           {"sha256", p.sha256},
               {"precision", p.precision},   {"kernels", p.kernels},
               {"version", p.version},       {"arithmetic", p.arithmetic},
               {"convention", p.convention}, {"tensors", tensors_json(p.tensors)}};
  for (const UsedModel& m : p.others)
    json["others"].push_back(
        {{"model", m.model}, {"sha256", m.sha256}, {"precision", m.precision}, {"tensors", tensors_json(m.tensors)}});
  return json;
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
  for (const Claim& c : result.claims) {
    const ClaimSpec* declared = schema.claim(c.id);
    claims.push_back(claim_json(c, declared ? *declared : ClaimSpec()));
  }
  return {{"study", result.study},
          {"params", params},
          {"provenance", provenance_json(result.provenance)},
          {"complete", result.complete},
          {"fingerprint", result.fingerprint},
          {"difference", result.difference},
          {"notes", result.notes},
          {"scalars", scalars},
          {"arrays", arrays},
          {"words", words},
          {"tokens", tokens},
          {"edits", result.edits},
          {"claims", claims}};
}

std::vector<std::string> texts(const Json* list) {
  std::vector<std::string> out;
  if (list && list->is_array())
    for (const Json& item : *list) out.push_back(untyped(item));
  return out;
}

/// A count that every machine can hold: the page's module counts in 32 bits, where 2^32 would read as 0.
bool is_count(const Json& json) {
  return json.is_number_unsigned() && json.get<std::uint64_t>() <= std::numeric_limits<std::uint32_t>::max();
}

/// Two numbers of 32 bits in the place of each of 64; `to` holds no number then, only bits.
void append_packed(std::vector<double>& to, const std::vector<double>& numbers) {
  const std::vector<float> single(numbers.begin(), numbers.end());
  const std::size_t begin = to.size();
  to.resize(begin + (single.size() + 1) / 2);
  if (!single.empty()) std::memcpy(to.data() + begin, single.data(), single.size() * sizeof(float));
}

std::vector<double> unpacked(const double* data, std::size_t size) {
  std::vector<float> single(size);
  if (size) std::memcpy(single.data(), data, size * sizeof(float));
  return {single.begin(), single.end()};
}

Expected<Array> read_array(const std::string& name, const Json& json, const double* data, std::size_t count) {
  const Error bad{"The result's array " + in_quotes(name) + " does not fit the data that came with it."};
  Array array;
  array.name = name, array.unit = text_at(json, "unit"), array.axes = texts(find(json, "axes"));
  array.first = static_cast<long long>(number_at(json, "first"));
  const Json* shape = find(json, "shape");
  if (!shape || !shape->is_array()) return bad;
  const std::string dtype = text_at(json, "dtype", "f64");
  if (dtype != "f64" && dtype != "f32") return bad;
  array.type = dtype == "f32" ? NumberType::f32 : NumberType::f64;
  const std::size_t in_one = array.type == NumberType::f32 ? 2 : 1;  // numbers in the place of one of 64 bits
  std::size_t size = 1;
  for (const Json& extent : *shape) {
    if (!is_count(extent)) return bad;
    array.shape.push_back(extent.get<std::size_t>());
    if (array.shape.back() && size > count * in_one / array.shape.back()) return bad;
    size *= array.shape.back();
  }
  const Json* offset = find(json, "offset");
  if (!offset || !is_count(*offset)) return bad;
  const auto first = offset->get<std::size_t>();
  if (first > count || size > (count - first) * in_one) return bad;
  array.data = array.type == NumberType::f32 ? unpacked(data + first, size)
                                             : std::vector<double>(data + first, data + first + size);
  return array;
}

std::vector<TensorHash> read_tensors(const Json* tensors) {
  std::vector<TensorHash> out;
  if (tensors && tensors->is_object())
    for (const auto& [name, hash] : tensors->items()) out.push_back({name, untyped(hash)});
  return out;
}

Provenance read_provenance(const Json& json) {
  Provenance p;
  p.model = text_at(json, "model"), p.sha256 = text_at(json, "sha256");
  p.precision = text_at(json, "precision"), p.kernels = text_at(json, "kernels");
  p.version = text_at(json, "version"), p.convention = text_at(json, "convention");
  p.arithmetic = text_at(json, "arithmetic", p.arithmetic);
  p.tensors = read_tensors(find(json, "tensors"));
  if (const Json* others = find(json, "others"); others && others->is_array())
    for (const Json& m : *others)
      p.others.push_back(
          {text_at(m, "model"), text_at(m, "sha256"), text_at(m, "precision"), read_tensors(find(m, "tensors"))});
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

namespace {

/// "a random walk with the steps of minihelix, seed 3, PCG64 (control:walk:3@minihelix)"; other names as they are.
std::string named(const std::string& model) {
  const auto control = is_control(model) ? parse_control(model) : Expected<ControlName>(Error{});
  return control ? phrase(*control) + ", seed " + std::to_string(control->seed) + ", PCG64 (" + model + ")" : model;
}

std::string model_text(const UsedModel& m) {
  std::string text = m.model;
  if (!m.sha256.empty()) text += ", sha256 " + m.sha256 + "…";
  for (const TensorHash& t : m.tensors) text += ", " + t.name + " " + t.sha256.substr(0, 12) + "…";
  if (!m.precision.empty()) text += ", " + m.precision;
  return text;
}

}  // namespace

std::string provenance_line(const Provenance& p) {
  std::string line = p.convention.empty() ? "" : p.convention + "; ";
  std::vector<std::string> models;
  if (!p.model.empty() || p.others.empty())
    models.push_back(model_text({p.model.empty() ? "no weights" : named(p.model), p.sha256, p.precision, p.tensors}));
  for (UsedModel m : p.others) m.model = named(m.model), models.push_back(model_text(m));
  line += join(models, "; ");
  return line + (models.size() > 1 ? "; " : ", ") + p.arithmetic + " on " + p.kernels + ", helixscope " + p.version;
}

EncodedResult encode(const Result& result, const StudySchema& schema) {
  EncodedResult out;
  Json json = head(result, schema);
  for (const Array& a : result.arrays) {
    json["arrays"][a.name]["dtype"] = a.type == NumberType::f32 ? "f32" : "f64";
    json["arrays"][a.name]["offset"] = out.data.size();
    if (a.type == NumberType::f32)
      append_packed(out.data, a.data);
    else
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
  result.fingerprint = text_at(*json, "fingerprint");
  result.complete = flag_at(*json, "complete", true);
  result.difference = flag_at(*json, "difference");
  result.notes = texts(find(*json, "notes"));
  result.edits = texts(find(*json, "edits"));
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

void round_to_f32(std::vector<double>& numbers) {
  for (double& x : numbers) x = static_cast<float>(x);
}

std::string to_json(const Result& result, const StudySchema& schema, bool arrays) {
  Json json = head(result, schema);
  if (arrays)
    for (const Array& a : result.arrays) {
      Json data = Json::array();
      for (const double x : a.data) data.push_back(number(a.type == NumberType::f32 ? fewest_digits_f32(x) : x));
      json["arrays"][a.name]["data"] = std::move(data);
    }
  return dump(json);
}

}  // namespace helix::protocol
