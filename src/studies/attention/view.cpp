// One head's matrix, large; beside it a map of all heads with one number each, and the chosen head's dominant pattern.
#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "studies/attention/view_tables.h"
#include "studies/registry_view.h"
#include "studies/scaled_heads_view.h"
#include "studies/token_text.h"

namespace helix::studies::attention {
namespace {

constexpr std::size_t kWholeTable = 64;  // tokens up to which the table has every cell
constexpr double kDominant = 0.4;        // share of its attention from which a head's pattern counts as dominant,
constexpr double kTimesEven = 2;         // if it is also more than so many times what an even head has on these tokens
constexpr double kLeastRepeats = 3;      // fewest repeated tokens for a statement about induction
constexpr float kStretch = 2;            // of the cells: labels and numbers need more width than height
constexpr std::size_t kArcTokens = 64;   // tokens up to which arcs are drawn
constexpr double kLeastArc = 0.1;        // least attention that is drawn as an arc
constexpr double kLeastWritten = 0.005;  // least attention that is written into its cell: rounds to 1 %

/// The labels of rows and columns: the first token of each block.
std::vector<std::string> labels(const Scene& s) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < s.result.tokens.size(); i += s.block)
    out.push_back(token_label(shown_bytes(s.result.tokens[i].bytes)));
  return out;
}

/// A head's dominant pattern, by its name in the words; no name: there is none.
struct Habit {
  std::string name;
  double share;
};

/// Whether a mean is far from what even attention gives: with few tokens, or many copies of one, even attention has much.
bool is_dominant(const Mean& mean) { return mean.here.value >= kDominant && mean.here.value > kTimesEven * mean.even; }

Habit habit(const Scene& s) {
  Habit best{"", 0};
  const auto consider = [&](const char* name, const Mean& mean) {
    if (is_dominant(mean) && mean.here.value >= best.share) best = {name, mean.here.value};  // false for NaN
  };
  consider("previous", s.previous), consider("first", s.first), consider("self", s.self);
  if (s.repeats >= kLeastRepeats) consider("induction", s.induction);
  return best;
}

/// Draws masked entries as missing rather than as zero. Entries that an edit unmasks stay.
std::vector<double> without_future(std::vector<double> values, std::size_t rows, std::size_t cols) {
  for (std::size_t i = 0; i < values.size(); ++i)
    if (values[i] == 0 && i % cols > i / cols % rows) values[i] = std::nan("");
  return values;
}

/// A scale of tokens, for rows or columns.
figure::Scale tokens_along(const std::string& axis, std::size_t count, const std::vector<std::string>& names) {
  figure::Scale scale = figure::over(axis, 0, static_cast<int>(count), names);
  scale.kind = figure::ScaleKind::band;
  return scale;
}

/// The numbers written into the cells: attention in percent, scores unchanged.
std::vector<float> numbers_of(const std::vector<double>& values, bool fractions) {
  std::vector<float> out;
  out.reserve(values.size());
  for (const double x : values) {
    const bool written = std::isfinite(x) && (!fractions || std::abs(x) >= kLeastWritten);
    out.push_back(written ? static_cast<float>(fractions ? 100 * x : x) : std::nanf(""));
  }
  return out;
}

figure::Arcs arcs(const Scene& s) {
  figure::Arcs out{"query"};
  for (std::size_t q = 0; q < s.rows(); ++q)
    for (std::size_t k = 0; k < q; ++k)
      if (s(q, k) >= kLeastArc)
        out.arcs.push_back({static_cast<int>(q), static_cast<int>(k), static_cast<float>(s(q, k))});
  return out;
}

/// What each cell was without the edits, where that differs by as much as is written into a cell.
void cells_before(const Scene& s, figure::Cells& cells) {
  if (!s.was || s.was->shape != s.pattern->shape) return;
  bool any = false;
  for (std::size_t i = 0; i < s.was->data.size(); ++i) {
    const bool moved = std::abs(s.was->data[i] - s.pattern->data[i]) >= kLeastWritten;
    cells.before.push_back(moved ? static_cast<float>(s.was->data[i]) : std::nanf(""));
    any = any || moved;
  }
  if (!any) cells.before.clear();
}

figure::Plot matrix(const Scene& s) {
  figure::Plot plot{tokens_along(s.key_axis(), s.cols(), labels(s)), tokens_along(s.query_axis(), s.rows(), labels(s))};
  if (!s.pattern) return plot;
  const bool has_sign = s.params.stage != Stage::pattern || s.result.difference;
  figure::ColourScale colour{s.params.stage == Stage::pattern ? "attention" : "q·k / √d"};
  colour.range = has_sign ? figure::scale_of(s.pattern->data, true) : figure::ShadeScale{0, 1, false};
  figure::Cells cells;
  cells.row_axis = s.query_axis(), cells.col_axis = s.key_axis();
  cells.numbers = numbers_of(s.pattern->data, s.is_pattern()), cells.digits = s.is_pattern() ? 0 : 1;
  cells.stretch = kStretch;
  cells.cells =
      s.params.stage != Stage::pattern
          ? figure::pyramid_of(s.pattern->data, s.rows(), s.cols(), colour.range)
          : figure::pyramid_of(without_future(s.pattern->data, s.rows(), s.cols()), s.rows(), s.cols(), colour.range);
  const auto& finest = cells.cells.front()->data;
  if (std::find(finest.begin(), finest.end(), 0) != finest.end()) colour.missing = "masked";
  plot.colour = std::move(colour);
  plot.marks = {std::move(cells)};
  if (s.is_pattern() && !s.result.difference && s.block == 1 && s.rows() == s.cols() && s.rows() <= kArcTokens)
    plot.marks.push_back(arcs(s));
  plot.gestures = {{figure::Gesture::On::brush,
                    {s.query_axis(), s.key_axis()},
                    figure::Gesture::Effect::window,
                    "",
                    say("hint.brush")}};
  if (s.block > 1 || s.result.difference || !s.is_pattern()) return plot;
  cells_before(s, std::get<figure::Cells>(plot.marks.front()));
  figure::Gesture carry{figure::Gesture::On::carry,
                        {s.key_axis(), s.query_axis()},
                        figure::Gesture::Effect::edit,
                        "move_attention:" + s.number() + ":{query}:{key}:{to}",
                        say("hint.carry")};
  carry.until = s.query_axis(), carry.first = 0;
  plot.gestures.push_back(std::move(carry));
  return plot;
}

/// One cell per head: its mean attention to the previous token, in percent.
figure::Cells head_numbers(const Array& by_head, const figure::ShadeScale& range) {
  figure::Cells cells;
  cells.row_axis = "layer", cells.col_axis = "head", cells.stretch = kStretch;
  cells.cells = figure::pyramid_of(by_head.data, by_head.shape[0], by_head.shape[1], range);
  for (const double x : by_head.data) cells.numbers.push_back(static_cast<float>(100 * x));
  return cells;
}

/// One tile per head: the largest entry of each block of its pattern.
figure::Cells head_pictures(const Scene& s, const figure::ShadeScale& range) {
  const auto& shape = s.patterns->shape;
  figure::Cells cells;
  cells.row_axis = "query", cells.col_axis = "key", cells.down_axis = "layer", cells.across_axis = "head";
  const double pooled = scalar(s.result, "pooled");
  cells.pooled = pooled >= 1 ? static_cast<std::size_t>(std::min(pooled, 1e6)) : 1;
  cells.cells = figure::pyramid_of_tiles(s.patterns->data, shape[0], shape[1], shape[2], shape[3], range);
  return cells;
}

/// The overview of all heads.
figure::Plot heads(const Scene& s) {
  figure::Plot plot;
  if (!s.by_head) return plot;
  plot.chosen = {{"layer", s.params.layer}, {"head", s.params.head}};
  const auto& shape = s.by_head->shape;
  plot.x = figure::over("head", 0, static_cast<int>(shape[1]));
  plot.y = figure::over("layer", 0, static_cast<int>(shape[0]));
  plot.colour = figure::ColourScale{"attention"};
  const bool pictures = s.params.grid == Grid::pictures && s.patterns;
  const auto& values = pictures ? s.patterns->data : s.by_head->data;
  plot.colour->range = s.result.difference ? figure::scale_of(values, true) : figure::ShadeScale{0, 1, false};
  plot.marks = {pictures ? head_pictures(s, plot.colour->range) : head_numbers(*s.by_head, plot.colour->range)};
  plot.gestures = {{figure::Gesture::On::click,
                    {"layer", "head"},
                    figure::Gesture::Effect::set,
                    "layer={layer}&head={head}",
                    say("hint.click")}};
  if (!s.result.difference) add_head_acts(plot);
  return plot;
}

/// Beside the number: the other means, each with what even attention has.
figure::Number headline(const Scene& s) {
  if (!s.pattern) return {};
  if (!std::isfinite(s.previous.here.value))
    return {"–", {say("lead.unknown"), or_why_not(s.previous.here, "")}, s.result.complete};
  const auto line = [](const char* id, const Mean& mean) {
    return or_why_not(mean.here,
                      say(id, {{"share", percent_text(mean.here.value, 1)}, {"even", percent_text(mean.even, 1)}}));
  };
  return {percent_text(s.previous.here.value, 1),
          {say("lead.previous"), say("lead.even", {{"share", percent_text(s.previous.even, 1)}}),
           line("lead.first", s.first), line("lead.self", s.self),
           std::isfinite(s.induction.here.value) ? line("lead.induction", s.induction) : say("lead.no_repeat")},
          s.result.complete};
}

// ---- words

std::string value_text(const Scene& s, double value) {
  if (std::isnan(value)) return say("value.none");
  if (value < 0 && std::isinf(value)) return say("value.masked");
  if (std::isinf(value)) return "∞";
  return s.what() + "  " + to_fixed(value, 4);
}

/// The reading for a head in the overview: its attention to the previous token.
std::string head_line(const Scene& s, const Focus& f) {
  const Array* a = s.by_head;
  const auto l = static_cast<std::size_t>(f.at("layer")), h = static_cast<std::size_t>(f.at("head"));
  if (!a || l >= a->shape[0] || h >= a->shape[1]) return {};
  return say("row.previous") + "  " + to_fixed(a->data[l * a->shape[1] + h], 4);
}

figure::Reading reading(const figure::Reading&, const Result& result, const ParamValues&, const ViewState& view) {
  const Scene s = read(result);
  const Focus& f = view.focus;
  figure::Reading r;
  const auto inside = [&](int q, int k) {
    return q >= 0 && k >= 0 && static_cast<std::size_t>(q) < s.rows() && static_cast<std::size_t>(k) < s.cols();
  };
  const int query = f.at(s.query_axis()), key = f.at(s.key_axis()), position = f.at("position");
  if (f.has("layer") && f.has("head")) {  // a head of the overview is focused
    const std::string line = head_line(s, f);
    if (line.empty()) return r;
    r.title = head_name(f.at("layer"), f.at("head"));
    r.lines = {line};
    add_scaled_line(r, s.scaled, view);
    return r;
  }
  if (inside(query, key)) {
    const double value = s(static_cast<std::size_t>(query), static_cast<std::size_t>(key));
    const std::string text = value_text(s, value);
    r.title = s.head();
    r.lines = {s.place(true, static_cast<std::size_t>(query)) + " → " + s.place(false, static_cast<std::size_t>(key)),
               s.block > 1 ? say("reading.largest", {{"value", text}}) : text};
    const std::size_t at = static_cast<std::size_t>(query) * s.cols() + static_cast<std::size_t>(key);
    if (s.was && at < s.was->data.size() && s.was->data[at] != value)
      r.lines.push_back(say("reading.was") + "  " + to_fixed(s.was->data[at], 4));
  } else if (s.block == 1 && inside(position, 0)) {
    r.title = place_text(result, "position", position);
    const auto q = static_cast<std::size_t>(position);
    for (const std::size_t k : top_keys(s, q, 1))
      r.lines.push_back(say("reading.most", {{"key", place_text(result, "key", static_cast<int>(k))}}) + "  " +
                        to_fixed(s(q, k), 4));
  }
  return r;
}

std::string title(const Scene& s) {
  if (!s.pattern) return say("title");
  const Habit h = habit(s);
  const std::string words =
      h.name.empty() ? say("title.no_pattern", {{"head", s.number()}})
                     : say(std::string("title.") + h.name, {{"head", s.number()}, {"share", percent_text(h.share, 1)}});
  return words + with_edits(s.result);
}

std::string subtitle(const Scene& s) {
  if (!s.pattern) return say("subtitle.waiting");
  const char* id = s.is_pattern()                    ? "subtitle.pattern"
                   : s.params.stage == Stage::scores ? "subtitle.scores"
                                                     : "subtitle.masked";
  const std::size_t n = std::max(s.rows(), s.result.tokens.size());
  const std::string blocks = s.block > 1 ? say("subtitle.blocks", {{"block", std::to_string(s.block)}}) : "";
  return scaled_text(s.scaled, s.chosen_layer(), s.chosen_head()) +
         say(id, {{"head", s.head()}, {"n", with_thousands(static_cast<long long>(n))}, {"blocks", blocks}});
}

std::string heads_title(const Scene& s) {
  if (!s.by_head) return {};
  const std::string& title = say(s.params.grid == Grid::pictures && s.patterns ? "panel.pictures" : "panel.numbers");
  return any_is_off(s.scaled) ? say("panel.off", {{"panel", title}}) : title;
}

/// The largest number of a later token than the first; empty where there is none.
std::string largest_text(const Scene& s) {
  std::size_t best_q = 0, best_k = 0;
  double best = -HUGE_VAL;
  for (std::size_t q = std::min<std::size_t>(1, s.rows() - 1); q < s.rows(); ++q)
    for (std::size_t k = 0; k < s.cols(); ++k)
      if (std::isfinite(s(q, k)) && s(q, k) > best) best = s(q, k), best_q = q, best_k = k;
  if (!std::isfinite(best)) return {};
  return say(s.is_pattern() ? "summary.attention" : "summary.score",
             {{"value", to_fixed(best, 4)}, {"query", s.place(true, best_q)}, {"key", s.place(false, best_k)}});
}

std::string summary(const Scene& s) {
  if (!s.pattern) return say("summary.waiting");
  const std::string means = std::isfinite(s.previous.here.value)
                                ? say("summary.means", {{"previous", percent_text(s.previous.here.value, 1)},
                                                        {"first", percent_text(s.first.here.value, 1)},
                                                        {"self", percent_text(s.self.here.value, 1)},
                                                        {"even", percent_text(s.previous.even, 1)}})
                                : say("summary.unknown", {{"why", or_why_not(s.previous.here, "")}});
  return title(s) + ". " + scaled_text(s.scaled, s.chosen_layer(), s.chosen_head()) +
         sentences({means, largest_text(s)});
}

std::vector<figure::Note> notes(const Scene& s) {
  using Kind = figure::Note::Kind;
  const char* stage = s.params.stage == Stage::scores   ? "S = q·kᵀ / √d_head"
                      : s.params.stage == Stage::masked ? "S = q·kᵀ / √d_head,  S = −∞ where key > query"
                                                        : "A = softmax(q·kᵀ / √d_head),  A = 0 where key > query";
  return {{Kind::text, say("note.rows")},
          {Kind::equation, stage},
          {Kind::text, say("note.heads")},
          {Kind::text, say("note.means", {{"share", percent_text(kDominant, 0)}})},
          {Kind::caution, say("note.caution")}};
}

figure::Figure view(const Result& result, const ParamValues&) {
  const Scene s = read(result);
  figure::Figure f;
  f.title = title(s), f.subtitle = subtitle(s), f.summary = summary(s);
  f.panels = {{"pattern", s.pattern ? s.head() : "", matrix(s)}, {"heads", heads_title(s), heads(s)}};
  f.lead = headline(s);
  f.notes = notes(s);
  f.tables = {means(s)};
  if (s.rows() > kWholeTable || s.cols() > kWholeTable) f.tables.push_back(top_of_each(s));
  f.root = figure::row({figure::panel("pattern"), figure::panel("heads", 0.4f, 190, 560)});
  show_scaled_heads(f, s.scaled);
  f.across = {s.key_axis(), 0, static_cast<int>(s.cols()) - 1};
  f.down = {s.query_axis(), 0, static_cast<int>(s.rows()) - 1};
  return f;
}

}  // namespace

ViewStudy view_study() { return {describe(), view, reading}; }

}  // namespace helix::studies::attention
