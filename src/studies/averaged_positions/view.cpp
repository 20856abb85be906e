// What is left of what positions do, over the size of the groups; below it the pattern at three sizes, and on the right the
// counter-test: every position is kept, but some tokens do not see the one before them.
#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "base/text.h"
#include "studies/averaged_positions/view_tables.h"
#include "studies/reading_view.h"
#include "studies/registry_view.h"
#include "studies/token_text.h"

namespace helix::studies::averaged_positions {
namespace {

constexpr std::size_t kOthers = 3;               // other heads that are drawn
constexpr double kAlike = 0.005;                 // shares of attention that hardly differ
constexpr double kTextFrom = 50, kTextTo = 100;  // where the source text sees performance break down
constexpr double kSure = 0.5;   // the prompt's curve is drawn if the model is this sure of its next token
constexpr double kThird = 100;  // the third pattern is that of the largest size up to this
constexpr const char* kPatterns[] = {"pattern_own", "pattern_group", "pattern_large"};

/// The group size of the third pattern.
std::size_t third_of(const Scene& s) {
  std::size_t best = s.groups() - 1;
  for (std::size_t i = 0; i < s.groups(); ++i)
    if (s.out.size.data[i] <= kThird) best = i;
  return best;
}

// ---- what is left

figure::Line line_of(const Scene& s, const std::vector<double>& fractions, std::string name, figure::Ink ink,
                     float width) {
  figure::Line line{"group", 0, {2, {}}, ink, std::move(name)};
  for (std::size_t i = 0; i < s.groups(); ++i) {
    line.at.data.push_back(s.out.size.data[i]);
    line.at.data.push_back(i < fractions.size() ? 100 * fractions[i] : std::nan(""));
  }
  line.width = width, line.digits = 0;
  return line;
}

/// Heads besides the followed one that attend most to the previous token, and less so without positions.
std::vector<std::size_t> other_heads(const Scene& s) {
  std::vector<std::size_t> all;
  const std::size_t from = s.extended() ? static_cast<std::size_t>(std::max(s.out.before.value, 0.0)) * s.heads : 0;
  for (std::size_t i = from; i < s.layers * s.heads; ++i)
    if (i != s.at() &&
        value(s.out.previous, i) > 2 * std::max(value(s.out.previous_none, i), s.out.even_previous.value))
      all.push_back(i);
  std::ranges::sort(all,
                    [&](std::size_t a, std::size_t b) { return value(s.out.previous, a) > value(s.out.previous, b); });
  all.resize(std::min(all.size(), kOthers));
  return all;
}

std::vector<double> kept_by(const Scene& s, std::size_t head) {
  std::vector<double> out;
  const double own = value(s.out.previous, head), none = value(s.out.previous_none, head);
  for (std::size_t i = 0; i < s.groups(); ++i)
    out.push_back((value(s.out.previous, i * s.layers * s.heads + head) - none) / (own - none));
  return out;
}

/// Curves of each window of the text, faint: how much they differ is how far the loss can be trusted.
void add_windows(const Scene& s, figure::Plot& plot) {
  const std::size_t windows = s.out.window_kept.rows();
  if (windows < 2 || s.out.window_kept.cols() != s.groups()) return;
  for (std::size_t w = 0; w < windows; ++w) {
    std::vector<double> row;
    for (std::size_t i = 0; i < s.groups(); ++i) row.push_back(value(s.out.window_kept, w * s.groups() + i));
    plot.marks.push_back(line_of(s, row, "", figure::kMute, 0.8f));
  }
}

void add_rules(const Scene& s, figure::Plot& plot) {
  const double last = s.out.size.data.back();
  if (last > kTextFrom)
    plot.marks.push_back(
        figure::Rule{true, kTextFrom, std::min(kTextTo, last), true, say("callout.breaks"), figure::kWarm});
  plot.marks.push_back(figure::Rule{false, 0, 0, false, say("callout.none"), figure::kMute, 1.2f, true});
}

/// The head's number at the chosen size and at the largest that is drawn below, beside its curve.
void add_labels(const Scene& s, figure::Plot& plot) {
  for (const std::size_t i : {s.chosen, third_of(s)}) {
    const double left = value(s.out.head_kept, i), size = s.out.size.data[i];
    if (i == 0 || !std::isfinite(left)) continue;
    figure::Callout callout{{size, 100 * left},
                            say("callout.share", {{"n", s.size(i)}, {"left", percent_text(left, 0)}})};
    callout.ink = figure::kAccent, callout.lead = i == s.chosen;
    plot.marks.push_back(std::move(callout));
    if (third_of(s) == s.chosen) return;
  }
}

figure::Plot left_plot(const Scene& s) {
  figure::Plot plot{
      figure::quantity("tokens that share a position", "log scale"),
      figure::quantity(s.difference ? "change of what is left" : "what is left", s.difference ? "points" : "%")};
  plot.x.kind = figure::ScaleKind::log, plot.height = 310, plot.y.from_zero = true;
  plot.x.low = 1;
  if (s.empty()) return plot;
  plot.x.high = std::max(s.out.size.data.back(), 2.0);
  if (!s.difference) add_rules(s, plot), add_windows(s, plot);
  if (!s.difference)
    for (const std::size_t head : other_heads(s))
      plot.marks.push_back(line_of(s, kept_by(s, head), s.name(head), figure::kMute, 1.3f));
  figure::Line answer = line_of(s, s.out.answer_kept.data, "prompt", figure::series(5), 1.6f);
  figure::Line copying = line_of(s, s.out.copying_kept.data, "copying", figure::series(4), 1.8f);
  answer.dashed = true;
  figure::Line head = line_of(s, s.out.head_kept.data, "head " + s.head(), figure::kAccent, 3);
  head.dots = true;
  if (s.out.answer_own.value >= kSure) plot.marks.push_back(std::move(answer));
  plot.marks.push_back(std::move(copying));
  plot.marks.push_back(line_of(s, s.out.loss_kept.data, "loss", figure::kText, 2.2f));
  plot.marks.push_back(std::move(head));
  if (!s.difference) add_labels(s, plot);
  plot.chosen = {{"group", static_cast<int>(s.chosen)}};
  return plot;
}

// ---- patterns

figure::Plot pattern_plot(const Scene& s, const std::vector<double>& all, std::size_t from, std::size_t side) {
  const int first =
      s.empty() || !std::isfinite(s.out.first_query.value) ? 0 : static_cast<int>(s.out.first_query.value);
  const auto count = static_cast<int>(side);
  figure::Plot plot{figure::over("key", first, count), figure::over("query", first, count)};
  if (s.empty() || side == 0 || from + side * side > all.size()) return plot;
  const std::vector<double> part(all.begin() + static_cast<std::ptrdiff_t>(from),
                                 all.begin() + static_cast<std::ptrdiff_t>(from + side * side));
  plot.colour = figure::ColourScale{s.difference ? "change of attention" : "attention"};
  plot.colour->id = "attention";
  plot.colour->range = s.difference ? figure::scale_of(all, true) : figure::ShadeScale{0, 1, false};
  plot.x.quiet = plot.y.quiet = true;
  figure::Cells cells;
  cells.row_axis = "query", cells.col_axis = "key";
  cells.cells = figure::pyramid_of(part, side, side, plot.colour->range);
  plot.marks = {std::move(cells)};
  return plot;
}

std::string share_name(const Scene& s, std::size_t i) {
  if (s.empty()) return "";
  const std::string share = share_or_change(s.difference, value(s.out.head_previous, i), 1);
  return i == 0 ? say("panel.own", {{"share", share}}) : say("panel.group", {{"n", s.size(i)}, {"share", share}});
}

void add_patterns(const Scene& s, figure::Figure& f) {
  const std::size_t side = s.out.pattern.shape.size() == 3 ? s.out.pattern.shape[1] : 0;
  const std::size_t which[] = {0, s.chosen, s.empty() ? 0 : third_of(s)};
  for (std::size_t k = 0; k < std::size(which); ++k)
    f.panels.push_back(
        {kPatterns[k], share_name(s, which[k]), pattern_plot(s, s.out.pattern.data, which[k] * side * side, side)});
}

// ---- the counter-test

figure::Plot masks_plot(const Scene& s) {
  const std::size_t n = s.out.masked.data.size();
  std::vector<std::string> names;
  for (std::size_t i = 0; i < n; ++i) names.push_back(layers_name(i));
  figure::Plot plot{figure::quantity("attention to the previous token", "fraction"),
                    figure::over("depth", 0, static_cast<int>(n), std::move(names))};
  if (s.empty() || n == 0) return plot;
  plot.x.from_zero = true, plot.x.percent = true;
  figure::Bars bars{"depth", 0, s.out.masked.data, figure::kAccent, true};
  if (!s.difference) bars.before = s.out.others.data;
  for (std::size_t i = 0; i < n; ++i) {
    bars.texts.push_back(percent_text(s.out.masked.data[i], 1));
    bars.strong.push_back(i + 1 == n);
  }
  plot.marks = {std::move(bars)};
  return plot;
}

void add_masks(const Scene& s, figure::Figure& f) {
  const std::size_t side = s.out.masked_pattern.rows();
  const bool known = !s.empty() && !s.out.masked.data.empty();
  f.panels.push_back({"masked", known ? say("panel.masked", {{"n", number_text(s.out.every.value, 0)}}) : "",
                      pattern_plot(s, s.out.masked_pattern.data, 0, side)});
  f.panels.push_back({"masks", known ? say("panel.masks") : "", masks_plot(s)});
}

// ---- words

std::string title(const Scene& s) {
  if (s.empty()) return say("title.none");
  if (s.difference) return say("title.change");
  const Output& out = s.out;
  const std::string edits = with_edits(s.result);
  if (s.extended()) {
    const double change = out.group_previous.value - out.own_previous.value;
    if (!std::isfinite(change)) return say("title.extended", {{"before", s.before()}}) + edits;
    if (std::abs(change) < kAlike)
      return say("title.extended_alike", {{"head", s.head()}, {"before", s.before()}}) + edits;
    return say("title.extended_takes", {{"before", s.before()},
                                        {"head", s.head()},
                                        {"own", percent_text(out.own_previous.value, 1)},
                                        {"group", percent_text(out.group_previous.value, 1)}}) +
           edits;
  }
  if (!std::isfinite(out.holds_to.value)) return say("title.no_difference") + edits;
  if (out.holds_to.value > 1) return say("title.holds", {{"n", number_text(out.holds_to.value, 0)}}) + edits;
  return say("title.breaks", {{"n", s.groups() > 1 ? s.size(1) : "1"}}) + edits;
}

std::string subtitle(const Scene& s) {
  if (s.empty()) return say("subtitle.waiting");
  if (s.difference) return say("subtitle.change");
  const Output& out = s.out;
  const std::string n = number_text(out.group.value, 0), group = percent_text(out.group_previous.value, 1),
                    own = percent_text(out.own_previous.value, 1), none = percent_text(out.none_previous.value, 1);
  return s.extended()
             ? say("subtitle.extended", {{"n", n},
                                         {"before", s.before()},
                                         {"head", s.head()},
                                         {"group", group},
                                         {"own", own},
                                         {"none", none}})
             : say("subtitle.table", {{"n", n}, {"head", s.head()}, {"group", group}, {"own", own}, {"none", none}});
}

std::string summary(const Scene& s) {
  if (s.empty()) return say("summary.waiting");
  if (s.difference) return title(s) + ".";
  const Output& out = s.out;
  const std::string loss = say("summary.loss", {{"own", number_text(out.loss_own.value, 3)},
                                                {"group", number_text(out.loss_group.value, 3)},
                                                {"none", number_text(out.loss_none.value, 3)}});
  const bool masked =
      std::isfinite(out.masked_previous.value) && std::isfinite(out.others_previous.value) && out.layer.value > 0;
  return sentences({title(s) + ".", subtitle(s), loss,
                    masked ? say("summary.masked", {{"masked", percent_text(out.masked_previous.value, 1)},
                                                    {"others", percent_text(out.others_previous.value, 1)}})
                           : ""});
}

figure::Number headline(const Scene& s) {
  if (s.empty() || s.difference || !std::isfinite(s.out.group_previous.value)) return {};
  return {percent_text(s.out.group_previous.value, 1),
          {say("lead.attention", {{"head", s.head()}}),
           say("lead.own", {{"own", percent_text(s.out.own_previous.value, 1)},
                            {"none", percent_text(s.out.none_previous.value, 1)}}),
           say("lead.even", {{"even", percent_text(s.out.even_previous.value, 1)}})},
          s.result.complete};
}

std::vector<figure::Note> notes() {
  using Kind = figure::Note::Kind;
  return {{Kind::text, say("note.groups")},
          {Kind::equation, "left(g) = (x_g − x_none) / (x_own − x_none)"},
          {Kind::text, say("note.numbers")},
          {Kind::text, say("note.counter_test")},
          {Kind::caution, say("note.caution")}};
}

std::string group_name(const Scene& s, std::size_t i) {
  return s.out.size.data[i] == 1 ? say("reading.own") : say("reading.group", {{"n", s.size(i)}});
}

/// Where the previous token is hidden.
std::string depth_name(std::size_t i) {
  return i == 0   ? say("reading.nowhere")
         : i == 1 ? say("reading.first_layer")
                  : say("reading.layers", {{"last", std::to_string(i - 1)}});
}

/// The same cell of all patterns that are drawn.
figure::Reading reading_of_cell(const Scene& s, int query, int key) {
  const std::size_t side = s.out.pattern.shape.size() == 3 ? s.out.pattern.shape[1] : 0;
  const auto first = static_cast<int>(std::clamp(s.out.first_query.value, 0.0, 1e6));  // 0 if it is not a number
  const int row = query - first, col = key - first;
  if (row < 0 || col < 0 || static_cast<std::size_t>(std::max(row, col)) >= side) return {};
  const std::size_t cell = static_cast<std::size_t>(row) * side + static_cast<std::size_t>(col);
  if (key > query) return {};  // a later token, which the mask hides
  figure::Reading r{"query " + std::to_string(query) + " → key " + std::to_string(key), {}};
  for (const std::size_t i : std::set{std::size_t{0}, s.chosen, third_of(s)})
    r.lines.push_back(group_name(s, i) + "  " +
                      share_or_change(s.difference, value(s.out.pattern, i * side * side + cell), 2));
  if (const std::size_t depths = s.out.masked.data.size(); depths > 0 && s.out.masked_pattern.rows() == side)
    r.lines.push_back(depth_name(depths - 1) + "  " +
                      share_or_change(s.difference, value(s.out.masked_pattern, cell), 2));
  return r;
}

figure::Reading reading(const figure::Reading& made, const protocol::Result& result, const ParamValues&,
                        const ViewState& view) {
  figure::Reading r;
  const Scene s = read(result);
  if (s.empty()) return r;
  if (view.focus.has("query") && view.focus.has("key"))
    return reading_of_cell(s, view.focus.at("query"), view.focus.at("key"));
  if (view.focus.has("group")) {
    const auto i = static_cast<std::size_t>(std::max(view.focus.at("group"), 0));
    if (i >= s.groups()) return r;
    r.title = group_name(s, i);
    r.lines = made.lines;
    r.lines.insert(r.lines.begin(),
                   "head " + s.head() + "  " + share_or_change(result.difference, value(s.out.head_previous, i), 2));
  } else if (view.focus.has("depth")) {
    const auto i = static_cast<std::size_t>(std::max(view.focus.at("depth"), 0));
    if (i >= s.out.masked.data.size()) return r;
    r = {depth_name(i), made.lines};
  }
  return r;
}

figure::Figure view(const protocol::Result& result, const ParamValues&) {
  const Scene s = read(result);
  figure::Figure f;
  f.title = title(s), f.subtitle = subtitle(s), f.summary = summary(s), f.lead = headline(s);
  f.panels = {{"left", s.empty() ? "" : say("panel.left"), left_plot(s)}};
  add_patterns(s, f);
  add_masks(s, f);
  f.notes = notes();
  if (!s.empty()) {
    f.tables = {sizes_table(s), heads_table(s)};
    f.across = {"group", 0, static_cast<int>(s.groups()) - 1};
  }
  const figure::Box patterns =
      figure::kept_row({figure::panel(kPatterns[0]), figure::panel(kPatterns[1]), figure::panel(kPatterns[2])});
  f.root = figure::row({figure::column({figure::panel("left"), patterns}, 0.72f),
                        figure::column({figure::panel("masked"), figure::panel("masks")})});
  f.narrow = figure::column(
      {figure::panel("left"), figure::kept_row({figure::panel(kPatterns[0]), figure::panel(kPatterns[1])}),
       figure::kept_row({figure::panel(kPatterns[2]), figure::panel("masks")}), figure::panel("masked")});
  return f;
}

}  // namespace

ViewStudy view_study() { return {describe(), view, reading}; }

}  // namespace helix::studies::averaged_positions
