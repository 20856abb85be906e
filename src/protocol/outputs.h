// The other half of a study's field list: its numbers and arrays. Walked to describe, to write and to read a result.
#pragma once

#include <initializer_list>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
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

 private:
  constexpr Out with(Role other) const {
    Out out = *this;
    out.role = other;
    return out;
  }
};

/// Digits after the point where a field does not say: percentages two, counts none, other numbers four.
int default_digits(std::string_view unit);

class OutputSchemaWriter {
 public:
  explicit OutputSchemaWriter(std::vector<OutputSpec>& out) : out_(out) {}
  void operator()(const Out& f, const Quantity&) { add(f, f.role, false); }
  void operator()(const Out& f, const Grid&) { add(f, f.role, false); }
  void operator()(const Out& f, const Texts&) { add(f, f.role == Role::key ? Role::key : Role::label, true); }

 private:
  void add(const Out& f, Role role, bool words) {
    out_.push_back({f.name,
                    f.unit,
                    "",
                    {f.axes.begin(), f.axes.end()},
                    words,
                    f.type,
                    role,
                    f.shown_digits < 0 ? default_digits(f.unit) : f.shown_digits,
                    f.leads,
                    f.about});
  }
  std::vector<OutputSpec>& out_;
};

class OutputWriter {
 public:
  explicit OutputWriter(Result& out) : out_(out) {}
  void operator()(const Out& f, const Quantity& q) { out_.scalars.push_back({f.name, q.value, f.unit, q.note}); }
  void operator()(const Out& f, const Grid& g) {
    // An array that was never filled has no entries along any of its axes.
    const std::vector<std::size_t> shape = g.shape.empty() ? std::vector<std::size_t>(f.axes.size(), 0) : g.shape;
    out_.arrays.push_back({f.name, shape, {f.axes.begin(), f.axes.end()}, f.unit, g.data, g.first, f.type});
    if (f.type == NumberType::f32) round_to_f32(out_.arrays.back().data);
  }
  void operator()(const Out& f, const Texts& t) { out_.words.push_back({f.name, *f.axes.begin(), t}); }

 private:
  Result& out_;
};

/// What is absent stays empty (NaN, no rows): a view draws what there is.
class OutputReader {
 public:
  explicit OutputReader(const Result& from) : from_(from) {}
  void operator()(const Out& f, Quantity& q) {
    if (const Scalar* s = from_.scalar(f.name)) q = {s->value, s->note};
  }
  void operator()(const Out& f, Grid& g) {
    const Array* a = from_.array(f.name);
    if (a && a->shape.size() == f.axes.size()) g = {a->shape, a->data, a->first};
  }
  void operator()(const Out& f, Texts& t) {
    if (const Words* w = from_.words_of(f.name)) t = w->data;
  }

 private:
  const Result& from_;
};

template <class Output>
std::vector<OutputSpec> output_specs() {
  std::vector<OutputSpec> specs;
  const Output output;
  Output::fields(OutputSchemaWriter(specs), output);
  return specs;
}

template <class Output>
void write_outputs(const Output& output, Result& into) {
  Output::fields(OutputWriter(into), output);
}

template <class Output>
Output read_outputs(const Result& from) {
  Output output;
  Output::fields(OutputReader(from), output);
  return output;
}

}  // namespace helix::protocol
