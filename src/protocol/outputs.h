// The other half of a study's field list: its numbers and arrays. Walked to describe, to write and to read a result.
#pragma once

#include <initializer_list>
#include <limits>
#include <string>
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

struct ScalarField {
  const char *name, *unit, *label;
};
struct ArrayField {
  const char *name, *unit, *label;
  std::initializer_list<const char*> axes;
  NumberType type = NumberType::f64;  // f32: for large arrays that do not need more digits
};
struct WordsField {
  const char *name, *label, *axis;
};

class OutputSchemaWriter {
 public:
  explicit OutputSchemaWriter(std::vector<OutputSpec>& out) : out_(out) {}
  void operator()(const ScalarField& f, const Quantity&) { out_.push_back({f.name, f.unit, f.label, {}}); }
  void operator()(const ArrayField& f, const Grid&) {
    out_.push_back({f.name, f.unit, f.label, {f.axes.begin(), f.axes.end()}, false, f.type});
  }
  void operator()(const WordsField& f, const Texts&) { out_.push_back({f.name, "", f.label, {f.axis}, true}); }

 private:
  std::vector<OutputSpec>& out_;
};

class OutputWriter {
 public:
  explicit OutputWriter(Result& out) : out_(out) {}
  void operator()(const ScalarField& f, const Quantity& q) {
    out_.scalars.push_back({f.name, q.value, f.unit, q.note});
  }
  void operator()(const ArrayField& f, const Grid& g) {
    // An array that was never filled has no entries along any of its axes.
    const std::vector<std::size_t> shape = g.shape.empty() ? std::vector<std::size_t>(f.axes.size(), 0) : g.shape;
    out_.arrays.push_back({f.name, shape, {f.axes.begin(), f.axes.end()}, f.unit, g.data, g.first, f.type});
    if (f.type == NumberType::f32) round_to_f32(out_.arrays.back().data);
  }
  void operator()(const WordsField& f, const Texts& t) { out_.words.push_back({f.name, f.axis, t}); }

 private:
  Result& out_;
};

/// What is absent stays empty (NaN, no rows): a view draws what there is.
class OutputReader {
 public:
  explicit OutputReader(const Result& from) : from_(from) {}
  void operator()(const ScalarField& f, Quantity& q) {
    if (const Scalar* s = from_.scalar(f.name)) q = {s->value, s->note};
  }
  void operator()(const ArrayField& f, Grid& g) {
    const Array* a = from_.array(f.name);
    if (a && a->shape.size() == f.axes.size()) g = {a->shape, a->data, a->first};
  }
  void operator()(const WordsField& f, Texts& t) {
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
