// A map of how much nearer each head's matrix is to its transpose (or its scores to the identity's) than a random one; and the
// heads in order.
#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

#include "base/text.h"
#include "studies/model_name.h"
#include "studies/qk_symmetry/qk_symmetry.h"
#include "studies/registry_view.h"
#include "studies/scaled_heads_view.h"

namespace helix::studies::qk_symmetry {
namespace {

using protocol::Grid;

/// The result, and the head chosen by the controls: the result has all heads, so choosing one needs no run.
struct Scene {
  Output out;
  Params params;
  std::string model;
  bool difference = false, complete = true;
  std::size_t layers = 0, heads = 0;
  std::size_t layer = 0, head = 0;  // the chosen one

  bool empty() const { return layers == 0; }
  bool is_strip() const { return layers == 1 || layers == 2; }  // the map of heads
  bool identity() const {
    return !empty() && std::ranges::any_of(out.by_head_identity.data, [](double x) { return std::isfinite(x); });
  }
  std::size_t chosen() const { return layer * heads + head; }
};

bool is_whole(const Grid& grid) {
  return grid.shape.size() == 2 && grid.shape[0] > 0 && grid.shape[1] > 0 &&
         grid.data.size() == grid.shape[0] * grid.shape[1];
}

Scene read(const protocol::Result& result, const ParamValues& asked) {
  Scene s{protocol::read_outputs<Output>(result),
          read_params<Params>(result.params.empty() ? defaults(describe()) : result.params), result.provenance.model,
          result.difference, result.complete};
  if (!is_whole(s.out.by_head)) return s;
  if (s.out.by_head_identity.shape != s.out.by_head.shape || !is_whole(s.out.by_head_identity))
    s.out.by_head_identity = {};
  s.layers = s.out.by_head.shape[0], s.heads = s.out.by_head.shape[1];
  const auto now = read_params<Params>(asked.empty() ? defaults(describe()) : asked);
  s.layer = std::min(static_cast<std::size_t>(std::max(now.layer, 0)), s.layers - 1);
  s.head = std::min(static_cast<std::size_t>(std::max(now.head, 0)), s.heads - 1);
  return s;
}

std::string name_of(const Scene& s, std::size_t i) {
  return say("head", {{"head", std::to_string(i / s.heads) + "." + std::to_string(i % s.heads)}});
}

double at(const Grid& grid, std::size_t i) { return i < grid.data.size() ? grid.data[i] : std::nan(""); }

/// The cosine r of a distance d: with a = √(2 − 2r), d = a / (2 + a).
double cosine_of(double distance) {
  const double apart = 2 * distance / (1 - distance);
  return 1 - apart * apart / 2;
}

// ---- panels

constexpr double kLeastScale = 0.05;  // of the map: smaller differences from chance stay pale

/// Coloured by the distance less that of random matrices; the numbers are the distances.
figure::Plot map_of(const Scene& s, const Grid& grid, double random) {
  figure::Plot plot{figure::over("head", 0, static_cast<int>(s.heads)),
                    figure::over("layer", 0, static_cast<int>(s.layers))};
  if (s.empty()) return plot;
  const bool against = !s.difference && std::isfinite(random);
  std::vector<double> values = grid.data;
  for (double& x : values) x -= against ? random : 0;
  plot.colour = figure::ColourScale{say(against ? "colour.distance" : "colour.change")};
  plot.colour->range = figure::scale_of(values, true);
  if (against) plot.colour->range.high = std::max(plot.colour->range.high, kLeastScale);
  plot.colour->range.low = -plot.colour->range.high;
  if (std::ranges::any_of(values, [](double x) { return std::isnan(x); }))
    plot.colour->missing = say("colour.no_weights");
  figure::Cells cells{figure::pyramid_of(values, s.layers, s.heads, plot.colour->range), "layer", "head"};
  cells.numbers.assign(grid.data.begin(), grid.data.end()), cells.digits = 3;
  cells.stretch = s.is_strip() ? 6.0f : s.identity() ? 1.0f : 1.6f;
  plot.marks = {std::move(cells)};
  plot.chosen = {{"layer", static_cast<int>(s.layer)}, {"head", static_cast<int>(s.head)}};
  plot.gestures = {{figure::Gesture::On::click,
                    {"layer", "head"},
                    figure::Gesture::Effect::set,
                    "layer={layer}&head={head}",
                    say("hint.head")}};
  if (!s.difference) add_head_acts(plot);
  return plot;
}

std::vector<double> sorted(const Grid& grid) {
  std::vector<double> out;
  for (const double x : grid.data)
    if (std::isfinite(x)) out.push_back(x);
  std::ranges::sort(out);
  return out;
}

void add_level(figure::Plot& plot, double value, std::string label, figure::Ink ink) {
  if (std::isfinite(value))
    plot.marks.push_back(
        figure::Rule{.at = value, .label = std::move(label), .ink = ink, .width = 1.6f, .dashed = true});
}

/// All heads, the nearest first, with the level of random matrices.
figure::Plot in_order(const Scene& s) {
  const std::vector<double> transpose = sorted(s.out.by_head), identity = sorted(s.out.by_head_identity);
  figure::Plot plot{figure::over("item", 1, static_cast<int>(std::max(transpose.size(), identity.size()))),
                    figure::quantity("")};
  plot.x.title = say("axis.heads");
  if (transpose.empty() || s.difference)
    return plot;  // each side has an order of its own: there is no change of a rank
  add_level(plot, s.out.random_transpose.value, say("rule.random"), figure::kMute);
  if (s.identity()) add_level(plot, s.out.bound_identity.value, say("rule.least"), figure::kWarm);
  const auto dots = [&](const std::vector<double>& values, const std::string& name, figure::Ink ink) {
    auto at = std::make_shared<figure::Coordinates>();
    at->dims = 2;
    for (std::size_t i = 0; i < values.size(); ++i)
      at->data.insert(at->data.end(), {static_cast<double>(i + 1), values[i]});
    figure::Points points{"item", 1, std::move(at), ink, 3.4f};
    points.labels.assign(values.size(), "");
    if (s.identity() && values.size() > 2) points.labels[values.size() / 2] = name;
    plot.marks.push_back(std::move(points));
  };
  dots(transpose, say("dots.transpose"), figure::kAccent);
  if (!identity.empty()) dots(identity, say("dots.identity"), figure::series(1));
  return plot;
}

figure::Number headline(const Scene& s) {
  if (s.empty()) return {};
  const std::string head = name_of(s, s.chosen());
  figure::Number n{number_text(at(s.out.by_head, s.chosen()), 3), {}, s.complete};
  const double distance = at(s.out.by_head, s.chosen());
  n.lines = {say("lead.distance", {{"head", head}}),
             say("lead.random", {{"distance", number_text(s.out.random_transpose.value, 3)}}),
             std::isfinite(distance)
                 ? say("lead.symmetric", {{"share", percent_text((1 + cosine_of(distance)) / 2, 0)}})
                 : say("lead.undefined")};
  if (s.identity()) {
    n.lines.push_back(say("lead.identity", {{"distance", number_text(at(s.out.by_head_identity, s.chosen()), 3)}}));
    n.lines.push_back(say("lead.random_identity", {{"distance", number_text(s.out.random_identity.value, 3)}}));
  } else if (s.params.identity && !s.out.distance_identity.note.empty()) {
    n.lines.push_back(say("lead.no_identity", {{"why", s.out.distance_identity.note}}));
  }
  return n;
}

// ---- words

std::string title(const Scene& s) {
  if (s.empty()) return say("title.none");
  const double close = s.out.close_heads.value;
  if (!std::isfinite(close)) return say("title.undefined");
  if (close == 0) return say("title.no_head");
  return say("title.close", {{"n", number_text(close, 0)}, {"all", number_text(s.out.heads.value, 0)}});
}

std::string subtitle(const Scene& s) {
  if (s.empty()) return say("subtitle.none");
  return say(s.params.gain ? "subtitle.gain" : "subtitle.distance",
             {{"model", spoken_name(s.model)}, {"random", number_text(s.out.random_transpose.value, 3)}});
}

std::string summary(const Scene& s) {
  if (s.empty()) return say("summary.none");
  if (!std::isfinite(s.out.mean_transpose.value)) return say("summary.undefined", {{"title", title(s)}});
  return say("summary.mean", {{"mean", number_text(s.out.mean_transpose.value, 3)},
                              {"random", number_text(s.out.random_transpose.value, 3)},
                              {"close", number_text(s.out.close_heads.value, 0)},
                              {"all", number_text(s.out.heads.value, 0)}});
}

std::vector<figure::Note> notes(const Scene& s) {
  using Kind = figure::Note::Kind;
  std::vector<figure::Note> out{{Kind::text, say("note.score")},
                                {Kind::equation, "d(A, B) = (‖A − B‖) / (‖A‖ + ‖B‖ + ‖A − B‖)"},
                                {Kind::text, say("note.distance")}};
  if (s.identity())
    out.push_back({Kind::text, say("note.identity", {{"least", number_text(s.out.bound_identity.value, 3)}})});
  else if (!s.empty() && !s.out.distance_identity.note.empty())
    out.push_back({Kind::text, say("note.no_identity", {{"why", s.out.distance_identity.note}})});
  out.push_back({Kind::text, say("note.biases")});
  out.push_back({Kind::caution, say("note.caution")});
  return out;
}

figure::Reading reading(const figure::Reading&, const protocol::Result& result, const ParamValues& asked,
                        const ViewState& view) {
  const Scene s = read(result, asked);
  const int item = view.focus.at("item");
  if (s.empty()) return {};
  const std::vector<double> transpose = sorted(s.out.by_head);
  if (item < 1 || static_cast<std::size_t>(item) > transpose.size()) return {};
  return {say("reading.rank", {{"rank", std::to_string(item)}}),
          {"d(M, Mᵀ)  " + number_text(transpose[static_cast<std::size_t>(item - 1)], 4)}};
}

/// Beside the maps stand the heads in order; below them where each map is a strip of a layer or two.
figure::Box root(const Scene& s, std::vector<figure::Box> maps) {
  if (!s.is_strip()) return figure::row({figure::row(std::move(maps)), figure::panel("order", 0.36f, 230, 480)});
  for (figure::Box& map : maps) map.most = 190;
  maps.push_back(figure::panel("order"));
  return figure::column(std::move(maps));
}

figure::Figure view(const protocol::Result& result, const ParamValues& asked) {
  const Scene s = read(result, asked);
  figure::Figure f;
  f.title = title(s), f.subtitle = subtitle(s), f.summary = summary(s);
  f.panels = {
      {"transpose", s.empty() ? "" : say("panel.transpose"), map_of(s, s.out.by_head, s.out.random_transpose.value)}};
  std::vector<figure::Box> maps{figure::panel("transpose")};
  if (s.identity()) {
    f.panels.push_back(
        {"identity", say("panel.identity"), map_of(s, s.out.by_head_identity, s.out.random_identity.value)});
    maps.push_back(figure::panel("identity"));
  }
  f.panels.push_back({"order", s.empty() ? "" : say("panel.order"), in_order(s)});
  f.lead = headline(s);
  f.root = root(s, std::move(maps));
  f.notes = notes(s);
  f.row_links = {
      {{"layer", "head"}, "study=attention&from=text&attention.layer={layer}&attention.head={head}", say("hint.row")}};
  f.down = {"layer", 0, static_cast<int>(s.layers) - 1}, f.across = {"head", 0, static_cast<int>(s.heads) - 1};
  return f;
}

}  // namespace

ViewStudy view_study() { return {describe(), view, reading}; }

}  // namespace helix::studies::qk_symmetry
