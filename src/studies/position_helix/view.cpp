// The helix as a figure: the curve, its bars, the key number, and the strip for the row range.
#include <algorithm>
#include <cmath>

#include "base/control_name.h"
#include "base/length_text.h"
#include "base/text.h"
#include "studies/helix_rule.h"
#include "studies/model_name.h"
#include "studies/null_range.h"
#include "studies/position_helix/position_helix.h"
#include "studies/position_helix/view_callouts.h"
#include "studies/registry_view.h"

namespace helix::studies::position_helix {
namespace {

using figure::Figure;

constexpr double kMostOfIt = 0.75;  // of the variance, in three components: enough to show the shape
constexpr double kMany = 10;        // components for 90 %: "many dimensions"

std::string count_text(double value) { return std::isfinite(value) ? to_fixed(value, 0) : "…"; }

/// The parameters and the result together.
struct Scene {
  Params params;
  Output out;
  std::string model;
  int shown_first = 0, shown_last = -1;  // of the rows in the result
  bool empty() const { return out.points.rows() == 0; }
  /// Whether the shares of the variance are defined.
  bool varies() const { return std::isfinite(out.explained_first3.value); }
  /// Whether the turns are those of the first two components.
  bool first_plane() const { return params.plane.size() == 2 && params.plane[0] + params.plane[1] == 3; }
  bool turns_like_walks() const {
    const NullRange walks = range_of(out.walk_turns.data);
    const double spread = walks.most - walks.least;
    return walks.known() && out.turns.value <= walks.most + spread && out.turns.value >= walks.least - spread;
  }
  /// More turns than any walk; true where none was made.
  bool beyond_walks() const {
    const NullRange walks = range_of(out.walk_turns.data);
    return !walks.known() || out.turns.value > walks.most;
  }
  /// Fewer components than the rows have room for.
  bool cut() const { return std::isfinite(out.rank.value) && out.rank.value <= most_components() / 2; }
  double most_components() const { return static_cast<double>(out.explained.rows()); }
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

/// Of the neighbour steps, how many are left out of the turns.
double skipped_share(const Scene& s) {
  return s.out.turns_skipped.value / std::max(1.0, static_cast<double>(s.out.points.rows()) - 1);
}

/// "3.02 turns", and what they leave out: "2.48 turns (704 of 1,022 steps left out)".
std::string turns_text(const Scene& s) {
  const std::string turns = number_text(s.out.turns.value, 2);
  std::string skipped;
  if (s.out.turns_skipped.value > 0)
    skipped = " " + say("turns.skipped", {{"skipped", with_thousands(std::llround(s.out.turns_skipped.value))},
                                          {"steps", with_thousands(static_cast<long long>(s.out.points.rows()) - 1)}});
  if (s.first_plane()) return say("turns", {{"turns", turns}, {"skipped", skipped}});
  return say("turns.plane", {{"turns", turns},
                             {"a", std::to_string(s.params.plane[0])},
                             {"b", std::to_string(s.params.plane[1])},
                             {"skipped", skipped}});
}

bool lies_on_helix(const Scene& s) {
  return s.first_plane() && skipped_share(s) <= kMostSkipped && is_helix(s.out.turns.value, s.out.along.value) &&
         s.beyond_walks();
}

/// Of the sinusoidal encoding. A first picture has but a few components.
std::string sinusoidal_title(const Scene& s) {
  const double count = s.out.components_for_90.value;
  if (s.empty() || !s.varies()) return say("title.sinusoidal");
  if (std::isfinite(count) ? count >= kMany : s.out.explained_first3.value < kMostOfIt)
    return say("title.sinusoidal_many");
  return std::isfinite(count) ? say("title.sinusoidal_few", {{"n", count_text(count)}}) : say("title.sinusoidal");
}

/// Claims only what these numbers support.
std::string title(const Scene& s) {
  if (s.params.source == PositionSource::sinusoidal) return sinusoidal_title(s);
  if (s.empty()) return say("title.none");
  const std::string positions = at_start(positions_of(s.model));
  if (!s.varies()) return say("title.still", {{"model", spoken_name(s.model)}});
  if (!s.first_plane() && std::isfinite(s.out.turns.value))
    return say("title.turns", {{"positions", positions}, {"turns", turns_text(s)}});
  if (!(s.out.explained_first3.value >= kMostOfIt) || !(skipped_share(s) <= kMostSkipped))
    return say("title.directions", {{"positions", positions}});
  if (lies_on_helix(s))
    return is_control(s.model) ? say("title.helix_control", {{"positions", positions}})
                               : say("title.helix", {{"model", spoken_name(s.model)}});
  if (s.turns_like_walks()) return say("title.walk", {{"positions", positions}});
  return say(s.out.turns.value >= kLeastTurns ? "title.no_helix" : "title.curve", {{"positions", positions}});
}

std::string subtitle(const Scene& s) {
  if (s.empty()) return say("subtitle.waiting");
  const std::string rows = with_thousands(static_cast<long long>(s.out.points.rows()));
  if (s.params.source == PositionSource::sinusoidal)
    return say("subtitle.sinusoidal", {{"rows", rows}, {"base", to_text(s.params.base)}});
  const std::string groups = s.params.group > 1 ? say("groups", {{"rows", std::to_string(s.params.group)}}) : "";
  const std::string axes = say(s.kept_axes() ? "axes.kept" : "axes.own");
  return say(is_control(s.model) ? "subtitle.control" : "subtitle.learned",
             {{"rows", rows}, {"groups", groups}, {"axes", axes}});
}

figure::Space space(const Scene& s) {
  figure::Space out;
  const auto& grid = s.out.points;
  for (std::size_t c = 0; c < std::max<std::size_t>(s.empty() ? 0 : grid.cols(), 3); ++c)
    out.axes.push_back({"PC" + std::to_string(c + 1),
                        c < s.out.explained.data.size() ? percent_text(s.out.explained.data[c], 1) : std::string()});
  figure::Line curve{"position", s.shown_first};
  if (!s.empty()) curve.at = {grid.cols(), grid.data};
  curve.ink = figure::kAlong, curve.dots = true;
  out.floor = true, out.legend = false;
  out.marks = {std::move(curve)};
  if (!s.empty() && s.params.source == PositionSource::learned)
    add_callouts(grid, s.shown_first, lies_on_helix(s), out);
  return out;
}

figure::Plot bars(const Scene& s) {
  const auto& shares = s.out.explained.data;
  figure::Bars b{"component", 1};
  b.across = true;
  for (std::size_t i = 0; i < std::min<std::size_t>(shares.size(), kComponents); ++i) {
    b.values.push_back(shares[i]);
    b.texts.push_back(percent_text(shares[i], 1));
    b.strong.push_back(i < 3);
  }
  figure::Plot plot{figure::quantity("share of variance", "fraction"),
                    figure::over("component", 1, static_cast<int>(b.values.size()))};
  plot.marks = {std::move(b)};
  return plot;
}

figure::Number headline(const Scene& s) {
  figure::Number n;
  n.number = percent_text(s.out.explained_first3.value, 2);
  n.settled = s.out.complete;
  n.lines = {say("lead.share"), say("lead.components", {{"n", count_text(s.out.components_for_90.value)}})};
  if (!s.empty() && !s.varies()) n.lines = {say("lead.still"), s.out.explained_first3.note};
  if (s.params.source == PositionSource::learned && std::isfinite(s.out.turns.value)) n.lines.push_back(turns_text(s));
  const NullRange share = range_of(s.out.walk_explained_first3.data), turns = range_of(s.out.walk_turns.data);
  if (share.known())
    n.lines.push_back(turns.known() ? say("lead.walk_turns",
                                          {{"share", percent_text(share.mean, 1)}, {"turns", to_fixed(turns.mean, 2)}})
                                    : say("lead.walk", {{"share", percent_text(share.mean, 1)}}));
  return n;
}

/// The strip on which the row range is dragged.
figure::Plot strip(const Scene& s, const Params& asked, int last_position) {
  double most = 0;
  for (const double v : s.out.residual.data)
    if (std::isfinite(v)) most = std::max(most, v);
  const std::string range =
      s.out.residual.data.empty() ? "" : "  " + say("axis.range", {{"most", length_text(most, 2)}});
  figure::Plot plot{figure::over("position", 0, std::max(last_position, 1) + 1),
                    figure::quantity(say("axis.residual") + range)};
  plot.y.quiet = plot.y.from_zero = true;
  plot.y.low = 0, plot.y.high = most > 0 ? most : 1;
  plot.height = 74;
  plot.marks = {figure::Bars{"position", s.shown_first, s.out.residual.data, figure::kAlong}};
  figure::Gesture brush{figure::Gesture::On::brush,
                        {"position"},
                        figure::Gesture::Effect::set,
                        "first={position.first}&last={position.last}",
                        say("hint.rows")};
  brush.first = std::min(asked.first, last_position), brush.last = std::min(asked.last, last_position);
  if (asked.fit_first >= 0 || asked.fit_last >= 0) {
    brush.other_first = std::clamp(asked.fit_first < 0 ? asked.first : asked.fit_first, 0, last_position);
    brush.other_last = std::clamp(asked.fit_last < 0 ? asked.last : asked.fit_last, 0, last_position);
  }
  plot.gestures = {std::move(brush)};
  return plot;
}

figure::Reading reading(const figure::Reading&, const protocol::Result& result, const ParamValues&,
                        const ViewState& view) {
  const Scene s = read(result);
  figure::Reading r;
  const int position = view.focus.at("position"), row = position - s.shown_first;
  if (position < 0 || row < 0 || row >= static_cast<int>(s.out.points.rows())) return r;
  const auto i = static_cast<std::size_t>(row);
  r.title = "position " + std::to_string(position);
  for (const int axis : view.axes) {
    const auto c = static_cast<std::size_t>(axis - 1);
    if (c < s.out.points.cols())
      r.lines.push_back("PC" + std::to_string(axis) + "  " + length_text(s.out.points(i, c), 4));
  }
  if (i < s.out.residual.data.size()) r.lines.push_back("residual  " + length_text(s.out.residual.data[i], 4));
  return r;
}

std::string summary(const Scene& s) {
  if (s.empty()) return say("summary.waiting");
  if (!s.varies())
    return title(s) + (s.out.explained_first3.note.empty() ? "." : ": " + s.out.explained_first3.note + ".");
  const bool learned = s.params.source == PositionSource::learned;
  const double k90 = s.out.components_for_90.value;
  std::string turns, cut, farthest;
  if (const NullRange walks = range_of(s.out.walk_turns.data); learned && std::isfinite(s.out.turns.value))
    turns =
        walks.known()
            ? say("summary.turns_walks",
                  {{"turns", turns_text(s)}, {"least", to_fixed(walks.least, 2)}, {"most", to_fixed(walks.most, 2)}})
            : say("summary.turns", {{"turns", turns_text(s)}});
  if (s.cut()) cut = say("summary.cut", {{"rank", to_fixed(s.out.rank.value, 0)}});
  const auto& residual = s.out.residual.data;
  const auto far = std::max_element(residual.begin(), residual.end());
  if (far != residual.end() && std::isfinite(*far))
    farthest = say("summary.farthest", {{"position", std::to_string(s.shown_first + (far - residual.begin()))},
                                        {"distance", length_text(*far, 2)}});
  return sentences(
      {say(learned ? "summary.learned" : "summary.sinusoidal",
           {{"first", std::to_string(s.shown_first)},
            {"last", std::to_string(s.shown_last)},
            {"share", percent_text(s.out.explained_first3.value, 2)},
            {"most_of_it", std::isfinite(k90) ? say("summary.most_of_it", {{"n", to_fixed(k90, 0)}}) : ""}}),
       turns, cut, farthest});
}

/// What these numbers say beside those of random walks; empty while there are none.
std::string beside_walks(const Scene& s) {
  const NullRange share = range_of(s.out.walk_explained_first3.data), turns = range_of(s.out.walk_turns.data),
                  along = range_of(s.out.walk_along.data);
  if (!share.known()) return {};
  const std::string walk = say(s.out.explained_first3.value > share.most ? "note.walk_less" : "note.walk_as_much",
                               {{"share", span_text(share, 1, true)}, {"seeds", std::to_string(share.seeds)}});
  if (!turns.known() || !std::isfinite(s.out.turns.value)) return walk;
  const std::string third =
      along.known() && std::isfinite(s.out.along.value)
          ? say("note.walk_along", {{"walk", span_text(along, 2)}, {"own", to_fixed(std::abs(s.out.along.value), 2)}})
          : "";
  return sentences({walk,
                    say(s.turns_like_walks()             ? "note.walk_turns"
                        : s.out.turns.value > turns.most ? "note.walk_fewer"
                                                         : "note.walk_more",
                        {{"turns", span_text(turns, 2)}, {"own", to_fixed(s.out.turns.value, 2)}}),
                    third});
}

std::string turns_note(const Scene& s) {
  return sentences({say(lies_on_helix(s)                   ? "note.helix"
                        : !s.first_plane()                 ? "note.turns"
                        : s.out.turns.value >= kLeastTurns ? "note.no_helix"
                                                           : "note.bends",
                        {{"turns", turns_text(s)}}),
                    s.out.turns_skipped.value > 0 ? say("note.skipped") : ""});
}

std::vector<figure::Note> notes(const Scene& s) {
  using Kind = figure::Note::Kind;
  if (s.params.source == PositionSource::sinusoidal)
    return {{Kind::text, say("note.sinusoidal")},
            {Kind::equation, "PE(p, 2i) = sin(p / L^(2i/d)),  L = " + to_text(s.params.base)},
            {Kind::text, say("note.frequencies", {{"share", percent_text(s.out.explained_first3.value, 1)},
                                                  {"n", count_text(s.out.components_for_90.value)}})},
            {Kind::caution, say("note.formula")}};
  const std::string share =
      std::isfinite(s.out.explained_first3.value) ? percent_text(s.out.explained_first3.value, 2) : "…";
  std::vector<figure::Note> out{
      {Kind::text, sentences({is_control(s.model) ? say("note.vectors_control")
                                                  : say("note.vectors", {{"model", spoken_name(s.model)}}),
                              say(s.params.centre ? "note.centred" : "note.not_centred")})},
      {Kind::equation, "explained = (λ₁ + λ₂ + λ₃) / Σλ = " + share}};
  if (std::isfinite(s.out.turns.value)) out.push_back({Kind::text, turns_note(s)});
  if (const std::string walks = beside_walks(s); !walks.empty()) out.push_back({Kind::text, walks});
  if (s.cut()) out.push_back({Kind::caution, say("note.cut", {{"rank", to_fixed(s.out.rank.value, 0)}})});
  out.push_back({Kind::caution, say("note.caution")});
  return out;
}

Figure view(const protocol::Result& result, const ParamValues& asked) {
  const Scene s = read(result);
  const int last_position =
      std::isfinite(s.out.positions.value) ? static_cast<int>(s.out.positions.value) - 1 : std::max(s.params.last, 1);
  Figure f;
  f.title = title(s), f.subtitle = subtitle(s), f.summary = summary(s);
  f.panels = {{"helix", "", space(s)},
              {"explained", say("panel.explained"), bars(s)},
              {"rows", "", strip(s, read_params<Params>(asked), last_position)}};
  f.lead = headline(s);
  f.root = figure::column(
      {figure::row({figure::panel("helix"), figure::panel("explained", 0.2f, 170, 190)}), figure::panel("rows")});
  f.narrow = figure::column({figure::panel("helix"), figure::panel("rows"), figure::panel("explained")});
  f.notes = notes(s);
  f.across = {"position", s.shown_first, s.shown_last};
  return f;
}

}  // namespace

ViewStudy view_study() { return {describe(), view, reading}; }

}  // namespace helix::studies::position_helix
