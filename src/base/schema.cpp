#include "base/schema.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"

namespace helix {
namespace {

std::string allowed(const ParamSpec& spec) {
  switch (spec.type) {
    case ParamType::boolean:
      return "0 or 1";
    case ParamType::choice: {
      std::vector<std::string> ids;
      for (const Choice& c : spec.choices) ids.push_back(c.id);
      return "one of " + join(ids, ", ");
    }
    case ParamType::integers:
      return (spec.count ? std::to_string(spec.count) + " whole numbers" : std::string("whole numbers")) + " from " +
             to_text(spec.min) + " to " + to_text(spec.max) + ", separated by commas";
    case ParamType::integer:
      return "a whole number from " + to_text(spec.min) + " to " + to_text(spec.max);
    case ParamType::real:
      return "a number from " + to_text(spec.min) + " to " + to_text(spec.max);
  }
  return {};
}

Error refuse(const ParamSpec& spec, std::string_view text) {
  return {spec.key + " is " + in_quotes(text) + ", but it must be " + allowed(spec) + "."};
}

Expected<std::string> canonical_number(const ParamSpec& spec, std::string_view text, bool strict, bool whole) {
  double value = 0;
  if (whole) {
    const auto parsed = parse_int(text);
    if (!parsed) return refuse(spec, text);
    value = *parsed;
  } else {
    const auto parsed = parse_real(text);
    if (!parsed) return refuse(spec, text);
    value = *parsed;
  }
  if (strict && (value < spec.min || value > spec.max)) return refuse(spec, text);
  return to_text(std::clamp(value, spec.min, spec.max));
}

Expected<std::string> canonical_list(const ParamSpec& spec, std::string_view text, bool strict) {
  std::vector<std::string> out;
  for (const std::string& part : split(text, ',')) {
    const auto one = canonical_number(spec, part, strict, true);
    if (!one) return refuse(spec, text);
    out.push_back(*one);
  }
  if (spec.count && out.size() != spec.count) return refuse(spec, text);
  return join(out, ",");
}

}  // namespace

const ParamSpec* StudySchema::find(std::string_view key) const {
  const auto it = std::find_if(params.begin(), params.end(), [&](const ParamSpec& p) { return p.key == key; });
  return it == params.end() ? nullptr : &*it;
}

std::string_view reads_name(Reads reads) {
  switch (reads) {
    case Reads::weights:
      return "weights";
    case Reads::tokens:
      return "tokens";
    case Reads::layers:
      return "layers";
    case Reads::forward:
      return "forward";
    case Reads::model:
      return "model";
    case Reads::training:
      return "training";
  }
  return {};
}

std::vector<std::string> files_for(Reads reads) {
  if (reads == Reads::training) return {"emergence.safetensors"};
  if (reads_prompt(reads)) return {"vocab.json", "merges.txt"};
  return {};
}

std::string_view bound_name(Bound bound) {
  switch (bound) {
    case Bound::none:
      return "";
    case Bound::last_position:
      return "last_position";
    case Bound::last_layer:
      return "last_layer";
    case Bound::last_head:
      return "last_head";
    case Bound::last_moment:
      return "last_moment";
  }
  return {};
}

std::string_view type_name(ParamType type) {
  switch (type) {
    case ParamType::boolean:
      return "boolean";
    case ParamType::integer:
      return "integer";
    case ParamType::real:
      return "real";
    case ParamType::choice:
      return "choice";
    case ParamType::integers:
      return "integers";
  }
  return {};
}

ParamValues defaults(const StudySchema& schema) {
  ParamValues values;
  for (const ParamSpec& spec : schema.params) values.emplace_back(spec.key, spec.default_text);
  return values;
}

const std::string* find_value(const ParamValues& values, std::string_view key) {
  const auto it = std::find_if(values.begin(), values.end(), [&](const auto& v) { return v.first == key; });
  return it == values.end() ? nullptr : &it->second;
}

Expected<std::string> canonical(const ParamSpec& spec, std::string_view text, bool strict) {
  switch (spec.type) {
    case ParamType::boolean: {
      const auto value = parse_bool(text);
      if (!value) return refuse(spec, text);
      return std::string(*value ? "1" : "0");
    }
    case ParamType::choice:
      for (const Choice& c : spec.choices)
        if (c.id == text) return c.id;
      return refuse(spec, text);
    case ParamType::integers:
      return canonical_list(spec, text, strict);
    case ParamType::integer:
      return canonical_number(spec, text, strict, true);
    case ParamType::real:
      return canonical_number(spec, text, strict, false);
  }
  return refuse(spec, text);
}

Expected<void> set_value(const StudySchema& schema, ParamValues& values, std::string_view key, std::string_view text,
                         bool strict) {
  const ParamSpec* spec = schema.find(key);
  if (!spec) return Error{"The study " + schema.id + " has no parameter " + in_quotes(key) + "."};
  const auto value = canonical(*spec, text, strict);
  if (!value) return value.error();
  for (auto& [name, held] : values)
    if (name == key) held = *value;
  return {};
}

}  // namespace helix
