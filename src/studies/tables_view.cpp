#include "studies/tables_view.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string_view>
#include <utility>

#include "base/filled.h"
#include "base/shared_words.h"
#include "base/text.h"
#include "figure/table.h"
#include "studies/token_text.h"

namespace helix::studies {
namespace {

using figure::Table;
using protocol::Array;
using protocol::Result;
using Axes = std::vector<std::string>;
using Column = Table::Column;

bool tokens_along(const std::string& axis) { return axis == "position" || axis == "query" || axis == "key"; }

Column words_column(const std::string& name, std::vector<std::string> texts) {
  return {name, "", 0, {}, std::move(texts)};
}

/// Whether a label goes on from its unit: "correlation" and "of the third component with the position". English: names of
/// numbers are, in every language.
bool goes_on(const OutputSpec& spec) {
  constexpr std::string_view kWords[] = {"of ", "in ", "after ", "within ", "between ", "along ", "that ",  "to ",
                                         "by ", "at ", "on ",    "with ",   "so ",      "where ", "which ", "counted "};
  return !spec.unit.empty() &&
         std::ranges::any_of(kWords, [&](std::string_view word) { return spec.label.starts_with(word); });
}

/// The name of an output as it stands in a table, and the unit that is not part of it.
std::pair<std::string, std::string> name_and_unit(const OutputSpec& spec) {
  if (goes_on(spec)) return {spec.unit + " " + spec.label, ""};
  const bool said = spec.label.find(spec.unit) != std::string::npos;
  return {spec.label, said ? "" : spec.unit};
}

std::string with_unit(const OutputSpec& spec) {
  if (spec.unit == "fraction" && !goes_on(spec)) return spec.label;
  const auto [name, unit] = name_and_unit(spec);
  return unit.empty() ? name : name + ", " + unit;
}

/// What the entries of an axis are called in the heads of columns: by their labels or keys, else by their index.
std::vector<std::string> names_along(const StudySchema& schema, const Result& result, const std::string& axis,
                                     std::size_t count, long long first, bool tokens) {
  const Axes along{axis};
  for (const OutputSpec& spec : schema.outputs) {
    if (spec.axes != along) continue;
    if (const protocol::Words* w = result.words_of(spec.name); w && w->data.size() == count) return w->data;
    const Array* a = spec.role == Role::key ? result.array(spec.name) : nullptr;
    std::vector<std::string> names;
    for (std::size_t i = 0; a && a->data.size() == count && i < count; ++i)
      names.push_back(axis_text(axis) + " " + to_fixed(a->data[i], 0));
    if (!names.empty()) return names;
  }
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string at = std::to_string(first + static_cast<long long>(i));
    const std::string token = tokens && tokens_along(axis) ? token_at(result, std::atoi(at.c_str())) : "";
    names.push_back(axis == kComponent ? "PC" + at
                                       : axis_text(axis) + " " + at + (token.empty() ? "" : " " + token_label(token)));
  }
  return names;
}

/// A list along two axes as rows: "0.3" for a head, else both indices.
std::vector<Column> naming_pairs(const Array& list) {
  const std::size_t rows = list.shape[0], cols = list.shape[1];
  const bool heads = list.axes == Axes{"layer", "head"};
  std::vector<Column> out(heads ? 1 : 2);
  for (std::size_t k = 0; k < out.size(); ++k) out[k] = {axis_text(heads ? "head" : list.axes[k]), "", 0, {}};
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < cols; ++j) {
      const long long row = first_index(list, 0) + static_cast<long long>(i);
      if (heads) {
        out[0].texts.push_back(std::to_string(row) + "." + std::to_string(j));
        continue;
      }
      out[0].values.push_back(static_cast<double>(row));
      out[1].values.push_back(static_cast<double>(j) + static_cast<double>(first_index(list, 1)));
    }
  return out;
}

/// So many digits that the numbers of a column can be told apart: none for whole numbers, all of numbers that are tiny.
int digits_for(const OutputSpec& spec, const std::vector<double>& values) {
  const int digits = column_digits(spec);
  double most = 0;
  bool whole = spec.unit != "fraction";
  for (const double x : values)
    if (std::isfinite(x)) most = std::max(most, std::abs(x)), whole = whole && x == std::round(x);
  if (whole) return 0;
  return most > 0 && most < std::pow(10.0, -digits) ? -1 : digits;
}

Column column_of(const OutputSpec& spec, std::vector<double> values) {
  auto [name, unit] = name_and_unit(spec);
  const int digits = digits_for(spec, values);
  return {std::move(name), std::move(unit), digits, std::move(values)};
}

/// The part of an array that belongs to one index of its second axis, from index `first` on; NaN where it has no entry.
std::vector<double> aligned(const Array& array, long long first, std::size_t rows, std::size_t part = 0) {
  std::vector<double> out(rows, std::nan(""));
  const std::size_t step = array.shape.size() > 1 ? array.shape[1] : 1;
  for (std::size_t i = 0; i < array.shape[0]; ++i) {
    const long long at = first_index(array, 0) + static_cast<long long>(i) - first;
    if (at >= 0 && static_cast<std::size_t>(at) < rows) out[static_cast<std::size_t>(at)] = array.data[i * step + part];
  }
  return out;
}

/// The outputs along these axes that are numbers and no keys, with their arrays of so many entries.
std::vector<std::pair<const OutputSpec*, const Array*>> lists_over(const StudySchema& schema, const Result& result,
                                                                   const Axes& axes) {
  std::vector<std::pair<const OutputSpec*, const Array*>> found;
  for (const OutputSpec& spec : schema.outputs) {
    const Array* array = spec.axes == axes && spec.role != Role::key ? result.array(spec.name) : nullptr;
    if (array && array->shape.size() == axes.size() && !array->data.empty()) found.emplace_back(&spec, array);
  }
  return found;
}

/// Coordinates and shares along components beside the lists along their first axis: "PC1", "PC2".
void add_components(const StudySchema& schema, const Result& result, const std::string& axis, long long first,
                    std::size_t rows, Table& table) {
  const auto found = lists_over(schema, result, {axis, kComponent});
  for (const auto& [spec, array] : found)
    for (std::size_t j = 0; j < std::min(array->shape[1], kMostTableColumns); ++j) {
      const std::string name = "PC" + std::to_string(j + 1);
      table.columns.push_back(column_of(*spec, aligned(*array, first, rows, j)));
      table.columns.back().name = found.size() > 1 ? spec->label + ", " + name : name;
    }
}

/// The first index along an axis and the number of entries, of all lists along it.
std::pair<long long, std::size_t> range_of_axis(const Result& result, const std::string& axis) {
  long long first = 0, end = 0;
  for (const Array& a : result.arrays) {
    if (a.axes.empty() || a.axes[0] != axis || a.data.empty()) continue;
    const long long from = first_index(a, 0), to = from + static_cast<long long>(a.shape[0]);
    first = first == end ? from : std::min(first, from), end = std::max(end, to);
  }
  if (end > first) return {first, static_cast<std::size_t>(end - first)};
  for (const protocol::Words& w : result.words)
    if (w.axis == axis && !w.data.empty()) return {from_one(axis) ? 1 : 0, w.data.size()};
  return {0, 0};
}

/// The tokens at these positions, where the list has no words of its own.
void add_tokens(const Result& result, const std::string& axis, long long first, std::size_t rows, Table& table) {
  const bool words = std::ranges::any_of(table.columns, [](const Column& c) { return !c.texts.empty(); });
  if (words || !tokens_along(axis) || result.tokens.empty()) return;
  table.columns.push_back(words_column(in_words("token"), {}));
  for (std::size_t i = 0; i < rows; ++i)
    table.columns.back().texts.push_back(token_at(result, static_cast<int>(first) + static_cast<int>(i)));
}

Table table_along(const StudySchema& schema, const Result& result, const std::string& axis) {
  Table table{shared_words("change.by", {{"axis", axis_text(axis)}}), {}};
  const auto [first, rows] = range_of_axis(result, axis);
  if (rows == 0 || rows > kMostTableRows) return table;
  table.columns = naming_columns(schema, result, axis, rows);
  add_tokens(result, axis, first, rows, table);
  table.columns.insert(table.columns.begin(), index_column(axis, first, rows));
  const std::size_t names = table.columns.size();
  add_components(schema, result, axis, first, rows, table);
  for (const auto& [spec, array] : lists_over(schema, result, {axis}))
    table.columns.push_back(column_of(*spec, aligned(*array, first, rows)));
  if (table.columns.size() == names && names <= 2) table.columns.clear();  // names alone: what they name is elsewhere
  return table;
}

/// One matrix as a matrix unless it is to be `listed`, several as the columns of one list.
Table table_of_pairs(const StudySchema& schema, const Result& result, const Axes& axes, bool listed) {
  Table table{shared_words("table.by_two", {{"axis", axis_text(axes[0])}, {"other", axis_text(axes[1])}}), {}};
  const auto found = lists_over(schema, result, axes);
  if (found.empty() || axes[1] == kComponent) return table;
  if (found.size() == 1 && !listed)
    return matrix_table(found[0].first->label, schema, *found[0].first, *found[0].second, result);
  const Array& first = *found[0].second;
  if (first.data.size() > kMostTableRows) return table;
  table.columns = naming_pairs(first);
  for (const auto& [spec, array] : found)
    if (array->shape == first.shape) table.columns.push_back(column_of(*spec, array->data));
  return table;
}

/// What `go` stands for in the row of these indices: an axis by its index, a list of integers along it by its number.
std::string row_link(const std::string& go, const Axes& axes, const std::vector<long long>& indices, std::size_t row,
                     const Result& result) {
  std::vector<std::pair<std::string, int>> names;
  for (std::size_t k = 0; k < axes.size(); ++k) names.emplace_back(axes[k], static_cast<int>(indices[k]));
  for (const Array& a : result.arrays)
    if (a.axes == axes && row < a.data.size() && std::isfinite(a.data[row]))
      names.emplace_back(a.name, static_cast<int>(a.data[row]));
  return filled(go, names);
}

/// Makes the rows of a table lead where the view says.
void lead_rows(const figure::RowLinks& links, const Result& result, Table& table) {
  const std::size_t rows = figure::row_count(table);
  const Array* pairs = nullptr;
  for (const Array& a : result.arrays)
    if (a.axes == links.over && !a.data.empty()) pairs = &a;
  const auto [first, count] = range_of_axis(result, links.over[0]);
  const std::size_t cols = links.over.size() == 2 && pairs ? pairs->shape[1] : 1;
  for (std::size_t i = 0; i < rows && !links.go.empty(); ++i) {
    std::vector<long long> indices{first + static_cast<long long>(i / cols), static_cast<long long>(i % cols)};
    table.go.push_back(row_link(links.go, links.over, indices, i, result));
  }
  table.help = links.help, table.open = links.open;
  if (!links.title.empty()) table.title = links.title;
}

}  // namespace

bool from_one(const std::string& axis) {
  constexpr std::string_view kFromOne[] = {kComponent, "seed", "angle", "rank", "item", "direction", "merge"};
  return std::ranges::find(kFromOne, axis) != std::end(kFromOne);
}

long long first_index(const Array& array, std::size_t k) {
  const long long least = from_one(array.axes[k]) ? 1 : 0;
  return k == 0 && array.first != 0 ? array.first : least;
}

std::string axis_text(std::string_view axis) {
  std::string text = in_words(axis);
  std::ranges::replace(text, '_', ' ');
  return text;
}

std::string output_name(const OutputSpec& spec) { return name_and_unit(spec).first; }

std::string value_text(const OutputSpec& spec, double value) {
  if (std::isnan(value)) return shared_words("undefined");
  if (std::isinf(value)) return value > 0 ? "∞" : "−∞";
  if (spec.unit == "fraction") return percent_text(value, spec.digits);
  if (spec.digits == 0 && value != std::round(value)) return number_text(value, 2);
  return number_text(value, spec.digits);
}

int column_digits(const OutputSpec& spec) { return spec.unit == "fraction" ? spec.digits + 2 : spec.digits; }

std::vector<Column> naming_columns(const StudySchema& schema, const Result& result, const std::string& axis,
                                   std::size_t entries) {
  std::vector<Column> out;
  for (const OutputSpec& spec : schema.outputs) {
    if (spec.axes != Axes{axis}) continue;
    const Array* a = spec.role == Role::key ? result.array(spec.name) : nullptr;
    if (a && a->data.size() == entries) out.push_back({spec.label, spec.unit, -1, a->data});
    if (const protocol::Words* w = result.words_of(spec.name); w && w->data.size() == entries)
      out.push_back(words_column(spec.label, w->data));
  }
  return out;
}

Column index_column(const std::string& axis, long long first, std::size_t entries) {
  Column out{axis_text(axis), "", 0, {}};
  for (std::size_t i = 0; i < entries; ++i)
    out.values.push_back(static_cast<double>(first + static_cast<long long>(i)));
  return out;
}

Table matrix_table(std::string title, const StudySchema& schema, const OutputSpec& spec, const Array& matrix,
                   const Result& named, bool tokens) {
  Table table{std::move(title), {}};
  if (matrix.shape.size() != 2 || matrix.data.empty()) return table;
  const bool turned = matrix.shape[1] > kMostTableColumns;
  const std::size_t across = turned ? 0 : 1, down = 1 - across;
  const std::size_t rows = matrix.shape[down], cols = matrix.shape[across], step = matrix.shape[1];
  if (cols > kMostTableColumns || rows > kMostTableRows) return table;
  const auto names = [&](std::size_t axis, std::size_t count) {
    return names_along(schema, named, spec.axes[axis], count, first_index(matrix, axis), tokens);
  };
  table.columns.push_back(words_column(axis_text(spec.axes[down]), names(down, rows)));
  for (std::string& name : names(across, cols))
    table.columns.push_back({std::move(name), spec.unit, digits_for(spec, matrix.data), {}});
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < cols; ++j)
      table.columns[j + 1].values.push_back(matrix.data[turned ? j * step + i : i * step + j]);
  return table;
}

Table numbers_table(const StudySchema& schema, const Result& result) {
  Table table{shared_words("table.numbers"),
              {{shared_words("change.number"), "", 0, {}},
               {shared_words("table.value"), "", 0, {}},
               {shared_words("table.remark"), "", 0, {}}}};
  for (const OutputSpec& spec : schema.outputs) {
    const protocol::Scalar* s = spec.axes.empty() ? result.scalar(spec.name) : nullptr;
    if (!s || (std::isnan(s->value) && s->note.empty())) continue;  // one that these settings do not have
    table.columns[0].texts.push_back(with_unit(spec));
    const bool whole = spec.unit != "fraction" && s->value == std::round(s->value) && std::isfinite(s->value);
    table.columns[1].texts.push_back(whole ? number_text(s->value, 0) : value_text(spec, s->value));
    table.columns[1].values.push_back(s->value);
    table.columns[2].texts.push_back(s->note);
  }
  if (table.columns[0].texts.empty()) table.columns.clear();
  return table;
}

Table table_over(const StudySchema& schema, const Result& result, const Axes& axes, bool listed) {
  Table table = axes.size() == 1 ? table_along(schema, result, axes[0]) : table_of_pairs(schema, result, axes, listed);
  table.over = axes;
  return table;
}

void add_field_tables(figure::Figure& figure, const StudySchema& schema, const Result& result) {
  std::vector<Axes> have;
  for (const Table& table : figure.tables) have.push_back(table.over);
  const auto add = [&](Table table) {
    if (!table.columns.empty()) figure.tables.push_back(std::move(table));
  };
  for (const figure::RowLinks& links : figure.row_links) {
    have.push_back(links.over);
    Table table = table_over(schema, result, links.over, true);
    if (!table.columns.empty()) lead_rows(links, result, table);
    add(std::move(table));
  }
  add(numbers_table(schema, result));
  for (const OutputSpec& spec : schema.outputs) {
    Axes axes = spec.axes;
    if (axes.size() == 2 && axes[1] == kComponent) axes.pop_back();
    if (axes.empty() || axes.size() > 2 || std::ranges::find(have, axes) != have.end()) continue;
    have.push_back(axes);
    Table table = table_over(schema, result, axes);
    if (axes.size() == 2 && table.columns.empty())  // too many rows beside each other
      for (const auto& [one, array] : lists_over(schema, result, axes))
        add(matrix_table(one->label, schema, *one, *array, result));
    add(std::move(table));
  }
}

}  // namespace helix::studies
