// Scores by distance at several positions, rotated and with added positions; beside them the example of one pair.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <tuple>

#include "base/text.h"
#include "figure/ticks.h"
#include "studies/registry_view.h"
#include "studies/rope/rope.h"

namespace helix::studies::rope {
namespace {

using protocol::Grid;

constexpr int kInks[] = {0, 1, 4, 5};
constexpr double kSame = 1e-9;  // relative to the range of the scores, as in the claim

struct Scene {
  Output out;
  Params params;
  bool complete = true;
  std::size_t places = 0, lags = 0;

  bool empty() const { return lags == 0; }
  bool one_curve() const { return out.score_residual.value < kSame * out.score_range.value; }
};

bool is_whole(const Grid& grid, std::size_t rows, std::size_t cols) {
  return grid.shape == std::vector<std::size_t>{rows, cols} && grid.data.size() == rows * cols;
}

Scene read(const protocol::Result& result) {
  Scene s{protocol::read_outputs<Output>(result),
          read_params<Params>(result.params.empty() ? defaults(describe()) : result.params), result.complete};
  const auto& shape = s.out.rotary.shape;
  if (shape.size() != 2 || shape[0] == 0 || shape[1] == 0 || s.out.start.data.size() != shape[0]) return s;
  if (!is_whole(s.out.rotary, shape[0], shape[1]) || !is_whole(s.out.added, shape[0], shape[1])) return s;
  s.places = shape[0], s.lags = shape[1];
  return s;
}

std::vector<double> row_of(const Grid& grid, std::size_t i, std::size_t cols) {
  const auto from = grid.data.begin() + static_cast<std::ptrdiff_t>(i * cols);
  return {from, from + static_cast<std::ptrdiff_t>(cols)};
}

std::string place_name(const Scene& s, std::size_t i) {
  return say("key_at", {{"position", number_text(s.out.start.data[i], 0)}});
}

// ---- panels

/// A line for each start position.
figure::Plot curves(const Scene& s, const Grid& scores) {
  figure::Plot plot{figure::over("lag", 0, static_cast<int>(s.lags)), figure::quantity("score")};
  plot.x.title = say("axis.lag");
  if (s.empty()) return plot;
  plot.y.id = "score";
  plot.marks = {figure::Rule{.at = 0}};
  for (std::size_t i = 0; i < s.places; ++i) {
    figure::Line line{"lag", 0, figure::over_index(row_of(scores, i, s.lags)), figure::series(kInks[i % 4]),
                      place_name(s, i)};
    line.digits = 3;
    plot.marks.push_back(std::move(line));
  }
  return plot;
}

std::vector<double> on_circle(double degrees, double radius) {
  const double angle = degrees * std::numbers::pi / 180;
  return {radius * std::cos(angle), radius * std::sin(angle)};
}

/// Part of a circle about the origin.
figure::Line arc(double from, double to, double radius, figure::Ink ink, float width) {
  figure::Coordinates at{2};
  const int steps = 96;
  for (int i = 0; i <= steps; ++i) {
    const auto p = on_circle(from + (to - from) * i / steps, radius);
    at.data.insert(at.data.end(), p.begin(), p.end());
  }
  figure::Line line{"", 0, std::move(at), ink};
  line.width = width;
  return line;
}

/// One pair of dimensions: both words at their positions, and after the shift.
figure::Plot arrows(const Scene& s) {
  figure::Plot plot{figure::quantity(""), figure::quantity("")};
  plot.x.quiet = plot.y.quiet = true;
  plot.x.low = -1.7, plot.x.high = 1.7, plot.y.low = -1.45, plot.y.high = 1.45;  // words are wider than high
  plot.height = 322, plot.square = true;
  if (!is_whole(s.out.angle, 2, 2)) return plot;
  plot.marks = {arc(0, 360, 1, figure::kFaint, 1)};
  for (std::size_t place = 0; place < 2; ++place) {
    const double blue = s.out.angle(place, 0), dog = s.out.angle(place, 1);
    if (!std::isfinite(blue) || !std::isfinite(dog)) continue;
    const figure::Ink ink = figure::series(static_cast<int>(place));
    const double radius = place == 0 ? 0.5 : 0.62;
    plot.marks.push_back(arc(blue, dog, radius, ink, 3));
    for (const auto& [word, angle, away] : {std::tuple("blue ", blue, 1.2), std::tuple("dog ", dog, 1.36)}) {
      plot.marks.push_back(figure::Arrow{{0, 0}, on_circle(angle, 1), "", ink});
      // Words are wider than high: they need more distance beside the circle than above it.
      plot.marks.push_back(figure::Text{
          {on_circle(angle, 1.38)[0], on_circle(angle, away)[1]}, word + number_text(angle, 0) + "°", ink});
    }
  }
  return plot;
}

figure::Number headline(const Scene& s) {
  if (s.empty()) return {};
  return {figure::short_number(s.out.score_residual.value),
          {say("lead.change"), say("lead.added", {{"change", figure::short_number(s.out.added_spread.value)}}),
           "blue · dog  " + number_text(s.out.dot_before.value, 3) + " → " + number_text(s.out.dot_after.value, 3) +
               " " + say("rotated"),
           "blue · dog  " + number_text(s.out.added_before.value, 3) + " → " + number_text(s.out.added_after.value, 3) +
               " " + say("added")},
          s.complete};
}

// ---- words

/// Radians a position in the last pair of dimensions.
double last_turn(const Scene& s) {
  return s.out.wavelength.data.empty() ? std::nan("") : 2 * std::numbers::pi / s.out.wavelength.data.back();
}

std::vector<figure::Note> notes(const Scene& s) {
  using Kind = figure::Note::Kind;
  std::vector<figure::Note> all{{Kind::text, say("note.curves")},
                                {Kind::equation, "(R_m q) · (R_n k) = q · (R_d k),  d = n − m"},
                                {Kind::text, say("note.turns", {{"last", figure::short_number(last_turn(s))}})}};
  if (!s.empty()) {
    all.push_back({Kind::text, say("note.arrows", {{"n", std::to_string(s.params.shift)},
                                                   {"angle", std::to_string(10 * s.params.shift)}})});
    all.push_back({Kind::text, say("note.pairings", {{"difference", number_text(s.out.pairing_difference.value, 2)}})});
  }
  all.push_back({Kind::caution, say("note.caution")});
  return all;
}

figure::Reading reading(const figure::Reading&, const protocol::Result& result, const ParamValues&,
                        const ViewState& view) {
  const Scene s = read(result);
  figure::Reading r;
  const int lag = view.focus.at("lag");
  if (lag < 0 || static_cast<std::size_t>(lag) >= s.lags) return r;
  r.title = say("reading.lag", {{"n", std::to_string(lag)}});
  for (std::size_t i = 0; i < s.places; ++i) {
    const std::size_t at = i * s.lags + static_cast<std::size_t>(lag);
    r.lines.push_back(place_name(s, i) + "  " +
                      say("reading.scores", {{"rotary", number_text(s.out.rotary.data[at], 4)},
                                             {"added", number_text(s.out.added.data[at], 4)}}));
  }
  return r;
}

figure::Figure view(const protocol::Result& result, const ParamValues&) {
  const Scene s = read(result);
  figure::Figure f;
  f.title = say(!s.empty() && s.one_curve() ? "title.distance" : "title.none");
  f.subtitle =
      s.empty() ? say("subtitle.none") : say("subtitle.scores", {{"convention", result.provenance.convention}});
  f.summary = s.empty() ? say("summary.none")
                        : f.title + ". " +
                              say("summary.change", {{"rotary", figure::short_number(s.out.score_residual.value)},
                                                     {"added", figure::short_number(s.out.added_spread.value)}});
  f.panels = {{"rotary", s.empty() ? "" : say("panel.rotary"), curves(s, s.out.rotary)},
              {"added", s.empty() ? "" : say("panel.added"), curves(s, s.out.added)},
              {"arrows", s.empty() ? "" : say("panel.arrows"), arrows(s)}};
  f.lead = headline(s);
  f.notes = notes(s);
  f.root = figure::row(
      {figure::column({figure::panel("rotary"), figure::panel("added")}), figure::panel("arrows", 0.3f, 300, 300)});
  f.across = {"lag", 0, static_cast<int>(s.lags) - 1};
  return f;
}

}  // namespace

ViewStudy view_study() { return {describe(), view, reading}; }

}  // namespace helix::studies::rope
