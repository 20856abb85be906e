// The other half of a study's field list: its numbers and arrays. Walked to describe, to write and to read a result.
#pragma once

#include <initializer_list>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "base/schema.h"
#include "protocol/result.h"

namespace helix::protocol {

/// A number and, where it needs one, a sentence on how it was taken.
struct Quantity {
  double value = std::numeric_limits<double>::quiet_NaN();
  std::string note;
};

/// Row-major numbers with their shape.
struct Grid {
  std::vector<std::size_t> shape;
  std::vector<double> data;
  long long first = 0;  // the index of the first row

  std::size_t rows() const { return shape.empty() ? 0 : shape[0]; }
  std::size_t cols() const { return shape.size() < 2 ? 1 : shape[1]; }
  double operator()(std::size_t i, std::size_t j = 0) const { return data[i * cols() + j]; }
};

/// Texts along one axis.
using Texts = std::vector<std::string>;

/// One output in a study's field list: a number without axes, numbers or words along some. Says what it is once; table,
/// export, accessible reading and comparison follow from it.
///
///   v(Out{"mean", "vector length"}.headline(), o.mean);
///   v(Out{"norm", "vector length", {"row"}}, o.norm);
///   v(Out{"token", "", {"rank"}}.key(), o.token);
struct Out {
  const char *name, *unit;
  std::initializer_list<const char*> axes{};
  Role role = Role::quantity;
  NumberType type = NumberType::f64;
  int shown_digits = -1;  // below 0: those of its unit
  bool leads = false;
  const char* about = "";
  const char* short_name = "";

  constexpr Out key() const { return with(Role::key); }
  constexpr Out setting() const { return with(Role::setting); }
  constexpr Out coordinate() const { return with(Role::coordinate); }
  /// For large arrays that do not need more digits.
  constexpr Out f32() const {
    Out out = *this;
    out.type = NumberType::f32;
    return out;
  }
  constexpr Out digits(int count) const {
    Out out = *this;
    out.shown_digits = count;
    return out;
  }
  constexpr Out headline() const {
    Out out = *this;
    out.leads = true;
    return out;
  }
  /// About the first entry of this list of keys (the likeliest token): a comparison subtracts it only from the number of the
  /// same one.
  constexpr Out of(const char* keys) const {
    Out out = *this;
    out.about = keys;
    return out;
  }
  /// Its name in the reading under the pointer, as short as an axis' title and translated as one; without it, it has no line
  /// there.
  constexpr Out brief(const char* text) const {
    Out out = *this;
    out.short_name = text;
    return out;
  }

 private:
  constexpr Out with(Role other) const {
    Out out = *this;
    out.role = other;
    return out;
  }
};

/// Digits after the point where a field does not say: percentages two, counts none, other numbers four.
int default_digits(std::string_view unit);

/// Walks the outputs. One type for all walks, so that a field list is compiled once.
class OutputVisitor {
 public:
  virtual void operator()(const Out&, Quantity&) = 0;
  virtual void operator()(const Out&, Grid&) = 0;
  virtual void operator()(const Out&, Texts&) = 0;

 protected:
  ~OutputVisitor() = default;
};

class OutputSchemaWriter final : public OutputVisitor {
 public:
  explicit OutputSchemaWriter(std::vector<OutputSpec>& out) : out_(out) {}
  void operator()(const Out& f, Quantity&) override { add(f, f.role, false); }
  void operator()(const Out& f, Grid&) override { add(f, f.role, false); }
  void operator()(const Out& f, Texts&) override { add(f, f.role == Role::key ? Role::key : Role::label, true); }

 private:
  void add(const Out& f, Role role, bool words);
  std::vector<OutputSpec>& out_;
};

/// Changes nothing of what it walks.
class OutputWriter final : public OutputVisitor {
 public:
  explicit OutputWriter(Result& out) : out_(out) {}
  void operator()(const Out& f, Quantity& q) override;
  void operator()(const Out& f, Grid& g) override;
  void operator()(const Out& f, Texts& t) override;

 private:
  Result& out_;
};

/// What is absent stays empty (NaN, no rows): a view draws what there is.
class OutputReader final : public OutputVisitor {
 public:
  explicit OutputReader(const Result& from) : from_(from) {}
  void operator()(const Out& f, Quantity& q) override;
  void operator()(const Out& f, Grid& g) override;
  void operator()(const Out& f, Texts& t) override;

 private:
  const Result& from_;
};

template <class Output>
std::vector<OutputSpec> output_specs() {
  std::vector<OutputSpec> specs;
  Output output;
  OutputSchemaWriter writer(specs);
  Output::fields(writer, output);
  return specs;
}

template <class Output>
void write_outputs(const Output& output, Result& into) {
  OutputWriter writer(into);
  Output::fields(writer, const_cast<Output&>(output));  // the writer only reads
}

template <class Output>
Output read_outputs(const Result& from) {
  Output output;
  OutputReader reader(from);
  Output::fields(reader, output);
  return output;
}

}  // namespace helix::protocol
