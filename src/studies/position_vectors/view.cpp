// One row per singular vector: over positions on the left, over dimensions on the right.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/decimal.h"
#include "base/length_text.h"
#include "base/text.h"
#include "studies/model_name.h"
#include "studies/null_range.h"
#include "studies/position_vectors/position_vectors.h"
#include "studies/reading_view.h"
#include "studies/registry_view.h"

namespace helix::studies::position_vectors {
namespace {

using protocol::Grid;

constexpr std::size_t kStrongest = 60;  // dimensions in the table

struct Scene {
  Output out;
  Params params;
  bool complete = true;
  std::string model;
  std::size_t count = 0;  // of the result's vectors

  bool empty() const { return count == 0; }
  /// Whether the vector's singular value is more than rounding.
  bool known(std::size_t i) const {
    return i < out.participation.data.size() && std::isfinite(out.participation.data[i]);
  }
  std::size_t known_count() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(out.participation.data, [](double x) { return std::isfinite(x); }));
  }
  std::size_t positions() const { return out.left.cols(); }
  std::size_t dimensions() const { return out.right.cols(); }
};

bool is_whole(const Grid& grid) {
  return grid.shape.size() == 2 && grid.cols() > 0 && grid.data.size() == grid.rows() * grid.cols();
}

Scene read(const protocol::Result& result) {
  Scene s{protocol::read_outputs<Output>(result),
          read_params<Params>(result.params.empty() ? defaults(describe()) : result.params), result.complete,
          spoken_name(result.provenance.model)};
  if (is_whole(s.out.left) && is_whole(s.out.right))
    s.count = std::min({s.out.left.rows(), s.out.right.rows(), static_cast<std::size_t>(kMost)});
  return s;
}

double at(const Grid& grid, std::size_t i) { return i < grid.data.size() ? grid.data[i] : std::nan(""); }

std::vector<double> row_of(const Grid& grid, std::size_t i) {
  const auto from = grid.data.begin() + static_cast<std::ptrdiff_t>(i * grid.cols());
  return {from, from + static_cast<std::ptrdiff_t>(grid.cols())};
}

std::string number(std::size_t i) { return std::to_string(i + 1); }

// ---- panels

/// Up to this many vectors have a row of plots each; with more, two share a row and have shorter titles.
constexpr std::size_t kTall = 6;

std::size_t abreast(const Scene& s) { return s.count > kTall ? 2 : 1; }

/// Only the last plot of a column has ticks and a title on its x axis; the plots above would repeat them.
void quiet_above(const Scene& s, std::size_t i, figure::Plot& plot) {
  if (i + abreast(s) < s.count) plot.x.quiet = true;
}

figure::Plot left(const Scene& s, std::size_t i) {
  figure::Plot plot{figure::over("position", 0, static_cast<int>(s.positions())), figure::Scale()};
  figure::Line line{"position", 0, figure::over_index(row_of(s.out.left, i)), figure::series(static_cast<int>(i))};
  line.width = 1.8f;
  plot.y.id = "left";
  plot.marks = {figure::Rule{.at = 0}, std::move(line)};
  plot.whole = {{"direction", static_cast<int>(i) + 1}};
  plot.gestures = {
      {figure::Gesture::On::brush, {"position"}, figure::Gesture::Effect::window, "", say("hint.positions")}};
  quiet_above(s, i, plot);
  return plot;
}

std::string left_title(const Scene& s, std::size_t i) {
  return say(!s.known(i)       ? "panel.no_left"
             : s.count > kTall ? "panel.short_left"
                               : "panel.left",
             {{"i", number(i)},
              {"r2", number_text(at(s.out.wave_r2, i), 2)},
              {"sigma", length_text(at(s.out.singular_values, i), 1)},
              {"cycles", number_text(at(s.out.wave_cycles, i), 1)}});
}

/// The sizes of the entries by rank, beside those of a random direction.
figure::Plot sorted(const Scene& s, std::size_t i) {
  figure::Plot plot{figure::quantity(say("axis.rank")), figure::Scale()};
  plot.x.kind = figure::ScaleKind::log, plot.x.low = 1, plot.x.high = static_cast<double>(s.dimensions());
  plot.y.from_zero = true, plot.y.id = "right";
  std::vector<double> sizes = row_of(s.out.right, i);
  for (double& x : sizes) x = std::abs(x);
  std::ranges::sort(sizes, [](double a, double b) { return std::isnan(b) ? !std::isnan(a) : a > b; });
  const auto line = [](const std::vector<double>& values, figure::Ink ink) {
    figure::Line l{"rank", 1, {2}, ink};
    for (std::size_t k = 0; k < values.size(); ++k)
      l.at.data.insert(l.at.data.end(), {static_cast<double>(k + 1), values[k]});
    return l;
  };
  figure::Line random = line(s.out.random_sorted.data, figure::kMute);
  random.dashed = true, random.width = 1.6f;
  plot.marks = {std::move(random), line(sizes, figure::series(static_cast<int>(i)))};
  quiet_above(s, i, plot);
  return plot;
}

figure::Plot right(const Scene& s, std::size_t i) {
  if (s.params.sorted) return sorted(s, i);
  figure::Plot plot{figure::over("dimension", 0, static_cast<int>(s.dimensions())), figure::Scale()};
  plot.y.id = "right";
  for (const double t : {-s.params.threshold, s.params.threshold})
    plot.marks.push_back(figure::Rule{.at = t, .ink = figure::kMute, .dashed = true});
  plot.marks.push_back(figure::Bars{"dimension", 0, row_of(s.out.right, i), figure::series(static_cast<int>(i))});
  plot.whole = {{"direction", static_cast<int>(i) + 1}};
  plot.gestures = {
      {figure::Gesture::On::click,
       {"dimension"},
       figure::Gesture::Effect::go,
       "study=position_dimension&position_dimension.dimensions={dimension}",
       say("hint.dimension")},
      {figure::Gesture::On::brush, {"dimension"}, figure::Gesture::Effect::window, "", say("hint.dimensions")}};
  quiet_above(s, i, plot);
  return plot;
}

std::string right_title(const Scene& s, std::size_t i) {
  return say(!s.known(i)       ? "panel.no_right"
             : s.count > kTall ? "panel.short_right"
                               : "panel.right",
             {{"i", number(i)},
              {"n", number_text(at(s.out.over_threshold, i), 0)},
              {"all", std::to_string(s.dimensions())},
              {"threshold", to_shown(s.params.threshold)},
              {"participation", number_text(at(s.out.participation, i), 1)}});
}

figure::Number headline(const Scene& s) {
  if (s.empty()) return {};
  return {number_text(s.out.union_90.value, 0),
          {say("lead.dimensions"), say("lead.random", {{"n", number_text(s.out.random_union_90.value, 0)}})},
          s.complete};
}

// ---- tables

/// Dimensions by their share of the mass of all shown vectors.
figure::Table mass_table(const Scene& s) {
  figure::Table t{"Dimensions with the most mass",
                  {{"dimension", "", 0, {}}, {"share", "fraction", 4, {}}, {"so far", "fraction", 4, {}}}};
  const auto& mass = s.out.mass.data;
  std::vector<std::size_t> order(mass.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto key = [&](std::size_t j) { return std::isfinite(mass[j]) ? mass[j] : -HUGE_VAL; };
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return key(a) > key(b); });
  order.resize(std::min(order.size(), kStrongest));
  double sum = 0;
  for (const std::size_t j : order) {
    t.columns[0].values.push_back(static_cast<double>(j));
    t.columns[1].values.push_back(mass[j]);
    t.columns[2].values.push_back(sum += mass[j]);
    t.go.push_back("study=position_dimension&position_dimension.dimensions=" + std::to_string(j));
  }
  t.help = say("hint.row");
  return t;
}

// ---- words

std::string title(const Scene& s) {
  if (s.empty()) return say("title.none");
  if (!std::isfinite(s.out.union_90.value)) return say("title.constant");
  return say("title.hold", {{"n", number_text(s.out.union_90.value, 0)},
                            {"all", std::to_string(s.dimensions())},
                            {"top", std::to_string(s.known_count())}});
}

std::string subtitle(const Scene& s, const protocol::Result& result) {
  if (s.empty()) return say("subtitle.none");
  const std::string whose =
      s.params.source == PositionSource::sinusoidal ? say("sinusoidal") : positions_of(result.provenance.model);
  return sentences({say("subtitle.vectors", {{"positions", whose}, {"convention", result.provenance.convention}}),
                    say(s.params.sorted ? "subtitle.random" : "subtitle.threshold")});
}

std::string summary(const Scene& s) {
  if (s.empty()) return say("summary.none");
  if (!std::isfinite(s.out.union_90.value)) return title(s) + ".";
  return say("summary.vectors", {{"title", title(s)}, {"n", number_text(s.out.random_union_90.value, 0)}});
}

std::vector<figure::Note> notes(const Scene& s) {
  using Kind = figure::Note::Kind;
  std::vector<figure::Note> out{{Kind::text, say("note.patterns")},
                                {Kind::equation, "P = Σᵢ σᵢ uᵢ vᵢᵀ,  participation = (Σ v_j²)² / Σ v_j^4"},
                                {Kind::text, say("note.participation")}};
  if (!s.empty() && s.known_count() > 0) {
    double least = 1, most = 0;
    for (const double r2 : s.out.wave_r2.data)
      if (std::isfinite(r2)) least = std::min(least, r2), most = std::max(most, r2);
    out.push_back({Kind::text, say("note.random", {{"dimensions", std::to_string(s.dimensions())},
                                                   {"participation", number_text(s.out.random_participation.value, 1)},
                                                   {"over", number_text(s.out.random_over_threshold.value, 1)},
                                                   {"threshold", to_shown(s.params.threshold)},
                                                   {"least", percent_text(least, 0)},
                                                   {"most", percent_text(most, 0)},
                                                   {"shuffled", percent_text(at(s.out.shuffled_wave_r2, 0), 1)}})});
    if (const NullRange walks = range_of(s.out.walk_wave_r2.data); walks.known())
      out.push_back({Kind::text, say(least >= walks.least ? "note.walks" : "note.walks_more",
                                     {{"range", span_text(walks, 0, true)}})});
  }
  out.push_back({Kind::caution, say("note.caution")});
  return out;
}

figure::Reading reading(const figure::Reading&, const protocol::Result& result, const ParamValues&,
                        const ViewState& view) {
  const Scene s = read(result);
  figure::Reading r;
  const int position = view.focus.at("position"), dimension = view.focus.at("dimension"),
            direction = view.focus.at("direction");
  const bool over_dimensions = dimension >= 0 && static_cast<std::size_t>(dimension) < s.dimensions();
  const bool over_positions = position >= 0 && static_cast<std::size_t>(position) < s.positions();
  if (s.empty() || (!over_dimensions && !over_positions)) return r;
  const Grid& grid = over_dimensions ? s.out.right : s.out.left;
  const int index = over_dimensions ? dimension : position;
  r.title = say(over_dimensions ? "reading.dimension" : "reading.position", {{"i", std::to_string(index)}});
  for (std::size_t i = 0; i < s.count; ++i)
    if (direction < 1 || static_cast<std::size_t>(direction) == i + 1)
      r.lines.push_back(say(over_dimensions ? "reading.right" : "reading.left", {{"i", number(i)}}) + "  " +
                        number_text(grid(i, static_cast<std::size_t>(index)), 4));
  if (r.lines.empty()) r.lines = {say("reading.none")};
  if (over_dimensions && static_cast<std::size_t>(index) < s.out.mass.data.size())
    r.lines.push_back(say("reading.share") + "  " +
                      share_or_change(result.difference, s.out.mass.data[static_cast<std::size_t>(index)], 2));
  return r;
}

figure::Figure view(const protocol::Result& result, const ParamValues&) {
  const Scene s = read(result);
  figure::Figure f;
  f.title = title(s), f.subtitle = subtitle(s, result), f.summary = summary(s);
  std::vector<figure::Box> boxes;
  for (std::size_t i = 0; i < s.count; ++i) {
    f.panels.push_back({"left" + number(i), left_title(s, i), left(s, i)});
    boxes.push_back(figure::panel(f.panels.back().id));
    f.panels.push_back({"right" + number(i), right_title(s, i), right(s, i)});
    boxes.push_back(figure::panel(f.panels.back().id));
    if (boxes.size() == 2 * abreast(s) || i + 1 == s.count)
      f.root.children.push_back(figure::row(std::exchange(boxes, {})));
  }
  if (s.empty()) f.panels.push_back({"left1", "", figure::Plot()}), f.root = figure::panel("left1");
  f.lead = headline(s);
  f.notes = notes(s);
  f.tables = {mass_table(s)};
  f.across = {"position", 0, s.empty() ? -1 : static_cast<int>(s.positions()) - 1};
  f.down = {"dimension", 0, s.empty() ? -1 : static_cast<int>(s.dimensions()) - 1};
  return f;
}

}  // namespace

ViewStudy view_study() { return {describe(), view, reading}; }

}  // namespace helix::studies::position_vectors
