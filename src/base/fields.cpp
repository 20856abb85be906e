#include "base/fields.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/text.h"

namespace helix {

namespace {

template <class Number>
std::string list_text(const std::vector<Number>& values) {
  std::vector<std::string> parts;
  for (const Number v : values) parts.push_back(to_text(v));
  return join(parts, ",");
}

}  // namespace

void SchemaWriter::operator()(const Field& f, int& value, const Whole& r) {
  ParamSpec& s = add(f, ParamType::integer, to_text(value));
  s.min = r.min, s.max = r.max, s.bound = r.bound, s.follows = r.follows, s.plays = r.plays;
  s.counted_by = r.counted_by;
}
void SchemaWriter::operator()(const Field& f, double& value, const Real& r) {
  ParamSpec& s = add(f, ParamType::real, to_text(value));
  s.min = r.min, s.max = r.max, s.logarithmic = r.logarithmic, s.smallest = r.smallest;
}
void SchemaWriter::operator()(const Field& f, bool& value) { add(f, ParamType::boolean, value ? "1" : "0"); }
void SchemaWriter::operator()(const Field& f, std::vector<int>& value, const Wholes& r) {
  ParamSpec& s = add(f, ParamType::integers, list_text(value));
  s.min = r.min, s.max = r.max, s.count = r.count, s.most = r.most, s.bound = r.bound;
}
void SchemaWriter::operator()(const Field& f, std::vector<double>& value, const Reals& r) {
  ParamSpec& s = add(f, ParamType::reals, list_text(value));
  s.min = r.min, s.max = r.max, s.count = r.count, s.most = r.most;
}
void SchemaWriter::operator()(const Field& f, std::vector<std::string>& value, const Names& n) {
  ParamSpec& s = add(f, ParamType::names, join(value, ","));
  s.most = n.most, s.length = n.length, s.suggest = n.suggest;
}
void SchemaWriter::operator()(const Field& f, std::string& value, const Text& t) {
  add(f, ParamType::text, value).length = t.length;
}

std::size_t SchemaWriter::choice(const Field& f, std::size_t value, const OneOf& of) {
  ParamSpec& s = add(f, ParamType::choice, of.ids.begin()[value]);
  for (const char* id : of.ids) s.choices.push_back({id, ""});
  return value;
}

ParamSpec& SchemaWriter::add(const Field& f, ParamType type, std::string default_text) {
  ParamSpec spec;
  spec.key = f.key, spec.unit = f.unit, spec.shown_when = f.shown_when, spec.minor = f.minor;
  spec.type = type;
  spec.default_text = std::move(default_text);
  return out_.emplace_back(std::move(spec));
}

void ValueReader::operator()(const Field& f, int& value, const Whole&) { value = parse_int(text(f)).value_or(value); }
void ValueReader::operator()(const Field& f, double& value, const Real&) {
  value = parse_real(text(f)).value_or(value);
}
void ValueReader::operator()(const Field& f, bool& value) { value = parse_bool(text(f)).value_or(value); }
void ValueReader::operator()(const Field& f, std::vector<int>& value, const Wholes& r) {
  read_list(f, value, r.count, parse_int);
}
void ValueReader::operator()(const Field& f, std::vector<double>& value, const Reals& r) {
  read_list(f, value, r.count, parse_real);
}
void ValueReader::operator()(const Field& f, std::vector<std::string>& value, const Names&) {
  read_list(f, value, 0, [](std::string_view name) { return std::optional(std::string(name)); });
}
void ValueReader::operator()(const Field& f, std::string& value, const Text&) {
  if (const std::string* found = find_value(values_, f.key)) value = *found;
}

std::size_t ValueReader::choice(const Field& f, std::size_t value, const OneOf& of) {
  const auto found = std::ranges::find(of.ids, text(f), [](const char* id) { return std::string_view(id); });
  return found == of.ids.end() ? value : static_cast<std::size_t>(found - of.ids.begin());
}

template <class Value, class Parse>
void ValueReader::read_list(const Field& f, std::vector<Value>& value, std::size_t count, Parse parse) {
  if (!find_value(values_, f.key)) return;
  std::vector<Value> list;
  if (!text(f).empty())
    for (const std::string& part : split(text(f), ',')) {
      const auto one = parse(part);
      if (!one) return;
      list.push_back(*one);
    }
  if (count == 0 || list.size() == count) value = std::move(list);
}

std::string_view ValueReader::text(const Field& f) const {
  const std::string* found = find_value(values_, f.key);
  return found ? std::string_view(*found) : std::string_view();
}

}  // namespace helix
