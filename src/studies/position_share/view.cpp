// The variance by layer, split into its parts; beside it the positions' part as a curve; below it the relative norms and
// the stable rank, with the source's numbers for GPT-2 small.
#include <algorithm>
#include <cmath>

#include "base/length_text.h"
#include "base/text.h"
#include "studies/position_share/view_scene.h"
#include "studies/position_share/view_tables.h"
#include "studies/reading_view.h"
#include "studies/registry_view.h"
#include "studies/token_text.h"
#include "studies/undefined.h"

namespace helix::studies::position_share {
namespace {

constexpr float kHigh = 310, kLow = 210;  // heights of the plots, in pixels
constexpr double kChange = 1.5;           // times: from there on a share fades or grows

// ---- panels

figure::Scale over_layers(const Scene& s) {
  std::vector<std::string> names;
  for (std::size_t l = 0; l < s.layers; ++l) names.push_back(l + 1 == s.layers ? "end" : std::to_string(l));
  return figure::over("layer", 0, static_cast<int>(s.layers), std::move(names));
}

figure::Line by_layer(const Grid& values, figure::Ink ink, std::string name, double scale = 1) {
  figure::Line line{"layer", 0, figure::over_index(values.data), ink, std::move(name)};
  for (double& y : line.at.data) y *= scale;
  line.digits = scale == 1 ? 2 : 1;
  return line;
}

figure::Gesture choose_layer(const Scene& s) {
  figure::Gesture drag{
      figure::Gesture::On::drag, {"layer"}, figure::Gesture::Effect::set, "layer={layer}", say("hint.drag")};
  drag.first = static_cast<int>(s.layer);
  return drag;
}

figure::Plot over_layer(const Scene& s, figure::Scale y, std::vector<figure::Mark> marks) {
  figure::Plot plot{over_layers(s), std::move(y)};
  if (s.layers == 0) return plot;
  plot.marks = std::move(marks);
  plot.chosen = {{"layer", static_cast<int>(s.layer)}};
  plot.gestures = {choose_layer(s)};
  return plot;
}

/// The rest is what they leave of 100 %; drawn too, it would flatten them.
figure::Plot shares(const Scene& s) {
  figure::Line position = by_layer(s.out.share_position, figure::kAccent, "position", 100);
  position.dots = true, position.width = 3;
  figure::Line noise = by_layer(s.out.share_chance, figure::kMute, "averaging leaves", 100);
  noise.dashed = true, noise.width = 1.6f;
  figure::Scale y = figure::quantity("share of the variance", "%");
  y.from_zero = true;
  figure::Plot plot = over_layer(
      s, std::move(y),
      {by_layer(s.out.share_context, figure::series(2), "context", 100), std::move(noise), std::move(position)});
  plot.height = kHigh;
  return plot;
}

/// The authors' values at the same depth of this model, between two layers in proportion.
figure::Line stated(const Scene& s, const double (&values)[kStatedLayers]) {
  figure::Line line{"layer", 0, {1, {}}, figure::kWarm, "GPT-2 small, source"};
  for (std::size_t l = 0; l < s.layers; ++l) {
    const double depth = static_cast<double>(l) * (kStatedLayers - 1) / static_cast<double>(s.layers - 1);
    const auto before = std::min(static_cast<std::size_t>(depth), kStatedLayers - 2);
    const double part = depth - static_cast<double>(before);
    line.at.data.push_back((1 - part) * values[before] + part * values[before + 1]);
  }
  line.dashed = true, line.width = 1.6f, line.digits = 2;
  return line;
}

figure::Plot norms(const Scene& s) {
  figure::Line position = by_layer(s.out.norm_position, figure::kAccent, "position");
  position.dots = true;
  figure::Scale y = figure::quantity("relative norm");
  y.low = 0, y.high = 1;
  figure::Plot plot = over_layer(
      s, std::move(y),
      {by_layer(s.out.norm_rest, figure::kMute, "rest"), by_layer(s.out.norm_context, figure::series(2), "context"),
       stated(s, kStatedNorm), std::move(position)});
  plot.height = kLow;
  return plot;
}

figure::Plot ranks(const Scene& s) {
  figure::Line less = by_layer(s.out.rank_less, figure::kAccent, say("legend.corrected"));
  less.dots = true;
  figure::Scale y = figure::quantity("stable rank", "dimensions");
  y.low = 1;
  figure::Plot plot = over_layer(
      s, std::move(y), {by_layer(s.out.rank, figure::kMute, "as averaged"), stated(s, kStatedRank), std::move(less)});
  plot.height = kLow;
  if (const NullRange walks = range_of(s.out.walk_rank.data); walks.known() && s.layers > 0)
    plot.marks.insert(plot.marks.begin(),
                      figure::Rule{.at = walks.least, .to = walks.most, .band = true, .ink = figure::kMute});
  return plot;
}

figure::Space curve(const Scene& s) {
  figure::Space out;
  out.id = "positions";
  for (std::size_t k = 0; k < kAxes; ++k)
    out.axes.push_back(
        {"PC" + std::to_string(k + 1), s.empty() ? std::string() : percent_text(s.out.explained(s.layer, k), 0)});
  figure::Line line{"position", s.first, {kAxes, {}}, figure::kAlong};
  line.dots = true;
  if (!s.empty()) line.at.data.assign(s.point(0), s.point(0) + s.positions * kAxes);
  out.marks = {std::move(line)};
  return out;
}

std::string curve_title(const Scene& s) {
  if (s.empty()) return "";
  const std::string share = percent_text(s.out.explained_first3.value, 0);
  return s.alone() ? say("panel.table", {{"share", share}})
                   : say("panel.positions", {{"where", s.where()}, {"share", share}});
}

figure::Number headline(const Scene& s) {
  if (s.empty()) return {};
  if (s.alone()) return {number_text(s.out.table_rank.value, 2), {say("lead.table")}, s.result.complete};
  if (!std::isfinite(s.out.position.value)) return {"–", {or_why_not(s.out.position, "")}, s.result.complete};
  return {percent_text(s.out.position.value, 1),
          {say("lead.position", {{"where", s.where()}}),
           say("lead.averaging",
               {{"texts", number_text(s.out.windows.value, 0)}, {"share", percent_text(s.out.chance.value, 1)}}),
           say("lead.others",
               {{"context", percent_text(s.out.context.value, 1)}, {"rest", percent_text(s.out.rest.value, 1)}})},
          s.result.complete};
}

// ---- words

/// How the share goes from the first layer to the end.
std::string course(const Scene& s, std::size_t most) {
  const double start = s.out.position_start.value, end = s.out.position_end.value;
  const std::string from = percent_text(start, 0), to = is_position(s, s.layers - 1)
                                                            ? say("end.share", {{"share", percent_text(end, 0)}})
                                                            : say("end.nothing");
  if (s.out.position_most.value < kChange * std::min(start, end))
    return say("title.keeps", {{"model", s.model}, {"start", from}, {"end", to}});
  if (most == 0) return say("title.fades", {{"model", s.model}, {"start", from}, {"end", to}});
  if (most + 1 == s.layers) return say("title.grows", {{"model", s.model}, {"start", from}, {"end", to}});
  return say("title.peaks", {{"model", s.model},
                             {"where", s.place(most)},
                             {"most", percent_text(s.out.position_most.value, 0)},
                             {"end", to}});
}

std::string title(const Scene& s) {
  if (s.empty()) return say("title.none");
  if (s.alone()) return say("title.table", {{"rank", number_text(s.out.table_rank.value, 2)}});
  const std::string edits = with_edits(s.result);
  const double sum = s.out.position_start.value + s.out.position_end.value + s.out.position_most.value,
               where = s.out.most_layer.value;
  if (!std::isfinite(sum + where) || !(where >= 0 && where < static_cast<double>(s.layers)))
    return say("title.constant", {{"model", s.model}}) + edits;
  const auto at = static_cast<std::size_t>(where);
  if (!is_position(s, at)) return say("title.no_position", {{"model", s.model}}) + edits;
  return course(s, at) + edits;
}

std::string subtitle(const Scene& s) {
  if (s.empty()) return say("subtitle.waiting");
  if (s.alone())
    return say("subtitle.table", {{"first", std::to_string(s.first)},
                                  {"last", std::to_string(s.first + static_cast<int>(s.positions) - 1)}});
  return say("subtitle", {{"texts", number_text(s.out.windows.value, 0)},
                          {"tokens", number_text(s.out.window.value, 0)},
                          {"where", s.where()},
                          {"position", percent_text(s.out.position.value, 1)},
                          {"context", percent_text(s.out.context.value, 1)},
                          {"rest", percent_text(s.out.rest.value, 1)}});
}

/// What a stable rank says, beside that of random walks.
std::string rank_text(const Scene& s) {
  const protocol::Quantity& here = s.alone() ? s.out.table_rank : s.out.stable_rank;
  if (!std::isfinite(here.value)) return say("rank.unknown", {{"why", or_why_not(here, "")}});
  const NullRange range = range_of(s.out.walk_rank.data);
  const std::string rank = number_text(here.value, 2),
                    walks = range.known() ? say("rank.walks", {{"range", span_text(range, 2)}}) : "";
  const std::string found = s.alone() ? say("rank.table", {{"rank", rank}, {"walks", walks}})
                            : std::isfinite(s.out.rank_corrected.value)
                                ? say("rank.corrected", {{"where", s.where()},
                                                         {"rank", rank},
                                                         {"corrected", number_text(s.out.rank_corrected.value, 2)},
                                                         {"walks", walks}})
                                : say("rank.positions", {{"where", s.where()}, {"rank", rank}, {"walks", walks}});
  if (!range.known()) return found;
  return sentences({found, say(here.value > range.most    ? "rank.more"
                               : here.value < range.least ? "rank.fewer"
                                                          : "rank.same")});
}

std::string curve_text(const Scene& s) {
  if (!std::isfinite(s.out.turns.value + s.out.along.value)) return {};
  const NullRange turns = range_of(s.out.walk_turns.data), along = range_of(s.out.walk_along.data);
  const std::string walks = turns.known() && along.known()
                                ? say("curve.walks", {{"turns", span_text(turns, 2)}, {"along", span_text(along, 2)}})
                                : "";
  return sentences({say("curve.turns", {{"turns", number_text(s.out.turns.value, 2)},
                                        {"along", number_text(s.out.along.value, 2)},
                                        {"walks", walks}}),
                    say(has_helix(s) ? "curve.helix" : "curve.no_helix")});
}

std::string summary(const Scene& s) {
  if (s.empty()) return say("summary.waiting");
  if (s.alone() || !std::isfinite(s.out.position.value)) return title(s) + ".";
  return sentences({title(s) + ".", say("summary.shares", {{"where", s.where()},
                                                           {"position", percent_text(s.out.position.value, 1)},
                                                           {"context", percent_text(s.out.context.value, 1)},
                                                           {"rest", percent_text(s.out.rest.value, 1)},
                                                           {"chance", percent_text(s.out.chance.value, 1)}})});
}

std::vector<figure::Note> notes(const Scene& s) {
  using Kind = figure::Note::Kind;
  std::vector<figure::Note> out{{Kind::text, say("note.parts")},
                                {Kind::equation, "h = μ + pos + ctx + rest,  stable rank = ‖pos‖² / σ₁²"}};
  if (s.empty()) return out;
  if (!s.alone())
    out.push_back({Kind::text, say("note.averaging", {{"texts", number_text(s.out.windows.value, 0)},
                                                      {"less", number_text(s.out.windows.value - 1, 0)}})});
  out.push_back({Kind::text, rank_text(s)});
  if (const std::string text = curve_text(s); !text.empty()) out.push_back({Kind::text, text});
  if (!s.alone() && std::isfinite(s.out.crossing.value))
    out.push_back({Kind::text, say("note.cosines", {{"neighbours", number_text(s.out.neighbours.value, 2)},
                                                    {"crossing", number_text(s.out.crossing.value, 2)},
                                                    {"chance", number_text(s.out.crossing_chance.value, 2)}})});
  out.push_back({Kind::text, say("note.norm")});
  out.push_back({Kind::caution, say("note.caution")});
  return out;
}

figure::Reading reading(const figure::Reading&, const protocol::Result& result, const ParamValues&,
                        const ViewState& view) {
  const Scene s = read(result);
  figure::Reading r;
  if (s.empty()) return r;
  const int layer = view.focus.at("layer"), row = view.focus.at("position") - s.first;
  if (view.focus.has("layer") && layer >= 0 && static_cast<std::size_t>(layer) < s.layers) {
    const auto l = static_cast<std::size_t>(layer);
    r.title = s.place(l);
    r.lines = {"position  " + say("reading.position", {{"share", share_or_change(result.difference, s.share(l), 1)},
                                                       {"chance", share_or_change(result.difference, s.chance(l), 1)}}),
               "context  " + share_or_change(result.difference, value(s.out.share_context, l), 1),
               "rest  " + share_or_change(result.difference, value(s.out.share_rest, l), 1),
               "stable rank  " + number_text(value(s.out.rank, l), 2),
               "relative norm  " + number_text(value(s.out.norm_position, l), 3)};
    return r;
  }
  if (!view.focus.has("position") || row < 0 || static_cast<std::size_t>(row) >= s.positions) return r;
  const double* at = s.point(static_cast<std::size_t>(row));
  r.title = "position " + std::to_string(view.focus.at("position"));
  r.lines = {"components  " + length_text(at[0], 3) + "  " + length_text(at[1], 3) + "  " + length_text(at[2], 3)};
  return r;
}

figure::Figure view(const protocol::Result& result, const ParamValues&) {
  const Scene s = read(result);
  figure::Figure f;
  f.title = title(s), f.subtitle = subtitle(s), f.summary = summary(s), f.lead = headline(s);
  f.panels.push_back({"positions", curve_title(s), curve(s)});
  f.root = figure::column({figure::panel("positions")});
  if (!s.alone()) {
    f.panels.push_back({"shares", s.empty() ? "" : say("panel.shares"), shares(s)});
    f.panels.push_back({"norms", s.empty() ? "" : say("panel.norms"), norms(s)});
    f.panels.push_back({"ranks", s.empty() ? "" : say("panel.ranks", {{"where", s.where()}}), ranks(s)});
    const figure::Box low = figure::row({figure::panel("norms"), figure::panel("ranks")});
    f.root = figure::column({figure::row({figure::panel("shares", 0.5f), figure::panel("positions")}), low});
    f.narrow = figure::column({figure::panel("shares", 0, 230), figure::panel("positions", 0, 250),
                               figure::panel("norms"), figure::panel("ranks")});
  }
  f.notes = notes(s), f.tables = {stated_table(s)};
  f.row_links = {{{"layer"}, "from=here&layer={layer}", say("hint.row")}};
  f.across = {"position", s.first, s.first + static_cast<int>(s.positions) - 1};
  f.down = {"layer", 0, static_cast<int>(s.layers) - 1};
  return f;
}

}  // namespace

ViewStudy view_study() { return {describe(), view, reading}; }

}  // namespace helix::studies::position_share
