// Both curves in three spaces with one camera and one scale; below them the angles before each layer, in every variant,
// and the largest entry of each dimension.
#include <algorithm>
#include <cmath>

#include "base/decimal.h"
#include "base/length_text.h"
#include "base/text.h"
#include "studies/extended_positions/view_scene.h"
#include "studies/extended_positions/view_tables.h"
#include "studies/model_name.h"
#include "studies/reading_view.h"
#include "studies/registry_view.h"
#include "studies/undefined.h"

namespace helix::studies::extended_positions {
namespace {

// ---- panels

constexpr const char* kSpaceIds[] = {"positions", "extended", "both"};

/// "in the embedding's three directions: 1.9 %": how much of the extended positions is drawn there.
std::string space_title(const Scene& s, std::size_t which) {
  if (s.empty()) return "";
  const double shares[] = {s.out.shared.value, s.out.explained_first3.value, std::nan("")};
  const std::string id = "panel." + std::string(kSpaceIds[which]);
  if (s.difference || !std::isfinite(shares[which])) return say(id);
  return say(id + "_held", {{"share", percent_text(shares[which], 1)}});
}

figure::Panel space(const Scene& s, std::size_t which) {
  figure::Space out;
  out.id = "curves", out.legend = which == 1;
  for (std::size_t k = 0; k < kAxes; ++k)
    out.axes.push_back(
        {"PC" + std::to_string(k + 1), s.empty() ? std::string() : percent_text(s.out.explained(which, k), 0)});
  figure::Line table{"position", s.first, {kAxes, {}}, figure::kMute},
      own{"position", s.first, {kAxes, {}}, figure::kAlong};
  table.width = 2.4f, own.dots = true;
  if (!s.empty()) {
    const std::size_t numbers = s.positions * kAxes;
    table.at.data.assign(s.point(which, 0, 0), s.point(which, 0, 0) + numbers);
    own.at.data.assign(s.point(which, 1, 0), s.point(which, 1, 0) + numbers);
  }
  out.marks = {std::move(table), std::move(own)};
  return {kSpaceIds[which], space_title(s, which), std::move(out)};
}

figure::Scale degrees() {
  figure::Scale scale = figure::quantity("angle", "°");
  scale.low = 0, scale.high = 90;
  return scale;
}

figure::Plot layers(const Scene& s) {
  figure::Plot plot{figure::over("layer", 0, static_cast<int>(s.layers())), degrees()};
  plot.height = kLow;
  plot.y.title = "angle to the positions";
  if (s.difference) plot.y = figure::quantity("change of the angle", "°");
  if (s.empty() || s.layers() == 0 || s.out.angles_by_layer.data.empty()) return plot;
  const NullRange low = null_of(s.out.random_angles, 0), high = null_of(s.out.random_angles, kAxes - 1);
  if (low.known() && high.known() && !s.difference) {
    plot.marks.push_back(figure::Rule{
        .at = low.least, .to = high.most, .band = true, .label = say("callout.chance"), .ink = figure::kMute});
  }
  static constexpr const char* names[] = {"smallest", "second", "largest"};
  for (std::size_t k = 0; k < kAxes; ++k) {
    figure::Line line{"layer", 0, {1, {}}, figure::series(static_cast<int>(k)), names[k]};
    for (std::size_t i = 0; i < s.layers(); ++i) line.at.data.push_back(s.out.angles_by_layer(i, k));
    line.digits = 0;
    plot.marks.push_back(std::move(line));
  }
  plot.chosen = {{"layer", s.layer}};
  figure::Gesture drag{
      figure::Gesture::On::drag, {"layer"}, figure::Gesture::Effect::set, "layer={layer}", say("hint.drag")};
  drag.first = s.layer;
  plot.gestures = {std::move(drag)};
  return plot;
}

std::string row_name(const Scene& s, std::size_t variant) {
  if (variant == kWalkRow) return say("row.walks");
  if (variant == kRandomRow) return say("row.random");
  const bool of_text = variant == kOfText && s.params.hook != Hook::ln1_normalized;
  return say(of_text ? "row.of_text" : "row", {{"side", say(variant < 4 ? "row.directions" : "row.profiles")},
                                               {"hook", say(variant % 2 ? "row.ln1" : "row.stream")},
                                               {"centred", variant % 4 < 2 ? say("row.centred") : ""}});
}

/// A dot for each angle of each variant; the last two rows are what the chosen one has by chance.
figure::Plot variants(const Scene& s) {
  std::vector<std::string> names;
  for (std::size_t v = 0; v < kRows && !s.empty(); ++v) names.push_back(row_name(s, v));
  const int rows = static_cast<int>(names.size());
  figure::Plot plot{s.difference ? figure::quantity("change of the angle", "°") : degrees(),
                    figure::over("variant", 0, rows, std::move(names))};
  plot.y.title.clear(), plot.height = kLow;
  if (s.empty()) return plot;
  if (!s.difference && s.layer == 2)
    plot.marks.push_back(figure::Rule{
        .upright = true, .at = 8, .to = 10, .band = true, .label = say("callout.text"), .ink = figure::kWarm});
  for (std::size_t k = 0; k < kAxes; ++k) {
    const auto add = [&](std::size_t row, double angle, figure::Ink ink, float radius) {
      auto at = std::make_shared<figure::Coordinates>(figure::Coordinates{2, {angle, static_cast<double>(row)}});
      plot.marks.push_back(figure::Points{"variant", static_cast<int>(row), std::move(at), ink, radius});
    };
    for (std::size_t v = 0; v < kVariants; ++v) {
      const bool chosen = v == s.chosen();
      add(v, s.out.angles(v, k), figure::series(static_cast<int>(k)), chosen ? 5.5f : 3.0f);
    }
    if (s.difference) continue;
    if (const NullRange walks = null_of(s.out.walk_angles, k); walks.known())
      add(kWalkRow, walks.mean, figure::kMute, 3.0f);
    if (const NullRange random = null_of(s.out.random_angles, k); random.known())
      add(kRandomRow, random.mean, figure::kMute, 3.0f);
  }
  return plot;
}

constexpr const char* kCurveNames[kCurves] = {"positions", "extended"};

/// The dimensions' largest entries of a matrix, the largest first.
std::vector<double> largest_first(const Scene& s, std::size_t matrix) {
  std::vector<double> values(s.out.largest.cols());
  for (std::size_t j = 0; j < values.size(); ++j) values[j] = s.out.largest(matrix, j);
  std::ranges::sort(values, std::greater<>());
  return values;
}

/// Of each matrix the dimensions' largest entries, sorted: on a logarithmic axis two scales are a shift.
figure::Plot sizes(const Scene& s) {
  const std::size_t d = s.out.largest.cols();
  figure::Plot plot{
      figure::over("item", 1, static_cast<int>(d)),
      figure::quantity(s.difference ? say("axis.sizes")
                                    : say("axis.sizes_dashed", {{"threshold", to_shown(s.params.threshold)}}))};
  plot.x.title = "dimensions, sorted", plot.height = kLow;
  plot.y.kind = s.difference ? figure::ScaleKind::linear : figure::ScaleKind::log;
  if (s.empty() || s.out.largest.data.empty()) return plot;
  for (std::size_t m = 0; m < kCurves; ++m) {
    std::vector<double> values = largest_first(s, m);
    if (!s.difference)
      for (double& x : values) x = x > 0 ? x : std::nan("");
    figure::Line line{"item", 1, figure::over_index(std::move(values)), m == 0 ? figure::kMute : figure::series(0)};
    line.name = kCurveNames[m];
    plot.marks.push_back(std::move(line));
  }
  if (!s.difference) plot.marks.push_back(figure::Rule{.at = s.params.threshold, .ink = figure::kMute, .dashed = true});
  return plot;
}

/// At any scale: "2.3 of 256 dimensions hold them, 24.4 the positions".
std::string sizes_title(const Scene& s) {
  if (s.difference || !std::isfinite(s.out.effective.value + s.out.effective_positions.value))
    return say("panel.sizes");
  return say("panel.sizes_held", {{"extended", number_text(s.out.effective.value, 1)},
                                  {"positions", number_text(s.out.effective_positions.value, 1)}});
}

figure::Number headline(const Scene& s) {
  if (s.empty()) return {};
  figure::Number n{percent_text(s.out.shared.value, 1), {}, s.complete};
  n.lines = {say("lead.shared")};
  if (!std::isfinite(s.out.shared.value)) n.lines = {s.out.shared.note};
  if (const double d = static_cast<double>(s.out.largest.cols()); d > 0)
    n.lines.push_back(say("lead.random", {{"share", percent_text(kAxes / d, 1)}}));
  n.lines.push_back(say("lead.own", {{"share", percent_text(s.out.explained_first3.value, 1)}}));
  return n;
}

// ---- words

/// How many of the three angles are small.
std::size_t near(const Scene& s) {
  const auto angles = s.angles();
  return static_cast<std::size_t>(std::ranges::count_if(angles, [](double angle) { return angle < kNear; }));
}

std::string title(const Scene& s) {
  const auto angles = s.angles();
  if (s.empty() || !std::isfinite(angles[0] + angles[1] + angles[2])) return say("title");
  const bool left = s.params.side == Side::left;
  const std::string layer = std::to_string(s.layer), what = left ? ".profiles" : ".directions";
  const NullRange random = null_of(s.out.random_angles, 0), walks = null_of(s.out.walk_angles, 0);
  if (near(s) == 0) {
    const bool by_chance = random.known() && angles[0] >= random.least;
    return say(
        "title.left" + what,
        {{"layer", layer}, {"positions", positions_of(s.model)}, {"chance", by_chance ? say("title.as_chance") : ""}});
  }
  static constexpr const char* counts[] = {"", "one", "two", "all"};
  const NullRange last_near = null_of(s.out.walk_angles, near(s) - 1);
  const bool as_walk = left && last_near.known() && walks.known() && last_near.mean < kNear;
  return say("title." + (counts[near(s)] + what),
             {{"layer", layer}, {"positions", positions_of(s.model)}, {"walk", as_walk ? say("title.as_walk") : ""}});
}

std::string subtitle(const Scene& s) {
  if (s.empty()) return say("subtitle.waiting");
  const std::size_t others = s.out.text.empty() ? 0 : s.out.text.size() - 1;
  return say(
      others > 0 ? "subtitle.averaged" : "subtitle",
      {{"hook", say(s.hook())}, {"layer", std::to_string(s.layer)}, {"word", s.word()}, {"n", std::to_string(others)}});
}

std::string summary(const Scene& s) {
  if (s.empty()) return say("summary.waiting");
  const std::string walks = null_angles_text(s.out.walk_angles), random = null_angles_text(s.out.random_angles);
  return say(s.params.side == Side::left ? "summary.profiles" : "summary.directions",
             {{"layer", std::to_string(s.layer)},
              {"angles", angles_text(s.angles())},
              {"random", random.empty() ? "" : say("summary.random", {{"angles", random}})},
              {"walks", walks.empty() ? "" : say("summary.walks", {{"angles", walks}})},
              {"share", percent_text(s.out.explained_first3.value, 1)}});
}

std::string sparsity_text(const Scene& s) {
  const Output& o = s.out;
  const NullRange walks = range_of(o.walk_effective.data);
  return sentences(
      {say("note.beyond", {{"threshold", to_shown(s.params.threshold)},
                           {"positions", number_text(o.dimensions_over_positions.value, 0)},
                           {"extended", number_text(o.dimensions_over.value, 0)}}),
       say("note.effective",
           {{"positions", or_why_not(o.effective_positions, number_text(o.effective_positions.value, 0))},
            {"extended", or_why_not(o.effective, number_text(o.effective.value, 0))},
            {"walks", walks.known() ? say("note.effective_walks", {{"range", span_text(walks, 0)}}) : ""}})});
}

std::vector<figure::Note> notes(const Scene& s) {
  using Kind = figure::Note::Kind;
  std::vector<figure::Note> out{{Kind::text, say("note.idea")},
                                {Kind::equation, "E_l(i) = x_l(i) − mean_i x_l(i),  cos θ_k = σ_k(U_Pᵀ U_E)"}};
  if (s.empty()) return out;
  const std::string walks = null_angles_text(s.out.walk_angles), random = null_angles_text(s.out.random_angles);
  if (!walks.empty() && !random.empty())
    out.push_back(
        {Kind::text,
         sentences({say("note.angles", {{"angles", angles_text(s.angles())}, {"random", random}, {"walks", walks}}),
                    s.params.side == Side::left ? say("note.profiles") : ""})});
  out.push_back({Kind::text, sparsity_text(s)});
  if (std::isfinite(s.out.agreement.value))
    out.push_back({Kind::text, say("note.agreement", {{"cosine", number_text(s.out.agreement.value, 2)}})});
  out.push_back({Kind::caution, say("note.caution")});
  return out;
}

figure::Reading reading(const figure::Reading&, const protocol::Result& result, const ParamValues&,
                        const ViewState& view) {
  const Scene s = read(result);
  figure::Reading r;
  if (s.empty()) return r;
  const auto lit = [&](const char* axis, std::size_t count) {
    const int at = view.focus.at(axis);
    return at >= 0 && static_cast<std::size_t>(at) < count ? at : -1;
  };
  if (const int v = lit("variant", kRows); v >= 0) {
    const auto i = static_cast<std::size_t>(v);
    const bool drawn = i == kWalkRow || i == kRandomRow;
    const Grid& null = i == kWalkRow ? s.out.walk_angles : s.out.random_angles;
    if (drawn) return {row_name(s, i), {null_angles_text(null)}};
    return {s.out.variants[i], {angles_text({s.out.angles(i, 0), s.out.angles(i, 1), s.out.angles(i, 2)})}};
  }
  if (const int rank = lit("item", s.out.largest.cols() + 1); rank >= 1) {
    r.title = say("reading.sorted", {{"n", std::to_string(rank)}});
    for (std::size_t m = 0; m < kCurves; ++m)
      r.lines.push_back(kCurveNames[m] +
                        ("  " + length_text(largest_first(s, m)[static_cast<std::size_t>(rank - 1)], 4)));
    return r;
  }
  if (const int layer = lit("layer", s.out.angles_by_layer.data.size() / kAxes); layer >= 0) {
    const auto i = static_cast<std::size_t>(layer);
    const Grid& by_layer = s.out.angles_by_layer;
    r.title = say("reading.before_layer", {{"layer", std::to_string(layer)}});
    r.lines = {angles_text({by_layer(i, 0), by_layer(i, 1), by_layer(i, 2)}),
               say("reading.three_components") + "  " +
                   share_or_change(result.difference, s.out.explained_by_layer.data[i], 1)};
    return r;
  }
  const int row = view.focus.at("position") - s.first;
  if (!view.focus.has("position") || row < 0 || static_cast<std::size_t>(row) >= s.positions) return r;
  r.title = "position " + std::to_string(view.focus.at("position"));
  static constexpr const char* names[] = {"positions", "extended", "both"};
  for (std::size_t space = 0; space < kSpaces; ++space) {
    const double* at = s.point(space, 1, static_cast<std::size_t>(row));
    r.lines.push_back(say("components." + std::string(names[space])) + "  " + length_text(at[0], 3) + "  " +
                      length_text(at[1], 3) + "  " + length_text(at[2], 3));
  }
  return r;
}

figure::Figure view(const protocol::Result& result, const ParamValues&) {
  const Scene s = read(result);
  figure::Figure f;
  f.title = title(s), f.subtitle = subtitle(s), f.summary = summary(s), f.lead = headline(s);
  for (std::size_t i = 0; i < kSpaces; ++i) f.panels.push_back(space(s, i));
  f.panels.push_back({"layers", s.empty() ? "" : say("panel.layers"), layers(s)});
  f.panels.push_back({"variants", s.empty() ? "" : say("panel.variants"), variants(s)});
  f.panels.push_back({"sizes", s.empty() ? "" : sizes_title(s), sizes(s)});
  f.root = figure::column(
      {figure::row({figure::panel("positions", 0.37f), figure::panel("extended", 0.37f), figure::panel("both")}),
       figure::row({figure::panel("layers", 0.31f), figure::panel("variants", 0.36f), figure::panel("sizes")})});
  const auto space_of = [](const char* id) { return figure::panel(id, 0, 230); };
  f.narrow = figure::column({space_of("positions"), space_of("extended"), figure::panel("layers"),
                             figure::panel("variants"), space_of("both"), figure::panel("sizes")});
  f.notes = notes(s), f.tables = {variant_table(s)};
  f.across = {"position", s.first, s.first + static_cast<int>(s.positions) - 1};
  f.down = {"layer", 0, static_cast<int>(s.layers()) - 1};
  return f;
}

}  // namespace

ViewStudy view_study() { return {describe(), view, reading}; }

}  // namespace helix::studies::extended_positions
