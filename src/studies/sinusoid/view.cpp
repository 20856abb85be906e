// The encoding as a map, the curves of a few pairs, and for every pair its period and the angle of a shift.
#include <algorithm>
#include <cmath>
#include <string_view>

#include "base/text.h"
#include "studies/registry_view.h"
#include "studies/sinusoid/sinusoid.h"

namespace helix::studies::sinusoid {
namespace {

using protocol::Grid;

constexpr float kCurve = 91, kAxis = 29;  // heights of a pair's curve, and of the axis below the last
constexpr float kMap = 260;               // height of the map on a phone
constexpr float kLow = 170;               // height of the plots below the curves
constexpr float kStretch = 12;            // of the cells, if there are few dimensions

constexpr double kExact = 1e-9;  // as in the claims

/// The result; the large matrix is not copied.
struct Scene {
  const protocol::Result& result;
  Output out;
  Params params;
  const protocol::Array* encoding;
  std::vector<int> shown{};  // pairs whose curves are in the result

  bool difference() const { return result.difference; }
  /// Every position has the same norm, and every two neighbours the same cosine, up to rounding.
  bool same_norm() const { return out.norm_spread.value < kExact; }
  bool same_cosine() const { return out.neighbour_spread.value < kExact; }
  bool empty() const { return !encoding; }
  std::size_t positions() const { return encoding ? encoding->shape[0] : 0; }
  std::size_t dimensions() const { return encoding ? encoding->shape[1] : 0; }
};

double at(const Grid& grid, std::size_t i) { return i < grid.data.size() ? grid.data[i] : std::nan(""); }

std::vector<int> shown_pairs(const Output& out) {
  std::vector<int> pairs;
  for (const double i : out.shown_pairs.data)
    pairs.push_back(std::isfinite(i) ? static_cast<int>(std::clamp(i, 0.0, 1e6)) : 0);
  const Grid& curves = out.curves;
  const bool whole =
      curves.shape.size() == 2 && curves.cols() > 0 && curves.data.size() == curves.rows() * curves.cols();
  pairs.resize(whole ? std::min({pairs.size(), curves.rows(), kMostPairs}) : 0);
  return pairs;
}

/// Reads everything but the large matrix: the view runs again at every move of the pointer.
struct SmallOutputs final : protocol::OutputVisitor {
  explicit SmallOutputs(const protocol::Result& result) : reader(result) {}
  protocol::OutputReader reader;
  void operator()(const protocol::Out& f, protocol::Quantity& q) override { reader(f, q); }
  void operator()(const protocol::Out& f, Grid& g) override {
    if (std::string_view(f.name) != "encoding") reader(f, g);
  }
  void operator()(const protocol::Out& f, protocol::Texts& t) override { reader(f, t); }
};

Scene read(const protocol::Result& result) {
  const protocol::Array* encoding = result.array("encoding");
  const bool whole = encoding && encoding->shape.size() == 2 && !encoding->data.empty() &&
                     encoding->data.size() == encoding->shape[0] * encoding->shape[1];
  Scene s{result, Output(), read_params<Params>(result.params.empty() ? defaults(describe()) : result.params),
          whole ? encoding : nullptr};
  SmallOutputs small(result);
  Output::fields(small, s.out);
  s.shown = shown_pairs(s.out);
  return s;
}

/// What is left where two numbers should be equal; below a billionth it is rounding.
std::string left_over(double value) { return value < kExact ? say("rounding") : number_text(value, 4); }

/// Positions with decimals only if they are few.
std::string positions_text(double value) {
  if (!std::isfinite(value)) return "–";
  return value < 100 ? number_text(value, 1) : with_thousands(std::llround(std::min(value, 1e15)));
}

// ---- panels

figure::Plot map(const Scene& s) {
  figure::Plot plot{figure::over("dimension", 0, static_cast<int>(s.dimensions())),
                    figure::over("position", 0, static_cast<int>(s.positions()))};
  if (s.empty()) return plot;
  plot.colour = figure::ColourScale{s.difference() ? say("colour.change") : say("colour.entry")};
  plot.colour->range = s.difference() ? figure::scale_of(s.encoding->data, true) : figure::ShadeScale{-1, 1, true};
  figure::Cells cells;
  cells.row_axis = "position", cells.col_axis = "dimension", cells.stretch = kStretch;
  cells.cells = figure::pyramid_of(s.encoding->data, s.positions(), s.dimensions(), plot.colour->range);
  plot.marks = {std::move(cells)};
  plot.gestures = {
      {figure::Gesture::On::brush, {"position", "dimension"}, figure::Gesture::Effect::window, "", say("hint.map")}};
  return plot;
}

figure::Plot curve(const Scene& s, std::size_t i) {
  figure::Plot plot{figure::over("position", 0, static_cast<int>(s.out.curves.cols())), figure::Scale()};
  const auto from = s.out.curves.data.begin() + static_cast<std::ptrdiff_t>(i * s.out.curves.cols());
  figure::Line line{"position", 0, figure::over_index({from, from + static_cast<std::ptrdiff_t>(s.out.curves.cols())}),
                    figure::series(static_cast<int>(i))};
  line.width = 1.6f;
  plot.y.low = -1, plot.y.high = 1;
  plot.x.quiet = i + 1 < s.shown.size();
  plot.height = plot.x.quiet ? kCurve : kCurve + kAxis;
  plot.marks = {figure::Rule{.at = 0}, std::move(line)};
  plot.whole = {{"pair", s.shown[i]}};
  plot.gestures = {{figure::Gesture::On::brush, {"position"}, figure::Gesture::Effect::window, "", say("hint.curve")}};
  return plot;
}

std::string curve_title(const Scene& s, std::size_t i) {
  return say("panel.curve", {{"pair", std::to_string(s.shown[i])},
                             {"period", positions_text(at(s.out.period, static_cast<std::size_t>(s.shown[i])))}});
}

figure::Gesture choose_pair() {
  return {figure::Gesture::On::click, {"pair"}, figure::Gesture::Effect::set, "pairs={pair}", say("hint.pair")};
}

figure::Plot periods(const Scene& s) {
  figure::Plot plot{figure::over("pair", 0, static_cast<int>(s.out.period.data.size())),
                    figure::quantity("period", "positions")};
  plot.height = kLow;
  if (s.out.period.data.empty()) return plot;
  figure::Line line{"pair", 0, figure::over_index(s.out.period.data), figure::series(0)};
  line.digits = 0;
  if (!s.difference()) {
    plot.y.kind = figure::ScaleKind::log;
    plot.marks.push_back(figure::Rule{.at = static_cast<double>(s.params.positions),
                                      .label = say("rule.context"),
                                      .ink = figure::kWarm,
                                      .dashed = true});
  }
  plot.marks.push_back(std::move(line));
  plot.gestures = {choose_pair()};
  return plot;
}

figure::Plot angles(const Scene& s) {
  figure::Plot plot{figure::over("pair", 0, static_cast<int>(s.out.angle.data.size())), figure::quantity("degrees")};
  plot.height = kLow;
  if (s.out.angle.data.empty()) return plot;
  plot.y.from_zero = true;
  plot.marks = {figure::Line{"pair", 0, figure::over_index(s.out.angle.data), figure::series(1)}};
  plot.gestures = {choose_pair()};
  return plot;
}

figure::Number headline(const Scene& s) {
  if (s.empty()) return {};
  figure::Number n{
      number_text(s.out.norm.value, 4), {say(s.same_norm() ? "lead.norm" : "lead.mean_norm")}, s.result.complete};
  if (!s.same_norm()) n.lines.push_back(say("lead.spread", {{"spread", number_text(s.out.norm_spread.value, 4)}}));
  n.lines.push_back(say("lead.error", {{"error", left_over(s.out.rotation_residual.value)}}));
  return n;
}

// ---- words

std::string title(const Scene& s) {
  const int k = s.params.shift;
  if (!s.empty() && k == 0) return say("title.no_shift");
  if (s.empty() || !(s.out.rotation_residual.value < kExact)) return say("title.none");
  return say(s.params.dimensions % 2 ? "title.pairs" : "title.positions", {{"shift", std::to_string(k)}});
}

std::string subtitle(const Scene& s) {
  if (s.empty()) return say("subtitle.none");
  return say("subtitle.convention", {{"convention", s.result.provenance.convention}});
}

std::string summary(const Scene& s) {
  if (s.empty()) return say("summary.none");
  const std::string norms =
      say(s.same_norm() ? "summary.norm" : "summary.norms",
          {{"spread", number_text(s.out.norm_spread.value, 4)}, {"norm", number_text(s.out.norm.value, 4)}});
  return title(s) + ". " +
         say(s.same_cosine() ? "summary.everywhere" : "summary.on_average",
             {{"norms", norms}, {"cosine", number_text(s.out.neighbour_cosine.value, 5)}});
}

std::string about_periods(const Scene& s) {
  const bool slow = s.out.slow_pairs.value > 0;
  return say(s.out.pairs.value < 2 ? "note.only_pair"
             : slow                ? "note.slow_pairs"
                                   : "note.pairs",
             {{"fastest", positions_text(s.out.shortest_period.value)},
              {"slowest", positions_text(s.out.longest_period.value)},
              {"slow", number_text(s.out.slow_pairs.value, 0)},
              {"pairs", number_text(s.out.pairs.value, 0)},
              {"context", with_thousands(s.params.positions)}});
}

std::vector<figure::Note> notes(const Scene& s) {
  using Kind = figure::Note::Kind;
  const std::string d = std::to_string(s.params.dimensions), k = std::to_string(s.params.shift);
  std::vector<figure::Note> out{{Kind::text, say("note.map")},
                                {Kind::equation, "sine = sin(p / L^(2i/d)),  cosine = cos(p / L^(2i/d)),  L = " +
                                                     to_text(s.params.base) + ",  d = " + d}};
  if (s.empty()) return out;
  if (s.same_norm() && s.same_cosine())
    out.push_back({Kind::equation, "PE(p + " + k +
                                       ") = M_k PE(p),  |PE(p)| = √(d/2) = " + number_text(s.out.norm.value, 4) +
                                       ",  cos(p, p + 1) = " + number_text(s.out.neighbour_cosine.value, 5)});
  else
    out.push_back({Kind::text, say("note.odd")});
  out.push_back(
      {Kind::text, say("note.rotation", {{"n", k},
                                         {"error", left_over(s.out.rotation_residual.value)},
                                         {"distance", number_text(s.out.shuffled_residual.value, 2)},
                                         {"cosine", number_text(s.out.shuffled_neighbour_cosine.value, 3)}})});
  out.push_back({Kind::text, about_periods(s)});
  out.push_back({Kind::caution, say("note.caution")});
  return out;
}

figure::Reading reading(const figure::Reading&, const protocol::Result& result, const ParamValues&,
                        const ViewState& view) {
  const Scene s = read(result);
  const Focus& f = view.focus;
  figure::Reading r;
  const auto inside = [](int i, std::size_t n) { return i >= 0 && static_cast<std::size_t>(i) < n; };
  const int position = f.at("position"), dimension = f.at("dimension");
  if (inside(position, s.positions()) && inside(dimension, s.dimensions())) {
    const auto p = static_cast<std::size_t>(position), j = static_cast<std::size_t>(dimension);
    r.title = say("reading.entry", {{"position", std::to_string(position)}, {"dimension", std::to_string(dimension)}});
    r.lines = {say(j % 2 ? "reading.cosine" : "reading.sine") + "  " +
               number_text(s.encoding->data[p * s.dimensions() + j], 4)};
    if (j / 2 < s.out.period.data.size())
      r.lines.push_back(say("reading.pair_period", {{"pair", std::to_string(j / 2)}}) + "  " +
                        positions_text(at(s.out.period, j / 2)));
  } else if (inside(position, s.positions()) && !s.shown.empty()) {
    r.title = say("reading.position", {{"position", std::to_string(position)}});
    for (std::size_t i = 0; i < s.shown.size(); ++i)
      if (static_cast<std::size_t>(position) < s.out.curves.cols())
        r.lines.push_back(say("sine_of", {{"pair", std::to_string(s.shown[i])}}) + "  " +
                          number_text(s.out.curves(i, static_cast<std::size_t>(position)), 4));
  }
  return r;
}

figure::Figure view(const protocol::Result& result, const ParamValues&) {
  const Scene s = read(result);
  figure::Figure f;
  f.title = title(s), f.subtitle = subtitle(s), f.summary = summary(s), f.lead = headline(s);
  std::vector<figure::Box> right;
  for (std::size_t i = 0; i < s.shown.size(); ++i) {
    f.panels.push_back({"curve" + std::to_string(i), curve_title(s, i), curve(s, i)});
    right.push_back(figure::panel(f.panels.back().id));
  }
  f.panels.push_back({"encoding", s.empty() ? "" : say("panel.encoding"), map(s)});
  f.panels.push_back({"period", s.empty() ? "" : say("panel.period"), periods(s)});
  f.panels.push_back(
      {"angle", s.empty() ? "" : say("panel.angle", {{"shift", std::to_string(s.params.shift)}}), angles(s)});
  right.push_back(figure::row({figure::panel("period"), figure::panel("angle")}));
  std::vector<figure::Box> narrow = right;
  narrow.insert(narrow.begin(), figure::panel("encoding", 0, kMap, kMap));
  f.narrow = figure::column(std::move(narrow));
  f.root = figure::row({figure::panel("encoding"), figure::column(std::move(right), 0.55f)});
  f.notes = notes(s);
  f.row_links = {{{"pair"}, "from=here&pairs={pair}", say("hint.row")}};
  f.across = {"dimension", 0, static_cast<int>(s.dimensions()) - 1};
  f.down = {"position", 0, static_cast<int>(s.positions()) - 1};
  return f;
}

}  // namespace

ViewStudy view_study() { return {describe(), view, reading}; }

}  // namespace helix::studies::sinusoid
