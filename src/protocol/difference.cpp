#include "protocol/difference.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <optional>

#include "base/text.h"

namespace helix::protocol {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// Two infinities of one sign are equal, though their difference is not defined: a masked score stayed masked.
double change(double now, double other) { return now == other ? 0 : now - other; }

std::string shape_text(const Array& array) {
  std::vector<std::string> extents;
  for (const std::size_t extent : array.shape) extents.push_back(std::to_string(extent));
  return join(extents, " × ") + (array.axes.empty() ? "" : " (" + join(array.axes, " × ") + ")");
}

Role role_of(const StudySchema& schema, std::string_view name) {
  const OutputSpec* spec = schema.output(name);
  return spec ? spec->role : Role::quantity;
}

/// One text for each entry of an axis, made of all its keys; nothing if the axis has none, or they are not whole.
std::optional<std::vector<std::string>> keys_along(const StudySchema& schema, const Result& result,
                                                   std::string_view axis) {
  std::vector<std::string> keys;
  bool any = false;
  for (const OutputSpec& spec : schema.outputs) {
    if (spec.role != Role::key || spec.axes != std::vector{std::string(axis)}) continue;
    const Array* array = result.array(spec.name);
    const Words* words = result.words_of(spec.name);
    const std::size_t n = array ? array->data.size() : words ? words->data.size() : 0;
    if (any && n != keys.size()) return std::nullopt;
    keys.resize(n);
    for (std::size_t i = 0; i < n; ++i) keys[i] += (array ? to_text(array->data[i]) : words->data[i]) + '\n';
    any = true;
  }
  return any ? std::optional(std::move(keys)) : std::nullopt;
}

Entries by_key(const std::vector<std::string>& now, const std::vector<std::string>& other) {
  Entries out;
  out.by_key = true;
  out.first = 1;
  std::multimap<std::string_view, std::ptrdiff_t> there;  // equal keys in their order
  for (std::size_t k = 0; k < other.size(); ++k) there.emplace(other[k], static_cast<std::ptrdiff_t>(k));
  for (std::size_t i = 0; i < now.size(); ++i) {
    const auto found = there.lower_bound(now[i]);
    const bool both = found != there.end() && found->first == now[i];
    out.now.push_back(static_cast<std::ptrdiff_t>(i));
    out.other.push_back(both ? found->second : Entries::kNone);
    if (both) there.erase(found);
  }
  std::vector<std::ptrdiff_t> rest;
  for (const auto& [key, k] : there) rest.push_back(k);
  std::ranges::sort(rest);
  for (const std::ptrdiff_t k : rest) out.now.push_back(Entries::kNone), out.other.push_back(k);
  return out;
}

/// Whether a number is about the same thing on both sides: the first key of the list that its output names (Out::of).
bool about_the_same(const StudySchema& schema, const Result& now, const Result& other, std::string_view name) {
  const OutputSpec* spec = schema.output(name);
  const OutputSpec* keys = spec && !spec->of.empty() ? schema.output(spec->of) : nullptr;
  if (!keys || keys->axes.size() != 1) return true;
  const auto here = keys_along(schema, now, keys->axes[0]), there = keys_along(schema, other, keys->axes[0]);
  return !here || !there || here->empty() || there->empty() || here->front() == there->front();
}

/// How many entries a result has along an axis, and the index of the first: those of its longest list.
struct Extent {
  long long first = 0, count = 0;
};
Extent extent_along(const Result& result, std::string_view axis) {
  Extent out;
  for (const Array& array : result.arrays)
    if (!array.axes.empty() && array.axes[0] == axis && !array.shape.empty() &&
        static_cast<long long>(array.shape[0]) > out.count)
      out = {array.first, static_cast<long long>(array.shape[0])};
  for (const Words& words : result.words)
    if (words.axis == axis) out.count = std::max(out.count, static_cast<long long>(words.data.size()));
  return out;
}

Entries by_index(const Extent& now, const Extent& other) {
  Entries out;
  const auto end = [](const Extent& e) { return e.first + e.count; };
  out.first = now.count == 0 ? other.first : other.count == 0 ? now.first : std::min(now.first, other.first);
  const long long last = std::max(now.count ? end(now) : out.first, other.count ? end(other) : out.first);
  const auto at = [](const Extent& e, long long i) {
    return i >= e.first && i < e.first + e.count ? static_cast<std::ptrdiff_t>(i - e.first) : Entries::kNone;
  };
  for (long long i = out.first; i < last; ++i) out.now.push_back(at(now, i)), out.other.push_back(at(other, i));
  return out;
}

bool same_number(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

/// Whether what was asked along an axis is the same at all entries that both sides have: bins with other edges are other
/// bins.
bool same_settings(const StudySchema& schema, const Result& now, const Result& other, const std::string& axis,
                   const Entries& entries) {
  for (const OutputSpec& spec : schema.outputs) {
    if (spec.role != Role::setting || spec.words || spec.axes != std::vector{axis}) continue;
    const Array *a = now.array(spec.name), *b = other.array(spec.name);
    if (!a || !b) continue;
    const std::vector<double> here = at_entries(*a, entries.now), there = at_entries(*b, entries.other);
    for (std::size_t i = 0; i < entries.size(); ++i)
      if (entries.now[i] != Entries::kNone && entries.other[i] != Entries::kNone && !same_number(here[i], there[i]))
        return false;
  }
  return true;
}

NumberType type_of(const Array& a, const Array& b) {
  return a.type == NumberType::f32 && b.type == NumberType::f32 ? NumberType::f32 : NumberType::f64;
}

void settle_type(Array& changed) {
  if (changed.type == NumberType::f32) round_to_f32(changed.data);
}

/// A list along one axis, entry by entry.
Array list_change(const Array& now, const Array& other, const Entries& entries, bool comparable) {
  Array out = now;
  const std::vector<double> here = at_entries(now, entries.now), there = at_entries(other, entries.other);
  out.shape = {entries.size()};
  out.first = entries.first;
  out.data.assign(entries.size(), kNan);
  if (comparable) std::transform(here.begin(), here.end(), there.begin(), out.data.begin(), change);
  out.type = type_of(now, other);
  settle_type(out);
  return out;
}

/// The slices of a matrix along an axis that has keys, in the order of `at`; NaN where a side lacks the slice.
Array slices_at(const Array& array, std::size_t axis, const std::vector<std::ptrdiff_t>& at) {
  Array out = array;
  const auto product = [&](std::size_t from, std::size_t to) {
    return std::accumulate(array.shape.begin() + static_cast<std::ptrdiff_t>(from),
                           array.shape.begin() + static_cast<std::ptrdiff_t>(to), std::size_t{1}, std::multiplies<>());
  };
  const std::size_t before = product(0, axis), count = array.shape[axis], each = product(axis + 1, array.shape.size());
  if (array.data.size() != before * count * each) return out;
  out.shape[axis] = at.size();
  out.data.assign(before * at.size() * each, kNan);
  for (std::size_t b = 0; b < before; ++b)
    for (std::size_t i = 0; i < at.size(); ++i)
      if (at[i] >= 0 && static_cast<std::size_t>(at[i]) < count)
        std::copy_n(
            array.data.begin() + static_cast<std::ptrdiff_t>((b * count + static_cast<std::size_t>(at[i])) * each),
            each, out.data.begin() + static_cast<std::ptrdiff_t>((b * at.size() + i) * each));
  return out;
}

/// A matrix needs the same entries on both sides; one sentence where it has not.
Expected<Array> matrix_change(const Array& now, const Array& other) {
  if (now.shape != other.shape || now.axes != other.axes)
    return Error{"There is no difference to show: " + now.name + " is " + shape_text(now) + " on one side and " +
                 shape_text(other) + " on the other. See them beside each other."};
  if (now.first != other.first)
    return Error{"There is no difference to show: " + now.name + " begins at " + now.axes[0] + " " +
                 std::to_string(now.first) + " on one side and at " + std::to_string(other.first) +
                 ". See them beside each other."};
  Array out = now;
  std::transform(now.data.begin(), now.data.end(), other.data.begin(), out.data.begin(), change);
  out.type = type_of(now, other);
  settle_type(out);
  return out;
}

Array empty_like(const Array& array) {
  Array out = array;
  out.shape.assign(array.shape.size(), 0);
  out.data.clear();
  return out;
}

Array undefined_like(const Array& array) {
  Array out = array;
  std::ranges::fill(out.data, kNan);
  return out;
}

/// What changed in one array; keys and settings of a list as its entries have them.
Expected<Array> array_change(const StudySchema& schema, const Result& now, const Result& other, const Array& here) {
  const Array* there = other.array(here.name);
  const Role role = role_of(schema, here.name);
  if (role == Role::coordinate || !there) return role == Role::quantity ? empty_like(here) : here;
  if (here.axes.size() == 1 && there->axes == here.axes) {
    const Entries entries = entries_along(schema, now, other, here.axes[0]);
    if (role == Role::quantity)
      return list_change(
          here, *there, entries,
          about_the_same(schema, now, other, here.name) && same_settings(schema, now, other, here.axes[0], entries));
    Array out = here;
    out.shape = {entries.size()}, out.first = entries.first;
    out.data = at_entries(here, entries.now);
    const std::vector<double> rest = at_entries(*there, entries.other);
    for (std::size_t i = 0; i < entries.size(); ++i)
      if (entries.now[i] == Entries::kNone) out.data[i] = rest[i];
    return out;
  }
  if (role != Role::quantity) return here;
  if (!about_the_same(schema, now, other, here.name)) return undefined_like(here);
  if (here.axes.size() > 1 && there->axes == here.axes && !here.shape.empty() && !there->shape.empty()) {
    Array mine = here, theirs = *there;
    for (std::size_t axis = 0; axis < here.axes.size() && axis < here.shape.size() && axis < there->shape.size();
         ++axis)
      if (const Entries entries = entries_along(schema, now, other, here.axes[axis]); entries.by_key)
        mine = slices_at(mine, axis, entries.now), theirs = slices_at(theirs, axis, entries.other);
    return matrix_change(mine, theirs);
  }
  return matrix_change(here, *there);
}

Words words_change(const StudySchema& schema, const Result& now, const Result& other, const Words& here) {
  const Words* there = other.words_of(here.name);
  if (!there) return here;
  const Entries entries = entries_along(schema, now, other, here.axis);
  Words out = here;
  out.data = at_entries(here, entries.now);
  const std::vector<std::string> rest = at_entries(*there, entries.other);
  for (std::size_t i = 0; i < entries.size(); ++i)
    if (entries.now[i] == Entries::kNone) out.data[i] = rest[i];
  return out;
}

std::vector<Scalar> scalar_changes(const StudySchema& schema, const Result& now, const Result& other) {
  std::vector<Scalar> out = now.scalars;
  for (Scalar& scalar : out) {
    if (role_of(schema, scalar.name) != Role::quantity) continue;
    const Scalar* there = other.scalar(scalar.name);
    const bool same = about_the_same(schema, now, other, scalar.name);
    scalar.value = there && same ? change(scalar.value, there->value) : kNan;
    if (!same) scalar.note = "the two sides are about different tokens";
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

bool Entries::same() const {
  for (std::size_t i = 0; i < now.size(); ++i)
    if (now[i] != other[i] || now[i] == kNone) return false;
  return true;
}

Entries entries_along(const StudySchema& schema, const Result& now, const Result& other, std::string_view axis) {
  const auto here = keys_along(schema, now, axis), there = keys_along(schema, other, axis);
  if (here && there) return by_key(*here, *there);
  return by_index(extent_along(now, axis), extent_along(other, axis));
}

std::vector<double> at_entries(const Array& array, const std::vector<std::ptrdiff_t>& at) {
  std::vector<double> out;
  for (const std::ptrdiff_t i : at)
    out.push_back(i >= 0 && static_cast<std::size_t>(i) < array.data.size() ? array.data[static_cast<std::size_t>(i)]
                                                                            : kNan);
  return out;
}

std::vector<std::string> at_entries(const Words& words, const std::vector<std::ptrdiff_t>& at) {
  std::vector<std::string> out;
  for (const std::ptrdiff_t i : at)
    out.push_back(i >= 0 && static_cast<std::size_t>(i) < words.data.size() ? words.data[static_cast<std::size_t>(i)]
                                                                            : std::string());
  return out;
}

Expected<Result> difference(const StudySchema& schema, const Result& now, const Result& other) {
  if (now.study != other.study)
    return Error{"There is no difference to show: one side is of the study " + in_quotes(now.study) +
                 ", the other of " + in_quotes(other.study) + "."};
  if (!schema.no_difference.empty()) return Error{schema.no_difference};
  for (const OutputSpec& spec : schema.outputs)
    if (spec.headline && !about_the_same(schema, now, other, spec.name))
      return Error{"The two sides are about different tokens, so they are read beside each other, not subtracted."};
  Result out = now;
  for (Array& array : out.arrays) {
    auto changed = array_change(schema, now, other, *now.array(array.name));
    if (!changed) return changed.error();
    array = std::move(*changed);
  }
  for (Words& words : out.words) words = words_change(schema, now, other, *now.words_of(words.name));
  out.scalars = scalar_changes(schema, now, other);
  out.provenance = both_provenances(now.provenance, other.provenance, " less ");
  out.claims.clear();
  for (const std::string& note : other.notes)
    if (std::ranges::find(out.notes, note) == out.notes.end()) out.notes.push_back(note);
  out.complete = now.complete && other.complete;
  out.fingerprint = now.fingerprint + "-" + other.fingerprint;
  out.difference = true;
  return out;
}

Result together(const StudySchema& schema, const Result& now, const Result& other, const Result* change) {
  Result out = now;
  const auto add = [&](const std::string& prefix, const Result& from, bool quantities) {
    const auto left_out = [&](const std::string& name) {
      const Role role = role_of(schema, name);
      return quantities && (role == Role::setting || role == Role::coordinate);
    };
    for (Scalar one : from.scalars)
      if (!left_out(one.name)) one.name = prefix + one.name, out.scalars.push_back(std::move(one));
    for (Array one : from.arrays)
      if (!left_out(one.name)) one.name = prefix + one.name, out.arrays.push_back(std::move(one));
    for (Words one : from.words) one.name = prefix + one.name, out.words.push_back(std::move(one));
  };
  add("against_", other, false);
  if (change) add("change_", *change, true);
  out.provenance = both_provenances(now.provenance, other.provenance, " beside ");
  out.complete = now.complete && other.complete;
  out.difference = change != nullptr;
  return out;
}

}  // namespace helix::protocol
