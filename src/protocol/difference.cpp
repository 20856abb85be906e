// Two results as one: what changed.
#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "protocol/result.h"

namespace helix::protocol {
namespace {

/// Two infinities of one sign are equal, though their difference is not defined: a masked score stayed masked.
double change(double a, double b) { return a == b ? 0 : a - b; }

std::string shape_text(const Array& array) {
  std::vector<std::string> extents;
  for (const std::size_t extent : array.shape) extents.push_back(std::to_string(extent));
  return join(extents, " × ") + (array.axes.empty() ? "" : " (" + join(array.axes, " × ") + ")");
}

/// Why two arrays cannot be subtracted; empty where they can.
std::string obstacle(const Array& a, const Array& b) {
  if (a.shape != b.shape || a.axes != b.axes)
    return "There is no difference to show: " + a.name + " is " + shape_text(a) + " on one side and " + shape_text(b) +
           " on the other.";
  if (a.first != b.first)
    return "There is no difference to show: " + a.name + " begins at " + (a.axes.empty() ? "entry" : a.axes[0]) + " " +
           std::to_string(a.first) + " on one side and at " + std::to_string(b.first) + " on the other.";
  return {};
}

Error only_one_has(const std::string& name) {
  return {"There is no difference to show: only one side has " + name + "."};
}

Expected<std::vector<Array>> array_changes(const Result& a, const Result& b) {
  std::vector<Array> out;
  for (const Array& array : b.arrays)
    if (!a.array(array.name)) return only_one_has(array.name);
  for (const Array& array : a.arrays) {
    const Array* other = b.array(array.name);
    if (!other) return only_one_has(array.name);
    if (std::string why = obstacle(array, *other); !why.empty()) return Error{std::move(why)};
    Array changed = array;
    std::transform(array.data.begin(), array.data.end(), other->data.begin(), changed.data.begin(), change);
    if (other->type == NumberType::f64) changed.type = NumberType::f64;
    if (changed.type == NumberType::f32) round_to_f32(changed.data);
    out.push_back(std::move(changed));
  }
  return out;
}

std::vector<Scalar> scalar_changes(const Result& a, const Result& b) {
  std::vector<Scalar> out = a.scalars;
  for (Scalar& scalar : out) {
    const Scalar* other = b.scalar(scalar.name);
    scalar.value = other ? change(scalar.value, other->value) : std::nan("");
  }
  return out;
}

/// Both texts where they are not the same.
std::vector<Words> both_words(const Result& a, const Result& b) {
  std::vector<Words> out = a.words;
  for (Words& words : out) {
    const Words* other = b.words_of(words.name);
    for (std::size_t i = 0; other && i < std::min(words.data.size(), other->data.size()); ++i)
      if (words.data[i] != other->data[i]) words.data[i] += " / " + other->data[i];
  }
  return out;
}

/// The provenance of `a`, and as another model that of `b` where it is not the same.
Provenance both_provenances(const Provenance& a, const Provenance& b, const char* and_then) {
  Provenance out = a;
  const auto add = [&](const UsedModel& model) {
    const auto same = [&](const std::string& name, const std::string& sha256) {
      return name == model.model && sha256 == model.sha256;
    };
    if (model.model.empty() || same(out.model, out.sha256)) return;
    if (std::ranges::none_of(out.others, [&](const UsedModel& m) { return same(m.model, m.sha256); }))
      out.others.push_back(model);
  };
  add({b.model, b.sha256, b.precision, b.tensors});
  for (const UsedModel& model : b.others) add(model);
  if (out.convention != b.convention) out.convention += (out.convention.empty() ? "" : and_then) + b.convention;
  return out;
}

}  // namespace

Expected<Result> difference(const Result& a, const Result& b) {
  if (a.study != b.study)
    return Error{"There is no difference to show: one side is of the study " + in_quotes(a.study) + ", the other of " +
                 in_quotes(b.study) + "."};
  auto arrays = array_changes(a, b);
  if (!arrays) return arrays.error();
  Result out = a;
  out.arrays = std::move(*arrays);
  out.scalars = scalar_changes(a, b);
  out.words = both_words(a, b);
  out.provenance = both_provenances(a.provenance, b.provenance, " less ");
  out.claims.clear();
  for (const std::string& note : b.notes)
    if (std::ranges::find(out.notes, note) == out.notes.end()) out.notes.push_back(note);
  out.complete = a.complete && b.complete;
  out.fingerprint = a.fingerprint + "-" + b.fingerprint;
  out.difference = true;
  return out;
}

Result beside(const Result& a, const Result& b) {
  Result out = a;
  const auto add = [](auto& into, const auto& from) {
    for (auto one : from) {
      one.name = "against_" + one.name;
      into.push_back(std::move(one));
    }
  };
  add(out.scalars, b.scalars);
  add(out.arrays, b.arrays);
  add(out.words, b.words);
  out.provenance = both_provenances(a.provenance, b.provenance, " beside ");
  out.complete = a.complete && b.complete;
  return out;
}

}  // namespace helix::protocol
