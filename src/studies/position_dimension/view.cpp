// A small plot for each chosen dimension with its sinusoid, and below them how well sinusoids fit all dimensions.
#include <algorithm>
#include <cmath>
#include <ranges>

#include "base/text.h"
#include "studies/model_name.h"
#include "studies/null_range.h"
#include "studies/position_dimension/position_dimension.h"
#include "studies/registry_view.h"

namespace helix::studies::position_dimension {
namespace {

using protocol::Grid;

struct Scene {
  Output out;
  Params params;
  bool complete = true;
  std::string model;
  std::vector<int> chosen{};  // the dimension of each shown plot

  std::size_t positions() const { return out.values.cols(); }
  bool empty() const { return chosen.empty(); }
  /// Some dimension varies, over rows enough for a sinusoid.
  bool fitted() const { return std::isfinite(out.explained.value); }
  int first() const { return params.first; }
};

double at(const Grid& grid, std::size_t i) { return i < grid.data.size() ? grid.data[i] : std::nan(""); }

/// The indices of the shown dimensions.
std::vector<int> numbers_of(const Scene& s) {
  std::vector<int> out;
  for (const double d : s.out.chosen.data)
    out.push_back(std::isfinite(d) ? static_cast<int>(std::clamp(d, 0.0, 1e6)) : 0);
  const Grid &values = s.out.values, &fitted = s.out.fitted;
  const bool whole = values.shape.size() == 2 && fitted.shape == values.shape && values.cols() > 0 &&
                     values.data.size() == values.rows() * values.cols() && fitted.data.size() == values.data.size();
  out.resize(whole ? std::min({out.size(), values.rows(), kMost}) : 0);
  return out;
}

Scene read(const protocol::Result& result) {
  Scene s{protocol::read_outputs<Output>(result),
          read_params<Params>(result.params.empty() ? defaults(describe()) : result.params), result.complete,
          spoken_name(result.provenance.model)};
  s.chosen = numbers_of(s);
  return s;
}

std::string name(int dimension) { return say("dimension", {{"dimension", std::to_string(dimension)}}); }

std::vector<double> row_of(const Grid& grid, std::size_t i) {
  const auto from = grid.data.begin() + static_cast<std::ptrdiff_t>(i * grid.cols());
  return {from, from + static_cast<std::ptrdiff_t>(grid.cols())};
}

// ---- panels

figure::Plot curve(const Scene& s, std::size_t i) {
  figure::Plot plot{figure::over("position", s.first(), static_cast<int>(s.positions())), figure::Scale()};
  figure::Line own{"position", s.first(), figure::over_index(row_of(s.out.values, i)), figure::series(0)};
  figure::Line fit{"position", s.first(), figure::over_index(row_of(s.out.fitted, i)), figure::kWarm};
  own.width = 1.6f, fit.dashed = true, fit.width = 1.8f;
  plot.marks = {figure::Rule{.at = 0}, std::move(own), std::move(fit)};
  plot.whole = {{"dimension", s.chosen[i]}};
  plot.gestures = {{figure::Gesture::On::brush, {"position"}, figure::Gesture::Effect::window, "", say("hint.brush")}};
  return plot;
}

std::string curve_title(const Scene& s, std::size_t i) {
  if (!std::isfinite(at(s.out.r2, i))) return say("panel.none", {{"dimension", name(s.chosen[i])}});
  return say("panel.curve", {{"dimension", name(s.chosen[i])},
                             {"r2", number_text(at(s.out.r2, i), 2)},
                             {"cycles", number_text(at(s.out.cycles, i), 1)}});
}

/// How much each of these dimensions varies, and how well a sinusoid fits it.
template <class Dimensions>
std::shared_ptr<const figure::Coordinates> spots(const Scene& s, const Dimensions& dimensions) {
  auto places = std::make_shared<figure::Coordinates>();
  places->dims = 2;
  for (const auto d : dimensions) {
    const auto j = static_cast<std::size_t>(d);
    places->data.insert(places->data.end(), {at(s.out.all_std, j), at(s.out.all_r2, j)});
  }
  return places;
}

figure::Plot all(const Scene& s) {
  figure::Plot plot{figure::quantity(say("axis.std")), figure::quantity(say("axis.r2"))};
  if (s.out.all_r2.data.empty()) return plot;
  plot.y.low = 0, plot.y.high = 1, plot.x.from_zero = true;
  if (std::isfinite(s.out.shuffled_median_r2.value))
    plot.marks.push_back(figure::Rule{
        .at = s.out.shuffled_median_r2.value, .label = say("rule.shuffled"), .ink = figure::kMute, .dashed = true});
  figure::Points every{"dimension", 0, spots(s, std::views::iota(std::size_t{0}, s.out.all_r2.data.size()))};
  every.ink = figure::series(0), every.radius = 2;
  figure::Points shown{"", 0, spots(s, s.chosen)};
  shown.ink = figure::kWarm, shown.radius = 4;
  for (const int d : s.chosen) shown.labels.push_back(std::to_string(d));
  plot.marks.insert(plot.marks.end(), {std::move(every), std::move(shown)});
  plot.gestures = {{figure::Gesture::On::click,
                    {"dimension"},
                    figure::Gesture::Effect::set,
                    "dimensions={dimension}",
                    say("hint.click")}};
  return plot;
}

figure::Number headline(const Scene& s) {
  if (s.empty()) return {};
  figure::Number n{percent_text(s.out.explained.value, 1), {say("lead.explained")}, s.complete};
  if (!s.fitted()) {
    n.lines = {say("lead.nothing"), s.out.explained.note};
    return n;
  }
  if (const NullRange walks = range_of(s.out.walk_explained.data); walks.known())
    n.lines.push_back(say("lead.walks", {{"range", span_text(walks, 1, true)}}));
  n.lines.push_back(say("lead.shuffled", {{"share", percent_text(s.out.shuffled_explained.value, 1)}}));
  n.lines.push_back(say("lead.median", {{"r2", number_text(s.out.median_r2.value, 3)},
                                        {"shuffled", number_text(s.out.shuffled_median_r2.value, 3)}}));
  n.lines.push_back(say(
      "lead.half", {{"n", number_text(s.out.over_half.value, 0)}, {"all", std::to_string(s.out.all_r2.data.size())}}));
  return n;
}

// ---- words

std::string title(const Scene& s) {
  if (s.empty() || !s.fitted()) return say(s.empty() ? "title.none" : "title.no_sinusoid");
  return say("title.explained", {{"share", percent_text(s.out.explained.value, 1)}});
}

std::string subtitle(const Scene& s, const protocol::Result& result) {
  if (s.empty()) return say("subtitle.none");
  const std::string whose =
      s.params.source == PositionSource::sinusoidal ? say("sinusoidal") : positions_of(result.provenance.model);
  return sentences({say("subtitle.entries", {{"positions", whose}, {"convention", result.provenance.convention}}),
                    s.fitted() ? say("subtitle.dashed") : ""});
}

/// Whether that is more than a random walk has; empty while that is not known.
std::string beside_walks(const Scene& s) {
  const NullRange walks = range_of(s.out.walk_explained.data);
  if (!walks.known()) return {};
  return say(s.out.explained.value > walks.most ? "walks.more" : "walks.no_more",
             {{"range", null_text(walks, 1, true)}});
}

std::string summary(const Scene& s) {
  if (s.empty()) return say("summary.none");
  if (!s.fitted()) return title(s) + ": " + s.out.explained.note + ".";
  return title(s) + beside_walks(s) + ". " +
         say("summary.shuffled", {{"share", percent_text(s.out.shuffled_explained.value, 1)},
                                  {"r2", number_text(s.out.median_r2.value, 3)}});
}

std::string against_walks(const Scene& s) {
  const std::string beside = beside_walks(s);
  const std::string together =
      say("note.together", {{"share", percent_text(s.out.explained.value, 1)}, {"walks", beside}});
  return sentences({say("note.smooth"), beside.empty() ? "" : together});
}

std::vector<figure::Note> notes(const Scene& s) {
  using Kind = figure::Note::Kind;
  std::vector<figure::Note> out{
      {Kind::text, say("note.plots")},
      {Kind::equation, "y(p) ≈ c + A sin(2π f p / n + φ),  R² = 1 − Σ(y − fit)² / Σ(y − mean)²"}};
  if (!s.empty() && s.fitted())
    out.push_back(
        {Kind::text, sentences({say("note.points", {{"n", number_text(s.out.over_half.value, 0)},
                                                    {"all", std::to_string(s.out.all_r2.data.size())},
                                                    {"median", number_text(s.out.median_r2.value, 3)},
                                                    {"weighted", number_text(s.out.explained.value, 3)},
                                                    {"shuffled", number_text(s.out.shuffled_median_r2.value, 3)}}),
                                against_walks(s)})});
  out.push_back({Kind::caution, say("note.caution")});
  return out;
}

figure::Reading reading(const figure::Reading&, const protocol::Result& result, const ParamValues&,
                        const ViewState& view) {
  const Scene s = read(result);
  figure::Reading r;
  const int position = view.focus.at("position"), p = position - s.first(), d = view.focus.at("dimension");
  const bool there = position >= 0 && p >= 0 && static_cast<std::size_t>(p) < s.positions() && !s.empty();
  if (there) {
    r.title = "position " + std::to_string(position);
    for (std::size_t i = 0; i < s.chosen.size(); ++i)
      if (d < 0 || d == s.chosen[i])
        r.lines.push_back(
            name(s.chosen[i]) + "  " + number_text(s.out.values(i, static_cast<std::size_t>(p)), 4) + ", " +
            say("reading.sinusoid", {{"value", number_text(s.out.fitted(i, static_cast<std::size_t>(p)), 4)}}));
  } else if (d >= 0 && static_cast<std::size_t>(d) < s.out.all_r2.data.size()) {
    const auto j = static_cast<std::size_t>(d);
    r.title = name(d);
    r.lines = {"R²  " + number_text(at(s.out.all_r2, j), 4),
               "shuffled  " + number_text(at(s.out.all_shuffled_r2, j), 4),
               "cycles  " + number_text(at(s.out.all_cycles, j), 2), "std  " + number_text(at(s.out.all_std, j), 4)};
  }
  return r;
}

/// The number of columns for this many small plots.
int columns_for(std::size_t count) { return count <= 1 ? 1 : count <= 4 ? 2 : count <= 9 ? 3 : 4; }

figure::Figure view(const protocol::Result& result, const ParamValues&) {
  const Scene s = read(result);
  figure::Figure f;
  f.title = title(s), f.subtitle = subtitle(s, result), f.summary = summary(s);
  std::vector<figure::Box> small;
  for (std::size_t i = 0; i < s.chosen.size(); ++i) {
    f.panels.push_back({"shown" + std::to_string(i), curve_title(s, i), curve(s, i)});
    small.push_back(figure::panel(f.panels.back().id));
  }
  f.panels.push_back({"all", s.empty() ? "" : say("panel.all"), all(s)});
  f.lead = headline(s);
  figure::Box below = figure::panel("all");
  below.most = 220;
  f.root = figure::column({});
  if (!small.empty()) f.root.children.push_back(figure::grid(std::move(small), columns_for(s.chosen.size())));
  f.root.children.push_back(std::move(below));
  f.notes = notes(s);
  f.row_links = {{{"column"}, "from=here&dimensions={column}", say("hint.row"), false, say("table.every")}};
  f.across = {"position", s.first(), s.first() + static_cast<int>(s.empty() ? 0 : s.positions()) - 1};
  f.down = {"dimension", 0, static_cast<int>(s.out.all_r2.data.size()) - 1};
  return f;
}

}  // namespace

ViewStudy view_study() { return {describe(), view, reading}; }

}  // namespace helix::studies::position_dimension
