// One list of fields per study, walked by small visitors: nothing else knows how a parameter is written or read.
//
//   struct Params {
//     int first = 1;
//     bool centre = true;
//     static void fields(ParamVisitor& v, Params& p) {
//       v(Field{"first", "position"}, p.first, Whole{0, 65535, Bound::last_position});
//       v(Field{"centre"}, p.centre);
//     }
//   };
#pragma once

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/schema.h"

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
  std::initializer_list<const char*> ids;  // in the order of the enum's values
};

/// Walks the fields. One type for all walks, so that a field list is compiled once: with 39 studies that matters to the page.
class ParamVisitor {
 public:
  virtual void operator()(const Field&, int&, const Whole&) = 0;
  virtual void operator()(const Field&, double&, const Real&) = 0;
  virtual void operator()(const Field&, bool&) = 0;
  virtual void operator()(const Field&, std::vector<int>&, const Wholes&) = 0;
  virtual void operator()(const Field&, std::vector<double>&, const Reals&) = 0;
  virtual void operator()(const Field&, std::vector<std::string>&, const Names&) = 0;
  virtual void operator()(const Field&, std::string&, const Text&) = 0;
  template <class E>
    requires std::is_enum_v<E>
  void operator()(const Field& f, E& value, const OneOf& of) {
    value = static_cast<E>(choice(f, static_cast<std::size_t>(value), of));
  }

 protected:
  /// The index among the choices that the field has from now on.
  virtual std::size_t choice(const Field&, std::size_t value, const OneOf&) = 0;
  ~ParamVisitor() = default;
};

/// Writes the schema, with the defaults taken from the object walked.
class SchemaWriter final : public ParamVisitor {
 public:
  explicit SchemaWriter(std::vector<ParamSpec>& out) : out_(out) {}
  void operator()(const Field& f, int& value, const Whole& r) override;
  void operator()(const Field& f, double& value, const Real& r) override;
  void operator()(const Field& f, bool& value) override;
  void operator()(const Field& f, std::vector<int>& value, const Wholes& r) override;
  void operator()(const Field& f, std::vector<double>& value, const Reals& r) override;
  void operator()(const Field& f, std::vector<std::string>& value, const Names& n) override;
  void operator()(const Field& f, std::string& value, const Text& t) override;

 private:
  std::size_t choice(const Field& f, std::size_t value, const OneOf& of) override;
  ParamSpec& add(const Field& f, ParamType type, std::string default_text);
  std::vector<ParamSpec>& out_;
};

/// Fills the fields from text; one whose text is missing or cannot be read keeps its default.
class ValueReader final : public ParamVisitor {
 public:
  explicit ValueReader(const ParamValues& values) : values_(values) {}
  void operator()(const Field& f, int& value, const Whole&) override;
  void operator()(const Field& f, double& value, const Real&) override;
  void operator()(const Field& f, bool& value) override;
  void operator()(const Field& f, std::vector<int>& value, const Wholes& r) override;
  void operator()(const Field& f, std::vector<double>& value, const Reals& r) override;
  void operator()(const Field& f, std::vector<std::string>& value, const Names&) override;
  void operator()(const Field& f, std::string& value, const Text&) override;

 private:
  std::size_t choice(const Field& f, std::size_t value, const OneOf& of) override;
  template <class Value, class Parse>
  void read_list(const Field& f, std::vector<Value>& value, std::size_t count, Parse parse);
  std::string_view text(const Field& f) const;
  const ParamValues& values_;
};

template <class Params>
std::vector<ParamSpec> param_specs() {
  std::vector<ParamSpec> specs;
  Params values;
  SchemaWriter writer(specs);
  Params::fields(writer, values);
  return specs;
}

template <class Params>
Params read_params(const ParamValues& values) {
  Params params;
  ValueReader reader(values);
  Params::fields(reader, params);
  return params;
}

}  // namespace helix
