// The models side by side, one space each; all coordinates as a table.
#include <algorithm>
#include <cmath>
#include <tuple>

#include "base/text.h"
#include "studies/null_range.h"
#include "studies/position_models/position_models.h"
#include "studies/registry_view.h"

namespace helix::studies::position_models {
namespace {

using figure::Figure;

constexpr std::size_t kLegends = 4;  // models that have a colour bar each; of more, the text says what the colour is

/// The number of one model; NaN where the result has none.
double at(const protocol::Grid& grid, std::size_t model) {
  return model < grid.data.size() ? grid.data[model] : std::nan("");
}

/// Why a model is not shown; empty if it is.
std::string why_not(const Output& out, std::size_t model) {
  return model < out.why_not.size() ? out.why_not[model] : std::string();
}

/// The coordinates of one model's positions; missing positions are NaN.
figure::Coordinates coordinates_of(const Output& out, std::size_t model) {
  figure::Coordinates at{3};
  const auto& shape = out.points.shape;
  if (shape.size() != 3 || shape[2] != 3 || model >= shape[0]) return at;
  const double* from = out.points.data.data() + model * shape[1] * 3;
  for (std::size_t i = 0; i < shape[1] && std::isfinite(from[3 * i]); ++i)
    at.data.insert(at.data.end(), from + 3 * i, from + 3 * i + 3);
  return at;
}

/// "gpt2-medium": the owner of a hub's model stands in the tables, and would cut the numbers off.
std::string short_name(const std::string& name) { return name.substr(name.rfind('/') + 1); }

std::string title_of(const Output& out, std::size_t model) {
  std::string title = short_name(out.name[model]);
  if (!why_not(out, model).empty()) return say("panel.not_shown", {{"model", title}});
  if (at(out.positions, model) > 0 && out.points.rows() > 0 && !std::isfinite(at(out.explained_first3, model)))
    return say("panel.constant", {{"model", title}});
  title += "  " + percent_text(at(out.explained_first3, model), 1);
  if (const double turns = at(out.turns, model); std::isfinite(turns))
    title += ", " + say("panel.turns", {{"turns", to_fixed(turns, 2)}});
  return title;
}

/// One space per model, each with its own axes and scale; one camera rotates them all.
figure::Panel panel_of(const Output& out, std::size_t model, int first) {
  figure::Space space;
  const std::size_t components = out.explained.cols();
  for (std::size_t c = 0; c < 3; ++c) {
    const std::size_t at = model * components + c;
    space.axes.push_back({"PC" + std::to_string(c + 1), c < components && at < out.explained.data.size()
                                                            ? percent_text(out.explained.data[at], 0)
                                                            : std::string()});
  }
  figure::Line curve{"position", first, coordinates_of(out, model)};
  curve.ink = figure::kAlong, curve.dots = true;
  space.legend = out.name.size() <= kLegends;
  space.marks = {std::move(curve)};
  return {"model" + std::to_string(model), title_of(out, model), std::move(space)};
}

/// What the random walks of one model have.
NullRange walks_of(const protocol::Grid& grid, std::size_t model) {
  const std::size_t seeds = grid.shape.size() == 2 ? grid.shape[1] : 0;
  if ((model + 1) * seeds > grid.data.size()) return {};
  const auto from = grid.data.begin() + static_cast<std::ptrdiff_t>(model * seeds);
  return range_of({from, from + static_cast<std::ptrdiff_t>(seeds)});
}

/// One line for each position of each model that has it.
figure::Table coordinates(const Output& out, int first) {
  figure::Table table{"Coordinates of each position", {{"model", "", 0, {}, {}}, {"position", "", 0, {}, {}}}};
  for (int c = 1; c <= 3; ++c) table.columns.push_back({"PC" + std::to_string(c), "", 4, {}, {}});
  const auto& shape = out.points.shape;
  if (shape.size() != 3 || shape[2] != 3) return table;
  for (std::size_t m = 0; m < std::min(shape[0], out.name.size()); ++m)
    for (std::size_t i = 0; i < shape[1]; ++i) {
      const double* point = out.points.data.data() + (m * shape[1] + i) * 3;
      if (std::isnan(point[0])) continue;
      table.columns[0].texts.push_back(out.name[m]);
      table.columns[1].values.push_back(first + static_cast<double>(i));
      for (std::size_t c = 0; c < 3; ++c) table.columns[2 + c].values.push_back(point[c]);
    }
  return table;
}

/// "turns of random walks": over all models that are shown.
std::string walk_turns_text(const Output& out) {
  std::vector<double> all;
  for (std::size_t i = 0; i < out.name.size(); ++i)
    if (const NullRange walks = walks_of(out.walk_turns, i); walks.known())
      all.push_back(walks.least), all.push_back(walks.most);
  return span_text(range_of(all), 2);
}

/// Claims only what these numbers support.
std::string title(const Output& out) {
  const double helices = out.helices.value, shown = out.models_shown.value;
  if (!std::isfinite(helices) || !(shown > 0)) return say("title.none");
  if (shown == 1) return say(helices == 1 ? "title.one" : "title.not_one");
  return say(helices == 0       ? "title.no_helix"
             : helices != shown ? "title.some"
             : shown == 2       ? "title.both"
                                : "title.all",
             {{"n", to_fixed(helices, 0)}, {"all", to_fixed(shown, 0)}});
}

std::string summary(const Output& out) {
  std::string text;
  for (std::size_t i = 0; i < out.name.size(); ++i) {
    if (!std::isfinite(at(out.explained_first3, i))) continue;
    text += (text.empty() ? "" : "; ") +
            say("summary.model", {{"share", percent_text(at(out.explained_first3, i), 1)}, {"model", out.name[i]}});
  }
  return text.empty() ? say("summary.none") : say("summary.models", {{"models", text}});
}

figure::Reading reading(const figure::Reading&, const protocol::Result& result, const ParamValues&,
                        const ViewState& view) {
  const auto params = read_params<Params>(result.params.empty() ? defaults(describe()) : result.params);
  const auto out = protocol::read_outputs<Output>(result);
  const int position = view.focus.at("position");
  figure::Reading r;
  if (position < params.first) return r;
  for (std::size_t m = 0; m < out.name.size(); ++m) {
    const figure::Coordinates points = coordinates_of(out, m);
    const auto i = static_cast<std::size_t>(position - params.first);
    if (i >= points.size()) continue;
    r.lines.push_back(out.name[m] + "  " + number_text(points(i, 0), 3) + "  " + number_text(points(i, 1), 3) + "  " +
                      number_text(points(i, 2), 3));
  }
  if (!r.lines.empty()) r.title = say("reading.position", {{"position", std::to_string(position)}});
  return r;
}

Figure view(const protocol::Result& result, const ParamValues&) {
  const auto params = read_params<Params>(result.params.empty() ? defaults(describe()) : result.params);
  const auto out = protocol::read_outputs<Output>(result);
  Figure f;
  f.title = title(out);
  if (std::isfinite(out.helices.value)) {
    figure::Number number{
        say("lead.of", {{"n", to_fixed(out.helices.value, 0)}, {"all", to_fixed(out.models_shown.value, 0)}}),
        {say("lead.helix")},
        result.complete};
    if (const std::string walks = walk_turns_text(out); !walks.empty())
      number.lines.push_back(say("lead.walks", {{"turns", walks}}));
    f.lead = std::move(number);
  }
  f.subtitle = sentences({say(out.name.empty() ? "subtitle.none" : "subtitle.models"),
                          out.name.size() > kLegends ? say("subtitle.colour") : ""});
  f.summary = summary(out);
  std::vector<figure::Box> boxes;
  std::size_t most = 0;
  for (std::size_t i = 0; i < out.name.size(); ++i) {
    f.panels.push_back(panel_of(out, i, params.first));
    boxes.push_back(figure::panel(f.panels.back().id));
    most = std::max(most, coordinates_of(out, i).size());
    if (const std::string why = why_not(out, i); !why.empty())
      f.notes.push_back(
          {figure::Note::Kind::caution, sentences({say("note.not_shown", {{"model", out.name[i]}}), why})});
  }
  f.root = figure::grid(std::move(boxes), out.name.size() <= 4 ? 2 : 3);
  f.tables = {coordinates(out, params.first)};
  f.across = {"position", params.first, params.first + static_cast<int>(most) - 1};
  return f;
}

}  // namespace

ViewStudy view_study() { return {describe(), view, reading}; }

}  // namespace helix::studies::position_models
