// The helix as a figure: the curve, its bars, the number that matters, and the strip that holds the range.
#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "studies/model_name.h"
#include "studies/position_helix/position_helix.h"
#include "studies/registry_view.h"

namespace helix::studies::position_helix {
namespace {

using figure::Figure;

constexpr double kMostOfIt = 0.75;  // of the variance, in three components: then they show the shape

std::string percent(double fraction, int digits) {
  return std::isfinite(fraction) ? to_fixed(fraction * 100, digits) + " %" : "–";
}

std::string count_text(double value) { return std::isfinite(value) ? to_fixed(value, 0) : "…"; }

/// What was asked and what came back, side by side.
struct Scene {
  Params params;
  Output out;
  std::string model;
  int shown_first = 0, shown_last = -1;  // of the rows that came back
  bool empty() const { return out.points.rows() == 0; }
  bool kept_axes() const { return params.fit_first >= 0 || params.fit_last >= 0; }
};

Scene read(const protocol::Result& result) {
  Scene s;
  s.params = read_params<Params>(result.params.empty() ? defaults(describe()) : result.params);
  s.out = protocol::read_outputs<Output>(result);
  s.out.complete = result.complete;
  s.model = result.provenance.model;
  if (!s.empty()) {
    s.shown_first = static_cast<int>(s.out.points.first);
    s.shown_last = s.shown_first + static_cast<int>(s.out.points.rows()) - 1;
  }
  return s;
}

/// Says only what these numbers bear out.
std::string title(const Scene& s) {
  if (s.params.source == Source::sinusoidal) return "Sinusoidal positions fill many dimensions";
  if (s.empty()) return "Positions along their main directions";
  const std::string whose = spoken_name(s.model) + "'s positions ";
  if (!(s.out.explained_first3.value >= kMostOfIt)) return whose + "in three of their directions";
  return whose + (s.out.turns.value >= 1 ? "lie on a helix" : "lie on a curve");
}

std::string subtitle(const Scene& s) {
  if (s.empty()) return "Waiting for positions.";
  const std::string rows = with_thousands(static_cast<long long>(s.out.points.rows()));
  if (s.params.source == Source::sinusoidal)
    return rows + " fixed vectors with base " + to_text(s.params.base) + ", seen along their three main directions.";
  std::string text = rows + " learned vectors";
  if (s.params.group > 1) text += ", averaged by " + std::to_string(s.params.group);
  return text +
         (s.kept_axes() ? ", seen along axes fitted on other rows." : ", seen along their three main directions.");
}

figure::Path3 path(const Scene& s, const ViewState& view) {
  figure::Path3 p;
  p.first = s.shown_first;
  p.camera = view.camera, p.map = view.map, p.focus = view.focus;
  const auto& grid = s.out.points;
  for (std::size_t a = 0; a < 3; ++a) {
    const auto c = static_cast<std::size_t>(view.axes[a] - 1);
    p.axis_labels[a] = "PC" + std::to_string(view.axes[a]);
    if (c < s.out.explained.data.size()) p.axis_notes[a] = percent(s.out.explained.data[c], 1);
  }
  for (std::size_t i = 0; i < grid.rows(); ++i) {
    figure::Vec3 point{};
    for (std::size_t a = 0; a < 3; ++a) {
      const auto c = static_cast<std::size_t>(view.axes[a] - 1);
      if (c < grid.cols() && std::isfinite(grid(i, c))) point[a] = grid(i, c);
    }
    p.points.push_back(point);
  }
  return p;
}

figure::Bars bars(const Scene& s) {
  figure::Bars b{"share of variance", {}};
  const auto& shares = s.out.explained.data;
  for (std::size_t i = 0; i < std::min<std::size_t>(shares.size(), kComponents); ++i)
    b.bars.push_back({std::to_string(i + 1), std::isfinite(shares[i]) ? shares[i] : 0, percent(shares[i], 1), i < 3});
  return b;
}

figure::Headline headline(const Scene& s) {
  figure::Headline h;
  h.number = percent(s.out.explained_first3.value, 2);
  h.settled = s.out.complete;
  h.lines = {"in three components", "90 % takes " + count_text(s.out.components_for_90.value)};
  if (s.params.source == Source::learned && std::isfinite(s.out.turns.value))
    h.lines.push_back(to_fixed(s.out.turns.value, 2) + " turns");
  return h;
}

figure::Profile profile(const Scene& s, const Params& asked, const ViewState& view, int last_position) {
  figure::Profile p;
  p.values = s.out.residual.data;
  p.first = s.shown_first;
  p.axis_last = last_position;
  p.what = "distance from the three components, per position";
  p.first_key = "first", p.last_key = "last";
  p.range_first = std::min(asked.first, last_position), p.range_last = std::min(asked.last, last_position);
  if (asked.fit_first >= 0 || asked.fit_last >= 0) {
    p.fit_first = std::clamp(asked.fit_first < 0 ? asked.first : asked.fit_first, 0, last_position);
    p.fit_last = std::clamp(asked.fit_last < 0 ? asked.last : asked.fit_last, 0, last_position);
  }
  p.map = view.map, p.focus = view.focus;
  return p;
}

std::vector<figure::Table> tables(const Scene& s) {
  figure::Table points{"Coordinates of each position", {}};
  const auto& grid = s.out.points;
  figure::Table::Column position{"position", "", 0, {}};
  for (std::size_t i = 0; i < grid.rows(); ++i)
    position.values.push_back(static_cast<double>(s.shown_first) + static_cast<double>(i));
  points.columns.push_back(position);
  for (std::size_t c = 0; c < (s.empty() ? 0 : grid.cols()); ++c) {
    figure::Table::Column column{"PC" + std::to_string(c + 1), "", 4, {}};
    for (std::size_t i = 0; i < grid.rows(); ++i) column.values.push_back(grid(i, c));
    points.columns.push_back(std::move(column));
  }
  points.columns.push_back({"residual", "", 4, s.out.residual.data});

  figure::Table shares{
      "Share of the variance",
      {{"component", "", 0, {}}, {"share", "fraction", 4, s.out.explained.data}, {"cumulative", "fraction", 4, {}}}};
  double sum = 0;
  for (std::size_t i = 0; i < s.out.explained.data.size(); ++i) {
    shares.columns[0].values.push_back(static_cast<double>(i + 1));
    shares.columns[2].values.push_back(sum += s.out.explained.data[i]);
  }
  figure::Table numbers{"Numbers",
                        {{"variance in three components", "fraction", 4, {s.out.explained_first3.value}},
                         {"components for 90 %", "components", 0, {s.out.components_for_90.value}},
                         {"turns", "turns", 2, {s.out.turns.value}},
                         {"steps left out of the turns", "steps", 0, {s.out.turns_skipped.value}}}};
  return {std::move(numbers), std::move(points), std::move(shares)};
}

figure::Reading reading(const Scene& s, const ViewState& view) {
  figure::Reading r;
  const int row = view.focus.position - s.shown_first;
  if (view.focus.position < 0 || row < 0 || row >= static_cast<int>(s.out.points.rows())) return r;
  const auto i = static_cast<std::size_t>(row);
  r.title = "position " + std::to_string(view.focus.position);
  for (const int axis : view.axes) {
    const auto c = static_cast<std::size_t>(axis - 1);
    if (c < s.out.points.cols())
      r.lines.push_back("PC" + std::to_string(axis) + "  " + to_fixed(s.out.points(i, c), 4));
  }
  if (i < s.out.residual.data.size()) r.lines.push_back("residual  " + to_fixed(s.out.residual.data[i], 4));
  return r;
}

std::string summary(const Scene& s) {
  if (s.empty()) return "The figure waits for positions.";
  const std::string where = "Positions " + std::to_string(s.shown_first) + " to " + std::to_string(s.shown_last);
  std::string text = where + (s.params.source == Source::sinusoidal ? " of the sinusoidal encoding" : "") +
                     ": three components explain " + percent(s.out.explained_first3.value, 2) + " of the variance";
  if (std::isfinite(s.out.components_for_90.value))
    text += "; " + to_fixed(s.out.components_for_90.value, 0) + " components reach 90 %";
  if (s.params.source == Source::learned && std::isfinite(s.out.turns.value))
    text += ". Joined in order they make " + to_fixed(s.out.turns.value, 2) + " turns";
  const auto& residual = s.out.residual.data;
  const auto far = std::max_element(residual.begin(), residual.end());
  if (far != residual.end() && std::isfinite(*far))
    text += ". Position " + std::to_string(s.shown_first + (far - residual.begin())) +
            " lies farthest from the three, by " + to_fixed(*far, 2);
  return text + ".";
}

std::vector<figure::Note> notes(const Scene& s) {
  using Kind = figure::Note::Kind;
  const std::string share =
      std::isfinite(s.out.explained_first3.value) ? to_fixed(s.out.explained_first3.value, 4) : "…";
  if (s.params.source == Source::sinusoidal)
    return {{Kind::text,
             "The encoding of the 2017 transformer is not learned: every pair of its numbers is a clock, and the "
             "clocks run at different speeds."},
            {Kind::equation, "PE(p, 2i) = sin(p / L^(2i/d)),  L = " + to_text(s.params.base)},
            {Kind::text,
             "The slow clocks form large, smooth curves; the fast ones fill hundreds of dimensions. Three components "
             "hold " +
                 percent(s.out.explained_first3.value, 1) + ", and it takes " +
                 count_text(s.out.components_for_90.value) + " of them to reach 90 %."},
            {Kind::caution,
             "What this does not show: anything a model learned. These numbers follow from the formula alone."}};
  std::vector<figure::Note> out{
      {Kind::text, spoken_name(s.model) +
                       " adds one learned vector to every word, a different one for each position. " +
                       std::string(s.params.centre ? "Subtract their mean" : "Leave their mean in") +
                       ", and ask which directions they vary in most."},
      {Kind::equation, "explained = (λ₁ + λ₂ + λ₃) / Σλ = " + share}};
  if (std::isfinite(s.out.turns.value))
    out.push_back(
        {Kind::text,
         (s.out.turns.value >= 1 ? "Two of the three turn like a clock, the third counts along: a helix with "
                                 : "In the plane of two of the three the curve bends, without closing a circle: ") +
             to_fixed(s.out.turns.value, 2) + " turns." +
             (s.out.turns_skipped.value > 0
                  ? " Left out: " + to_fixed(s.out.turns_skipped.value, 0) +
                        (s.out.turns_skipped.value == 1 ? " step" : " steps") + " of more than one radian."
                  : "")});
  out.push_back({Kind::caution,
                 "What this does not show: whether the model uses the helix. A picture of the weights is not an "
                 "experiment on them."});
  return out;
}

Figure view(const protocol::Result& result, const ParamValues& asked, const ViewState& state) {
  const Scene s = read(result);
  const int last_position =
      std::isfinite(s.out.positions.value) ? static_cast<int>(s.out.positions.value) - 1 : std::max(s.params.last, 1);
  Figure f;
  f.title = title(s), f.subtitle = subtitle(s), f.summary = summary(s);
  f.panels = {{"helix", f.title, path(s, state)},
              {"explained", "share of variance", bars(s)},
              {"number", "", headline(s)},
              {"rows", "", profile(s, read_params<Params>(asked), state, last_position)}};
  f.notes = notes(s);
  f.tables = tables(s);
  f.reading = reading(s, state);
  f.index_first = s.shown_first, f.index_last = s.shown_last;
  return f;
}

}  // namespace

ViewStudy view_study() { return {describe(), view}; }

}  // namespace helix::studies::position_helix
