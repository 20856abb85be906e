#include "base/schema.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "base/utf8.h"

namespace helix {
namespace {

std::string list_allowed(const ParamSpec& spec, const std::string& what) {
  const std::string number = std::to_string(spec.count ? spec.count : spec.most);
  return (spec.count ? number : "at most " + number) + " " + what;
}

std::string allowed(const ParamSpec& spec) {
  const std::string range = " from " + to_text(spec.min) + " to " + to_text(spec.max);
  switch (spec.type) {
    case ParamType::boolean:
      return "0 or 1";
    case ParamType::choice: {
      std::vector<std::string> ids;
      for (const Choice& c : spec.choices) ids.push_back(c.id);
      return "one of " + join(ids, ", ");
    }
    case ParamType::integers:
      return list_allowed(spec, "whole numbers" + range + ", separated by commas");
    case ParamType::reals:
      return list_allowed(spec, "numbers" + range + ", separated by commas");
    case ParamType::names:
      return list_allowed(
          spec, "different names of at most " + std::to_string(spec.length) + " bytes each, separated by commas");
    case ParamType::text:
      return "text of at most " + std::to_string(spec.length) + " bytes";
    case ParamType::integer:
      return "a whole number" + range;
    case ParamType::real:
      return "a number" + range;
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

/// The entries of a list; an empty text is a list without entries.
std::vector<std::string> entries(std::string_view text) {
  return text.empty() ? std::vector<std::string>() : split(text, ',');
}

Expected<std::string> canonical_list(const ParamSpec& spec, std::string_view text, bool strict) {
  std::vector<std::string> out;
  for (const std::string& part : entries(text)) {
    const auto one = canonical_number(spec, part, strict, spec.type == ParamType::integers);
    if (!one) return refuse(spec, text);
    out.push_back(*one);
  }
  if (spec.count && out.size() != spec.count) return refuse(spec, text);
  if (!spec.count && out.size() > spec.most) {
    if (strict) return refuse(spec, text);
    out.resize(spec.most);
  }
  return join(out, ",");
}

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

std::string trimmed(std::string text) {
  while (!text.empty() && is_space(text.back())) text.pop_back();
  text.erase(text.begin(), std::find_if_not(text.begin(), text.end(), is_space));
  return text;
}

bool is_name(const ParamSpec& spec, const std::string& name) {
  const auto control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  return name.size() <= spec.length && is_utf8(name) && std::none_of(name.begin(), name.end(), control);
}

/// Names without spaces around them, each once. Empty names, as after a comma at the end, are left out.
Expected<std::string> canonical_names(const ParamSpec& spec, std::string_view text, bool strict) {
  std::vector<std::string> out;
  for (const std::string& part : entries(text)) {
    const std::string name = trimmed(part);
    if (name.empty()) continue;
    if (!is_name(spec, name)) return refuse(spec, text);
    const bool again = std::find(out.begin(), out.end(), name) != out.end();
    if (strict && again) return refuse(spec, text);
    if (!again) out.push_back(name);
  }
  if (out.size() > spec.most) {
    if (strict) return refuse(spec, text);
    out.resize(spec.most);
  }
  return join(out, ",");
}

/// A text that is too long is cut between two characters.
Expected<std::string> canonical_text(const ParamSpec& spec, std::string_view text, bool strict) {
  if (!is_utf8(text) || (strict && text.size() > spec.length)) return refuse(spec, text);
  std::size_t end = std::min(text.size(), spec.length);
  while (!is_utf8(text.substr(0, end))) --end;
  return std::string(text.substr(0, end));
}

}  // namespace

Presets::Presets(std::initializer_list<PresetText> list) {
  for (const PresetText& preset : list) emplace_back(Preset{std::string(preset.id), std::string(preset.fragment)});
}
Claims::Claims(std::initializer_list<ClaimText> list) {
  for (const ClaimText& claim : list) push_back(claim);
}
void Claims::push_back(const ClaimText& claim) {
  emplace_back(ClaimSpec{
      std::string(claim.id),
      claim.stated,
      std::string(claim.unit),
      std::string(claim.about),
      std::string(claim.fragment),
      {std::string(claim.conventions.settings), std::string(claim.conventions.number), claim.conventions.within}});
}

const ParamSpec* StudySchema::find(std::string_view key) const {
  const auto it = std::find_if(params.begin(), params.end(), [&](const ParamSpec& p) { return p.key == key; });
  return it == params.end() ? nullptr : &*it;
}

const OutputSpec* StudySchema::output(std::string_view name) const {
  const auto it = std::find_if(outputs.begin(), outputs.end(), [&](const OutputSpec& o) { return o.name == name; });
  return it == outputs.end() ? nullptr : &*it;
}

const ClaimSpec* StudySchema::claim(std::string_view name) const {
  const auto it = std::find_if(claims.begin(), claims.end(), [&](const ClaimSpec& c) { return c.id == name; });
  return it == claims.end() ? nullptr : &*it;
}

std::string_view model_title(std::string_view id) { return id == kGpt2Small ? "GPT-2 small" : ""; }

std::string_view reads_name(Reads reads) {
  switch (reads) {
    case Reads::nothing:
      return "nothing";
    case Reads::positions:
      return "positions";
    case Reads::words:
      return "words";
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
    case Bound::last_dimension:
      return "last_dimension";
    case Bound::last_token:
      return "last_token";
  }
  return {};
}

std::string_view suggest_name(Suggest suggest) { return suggest == Suggest::models ? "models" : ""; }

std::string_view role_name(Role role) {
  switch (role) {
    case Role::quantity:
      return "quantity";
    case Role::key:
      return "key";
    case Role::label:
      return "label";
    case Role::setting:
      return "setting";
    case Role::coordinate:
      return "coordinate";
  }
  return "";
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
    case ParamType::reals:
      return "reals";
    case ParamType::names:
      return "names";
    case ParamType::text:
      return "text";
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
    case ParamType::reals:
      return canonical_list(spec, text, strict);
    case ParamType::names:
      return canonical_names(spec, text, strict);
    case ParamType::text:
      return canonical_text(spec, text, strict);
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
