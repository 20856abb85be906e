// One list of fields per study, walked by small visitors: nothing else knows how a parameter is written or read.
//
//   struct Params {
//     int first = 1;
//     bool centre = true;
//     template <class V, class Self> static void fields(V&& v, Self& p) {
//       v(Field{"first", "position"}, p.first, Whole{0, 65535, Bound::last_position});
//       v(Field{"centre"}, p.centre);
//     }
//   };
#pragma once

#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/schema.h"
#include "base/text.h"

namespace helix {

/// What every field says about itself.
struct Field {
  const char* key;
  const char* unit = "";
  const char* shown_when = "";
  bool minor = false;
};

/// Ranges, one type per kind of value.
struct Whole {
  int min, max;
  Bound bound = Bound::none;
  const char* follows = "";
  bool plays = false;
  const char* counted_by = "";
};
/// Logarithmic with a minimum of 0 needs `smallest`: from this size on, the slider moves in ratios.
struct Real {
  double min, max;
  bool logarithmic = false;
  double smallest = 0;
};
/// `count` entries, or with 0 any number of them up to `most`.
struct Wholes {
  int min, max;
  std::size_t count = 0;
  std::size_t most = 64;
  Bound bound = Bound::none;
};
struct Reals {
  double min, max;
  std::size_t count = 0;
  std::size_t most = 64;
};
/// Names such as those of models; a name has no comma, and no spaces around it.
struct Names {
  std::size_t most = 8;
  std::size_t length = 120;
  Suggest suggest = Suggest::nothing;
};
struct Text {
  std::size_t length = 200;
};
struct OneOf {
  std::vector<const char*> ids;  // in the order of the enum's values
};

/// Walks the fields and writes the schema, with the defaults taken from the object walked.
class SchemaWriter {
 public:
  explicit SchemaWriter(std::vector<ParamSpec>& out) : out_(out) {}

  void operator()(const Field& f, int value, const Whole& r) {
    ParamSpec& s = add(f, ParamType::integer, to_text(value));
    s.min = r.min, s.max = r.max, s.bound = r.bound, s.follows = r.follows, s.plays = r.plays;
    s.counted_by = r.counted_by;
  }
  void operator()(const Field& f, double value, const Real& r) {
    ParamSpec& s = add(f, ParamType::real, to_text(value));
    s.min = r.min, s.max = r.max, s.logarithmic = r.logarithmic, s.smallest = r.smallest;
  }
  void operator()(const Field& f, bool value) { add(f, ParamType::boolean, value ? "1" : "0"); }
  void operator()(const Field& f, const std::vector<int>& value, const Wholes& r) {
    ParamSpec& s = add(f, ParamType::integers, list_text(value));
    s.min = r.min, s.max = r.max, s.count = r.count, s.most = r.most, s.bound = r.bound;
  }
  void operator()(const Field& f, const std::vector<double>& value, const Reals& r) {
    ParamSpec& s = add(f, ParamType::reals, list_text(value));
    s.min = r.min, s.max = r.max, s.count = r.count, s.most = r.most;
  }
  void operator()(const Field& f, const std::vector<std::string>& value, const Names& n) {
    ParamSpec& s = add(f, ParamType::names, join(value, ","));
    s.most = n.most, s.length = n.length, s.suggest = n.suggest;
  }
  void operator()(const Field& f, const std::string& value, const Text& t) {
    add(f, ParamType::text, value).length = t.length;
  }
  template <class E>
    requires std::is_enum_v<E>
  void operator()(const Field& f, E value, const OneOf& of) {
    ParamSpec& s = add(f, ParamType::choice, of.ids[static_cast<std::size_t>(value)]);
    for (const char* id : of.ids) s.choices.push_back({id, ""});
  }

 private:
  template <class Number>
  static std::string list_text(const std::vector<Number>& values) {
    std::vector<std::string> parts;
    for (const Number v : values) parts.push_back(to_text(v));
    return join(parts, ",");
  }
  ParamSpec& add(const Field& f, ParamType type, std::string default_text) {
    ParamSpec spec;
    spec.key = f.key, spec.unit = f.unit, spec.shown_when = f.shown_when, spec.minor = f.minor;
    spec.type = type;
    spec.default_text = std::move(default_text);
    return out_.emplace_back(std::move(spec));
  }
  std::vector<ParamSpec>& out_;
};

/// Walks the fields and fills them from text; a field whose text is missing or cannot be read keeps its default.
class ValueReader {
 public:
  explicit ValueReader(const ParamValues& values) : values_(values) {}

  void operator()(const Field& f, int& value, const Whole&) { value = parse_int(text(f)).value_or(value); }
  void operator()(const Field& f, double& value, const Real&) { value = parse_real(text(f)).value_or(value); }
  void operator()(const Field& f, bool& value) { value = parse_bool(text(f)).value_or(value); }
  void operator()(const Field& f, std::vector<int>& value, const Wholes& r) { read_list(f, value, r.count, parse_int); }
  void operator()(const Field& f, std::vector<double>& value, const Reals& r) {
    read_list(f, value, r.count, parse_real);
  }
  void operator()(const Field& f, std::vector<std::string>& value, const Names&) {
    read_list(f, value, 0, [](std::string_view name) { return std::optional(std::string(name)); });
  }
  void operator()(const Field& f, std::string& value, const Text&) {
    if (const std::string* found = find_value(values_, f.key)) value = *found;
  }
  template <class E>
    requires std::is_enum_v<E>
  void operator()(const Field& f, E& value, const OneOf& of) {
    for (std::size_t i = 0; i < of.ids.size(); ++i)
      if (of.ids[i] == text(f)) value = static_cast<E>(i);
  }

 private:
  template <class Value, class Parse>
  void read_list(const Field& f, std::vector<Value>& value, std::size_t count, Parse parse) {
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
  std::string_view text(const Field& f) const {
    const std::string* found = find_value(values_, f.key);
    return found ? std::string_view(*found) : std::string_view();
  }
  const ParamValues& values_;
};

template <class Params>
std::vector<ParamSpec> param_specs() {
  std::vector<ParamSpec> specs;
  Params values;
  Params::fields(SchemaWriter(specs), values);
  return specs;
}

template <class Params>
Params read_params(const ParamValues& values) {
  Params params;
  Params::fields(ValueReader(values), params);
  return params;
}

}  // namespace helix
