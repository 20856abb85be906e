#include "studies/reading_view.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include "base/length_text.h"
#include "base/text.h"
#include "base/words.h"
#include "studies/change_view.h"
#include "studies/tables_view.h"
#include "studies/token_text.h"

namespace helix::studies {
namespace {

using protocol::Array;
using protocol::Result;
using AxisNames = std::vector<std::string>;

/// An output that has a number at the focus: the index of its first one there, which are `count` along components.
struct Found {
  const OutputSpec* spec;
  const Array* array;
  AxisNames axes;  // those that the focus decides
  std::size_t at = 0, count = 1;
};

/// The index of the number at the focus in an array of these axes; of coordinates, of the first of them.
std::optional<Found> found_at(const OutputSpec& spec, const Array& array, const Focus& focus) {
  Found found{&spec, &array, spec.axes};
  if (spec.axes.size() == 2 && spec.axes[1] == kComponent && !focus.has(kComponent))
    found.axes.pop_back(), found.count = array.shape[1];
  for (std::size_t k = 0; k < found.axes.size(); ++k) {
    const std::string& axis = found.axes[k];
    const long long i = focus.at(axis) - first_index(array, k);
    const bool twice = std::ranges::count(spec.axes, axis) > 1;  // of which of the two is the focus?
    if (twice || !focus.has(axis) || i < 0 || static_cast<std::size_t>(i) >= array.shape[k]) return std::nullopt;
    found.at = found.at * array.shape[k] + static_cast<std::size_t>(i);
  }
  found.at *= found.count;
  return found;
}

/// Those along the most axes of the focus; of these, those along the same axes as the first.
std::vector<Found> all_at(const StudySchema& schema, const Result& result, const Focus& focus) {
  std::vector<Found> all;
  for (const OutputSpec& spec : schema.outputs) {
    const Array* array = spec.role == Role::quantity || spec.role == Role::coordinate || !spec.brief.empty()
                             ? result.array(spec.name)
                             : nullptr;
    if (!array || array->shape.size() != spec.axes.size() || array->data.empty()) continue;
    if (auto found = found_at(spec, *array, focus)) all.push_back(std::move(*found));
  }
  const auto most = std::ranges::max_element(all, {}, [](const Found& f) { return f.axes.size(); });
  if (most == all.end()) return all;
  const AxisNames axes = most->axes;
  std::erase_if(all, [&](const Found& f) { return f.axes != axes; });
  const auto named = [](const Found& f) { return !f.spec->brief.empty(); };
  if (std::ranges::any_of(all, named)) std::erase_if(all, std::not_fn(named));
  return all;
}

/// "12.90 %", "3.390 nats", "71.2°"; "3.02" of what is called turns; "+1.20 points" of a change.
std::string value_and_unit(const OutputSpec& spec, const std::string& name, double value, bool change) {
  constexpr std::string_view kSaid[] = {"nats",       "bits",  "logits", "tokens",  "positions", "turns",  "cycles",
                                        "parameters", "heads", "pairs",  "radians", "steps",     "windows"};
  const bool exact = std::isfinite(value) && spec.unit != "fraction" && spec.digits > 0;
  const std::string text = change  ? change_text(spec, value)
                           : exact ? length_text(value, spec.digits)
                                   : value_text(spec, value);
  if (spec.unit == "degrees") return text + "°";
  const bool said = name.find(spec.unit) != std::string::npos;
  return said || std::ranges::find(kSaid, spec.unit) == std::end(kSaid) ? text : text + " " + in_words(spec.unit);
}

void add_lines(const Found& found, const ViewState& view, bool difference, std::vector<std::string>& lines) {
  const OutputSpec& spec = *found.spec;
  const std::string name = spec.brief.empty() ? output_name(spec) : spec.brief;
  const bool change = difference && spec.role == Role::quantity;
  if (found.count == 1) {
    if (const double value = found.array->data[found.at]; !std::isnan(value))
      lines.push_back(name + "  " + value_and_unit(spec, name, value, change));
    return;
  }
  for (const int axis : view.axes) {
    const auto c = static_cast<std::size_t>(axis - 1);
    if (axis < 1 || c >= found.count || std::isnan(found.array->data[found.at + c])) continue;
    const std::string component = "PC" + std::to_string(axis);
    lines.push_back((spec.role == Role::coordinate ? component : name + ", " + component) + "  " +
                    value_and_unit(spec, name, found.array->data[found.at + c], change));
  }
}

/// The name of an entry: the study's text for it, the token there, or the axis and the index. In English, as all labels of a
/// figure: it is translated with its index.
std::string entry_text(const StudySchema& schema, const Result& result, const std::string& axis, int index) {
  if (axis == "position" || axis == "query" || axis == "key") return place_text(result, axis, index);
  if (axis == kComponent) return "PC" + std::to_string(index);
  const std::string counted = axis + " " + std::to_string(index);
  for (const OutputSpec& spec : schema.outputs) {
    const protocol::Words* words = spec.axes == AxisNames{axis} ? result.words_of(spec.name) : nullptr;
    const long long at = index - (from_one(axis) ? 1 : 0);
    if (!words || at < 0 || static_cast<std::size_t>(at) >= words->data.size()) continue;
    const std::string& text = words->data[static_cast<std::size_t>(at)];
    return spec.role == Role::key ? text : counted + " " + token_quoted(text);
  }
  return counted;
}

std::string title_at(const StudySchema& schema, const Result& result, const AxisNames& axes, const Focus& focus) {
  if (axes == AxisNames{"layer", "head"})
    return "head " + std::to_string(focus.at("layer")) + "." + std::to_string(focus.at("head"));
  std::string title;
  for (const std::string& axis : axes)
    title += (title.empty() ? "" : axis == "key" ? " → " : ", ") + entry_text(schema, result, axis, focus.at(axis));
  return title;
}

}  // namespace

figure::Reading field_reading(const StudySchema& schema, const Result& result, const ViewState& view) {
  figure::Reading reading;
  if (view.focus.nothing()) return reading;
  const std::vector<Found> found = all_at(schema, result, view.focus);
  for (const Found& each : found) add_lines(each, view, result.difference, reading.lines);
  if (!reading.lines.empty()) reading.title = title_at(schema, result, found.front().axes, view.focus);
  return reading;
}

std::string share_or_change(bool difference, double share, int digits) {
  if (!difference) return share_text(share, digits);
  OutputSpec spec;
  spec.unit = "fraction", spec.digits = digits;
  return change_text(spec, share);
}

}  // namespace helix::studies
