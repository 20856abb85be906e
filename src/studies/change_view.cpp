#include "studies/change_view.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <iterator>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include "base/shared_words.h"
#include "base/text.h"
#include "figure/compare.h"
#include "studies/registry_view.h"
#include "studies/tables_view.h"

namespace helix::studies {
namespace {

using figure::Figure;
using figure::Panel;
using protocol::Entries;
using protocol::Result;

constexpr const Words& say = shared_words;

constexpr std::size_t kMostChangeCurves = 3;  // panels with curves that get a panel for their change

double value_of(const Result& result, const std::string& name) {
  const protocol::Scalar* scalar = result.scalar(name);
  return scalar ? scalar->value : std::nan("");
}

/// "mean" as "Mean"; "d(M, Mᵀ)" begins with a symbol and stays.
std::string with_capital(std::string text) {
  const auto letter = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; };
  if (text.size() > 1 && letter(text[0]) && (letter(text[1]) || text[1] == ' '))
    text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text;
}

constexpr double kRounding = 1e-12;  // smaller changes are rounding, and no change

bool changes(double x) { return std::abs(x) >= kRounding; }

/// The headline if it changes, else the first quantity that does, else the first that both sides have; nullptr: none.
const OutputSpec* leading(const StudySchema& schema, const Sides& sides) {
  const OutputSpec *headline = nullptr, *changed = nullptr, *any = nullptr;
  for (const OutputSpec& spec : schema.outputs) {
    const double now = value_of(sides.now, spec.name), other = value_of(sides.other, spec.name);
    if (!spec.axes.empty() || spec.role != Role::quantity || !std::isfinite(now) || !std::isfinite(other)) continue;
    if (std::isnan(value_of(sides.change, spec.name))) continue;  // each side's is of another token
    if (!any || (spec.headline && !any->headline)) any = &spec;
    if (now == other) continue;
    if (!changed) changed = &spec;
    if (spec.headline) headline = &spec;
  }
  return headline ? headline : changed ? changed : any;
}

/// Whether each side has all entries of a list, and some without a counterpart on the other side.
bool other_entries(const protocol::Array& change, const protocol::Array* now, const protocol::Array* other) {
  const auto known = [](const protocol::Array& a) {
    return static_cast<std::size_t>(std::ranges::count_if(a.data, [](double x) { return !std::isnan(x); }));
  };
  if (!now || !other || known(*now) < now->data.size() || known(*other) < other->data.size()) return false;
  return known(change) < std::max(now->data.size(), other->data.size());
}

/// Whether any quantity differs between the sides, or is there on one of them only, or is of something else there.
bool anything_changes(const StudySchema& schema, const Sides& sides) {
  const auto quantity = [&](const std::string& name) {
    const OutputSpec* spec = schema.output(name);
    return spec && spec->role == Role::quantity;
  };
  for (const protocol::Scalar& s : sides.change.scalars)
    if (const bool here = !std::isnan(value_of(sides.now, s.name)), there = !std::isnan(value_of(sides.other, s.name));
        quantity(s.name) && (changes(s.value) || here != there || (here && std::isnan(s.value))))
      return true;
  for (const protocol::Array& a : sides.change.arrays)
    if (quantity(a.name) &&
        (std::ranges::any_of(a.data, changes) || other_entries(a, sides.now.array(a.name), sides.other.array(a.name))))
      return true;
  for (const protocol::Array& a : sides.now.arrays)  // coordinates are not subtracted, but may differ
    if (const protocol::Array* b = sides.other.array(a.name); b && (a.shape != b->shape || a.first != b->first))
      return true;
  return false;
}

std::string sentence_of(const OutputSpec& spec, const Sides& sides) {
  const double now = value_of(sides.now, spec.name), other = value_of(sides.other, spec.name);
  // What is counted or measured in is said; names of a kind of number ("cosine") are not units.
  constexpr std::string_view kKinds[] = {"fraction", "vector length", "length",      "distance", "ratio",
                                         "cosine",   "correlation",   "dot product", "score",    "logits"};
  const bool unit = !spec.unit.empty() && std::ranges::find(kKinds, spec.unit) == std::end(kKinds);
  return with_capital(spec.label) + ": " + value_text(spec, other) + " → " + value_text(spec, now) +
         (unit ? " " + spec.unit : "") + " (" + change_text(spec, now - other) + ")";
}

// ---- panels

/// The change of the leading number, and both sides' values.
figure::Number number_of(const StudySchema& schema, const Sides& sides) {
  const OutputSpec* spec = leading(schema, sides);
  if (!spec) return {};
  const double now = value_of(sides.now, spec->name), other = value_of(sides.other, spec->name);
  return {
      change_text(*spec, now - other),
      {spec->label, sides.now_name + ": " + value_text(*spec, now), sides.other_name + ": " + value_text(*spec, other)},
      sides.now.complete && sides.other.complete};
}

/// Puts a panel below the one with this id, wherever that stands.
void put_below(figure::Box& box, const std::string& id, const std::string& below) {
  if (box.kind == figure::Box::Kind::panel) {
    if (box.panel != id) return;
    figure::Box upper = box;
    upper.share = upper.least = upper.most = 0;
    figure::Box both = figure::column({std::move(upper), figure::panel(below)}, box.share, box.least, box.most);
    box = std::move(both);
    return;
  }
  for (figure::Box& child : box.children) put_below(child, id, below);
}

std::optional<Panel> change_of(const Figure& change, const Panel& panel) {
  const Panel* found = change.find(panel.id);
  if (!found || found->content.index() != panel.content.index()) return std::nullopt;
  Panel below = *found;
  below.id = "change." + panel.id;
  below.title = say("change");
  auto& plot = std::get<figure::Plot>(below.content);
  plot.y.low.reset(), plot.y.high.reset();  // the change has a range of its own
  plot.y.from_zero = false, plot.y.title.clear(), plot.y.id.clear();
  std::erase_if(plot.marks, [](const figure::Mark& mark) {
    const auto* line = std::get_if<figure::Line>(&mark);
    return (line && line->dashed) || std::holds_alternative<figure::Rule>(mark) ||
           std::holds_alternative<figure::Area>(mark) || std::holds_alternative<figure::Text>(mark);
  });
  bool any = false;
  for (figure::Mark& mark : plot.marks)
    if (auto* line = std::get_if<figure::Line>(&mark))
      line->name.clear(), any = any || std::ranges::any_of(line->at.data, changes);
  if (!any) return std::nullopt;                          // a line along zero says nothing that the two curves do not
  plot.marks.insert(plot.marks.begin(), figure::Rule{});  // zero
  return below;
}

/// What is drawn of the other side whose name stands nowhere in the panels: marks, a cloud or nothing.
figure::Overlaid merge_panels(Figure& f, const Figure& other, const Figure& change, const StudySchema& schema,
                              const Sides& sides) {
  auto marked = figure::Overlaid::nothing;
  f.root = figure::spelled_out(f);
  const auto curves = static_cast<std::size_t>(std::ranges::count_if(f.panels, figure::has_curves));
  std::vector<Panel> added;
  for (Panel& panel : f.panels) {
    if (std::holds_alternative<figure::Number>(panel.content)) {
      panel.content = number_of(schema, sides);
      continue;
    }
    const Panel* changed = change.find(panel.id);
    if (figure::has_shades(panel) && changed) {
      panel = *changed;
      panel.title = panel.title.empty() ? say("change") : say("change.of", {{"what", panel.title}});
      continue;
    }
    if (const Panel* before = other.find(panel.id))
      switch (const auto drawn = figure::overlay(panel, *before, sides.other_name)) {
        case figure::Overlaid::other_entries:
          panel.title = sides.now_name + (panel.title.empty() ? "" : ": " + panel.title);
          break;
        case figure::Overlaid::marks:
        case figure::Overlaid::cloud:
          marked = drawn;
          break;
        case figure::Overlaid::nothing:
        case figure::Overlaid::curves:
          break;
      }
    if (curves > kMostChangeCurves || !figure::has_curves(panel) || !changed || !figure::has_curves(*changed)) continue;
    if (auto below = change_of(change, panel)) {
      put_below(f.root, panel.id, below->id);
      put_below(f.narrow, panel.id, below->id);
      added.push_back(std::move(*below));
    }
  }
  std::ranges::move(added, std::back_inserter(f.panels));
  return marked;
}

// ---- words

std::vector<figure::Note> notes_of(const Figure& now, const Sides& sides) {
  using Kind = figure::Note::Kind;
  std::vector<figure::Note> out{
      {Kind::text, say("change.note", {{"now", unquoted(sides.now_name)}, {"other", unquoted(sides.other_name)}})}};
  if (figure::first_space(now)) out.push_back({Kind::text, say("change.in_space")});
  for (const figure::Note& note : now.notes)
    if (note.kind == Kind::caution) out.push_back(note);
  return out;
}

std::string summary_of(const StudySchema& schema, const Sides& sides) {
  if (!anything_changes(schema, sides)) return change_title(schema, sides) + ". " + change_subtitle(sides);
  std::vector<std::string> parts;
  for (const OutputSpec& spec : schema.outputs) {
    if (!spec.axes.empty() || spec.role != Role::quantity || parts.size() == 3) continue;
    const double now = value_of(sides.now, spec.name), other = value_of(sides.other, spec.name);
    if (std::isfinite(now) && std::isfinite(other) && now != other) parts.push_back(sentence_of(spec, sides));
  }
  return change_subtitle(sides) + (parts.empty() ? "" : " " + join(parts, "; ") + ".");
}

// ---- tables

constexpr double kNotSubtracted = std::numeric_limits<double>::quiet_NaN();

figure::Table scalars_table(const StudySchema& schema, const Sides& sides) {
  figure::Table table{say("change.table"),
                      {{say("change.number"), "", 0, {}},
                       {sides.now_name, "", 0, {}},
                       {sides.other_name, "", 0, {}},
                       {say("change"), "", 0, {}}}};
  for (const OutputSpec& spec : schema.outputs) {
    if (!spec.axes.empty() || (!sides.now.scalar(spec.name) && !sides.other.scalar(spec.name))) continue;
    const double now = value_of(sides.now, spec.name), other = value_of(sides.other, spec.name);
    const bool setting = spec.role != Role::quantity;
    table.columns[0].texts.push_back(spec.label +
                                     (spec.unit.empty() || spec.unit == "fraction" ? "" : ", " + spec.unit));
    table.columns[1].texts.push_back(value_text(spec, now));
    table.columns[2].texts.push_back(value_text(spec, other));
    const double change = setting ? kNotSubtracted : value_of(sides.change, spec.name);
    table.columns[3].texts.push_back(setting ? say("change.not_subtracted") : change_text(spec, change));
    table.columns[1].values.push_back(now), table.columns[2].values.push_back(other);
    table.columns[3].values.push_back(change);
  }
  return table;
}

/// The lists along one axis: what names an entry, then each quantity of both sides and its change.
figure::Table list_table(const StudySchema& schema, const Sides& sides, const std::string& axis) {
  const Entries entries = protocol::entries_along(schema, sides.now, sides.other, axis);
  figure::Table table{say("change.by", {{"axis", axis_text(axis)}}), {}};
  table.over = {axis};
  if (entries.size() == 0 || entries.size() > kMostTableRows) return table;
  table.columns = naming_columns(schema, sides.change, axis, entries.size());
  if (!entries.by_key) table.columns.insert(table.columns.begin(), index_column(axis, entries.first, entries.size()));
  bool any = false;
  for (const OutputSpec& spec : schema.outputs) {
    if (spec.axes != std::vector{axis} || spec.role == Role::coordinate) continue;
    const protocol::Array *now = sides.now.array(spec.name), *other = sides.other.array(spec.name),
                          *change = sides.change.array(spec.name);
    if (!change || change->data.size() != entries.size()) continue;
    const auto add = [&](const std::string& what, std::vector<double> values) {
      table.columns.push_back({what, spec.unit, column_digits(spec), std::move(values)});
    };
    if (spec.role == Role::setting) add(spec.label, change->data);
    if (spec.role != Role::quantity || !now || !other) continue;
    add(spec.label + ", " + sides.now_name, at_entries(*now, entries.now));
    add(spec.label + ", " + sides.other_name, at_entries(*other, entries.other));
    add(spec.label + ", " + say("change"), change->data);
    any = true;
  }
  if (!any) table.columns.clear();
  return table;
}

}  // namespace

std::string change_text(const OutputSpec& spec, double change) {
  if (std::isnan(change)) return "–";
  if (!changes(change)) return say("change.none");
  const bool share = spec.unit == "fraction";
  const std::string size = share ? say("change.points", {{"n", number_text(100 * std::abs(change), spec.digits)}})
                                 : value_text(spec, std::abs(change));
  return (change < 0 ? "−" : "+") + size;
}

std::string change_title(const StudySchema& schema, const Sides& sides) {
  if (!anything_changes(schema, sides)) return say("change.nothing");
  const OutputSpec* spec = leading(schema, sides);
  return spec ? sentence_of(*spec, sides) : say("change.title", {{"study", schema.title}});
}

std::string unquoted(const std::string& name) {
  constexpr std::string_view kOpen = "“", kClose = "”";
  const bool quoted = name.size() > kOpen.size() + kClose.size() && name.starts_with(kOpen) && name.ends_with(kClose);
  return quoted ? name.substr(kOpen.size(), name.size() - kOpen.size() - kClose.size()) : name;
}

std::string change_subtitle(const Sides& sides) {
  return say("change.subtitle", {{"other", unquoted(sides.other_name)}, {"now", unquoted(sides.now_name)}});
}

std::vector<figure::Table> change_tables(const StudySchema& schema, const Sides& sides) {
  std::vector<figure::Table> out{scalars_table(schema, sides)};
  std::vector<std::string> axes;
  for (const OutputSpec& spec : schema.outputs)
    if (spec.axes.size() == 1 && std::ranges::find(axes, spec.axes[0]) == axes.end()) axes.push_back(spec.axes[0]);
  for (const std::string& axis : axes)
    if (figure::Table table = list_table(schema, sides, axis); !table.columns.empty()) out.push_back(std::move(table));
  for (const OutputSpec& spec : schema.outputs) {
    const protocol::Array* change = sides.change.array(spec.name);
    if (spec.role != Role::quantity || spec.axes.size() != 2 || !change) continue;
    figure::Table table = matrix_table(with_capital(say("change.of", {{"what", spec.label}})), schema, spec, *change,
                                       sides.change, sides.now.tokens == sides.other.tokens);
    if (!table.columns.empty()) out.push_back(std::move(table));
  }
  return out;
}

Figure figure_of_change(const ViewStudy& study, const Sides& sides, const ParamValues& asked) {
  if (study.change) return study.change(sides, asked);
  Figure f = study.draw(sides.now, asked);
  const Figure other = study.draw(sides.other, sides.other.params), change = study.draw(sides.change, asked);
  const auto marked = merge_panels(f, other, change, study.schema, sides);
  f.notes = notes_of(f, sides);
  f.title = change_title(study.schema, sides);
  f.subtitle = change_subtitle(sides);
  if (marked != figure::Overlaid::nothing)
    f.subtitle += " " + say(marked == figure::Overlaid::cloud ? "change.cloud" : "change.marks",
                            {{"other", unquoted(sides.other_name)}});
  f.summary = summary_of(study.schema, sides);
  if (!f.lead.number.empty()) f.lead = number_of(study.schema, sides);
  f.tables = change_tables(study.schema, sides);
  return f;
}

figure::Reading reading_of_change(const ViewStudy& study, const Sides& sides, const ParamValues& asked,
                                  const ViewState& view) {
  if (study.change_reading) return study.change_reading(sides, asked, view);
  figure::Reading now = study.reading(sides.now, asked, view);
  const figure::Reading other = study.reading(sides.other, sides.other.params, view),
                        change = study.reading(sides.change, asked, view);
  if (now.title.empty()) now.title = other.title;
  if (now.lines == other.lines) {
    if (!now.title.empty()) now.lines.push_back(say("change.same"));
    return now;
  }
  std::vector<std::string> lines, own;  // what both sides say, which names the place; then what each says for itself
  const auto has = [](const std::vector<std::string>& list, const std::string& line) {
    return std::ranges::find(list, line) != list.end();
  };
  for (const std::string& line : now.lines) (has(other.lines, line) ? lines : own).push_back(line);
  const std::vector<std::string> shared = lines;
  for (const std::string& line : own) lines.push_back(sides.now_name + ": " + line);
  for (const std::string& line : other.lines)
    if (!has(shared, line)) lines.push_back(sides.other_name + ": " + line);
  const auto says_nothing = [](const std::string& line) {
    return line.ends_with("  " + say("change.none")) || line.ends_with("  –");
  };
  for (const std::string& line : change.lines)
    if (!has(shared, line) && !has(own, line) && !says_nothing(line))
      lines.push_back(say("change.of", {{"what", line}}));
  now.lines = std::move(lines);
  return now;
}

}  // namespace helix::studies
