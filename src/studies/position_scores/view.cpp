// The curve of positions under a query: its scores as colours, its pull as an arrow; beside it the maps, the mean by lag,
// which way all queries pull, and the other heads.
#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "studies/position_scores/view_lags.h"
#include "studies/position_scores/view_reading.h"
#include "studies/position_scores/view_scene.h"
#include "studies/registry_view.h"

namespace helix::studies::position_scores {
namespace {

constexpr double kDominant = 0.4;   // share of its attention from which a head counts as attending to one place,
constexpr double kTimesEven = 2;    // if it is also more than so many times what even attention gives
constexpr double kArrow = 0.8;      // length of a long arrow, of the curve's largest coordinate
constexpr float kLeastMap = 130;    // width of a small map, in pixels
constexpr double kLeastPart = 0.2;  // cosine from which a part of the pull is drawn

figure::Gesture choose(std::vector<std::string> axes, std::string text, std::string help) {
  return {figure::Gesture::On::click, std::move(axes), figure::Gesture::Effect::set, std::move(text), std::move(help)};
}

// ---- the curve

/// What the pulls are multiplied by, the same for all queries of the head unless this one's is far longer than most: a long
/// arrow is as long as the room for arrows.
double arrow_scale(const Scene& s) {
  Vec lengths;
  double reach = 0;
  for (std::size_t i = 0; i < s.out.points.rows(); ++i) {
    lengths.push_back(length(at(s.out.pull, i)));
    for (const double x : at(s.out.points, i)) reach = std::max(reach, std::isfinite(x) ? std::abs(x) : 0);
  }
  std::erase_if(lengths, [](double x) { return !std::isfinite(x); });
  if (lengths.empty() || reach == 0) return 0;
  const auto long_one = lengths.begin() + static_cast<std::ptrdiff_t>((lengths.size() - 1) * 19 / 20);
  std::nth_element(lengths.begin(), long_one, lengths.end());
  const double longest = std::max(*long_one, length(at(s.out.pull, s.row())) / 1.25);
  return longest > 0 ? kArrow * reach / longest : 0;
}

Vec tangent(const Scene& s) {
  const std::size_t i = s.row(), last = s.out.points.rows() - 1;
  Vec step = plus(at(s.out.points, std::min(i + 1, last)), at(s.out.points, i > 0 ? i - 1 : 0), -1);
  const double size = length(step);
  for (double& x : step) x = size > 0 ? x / size : 0;
  return step;
}

/// The pull, and the part of it that lies along the curve.
void add_arrows(figure::Space& space, const Scene& s) {
  const Vec from = at(s.out.points, s.row()), pull = at(s.out.pull, s.row());
  const double scale = arrow_scale(s), along = s.out.along.data[s.row()];
  if (!(scale > 0) || !std::isfinite(length(pull)) || !std::isfinite(along)) return;
  if (std::abs(along) >= kLeastPart)
    space.marks.push_back(figure::Arrow{from, plus(from, tangent(s), scale * along * length(pull)), "", figure::kWarm});
  space.marks.push_back(figure::Arrow{from, plus(from, pull, scale), say("arrow.pull"), figure::kText});
}

figure::ColourScale score_colours(const Scene& s) {
  double low = HUGE_VAL, high = -HUGE_VAL;
  for (const double x : s.out.query_score.data)
    if (std::isfinite(x)) low = std::min(low, x), high = std::max(high, x);
  if (!(low < high)) low = 0, high = 1;
  figure::ColourScale colour{"score"};
  colour.range = {low, high, false};
  return colour;
}

/// The scores of the query as points: on the curve, or over the position. A space's colours start at 0.
figure::Points scored(const Scene& s, bool on_curve, double low) {
  auto points = std::make_shared<figure::Coordinates>();
  points->dims = on_curve ? s.out.points.cols() : 2;
  figure::Points out{"position", on_curve ? 1 : 0};
  for (std::size_t i = on_curve ? 1 : 0; i < s.out.query_score.rows(); ++i) {
    const double score = s.out.query_score(i);
    for (std::size_t c = 0; on_curve && c < points->dims; ++c) points->data.push_back(s.out.points(i - 1, c));
    if (!on_curve) points->data.insert(points->data.end(), {static_cast<double>(i), score});
    out.values.push_back(score - low);
  }
  out.at = std::move(points), out.ink = figure::kByValue, out.radius = on_curve ? 2.6f : 1.8f;
  return out;
}

figure::Space curve(const Scene& s) {
  figure::Space space;
  for (std::size_t c = 0; c < 3; ++c)
    space.axes.push_back({"PC" + std::to_string(c + 1),
                          c < s.out.explained.data.size() ? percent_text(s.out.explained.data[c], 1) : std::string()});
  space.legend = false;
  if (!s.has_curve() || s.difference) return space;
  space.floor = true;
  space.marks.push_back(scored(s, true, score_colours(s).range.low));
  if (s.has_pull()) {
    add_arrows(space, s);
    auto here = std::make_shared<figure::Coordinates>(figure::Coordinates{3, at(s.out.points, s.row())});
    space.marks.push_back(figure::Points{"", 0, std::move(here), figure::kText, 4.5f});
  }
  space.gestures = {choose({"position"}, "query={position}", say("hint.position"))};
  return space;
}

figure::Plot query_plot(const Scene& s) {
  const int n = static_cast<int>(s.out.query_score.rows());
  figure::Plot plot{figure::over("position", 0, std::max(n, 1)), figure::quantity("")};
  plot.height = 150;
  if (n == 0) return plot;
  if (s.difference) {
    plot.marks = {figure::Line{"position", 0, figure::over_index(s.out.query_score.data)}};
    return plot;
  }
  plot.colour = score_colours(s);
  plot.marks = {scored(s, false, 0)};
  plot.chosen = {{"position", s.query}};
  plot.gestures = {choose({"position"}, "query={position}", say("hint.position"))};
  return plot;
}

// ---- maps and means

figure::Plot map(const Scene& s, bool scores) {
  figure::Plot plot;
  if (!s.has_maps()) return plot;
  const protocol::Grid& grid = scores ? s.out.score : s.out.pattern;
  const auto first = std::clamp<long long>(grid.first, 0, 1'000'000);
  plot.x = figure::over("key", 0, static_cast<int>(grid.cols()));
  plot.y = figure::over("query", static_cast<int>(first), static_cast<int>(grid.rows()));
  figure::ColourScale colour{say(scores ? "colour.score" : s.difference ? "colour.attention" : "colour.capped")};
  Vec values = grid.data;
  if (!scores && !s.difference) {
    colour.range = {0, most_of(values), false}, colour.missing = say("colour.masked");
    for (std::size_t i = 0; i < grid.rows(); ++i)
      for (std::size_t j = static_cast<std::size_t>(first) + i + 1; j < grid.cols(); ++j)
        values[i * grid.cols() + j] = std::nan("");
  } else {
    colour.range = figure::scale_of(values, true);
  }
  figure::Cells cells{figure::pyramid_of(values, grid.rows(), grid.cols(), colour.range), "query", "key"};
  plot.colour = std::move(colour);
  plot.marks = {std::move(cells)};
  plot.chosen = {{"query", s.query}};
  plot.gestures = {choose({"query"}, "query={query}", say("hint.row"))};
  return plot;
}

figure::Plot lag_plot(const Scene& s) {
  const auto& mean = s.out.by_lag;
  const auto first = static_cast<int>(std::clamp<long long>(mean.first, -100'000, 0));
  figure::Plot plot{figure::over("lag", first, std::max(static_cast<int>(mean.rows()), 1)), figure::quantity("")};
  plot.x.title = "key − query", plot.height = 168;
  if (mean.rows() == 0) return plot;
  if (s.out.lag_spread.rows() == mean.rows() && !s.difference) {
    figure::Area band{"lag", first};
    for (std::size_t i = 0; i < mean.rows(); ++i) {
      band.low.push_back(mean.data[i] - s.out.lag_spread.data[i]);
      band.high.push_back(mean.data[i] + s.out.lag_spread.data[i]);
    }
    plot.marks.push_back(std::move(band));
  }
  plot.marks.push_back(figure::Rule{false, 0});
  plot.marks.push_back(figure::Rule{true, 0, 0, false, say("rule.query")});
  plot.marks.push_back(figure::Line{"lag", first, figure::over_index(mean.data), figure::kAccent});
  if (!s.difference) add_lag_notes(mean, first, plot);
  return plot;
}

figure::Plot directions(const Scene& s) {
  const int n = static_cast<int>(s.out.along.rows());
  figure::Plot plot{figure::over("position", 1, std::max(n, 1)), figure::quantity("")};
  plot.height = 168;
  if (n == 0) return plot;
  if (!s.difference) plot.y.low = -1, plot.y.high = 1;
  plot.marks = {figure::Rule{false, 0}};
  for (const auto& [name, grid, ink] : {std::tuple("line.along", &s.out.along, figure::kWarm),
                                        std::tuple("line.outward", &s.out.outward, figure::kMute)})
    plot.marks.push_back(figure::Line{"position", 1, figure::over_index(grid->data), ink, say(name)});
  plot.chosen = {{"position", s.query}};
  plot.gestures = {choose({"position"}, "query={position}", say("hint.position"))};
  return plot;
}

figure::Plot heads_plot(const Scene& s) {
  const int n = static_cast<int>(s.out.rising_by_head.rows());
  figure::Plot plot{figure::over("head", 0, std::max(n, 1)), figure::quantity("")};
  plot.height = 168, plot.y.percent = true;
  if (n == 0) return plot;
  if (!s.difference) plot.y.low = 0, plot.y.high = 1;
  Vec chosen = s.out.rising_by_head.data;
  if (!s.all_heads())
    for (int h = 0; h < n; ++h)
      if (h != s.params.head) chosen[static_cast<std::size_t>(h)] = std::nan("");
  plot.marks.push_back(figure::Bars{"head", 0, s.out.rising_by_head.data, figure::kMute});
  plot.marks.push_back(figure::Bars{"head", 0, std::move(chosen), figure::kAccent});
  if (const NullRange chance = s.chance(); chance.known() && !s.difference)
    plot.marks.push_back(figure::Rule{.at = chance.mean, .ink = figure::kWarm, .width = 1.6f, .dashed = true});
  plot.gestures = {choose({"head"}, "head={head}", say("hint.head"))};
  return plot;
}

/// A head's pattern as a small map.
figure::Panel small_map(const Scene& s, std::size_t head) {
  const auto& shape = s.out.patterns.shape;
  const std::size_t cells = shape[1] * shape[2];
  const auto begin = s.out.patterns.data.begin() + static_cast<std::ptrdiff_t>(head * cells);
  Vec values(begin, begin + static_cast<std::ptrdiff_t>(cells));
  figure::Plot plot{figure::over("column", 0, static_cast<int>(shape[2])),
                    figure::over("row", 0, static_cast<int>(shape[1]))};
  plot.x.quiet = plot.y.quiet = true;
  plot.x.title.clear(), plot.y.title.clear();
  figure::ColourScale colour;
  colour.range = s.difference ? figure::scale_of(values, true) : figure::ShadeScale{0, most_of(values), false};
  if (!s.difference)
    for (std::size_t i = 0; i < shape[1]; ++i)
      for (std::size_t j = i + 1; j < shape[2]; ++j) values[i * shape[2] + j] = std::nan("");
  plot.marks = {figure::Cells{figure::pyramid_of(values, shape[1], shape[2], colour.range), "row", "column"}};
  plot.whole = {{"head", static_cast<int>(head)}};
  plot.gestures = {choose({"head"}, "head={head}", say("hint.head"))};
  std::string title = "0." + std::to_string(head);
  if (head < s.out.rising_by_head.rows() && !s.difference)
    title += "  " + say("panel.rising", {{"share", percent_text(s.out.rising_by_head.data[head], 0)}});
  return {"head" + std::to_string(head), std::move(title), std::move(plot)};
}

// ---- words

bool attends(const protocol::Quantity& share, const protocol::Quantity& even) {
  return share.value >= kDominant && share.value > kTimesEven * even.value;
}

std::string all_title(const Scene& s) {
  const double rising = s.out.rising_heads.value, heads = s.out.heads.value;
  if (!std::isfinite(rising) || !std::isfinite(heads)) return say("title.heads");
  return say(rising == 0       ? "title.no_head"
             : rising == heads ? "title.every_head"
                               : "title.some_heads",
             {{"n", to_fixed(rising, 0)}, {"all", to_fixed(heads, 0)}});
}

std::string title(const Scene& s) {
  if (s.empty()) return say("title.none");
  if (s.all_heads()) return all_title(s);
  const std::string head =
      say(s.params.biases ? "title.head" : "title.without_biases", {{"head", "0." + std::to_string(s.params.head)}});
  if (attends(s.out.to_first, s.out.even)) {
    const bool fades = s.params.biases && s.out.to_first_other.value < s.out.to_first.value / 2;
    return say(fades ? "title.first_by_bias" : "title.first",
               {{"head", head}, {"share", percent_text(s.out.to_first.value, 1)}});
  }
  const double share = s.out.rising.value;
  if (share == 1 || share == 0) return say(share == 1 ? "title.above" : "title.below", {{"head", head}});
  const NullRange chance = s.chance();
  const bool random = chance.known() && share >= chance.least && share <= chance.most;
  return say(random ? "title.as_chance" : "title.rising", {{"head", head}, {"share", percent_text(share, 0)}});
}

std::string subtitle(const Scene& s) {
  if (s.empty()) return say("subtitle.none");
  if (s.all_heads()) return say("subtitle.all");
  if (!s.has_pull()) return say("subtitle.no_pull");
  return say("subtitle.pull", {{"position", std::to_string(s.query)}});
}

figure::Number headline(const Scene& s) {
  if (s.empty()) return {};
  figure::Number n{
      percent_text(s.out.rising.value, 1), {say("lead.of", {{"where", s.out.rising.note}})}, s.out.complete};
  if (const NullRange chance = s.chance(); chance.known())
    n.lines.push_back(say("lead.chance", {{"range", span_text(chance, 0, true)}}));
  return n;
}

/// "attention; to the first 62.6 %, without biases 11.9 %, even 2.0 %"
std::string pattern_title(const Scene& s) {
  if (!std::isfinite(s.out.to_first.value) || s.difference) return say("colour.attention");
  return say("panel.attention",
             {{"share", percent_text(s.out.to_first.value, 1)}, {"even", percent_text(s.out.even.value, 1)}});
}

std::string directions_title(const Scene& s) {
  if (!std::isfinite(s.out.along_share.value) || s.difference) return say("panel.direction");
  return say("panel.along", {{"share", percent_text(s.out.along_share.value, 0)}});
}

std::string chance_text(const Scene& s) {
  const auto part = [](const char* what, const protocol::Grid& grid) {
    const std::string text = span_text(range_of(grid.data), 0, true);
    return text.empty() ? "" : say(what, {{"range", text}});
  };
  std::vector<std::string> parts;
  for (const std::string& one : {part("chance.weights", s.out.random_rising), part("chance.walks", s.out.walk_rising),
                                 part("chance.rows", s.out.rows_rising)})
    if (!one.empty()) parts.push_back(one);
  if (parts.empty()) return {};
  return say("note.chance", {{"ranges", join(parts, ", ")}});
}

std::vector<figure::Note> notes(const Scene& s) {
  using Kind = figure::Note::Kind;
  std::vector<figure::Note> all{
      {Kind::text, say("note.positions")},
      {Kind::equation, "s(i, j) = q_i · k_j / √d_head,  q_i = W_Q ln_1(p_i) + b_Q,  k_j = W_K ln_1(p_j) + b_K"},
      {Kind::text, say("note.arrow")}};
  if (std::isfinite(s.out.held.value))
    all.push_back({Kind::text, say("note.held", {{"held", share_text(s.out.held.value, 1)},
                                                 {"along", percent_text(s.out.along_share.value, 0)},
                                                 {"outward", percent_text(s.out.outward_share.value, 0)}})});
  if (const std::string chance = chance_text(s); !chance.empty()) all.push_back({Kind::text, chance});
  const std::string biases = say(s.params.biases ? "note.without_biases" : "note.with_biases",
                                 {{"other", percent_text(s.out.to_first_other.value, 1)},
                                  {"here", percent_text(s.out.to_first.value, 1)},
                                  {"even", percent_text(s.out.even.value, 1)}});
  all.push_back({Kind::text, sentences({say("note.biases"), std::isfinite(s.out.to_first_other.value) ? biases : ""})});
  all.push_back({Kind::caution, say("note.caution")});
  return all;
}

std::string summary(const Scene& s) {
  if (s.empty()) return say("summary.none");
  const NullRange chance = s.chance();
  const std::string first = say(
      "summary.first", {{"share", percent_text(s.out.to_first.value, 1)}, {"even", percent_text(s.out.even.value, 1)}});
  return sentences(
      {title(s) + ".",
       say(chance.known() ? "summary.chance" : "summary.rises", {{"share", percent_text(s.out.rising.value, 1)},
                                                                 {"where", s.out.rising.note},
                                                                 {"chance", span_text(chance, 0, true)}}),
       std::isfinite(s.out.to_first.value) ? first : ""});
}

figure::Figure view(const protocol::Result& result, const ParamValues&) {
  const Scene s = read(result);
  figure::Figure f;
  f.title = title(s), f.subtitle = subtitle(s), f.summary = summary(s);
  f.lead = headline(s), f.notes = notes(s);
  f.row_links = {{{"head"}, "from=here&head={head}", say("hint.table")}};
  if (s.all_heads()) {
    const auto& shape = s.out.patterns.shape;
    std::vector<figure::Box> boxes;
    for (std::size_t h = 0; shape.size() == 3 && shape[1] > 0 && shape[2] > 0 && h < shape[0]; ++h) {
      f.panels.push_back(small_map(s, h));
      boxes.push_back(figure::panel(f.panels.back().id));
    }
    f.panels.push_back({"heads", say("panel.heads"), heads_plot(s)});
    f.root = figure::column({});
    if (!boxes.empty()) {
      figure::Box maps = figure::grid(std::move(boxes), f.panels.size() > 9 ? 6 : 4);
      maps.least = kLeastMap;
      f.root.children.push_back(std::move(maps));
    }
    f.root.children.push_back(figure::panel("heads"));
    f.across = {"head", 0, static_cast<int>(s.out.rising_by_head.rows()) - 1};
    return f;
  }
  f.panels = {{"helix", "", curve(s)},
              {"query", say("panel.query", {{"position", std::to_string(std::max(s.query, 0))}}), query_plot(s)},
              {"score", say("panel.score"), map(s, true)},
              {"pattern", s.empty() ? "" : pattern_title(s), map(s, false)},
              {"lag", say("panel.lag"), lag_plot(s)},
              {"directions", s.empty() ? "" : directions_title(s), directions(s)},
              {"heads", say("panel.heads"), heads_plot(s)}};
  f.root =
      figure::column({figure::row({figure::panel("helix"),
                                   figure::column({figure::kept_row({figure::panel("score"), figure::panel("pattern")}),
                                                   figure::panel("query")},
                                                  0.52f)}),
                      figure::row({figure::panel("lag"), figure::panel("directions"), figure::panel("heads")})});
  f.narrow =
      figure::column({figure::panel("helix"), figure::panel("query"), figure::panel("heads"), figure::panel("lag"),
                      figure::panel("score"), figure::panel("pattern"), figure::panel("directions")});
  f.across = {"position", 1, static_cast<int>(s.out.points.rows())};
  return f;
}

}  // namespace

ViewStudy view_study() { return {describe(), view, reading}; }

}  // namespace helix::studies::position_scores
