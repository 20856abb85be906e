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

std::string name(int dimension) { return "dimension " + std::to_string(dimension); }

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
  plot.gestures = {{figure::Gesture::On::brush,
                    {"position"},
                    figure::Gesture::Effect::window,
                    "",
                    "Drag over a part of the positions to enlarge it."}};
  return plot;
}

std::string curve_title(const Scene& s, std::size_t i) {
  if (!std::isfinite(at(s.out.r2, i))) return name(s.chosen[i]) + ": no sinusoid";
  return name(s.chosen[i]) + ": R² " + number_text(at(s.out.r2, i), 2) + ", " + number_text(at(s.out.cycles, i), 1) +
         " cycles";
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
  const char* much = "standard deviation of the dimension";
  figure::Plot plot{figure::quantity(much), figure::quantity("R² of its sinusoid")};
  if (s.out.all_r2.data.empty()) return plot;
  plot.y.low = 0, plot.y.high = 1, plot.x.from_zero = true;
  if (std::isfinite(s.out.shuffled_median_r2.value))
    plot.marks.push_back(figure::Rule{.at = s.out.shuffled_median_r2.value,
                                      .label = "shuffled columns, median",
                                      .ink = figure::kMute,
                                      .dashed = true});
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
                    "Click a dimension to see it alone."}};
  return plot;
}

figure::Number headline(const Scene& s) {
  if (s.empty()) return {};
  figure::Number n{percent_text(s.out.explained.value, 1), {"of the variance, one sinusoid each"}, s.complete};
  if (!s.fitted()) {
    n.lines = {"nothing to explain", s.out.explained.note};
    return n;
  }
  if (const NullRange walks = range_of(s.out.walk_explained.data); walks.known())
    n.lines.push_back("random walks " + span_text(walks, 1, true));
  n.lines.push_back("shuffled columns " + percent_text(s.out.shuffled_explained.value, 1));
  n.lines.push_back("median R² " + number_text(s.out.median_r2.value, 3) + ", shuffled " +
                    number_text(s.out.shuffled_median_r2.value, 3));
  n.lines.push_back(number_text(s.out.over_half.value, 0) + " of " + std::to_string(s.out.all_r2.data.size()) +
                    " have R² ≥ 0.5");
  return n;
}

// ---- tables

std::vector<figure::Table> tables(const Scene& s) {
  std::vector<double> numbers(s.chosen.begin(), s.chosen.end());
  figure::Table shown{"The shown dimensions",
                      {{"dimension", "", 0, numbers},
                       {"R²", "", 4, s.out.r2.data},
                       {"R², shuffled", "", 4, s.out.shuffled_r2.data},
                       {"cycles", "", 3, s.out.cycles.data},
                       {"amplitude", "", 4, s.out.amplitude.data},
                       {"phase", "radians", 3, s.out.phase.data},
                       {"offset", "", 4, s.out.offset.data}}};
  figure::Table every{"Every dimension",
                      {{"dimension", "", 0, {}},
                       {"R²", "", 4, s.out.all_r2.data},
                       {"R², shuffled", "", 4, s.out.all_shuffled_r2.data},
                       {"cycles", "", 3, s.out.all_cycles.data},
                       {"std", "", 4, s.out.all_std.data}}};
  for (std::size_t j = 0; j < s.out.all_r2.data.size(); ++j) {
    every.columns[0].values.push_back(static_cast<double>(j));
    every.go.push_back("from=here&dimensions=" + std::to_string(j));
  }
  every.help = "A row shows its dimension alone";
  figure::Table values{"Entries by position", {{"position", "", 0, {}}}};
  for (std::size_t p = 0; p < s.positions() && !s.empty(); ++p)
    values.columns[0].values.push_back(s.first() + static_cast<double>(p));
  for (std::size_t i = 0; i < s.chosen.size(); ++i) {
    values.columns.push_back({name(s.chosen[i]), "", 6, row_of(s.out.values, i)});
    values.columns.push_back({"its sinusoid", "", 6, row_of(s.out.fitted, i)});
  }
  return {std::move(shown), std::move(every), std::move(values)};
}

// ---- words

std::string title(const Scene& s) {
  if (s.empty()) return "Single dimensions";
  if (!s.fitted()) return "No dimension has a sinusoid here";
  return "One sinusoid for each dimension explains " + percent_text(s.out.explained.value, 1) + " of the variance";
}

std::string subtitle(const Scene& s, const protocol::Result& result) {
  if (s.empty()) return "Waiting for the positions.";
  return "Entries of " +
         (s.params.source == PositionSource::sinusoidal ? "the sinusoidal encoding"
                                                        : positions_of(result.provenance.model)) +
         ", " + result.provenance.convention + (s.fitted() ? ". Dashed: the nearest sinusoid." : ".");
}

/// Whether that is more than a random walk has; empty while that is not known.
std::string beside_walks(const Scene& s) {
  const NullRange walks = range_of(s.out.walk_explained.data);
  if (!walks.known()) return {};
  const std::string range = span_text(walks, 1, true) + " over " + std::to_string(walks.seeds) + " seeds";
  return s.out.explained.value > walks.most ? ", more than of a random walk with steps as long (" + range + ")"
                                            : ", no more than of a random walk with steps as long (" + range + ")";
}

std::string summary(const Scene& s) {
  if (s.empty()) return "The figure waits for the positions.";
  if (!s.fitted()) return title(s) + ": " + s.out.explained.note + ".";
  return title(s) + beside_walks(s) + ". With shuffled columns it would be " +
         percent_text(s.out.shuffled_explained.value, 1) + ". The median R² of a single dimension is " +
         number_text(s.out.median_r2.value, 3) + ".";
}

std::string against_walks(const Scene& s) {
  const std::string beside = beside_walks(s);
  const std::string smooth =
      "Shuffling takes away the order, and any smooth curve beats that: the chance level is a random walk";
  return beside.empty() ? smooth + "."
                        : smooth + ". Together the sinusoids explain " + percent_text(s.out.explained.value, 1) +
                              " here" + beside + ".";
}

std::vector<figure::Note> notes(const Scene& s) {
  using Kind = figure::Note::Kind;
  std::vector<figure::Note> out{
      {Kind::text,
       "A position is a vector of many numbers. Each small plot follows one of these numbers from position to "
       "position, beside the sinusoid that is nearest to it. R² is the share of the curve's variance that the sinusoid "
       "explains: 1 where they agree, 0 where it is no better than the mean. The sinusoid has at least half a "
       "cycle over the shown rows."},
      {Kind::equation, "y(p) ≈ c + A sin(2π f p / n + φ),  R² = 1 − Σ(y − fit)² / Σ(y − mean)²"}};
  if (!s.empty() && s.fitted())
    out.push_back(
        {Kind::text,
         "In the lower plot each point is a dimension: how much it varies, and how near it is to a sinusoid. " +
             number_text(s.out.over_half.value, 0) + " of " + std::to_string(s.out.all_r2.data.size()) +
             " dimensions have an R² of 0.5 or more, and the median is " + number_text(s.out.median_r2.value, 3) +
             ". Weighted by variance it is " + number_text(s.out.explained.value, 3) + ". A shuffled column reaches " +
             number_text(s.out.shuffled_median_r2.value, 3) + ". " + against_walks(s)});
  out.push_back({Kind::caution,
                 "This does not show that a dimension with less than about two cycles is periodic. Any smooth curve "
                 "looks like a part of one wave."});
  return out;
}

figure::Reading reading(const protocol::Result& result, const ParamValues&, const ViewState& view) {
  const Scene s = read(result);
  figure::Reading r;
  const int position = view.focus.at("position"), p = position - s.first(), d = view.focus.at("dimension");
  const bool there = position >= 0 && p >= 0 && static_cast<std::size_t>(p) < s.positions() && !s.empty();
  if (there) {
    r.title = "position " + std::to_string(position);
    for (std::size_t i = 0; i < s.chosen.size(); ++i)
      if (d < 0 || d == s.chosen[i])
        r.lines.push_back(name(s.chosen[i]) + "  " + number_text(s.out.values(i, static_cast<std::size_t>(p)), 4) +
                          ", sinusoid " + number_text(s.out.fitted(i, static_cast<std::size_t>(p)), 4));
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
  f.panels.push_back({"all", s.empty() ? "" : "every dimension", all(s)});
  f.lead = headline(s);
  figure::Box below = figure::panel("all");
  below.most = 220;
  f.root = figure::column({});
  if (!small.empty()) f.root.children.push_back(figure::grid(std::move(small), columns_for(s.chosen.size())));
  f.root.children.push_back(std::move(below));
  f.notes = notes(s), f.tables = tables(s);
  f.across = {"position", s.first(), s.first() + static_cast<int>(s.empty() ? 0 : s.positions()) - 1};
  f.down = {"dimension", 0, static_cast<int>(s.out.all_r2.data.size()) - 1};
  return f;
}

}  // namespace

ViewStudy view_study() { return {describe(), view, reading}; }

}  // namespace helix::studies::position_dimension
