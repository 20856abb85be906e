// Every earlier head in its layer, coloured by what it adds to the lead; beside it what really goes when the head is
// removed, against y = x; below, what is no head, and the composition by weights.
#include <algorithm>
#include <cmath>
#include <utility>

#include "figure/dots.h"
#include "studies/head_sources/view_scene.h"
#include "studies/reading_view.h"
#include "studies/registry_view.h"
#include "studies/scaled_heads_view.h"
#include "studies/token_text.h"
#include "studies/undefined.h"

namespace helix::studies::head_sources {
namespace {

using protocol::Grid;

constexpr std::size_t kLabels = 6;        // points of the scatter that are named
constexpr float kRow = 20, kAround = 62;  // of the parts, in pixels

// ---- panels

figure::Plot grid_of(const Scene& s, const Grid& grid, const std::string& what, int digits, bool diverging) {
  figure::Plot plot{figure::over("head", 0, static_cast<int>(s.heads)),
                    figure::over("layer", 0, static_cast<int>(s.layers))};
  if (grid.data.size() != s.count() || s.count() == 0) return plot;
  plot.colour = figure::ColourScale{what};
  plot.colour->range = figure::scale_of(grid.data, diverging || s.difference);
  figure::Cells cells{figure::pyramid_of(grid.data, s.layers, s.heads, plot.colour->range), "layer", "head"};
  cells.numbers.assign(grid.data.begin(), grid.data.end());
  for (float& x : cells.numbers)
    if (std::abs(x) < 0.5f * std::pow(10.0f, static_cast<float>(-digits))) x = 0;  // not "−0.0"
  cells.digits = digits, cells.stretch = 1.8f;
  plot.marks = {std::move(cells)};
  const std::size_t at = largest_at(grid.data);
  if (!s.difference)
    plot.chosen = {{"layer", static_cast<int>(at / s.heads)}, {"head", static_cast<int>(at % s.heads)}};
  plot.gestures = {{figure::Gesture::On::click,
                    {"layer", "head"},
                    figure::Gesture::Effect::set,
                    "layer={layer}&head={head}",
                    say("hint.head")}};
  if (!s.difference) add_head_acts(plot);
  return plot;
}

/// Everything that adds up to the lead: all heads together, and each part that is no head.
figure::Plot parts_plot(const Scene& s) {
  std::vector<double> values;
  std::vector<std::string> names;
  double heads = 0;
  for (const double x : s.out.contribution.data) heads += x;
  if (s.has_weights()) names.emplace_back("heads"), values.push_back(heads);
  for (std::size_t i = 0; i < s.out.parts.size(); ++i)
    names.push_back(s.out.parts[i]), values.push_back(s.out.part.data[i]);
  const int n = static_cast<int>(values.size());
  std::vector<std::string> labels;
  for (const double x : values) labels.push_back(score_text(x));
  figure::Plot plot{figure::quantity("added to the lead", "score"), figure::over("source", 0, n, std::move(names))};
  plot.y.title.clear(), plot.x.from_zero = true, plot.height = kAround + kRow * static_cast<float>(std::max(n, 6));
  if (n > 0)
    plot.marks = {figure::Rule{.upright = true, .at = 0, .ink = figure::kMute},
                  figure::row_dots("source", 0, values, figure::kAccent, 4.5f, std::move(labels))};
  return plot;
}

/// Heads that are named in the scatter: those farthest from 0 on either axis.
std::vector<std::string> labels(const Scene& s) {
  std::vector<std::pair<double, std::size_t>> far;
  for (std::size_t i = 0; i < s.count(); ++i)
    far.emplace_back(std::max(std::abs(s.out.contribution.data[i]), std::abs(s.out.ablated.data[i])), i);
  std::ranges::sort(far, std::greater());
  std::vector<std::string> out(s.count());
  for (std::size_t k = 0; k < std::min(kLabels, far.size()); ++k) out[far[k].second] = s.name(far[k].second);
  return out;
}

figure::Plot scatter(const Scene& s) {
  figure::Plot plot{figure::quantity("added along the direct path", "score"),
                    figure::quantity("lost when removed", "score")};
  if (!s.has_removals() || s.out.contribution.data.size() != s.count()) return plot;
  auto at = std::make_shared<figure::Coordinates>(figure::Coordinates{2, {}});
  double low = 0, high = 0;
  for (std::size_t i = 0; i < s.count(); ++i)
    for (const double x : {s.out.contribution.data[i], s.out.ablated.data[i]}) {
      at->data.push_back(x);
      if (std::isfinite(x)) low = std::min(low, x), high = std::max(high, x);
    }
  if (!(high > low)) high = low + 1;
  const double room = 0.06 * (high - low);
  plot.x.low = plot.y.low = low - room, plot.x.high = plot.y.high = high + room;
  figure::Line same{"", 0, {2, {low - room, low - room, high + room, high + room}}, figure::kMute, "y = x"};
  same.dashed = true, same.width = 1.4f;
  figure::Points points{"item", 0, at, figure::series(0), 4.2f};
  points.labels = labels(s);
  plot.marks = {figure::Rule{.at = 0}, figure::Rule{.upright = true, .at = 0}, std::move(same), std::move(points)};
  return plot;
}

// ---- words

bool stands_out(const Scene& s) { return s.random.known() && s.out.strongest.value > s.random.most; }

std::string title(const protocol::Result& result, const Scene& s) {
  if (!s.has_weights() && !s.has_text()) return say("title.none");
  const std::string head = s.head();
  if (s.difference) return say("title.change", {{"head", head}});
  if (s.has_text()) {
    if (!s.has_weights()) return say("title.first", {{"head", head}}) + with_edits(result);
    const Grid& grid = s.out.contribution;
    if (grid.data.empty()) return say("title.reads", {{"head", head}}) + with_edits(result);
    if (!stands_out(s)) return say("title.nothing_stands_out", {{"head", head}}) + with_edits(result);
    return say("title.most", {{"source", s.name(largest_at(grid.data))},
                              {"head", head},
                              {"score", score_text(s.out.strongest.value)},
                              {"lead", score_text(s.out.lead.value)}}) +
           with_edits(result);
  }
  if (!std::isfinite(s.out.composition.value)) return say("title.undefined", {{"head", head}});
  const bool above = s.random_composition.known() && s.out.composition.value > s.random_composition.most;
  if (!above) return say("title.chance", {{"head", head}});
  return say("title.composes", {{"source", s.name(largest_at(s.composition().data))},
                                {"head", head},
                                {"composition", number_text(s.out.composition.value, 3)},
                                {"random", number_text(s.random_composition.most, 3)}});
}

/// "More comes from MLP 0: 1.71."; empty where no other part adds more than the strongest head.
std::string stronger_part(const Scene& s) {
  if (s.out.part.data.empty() || !s.has_weights()) return {};
  const std::size_t at = largest_at(s.out.part.data);
  const double most = s.out.part.data[at];
  if (!(most > s.out.strongest.value)) return {};
  const std::string& part = s.out.parts[at];
  return part.starts_with("MLP") ? say("more.MLP", {{"part", part}, {"score", score_text(most)}})
                                 : say(std::string("more.") + part, {{"score", score_text(most)}});
}

std::string subtitle(const Scene& s) {
  if (!s.has_weights() && !s.has_text()) return say("subtitle.waiting");
  if (s.difference) return say("subtitle.change");
  if (s.has_text())
    return sentences({say(s.keys() ? "subtitle.keys" : "subtitle.queries",
                          {{"target", target_text(s)}, {"queries", queries_text(s)}, {"head", s.head()}}),
                      stronger_part(s)});
  return s.random_composition.known()
             ? say("subtitle.composition_random", {{"kind", s.kind()},
                                                   {"random", null_text(s.random_composition, 3)},
                                                   {"mean", number_text(s.out.mean_composition.value, 3)}})
             : say("subtitle.composition", {{"kind", s.kind()}});
}

std::string attention_change(const Scene& s) {
  const std::string as_is = percent_text(s.out.attention.value, 0);
  if (!std::isfinite(s.out.strongest_attention.value)) return as_is;
  return as_is + " → " + percent_text(s.out.strongest_attention.value, 0);
}

figure::Number headline(const Scene& s) {
  if (!s.has_weights() && !s.has_text()) return {};
  if (s.has_text() && s.out.contribution.data.size() == s.count() && s.has_weights()) {
    figure::Number n{score_text(s.out.strongest.value),
                     {say("lead.from", {{"head", s.name(largest_at(s.out.contribution.data))}})},
                     s.complete};
    if (s.random.known())
      n.lines.push_back(say("lead.random", {{"kind", s.kind()}, {"range", span_text(s.random, 2)}}));
    if (std::isfinite(s.out.strongest_removed.value))
      n.lines.push_back(say("lead.removed", {{"score", score_text(s.out.strongest_removed.value)}}));
    n.lines.push_back(
        say(s.has_removals() ? "lead.attention_without" : "lead.attention", {{"attention", attention_change(s)}}));
    return n;
  }
  if (s.has_text())
    return {score_text(s.out.lead.value), {say("lead.target", {{"target", target_text(s)}})}, s.complete};
  figure::Number n{number_text(s.out.composition.value, 3), {}, s.complete};
  n.lines = {or_why_not(s.out.composition, "head " + s.name(largest_at(s.composition().data)))};
  if (s.random_composition.known())
    n.lines.push_back(say("lead.random_composition", {{"range", span_text(s.random_composition, 3)}}));
  return n;
}

/// What the scatter says about the linear story.
std::string agreement_text(const Scene& s) {
  if (!s.has_removals() || !std::isfinite(s.out.agreement.value)) return {};
  const double r = s.out.agreement.value;
  return say(r > 0.9   ? "note.agrees"
             : r > 0.5 ? "note.agrees_in_part"
                       : "note.disagrees",
             {{"n", std::to_string(s.count())}, {"r", number_text(r, 2)}});
}

/// The composition with W_QK.
std::string readers_text(const Scene& s) {
  const std::string random =
      s.random_readers.known() ? say("note.random", {{"range", null_text(s.random_readers, 3)}}) : "";
  const std::string largest = number_text(s.out.readers_largest.value, 3),
                    source = in_words(s.out.readers_largest.note);
  return s.out.readers.value > 1 ? say("note.readers", {{"head", s.head()},
                                                        {"others", s.params.others},
                                                        {"largest", largest},
                                                        {"source", source},
                                                        {"random", random}})
                                 : say("note.reader", {{"largest", largest}, {"source", source}, {"random", random}});
}

std::vector<figure::Note> notes(const Scene& s) {
  using Kind = figure::Note::Kind;
  std::vector<figure::Note> out{{Kind::text, say("note.sum")},
                                {Kind::equation, "s(i, j) = q_i · k_j / √d_head,  k_j = b + Σ_c k_c(j)"},
                                {Kind::text, say("note.removal")}};
  if (const std::string text = agreement_text(s); !text.empty()) out.push_back({Kind::text, text});
  if (s.has_text() && std::isfinite(s.out.residual_error.value))
    out.push_back({Kind::text, say("note.residual", {{"part", number_text(s.out.residual_error.value, 4)}})});
  out.push_back({Kind::text, say("note.composition")});
  if (std::isfinite(s.out.readers_largest.value)) out.push_back({Kind::text, readers_text(s)});
  out.push_back({Kind::equation, "composition = ‖W_OV W_K‖ / (‖W_OV‖ ‖W_K‖)"});
  out.push_back({Kind::caution, say("note.caution")});
  return out;
}

/// Of a bar: all heads first, where there are any, then the other parts.
figure::Reading part_reading(const Scene& s, int source) {
  const int i = source - (s.has_weights() ? 1 : 0);
  if (i < 0 || static_cast<std::size_t>(i) >= s.out.parts.size()) return {};
  const auto at = static_cast<std::size_t>(i);
  figure::Reading r{s.out.parts[at], {"adds  " + score_text(s.out.part.data[at])}};
  if (const double lost = value_at(s.out.part_ablated, at); std::isfinite(lost))
    r.lines.push_back("lost without it  " + score_text(lost));
  return r;
}

figure::Reading reading(const figure::Reading&, const protocol::Result& result, const ParamValues&,
                        const ViewState& view) {
  const Scene s = read_scene(result);
  const int layer = view.focus.at("layer"), head = view.focus.at("head");
  if (view.focus.has("source")) return part_reading(s, view.focus.at("source"));
  std::size_t i = s.count();
  if (view.focus.at("item") >= 0) i = static_cast<std::size_t>(view.focus.at("item"));
  if (layer >= 0 && head >= 0 && static_cast<std::size_t>(layer) < s.layers && static_cast<std::size_t>(head) < s.heads)
    i = static_cast<std::size_t>(layer) * s.heads + static_cast<std::size_t>(head);
  if (i >= s.count()) return {};
  figure::Reading r{"head " + s.name(i), {}};
  if (!s.out.contribution.data.empty()) r.lines.push_back("adds  " + score_text(value_at(s.out.contribution, i)));
  if (s.has_removals()) {
    r.lines.push_back("lost when removed  " + score_text(value_at(s.out.ablated, i)));
    r.lines.push_back("attention without it  " +
                      say("reading.attention",
                          {{"without", share_or_change(result.difference, value_at(s.out.attention_without, i), 1)},
                           {"as_is", share_or_change(result.difference, s.out.attention.value, 1)}}));
  }
  r.lines.push_back(s.kind() + "-composition  " + number_text(value_at(s.composition(), i), 3));
  const std::string readers = number_text(value_at(s.out.readers_composition, i), 3);
  r.lines.push_back(
      (s.out.readers.value > 1 ? say("reading.readers", {{"n", number_text(s.out.readers.value, 0)}}) : "with W_QK") +
      "  " +
      (s.random_readers.known() && !s.difference
           ? say("reading.random", {{"composition", readers}, {"range", span_text(s.random_readers, 3)}})
           : readers));
  add_scaled_line(r, scaled_heads(result.edits), view);
  return r;
}

figure::Figure view(const protocol::Result& result, const ParamValues&) {
  const Scene s = read_scene(result);
  figure::Figure f;
  f.title = title(result, s), f.subtitle = subtitle(s), f.lead = headline(s);
  f.summary = s.has_weights() || s.has_text() ? f.title + ". " + f.subtitle : say("summary.waiting");
  std::vector<figure::Box> left, right;
  if (s.has_text()) {
    f.panels = {
        {"map", s.has_weights() ? say("panel.map") : "", grid_of(s, s.out.contribution, say("colour.map"), 2, true)},
        {"parts", say("panel.parts"), parts_plot(s)},
        {"scatter", s.has_removals() ? say("panel.scatter") : "", scatter(s)}};
    left = {figure::panel("map")}, right = {figure::panel("scatter"), figure::panel("parts")};
  }
  f.panels.push_back({"composition", s.has_weights() ? say("panel.composition", {{"kind", s.kind()}}) : "",
                      grid_of(s, s.composition(), "composition", 3, false)});
  left.push_back(figure::panel("composition"));
  f.root = right.empty() ? figure::panel("composition")
                         : figure::row({figure::column(std::move(left), 0.54f), figure::column(std::move(right))});
  f.notes = notes(s);
  f.row_links = {{{"layer", "head"}, "from=here&layer={layer}&head={head}", say("hint.row")}};
  show_scaled_heads(f, scaled_heads(result.edits));
  f.down = {"layer", 0, static_cast<int>(s.layers) - 1}, f.across = {"head", 0, static_cast<int>(s.heads) - 1};
  return f;
}

}  // namespace

ViewStudy view_study() { return {describe(), view, reading}; }

}  // namespace helix::studies::head_sources
