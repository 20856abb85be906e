// The variance by layer, split into its parts; beside it the positions' part as a curve; below it the relative norms and
// the stable rank, with the source's numbers for GPT-2 small.
#include <algorithm>
#include <cmath>

#include "base/length_text.h"
#include "base/text.h"
#include "studies/position_share/view_scene.h"
#include "studies/position_share/view_tables.h"
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
  figure::Gesture drag{figure::Gesture::On::drag,
                       {"layer"},
                       figure::Gesture::Effect::set,
                       "layer={layer}",
                       "Drag along the curves to draw the positions of another layer."};
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
  figure::Line less = by_layer(s.out.rank_less, figure::kAccent, "without what averaging leaves");
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
  return (s.alone() ? "the table of positions: " : "the positions’ part " + s.where() + ": ") + "three components " +
         percent_text(s.out.explained_first3.value, 0);
}

figure::Number headline(const Scene& s) {
  if (s.empty()) return {};
  if (s.alone())
    return {number_text(s.out.table_rank.value, 2), {"stable rank of the table of positions"}, s.result.complete};
  figure::Number n{
      percent_text(s.out.position.value, 1), {"of the variance " + s.where() + " is position"}, s.result.complete};
  if (!std::isfinite(s.out.position.value)) return {"–", {or_why_not(s.out.position, "")}, s.result.complete};
  n.lines.push_back("averaging " + number_text(s.out.windows.value, 0) + " texts leaves " +
                    percent_text(s.out.chance.value, 1) + " of the rest");
  n.lines.push_back("context " + percent_text(s.out.context.value, 1) + ", rest " + percent_text(s.out.rest.value, 1));
  return n;
}

// ---- words

std::string title(const Scene& s) {
  const std::string edits = with_edits(s.result);
  if (s.empty()) return "How much of the residual stream is position";
  if (s.alone())
    return "The table of positions has a stable rank of " + number_text(s.out.table_rank.value, 2) +
           "; the layers need a model that can run";
  const double start = s.out.position_start.value, end = s.out.position_end.value, most = s.out.position_most.value,
               where = s.out.most_layer.value;
  if (!std::isfinite(start + end + most + where) || !(where >= 0 && where < static_cast<double>(s.layers)))
    return "The residual stream of " + s.model + " does not vary" + edits;
  const auto at = static_cast<std::size_t>(where);
  if (!is_position(s, at))
    return "No position in the residual stream of " + s.model + ": no more than averaging leaves" + edits;
  const std::string at_end = is_position(s, s.layers - 1) ? percent_text(end, 0) + " at the end"
                                                          : "no more than averaging leaves at the end",
                    from = percent_text(start, 0) + " of the variance before layer 0";
  if (most < kChange * std::min(start, end))
    return "Position keeps its share in " + s.model + ": " + from + ", " + at_end + edits;
  if (at == 0) return "Position fades in " + s.model + ": from " + from + " to " + at_end + edits;
  if (at + 1 == s.layers) return "Position grows in " + s.model + ": from " + from + " to " + at_end + edits;
  return "Position is largest " + s.place(at) + " of " + s.model + ": " + percent_text(most, 0) +
         " of the variance, and " + at_end + edits;
}

std::string subtitle(const Scene& s) {
  if (s.empty()) return "Waiting for the runs.";
  if (s.alone())
    return "Rows " + std::to_string(s.first) + " to " + std::to_string(s.first + static_cast<int>(s.positions) - 1) +
           " of wpe about their mean: what position adds before layer 0.";
  return number_text(s.out.windows.value, 0) + " texts of " + number_text(s.out.window.value, 0) +
         " tokens. Each value is a mean, a part of its position, a part of its text and the rest: " + s.where() + " " +
         percent_text(s.out.position.value, 1) + ", " + percent_text(s.out.context.value, 1) + " and " +
         percent_text(s.out.rest.value, 1) + " of the variance.";
}

/// What a stable rank says, beside that of random walks.
std::string rank_text(const Scene& s) {
  const protocol::Quantity& here = s.alone() ? s.out.table_rank : s.out.stable_rank;
  const NullRange walks = range_of(s.out.walk_rank.data);
  if (!std::isfinite(here.value)) return "The stable rank is " + or_why_not(here, "") + ".";
  std::string text = std::string(s.alone() ? "The table of positions" : "The positions’ part " + s.where()) +
                     " has a stable rank of " + number_text(here.value, 2);
  if (!s.alone() && std::isfinite(s.out.rank_corrected.value))
    text += " (" + number_text(s.out.rank_corrected.value, 2) + " without what averaging leaves of the rest)";
  if (!walks.known()) return text + ".";
  text += "; random walks with its steps have " + span_text(walks, 2) + ". ";
  return text + (here.value > walks.most ? "It is spread over more directions than theirs."
                 : here.value < walks.least
                     ? "It is spread over fewer directions than theirs."
                     : "So few directions are what any walk has: the low rank alone does not show that they were "
                       "learned.");
}

std::string curve_text(const Scene& s) {
  if (!std::isfinite(s.out.turns.value + s.out.along.value)) return {};
  const NullRange walks = range_of(s.out.walk_turns.data), along = range_of(s.out.walk_along.data);
  return "Its first two components turn " + number_text(s.out.turns.value, 2) +
         " times, the third runs along the position with r = " + number_text(s.out.along.value, 2) +
         (walks.known() && along.known()
              ? "; walks turn " + span_text(walks, 2) + " times, with |r| of " + span_text(along, 2)
              : "") +
         (has_helix(s) ? ". That is a helix."
                       : ". That is no helix by the rule of one turn and |r| above 0.9, beyond "
                         "what walks have.");
}

std::string summary(const Scene& s) {
  if (s.empty()) return "The figure waits for the runs.";
  if (s.alone()) return title(s) + ".";
  if (!std::isfinite(s.out.position.value)) return title(s) + ".";
  return title(s) + ". Of the variance " + s.where() + ", " + percent_text(s.out.position.value, 1) + " is position, " +
         percent_text(s.out.context.value, 1) + " context and " + percent_text(s.out.rest.value, 1) +
         " the rest; averaging leaves " + percent_text(s.out.chance.value, 1) + ".";
}

std::vector<figure::Note> notes(const Scene& s) {
  using Kind = figure::Note::Kind;
  std::vector<figure::Note> out{
      {Kind::text,
       "The mean over many texts at one position, less the mean over everything, is what that position has whatever is "
       "written there. The mean over the positions of one text, less the same, is what that text has everywhere. What "
       "is left is the rest. The three are orthogonal, so their shares of the variance add up to 100 %."},
      {Kind::equation, "h = μ + pos + ctx + rest,  stable rank = ‖pos‖² / σ₁²"}};
  if (s.empty()) return out;
  if (!s.alone())
    out.push_back({Kind::text, "A mean over " + number_text(s.out.windows.value, 0) +
                                   " texts does not average the rest away: of pure noise, a share of 1 in " +
                                   number_text(s.out.windows.value, 0) +
                                   " would look like position. The dashed line is that level, the rest over " +
                                   number_text(s.out.windows.value - 1, 0) + ". More texts lower it."});
  out.push_back({Kind::text, rank_text(s)});
  if (const std::string text = curve_text(s); !text.empty()) out.push_back({Kind::text, text});
  if (!s.alone() && std::isfinite(s.out.crossing.value))
    out.push_back({Kind::text, "Neighbouring positions’ parts have a mean cosine of " +
                                   number_text(s.out.neighbours.value, 2) +
                                   ". A position’s and a text’s part have a mean |cosine| of " +
                                   number_text(s.out.crossing.value, 2) + ", random vectors " +
                                   number_text(s.out.crossing_chance.value, 2) + "."});
  out.push_back(
      {Kind::text,
       "Relative norm: the largest singular value of a part, taken at every token of every text, over that "
       "of all values less their mean, as in the source’s code. It compares the strongest directions alone, so "
       "the three do not add up; a share compares all directions. The source has positions 1 to 511 of "
       "6,400 texts: its line is drawn at the same depth of this model."});
  out.push_back({Kind::caution,
                 "Texts that overlap are not independent, and these are few: the texts’ part depends on which they "
                 "are. A share of the variance does not say what the model uses."});
  return out;
}

figure::Reading reading(const protocol::Result& result, const ParamValues&, const ViewState& view) {
  const Scene s = read(result);
  figure::Reading r;
  if (s.empty()) return r;
  const int layer = view.focus.at("layer"), row = view.focus.at("position") - s.first;
  if (view.focus.has("layer") && layer >= 0 && static_cast<std::size_t>(layer) < s.layers) {
    const auto l = static_cast<std::size_t>(layer);
    r.title = s.place(l);
    r.lines = {"position  " + percent_text(s.share(l), 1) + ", averaging leaves " + percent_text(s.chance(l), 1),
               "context  " + percent_text(value(s.out.share_context, l), 1),
               "rest  " + percent_text(value(s.out.share_rest, l), 1),
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
    f.panels.push_back({"shares", s.empty() ? "" : "by layer; the rest is neither", shares(s)});
    f.panels.push_back({"norms", s.empty() ? "" : "largest singular value of each part, over the whole’s", norms(s)});
    f.panels.push_back({"ranks", s.empty() ? "" : "stable rank; grey: walks with the steps " + s.where(), ranks(s)});
    const figure::Box low = figure::row({figure::panel("norms"), figure::panel("ranks")});
    f.root = figure::column({figure::row({figure::panel("shares", 0.5f), figure::panel("positions")}), low});
    f.narrow = figure::column(
        {figure::panel("shares"), figure::panel("positions"), figure::panel("norms"), figure::panel("ranks")});
  }
  f.notes = notes(s), f.tables = tables(s);
  f.across = {"position", s.first, s.first + static_cast<int>(s.positions) - 1};
  f.down = {"layer", 0, static_cast<int>(s.layers) - 1};
  return f;
}

}  // namespace

ViewStudy view_study() { return {describe(), view, reading}; }

}  // namespace helix::studies::position_share
