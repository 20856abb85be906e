// All heads on a map of one metric and in a scatter of two, the chosen head's profile, and a table that opens attention.
#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include "base/text.h"
#include "studies/head_taxonomy/view_scene.h"
#include "studies/head_taxonomy/view_tables.h"
#include "studies/registry_view.h"
#include "studies/scaled_heads_view.h"
#include "studies/token_text.h"
#include "studies/undefined.h"

namespace helix::studies::head_taxonomy {
namespace {

constexpr double kRoom = 0.06;  // of the scatter's width

// ---- panels

/// A dot on each previous-token head: `outer` draws its edge, which makes it visible on every colour.
figure::Points previous_token_heads(const Scene& s, bool outer) {
  auto at = std::make_shared<figure::Coordinates>();
  at->dims = 2;
  for (std::size_t i = 0; i < s.layers * s.heads; ++i)
    if (s.looks_back(i))
      at->data.insert(at->data.end(), {static_cast<double>(i % s.heads), static_cast<double>(i / s.heads)});
  figure::Points points;
  points.at = std::move(at);
  points.ink = outer ? figure::kText : figure::kWarm, points.radius = outer ? 4.5f : 3.0f;
  return points;
}

/// Of the metric, or of its change.
std::string shown_name(const Scene& s, Metric metric) {
  return s.difference ? say("change", {{"metric", metric_name(metric)}}) : metric_name(metric);
}

figure::Plot heads(const Scene& s) {
  figure::Plot plot{figure::over("head", 0, static_cast<int>(s.heads)),
                    figure::over("layer", 0, static_cast<int>(s.layers))};
  if (s.empty()) return plot;
  const Grid& values = s.values(s.params.metric);
  plot.colour = figure::ColourScale{shown_name(s, s.params.metric)};
  std::vector<double> known =
      is_whole(values, {s.layers, s.heads}) ? values.data : std::vector<double>(s.layers * s.heads, std::nan(""));
  if (std::ranges::any_of(known, [](double x) { return std::isnan(x); }))
    plot.colour->missing = shared_words("undefined");
  plot.colour->range = figure::scale_of(known, s.difference);
  if (!s.difference) plot.colour->range.low = 0;
  plot.marks = {figure::Cells{figure::pyramid_of(known, s.layers, s.heads, plot.colour->range), "layer", "head"}};
  for (const bool outer : {true, false})
    if (!s.difference && s.about_previous()) plot.marks.push_back(previous_token_heads(s, outer));
  plot.chosen = {{"layer", static_cast<int>(s.layer)}, {"head", static_cast<int>(s.head)}};
  plot.gestures = {{figure::Gesture::On::click,
                    {"layer", "head"},
                    figure::Gesture::Effect::set,
                    "layer={layer}&head={head}",
                    say("hint.click")}};
  if (!s.difference) add_head_acts(plot);
  return plot;
}

figure::Rule even_rule(bool upright, double at) {
  return {.upright = upright, .at = at, .label = "even", .ink = figure::kMute, .width = 1.4f, .dashed = true};
}

/// From the smallest to the largest of a window, along both axes, through the chosen head.
void add_whiskers(const Scene& s, figure::Plot& plot) {
  const std::size_t i = s.at(s.layer, s.head);
  const Metric across = s.params.metric, up = s.params.beside;
  const double x = value_of(s.values(across), i), y = value_of(s.values(up), i);
  const auto whisker = [&](std::vector<double> points) {
    figure::Line line{"", 0, {2, std::move(points)}, figure::kAccent};
    line.width = 1.6f;
    plot.marks.push_back(std::move(line));
  };
  if (!std::isfinite(x) || !std::isfinite(y)) return;
  if (const Between range = s.spread(across, i); range.known()) whisker({range.least, y, range.most, y});
  if (const Between range = s.spread(up, i); range.known()) whisker({x, range.least, x, range.most});
}

/// The heads by two metrics: one mark for each layer, so that a point knows its layer and its head.
figure::Plot scatter(const Scene& s) {
  const Metric across = s.params.metric, up = s.params.beside;
  const auto axis = [&](Metric metric) {
    figure::Scale scale = figure::quantity(shown_name(s, metric), metric == Metric::entropy ? "bits"
                                                                  : metric == Metric::ratio ? ""
                                                                                            : "fraction");
    scale.percent = metric != Metric::entropy && metric != Metric::ratio;
    return scale;
  };
  figure::Plot plot{axis(across), axis(up)};
  plot.y.from_zero = !s.difference;
  // Some room before the first head, so that the two axes' first numbers do not meet in the corner.
  if (const figure::ShadeScale range = figure::scale_of(s.values(across).data, s.difference); !s.empty())
    plot.x.low = range.low - kRoom * (range.high - range.low);
  if (s.empty()) return plot;
  const Grid &x = s.values(across), &y = s.values(up);
  if (!s.difference && std::isfinite(s.level(across))) plot.marks.push_back(even_rule(true, s.level(across)));
  if (!s.difference && std::isfinite(s.level(up))) plot.marks.push_back(even_rule(false, s.level(up)));
  add_whiskers(s, plot);
  const std::vector<std::size_t> order = ranking(s);
  for (std::size_t l = 0; l < s.layers; ++l) {
    auto at = std::make_shared<figure::Coordinates>();
    at->dims = 2;
    figure::Points points{"head", 0, nullptr, figure::kAccent, 3.6f};
    for (std::size_t h = 0; h < s.heads; ++h) {
      const std::size_t i = s.at(l, h);
      at->data.insert(at->data.end(), {value_of(x, i), value_of(y, i)});
      const bool named = std::find(order.begin(), order.begin() + std::min<std::ptrdiff_t>(3, std::ssize(order)), i) <
                         order.begin() + std::min<std::ptrdiff_t>(3, std::ssize(order));
      points.labels.push_back(named || (l == s.layer && h == s.head) ? std::to_string(l) + "." + std::to_string(h)
                                                                     : "");
    }
    points.at = std::move(at), points.whole = {{"layer", static_cast<int>(l)}};
    plot.marks.push_back(std::move(points));
  }
  plot.gestures = {{figure::Gesture::On::click,
                    {"layer", "head"},
                    figure::Gesture::Effect::set,
                    "layer={layer}&head={head}",
                    say("hint.click")}};
  return plot;
}

std::size_t lags_shown(const Scene& s) {
  const double far = value_of(s.out.argmax_lag, s.at(s.layer, s.head));
  const double most = std::isfinite(far) && far > 0 ? far + 8 : 0;
  return std::min(s.lags, std::max(kLagsShown, static_cast<std::size_t>(std::min(most, 1e6))));
}

/// Between the smallest and the largest mean diagonal of a window.
std::optional<figure::Area> window_band(const Scene& s, std::size_t shown) {
  figure::Area band{"lag", 0};
  for (std::size_t lag = 0; lag < shown; ++lag) {
    const Between range = s.lag_spread(lag);
    if (!range.known()) return std::nullopt;
    band.low.push_back(range.least), band.high.push_back(range.most);
  }
  band.ink = figure::series(0);
  return band;
}

figure::Plot lag_profile(const Scene& s) {
  figure::Plot plot{figure::over("lag", 0, 0), figure::over("", 0, 0)};
  if (s.empty()) return plot;
  const std::size_t shown = lags_shown(s);
  plot.x = figure::over("lag", 0, static_cast<int>(shown));
  plot.x.title = shown < s.lags
                     ? say("axis.some_lags", {{"shown", std::to_string(shown)}, {"lags", std::to_string(s.lags)}})
                     : say("axis.lags");
  plot.y = figure::quantity("mean attention");
  plot.y.from_zero = true;
  const auto line = [&](std::vector<double> values, std::string name, figure::Ink ink) {
    values.resize(std::min(values.size(), shown));
    figure::Line l{"lag", 0, figure::over_index(std::move(values)), ink, std::move(name)};
    l.digits = 3;
    return l;
  };
  figure::Line even = line(s.out.even.data, say("row.even"), figure::kMute);
  even.dashed = true, even.width = 1.6f;
  figure::Line own = line(profile(s), name_of(s.layer, s.head), figure::series(0));
  own.dots = true;
  if (auto band = window_band(s, shown)) plot.marks.push_back(std::move(*band));
  plot.marks.push_back(std::move(even)), plot.marks.push_back(std::move(own));
  figure::Gesture brush{figure::Gesture::On::brush,
                        {"lag"},
                        figure::Gesture::Effect::set,
                        "metric=lags&first_lag={lag.first}&last_lag={lag.last}",
                        say("hint.brush")};
  brush.first = static_cast<int>(s.lag_range().first), brush.last = static_cast<int>(s.lag_range().second);
  plot.gestures = {std::move(brush)};
  return plot;
}

/// The number of the chosen head.
figure::Number headline(const Scene& s) {
  if (s.empty()) return {};
  const std::size_t i = s.at(s.layer, s.head);
  if (s.params.metric != Metric::ratio) {
    const Metric metric = s.params.metric;
    const double value = value_of(s.values(metric), i);
    figure::Number n{std::isfinite(value) ? metric_text(metric, value) : "–", {}, s.complete};
    n.lines = {say("lead.metric", {{"metric", metric_name(metric)}, {"head", name_of(s.layer, s.head)}})};
    if (const std::string range = spread_text(s, metric, i); !range.empty()) n.lines.push_back(range);
    n.lines.push_back(say("lead.even", {{"value", metric_text(metric, s.level(metric))}}));
    if (metric == Metric::previous && std::isfinite(s.out.ratio.data[i]))
      n.lines.push_back(say("lead.next", {{"share", percent_text(s.out.ratio.data[i], 0)}}));
    return n;
  }
  figure::Number n{
      number_text(s.out.ratio.data[i], 3), {say("lead.ratio", {{"head", name_of(s.layer, s.head)}})}, s.complete};
  if (!std::isfinite(s.out.ratio.data[i])) {
    n.lines.push_back(no_ratio(s));
    return n;
  }
  if (const std::string range = spread_text(s, Metric::ratio, i); !range.empty()) n.lines.push_back(range);
  n.lines.push_back(say("lead.largest", {{"lag", lag_text(value_of(s.out.argmax_lag, i))}}));
  n.lines.push_back(say("lead.back", {{"share", percent_text(value_of(s.out.previous, i), 1)},
                                      {"even", percent_text(s.out.even_previous.value, 1)}}));
  return n;
}

// ---- words

/// ", 9 of them in every one of 3 windows"; empty where the text is one window.
std::string in_every_window(const Scene& s) {
  const double count = s.out.previous_token_heads.value, every = s.out.every_window.value;
  if (s.difference || s.windows() < 2 || !std::isfinite(every) || count == 0) return {};
  const char* id = count == 1       ? (every == 1 ? "windows.it" : "windows.not_it")
                   : every == 0     ? "windows.none"
                   : every == count ? "windows.all"
                                    : "windows.some";
  return say(id, {{"every", number_text(every, 0)}, {"windows", std::to_string(s.windows())}});
}

/// "11 of 48 heads attend most to the previous token", or that none could be found.
std::string finding(const Scene& s) {
  if (!is_examined(s)) return say("title.not_examined");
  return say("title.heads", {{"n", number_text(s.out.previous_token_heads.value, 0)},
                             {"heads", number_text(s.out.heads.value, 0)},
                             {"windows", in_every_window(s)}});
}

/// " (50.1–60.2 % over 3 windows)"; empty where the text is one window.
std::string in_brackets(const Scene& s, Metric metric, std::size_t head) {
  const std::string range = spread_text(s, metric, head);
  return range.empty() ? "" : " (" + range + ")";
}

/// "Head 5.0 attends most to what followed the same token: 55.3 %, even attention 4.1 %", or that none stands out.
std::string metric_finding(const Scene& s) {
  const Metric metric = s.params.metric;
  const std::size_t best = ranking(s).front();
  const double value = value_of(s.values(metric), best), even = s.level(metric);
  if (!std::isfinite(value) && metric != Metric::lags)
    return say(metric == Metric::induction ? "title.nothing_followed" : "title.no_repeat");
  const std::string head = std::to_string(best / s.heads) + "." + std::to_string(best % s.heads),
                    found = metric_text(metric, value), range = in_brackets(s, metric, best),
                    level = metric_text(metric, even);
  if (metric == Metric::entropy)
    return say("title.fewest", {{"head", head}, {"value", found}, {"range", range}, {"even", level}});
  const std::string what = object_of(s, metric);
  if (!(value >= kTimesEven * even)) return say("title.no_head", {{"what", what}, {"even", level}});
  return say("title.most", {{"head", head}, {"what", what}, {"value", found}, {"range", range}, {"even", level}});
}

std::string title(const Scene& s, const protocol::Result& result) {
  if (s.empty()) return say("title");
  if (s.difference && !s.about_previous()) return say("title.change", {{"metric", metric_name(s.params.metric)}});
  return (s.about_previous() ? finding(s) : metric_finding(s)) + with_edits(result);
}

/// "1,200 tokens", "1,200 tokens in 3 windows of 512"
std::string text_length(const Scene& s, std::size_t tokens) {
  const auto count = [](std::size_t n) { return with_thousands(static_cast<long long>(n)); };
  if (s.windows() < 2) return say("tokens", {{"n", count(tokens)}});
  return say("tokens.windows",
             {{"n", count(tokens)}, {"windows", count(s.windows())}, {"window", number_text(s.out.window.value, 0)}});
}

std::string subtitle(const Scene& s, const protocol::Result& result) {
  if (s.empty()) return say("subtitle.waiting");
  const std::string tokens = text_length(s, result.tokens.size()), scaled = scaled_text(s.scaled, s.layer, s.head),
                    range = s.difference || s.windows() < 2 ? "" : say("subtitle.range");
  if (!s.about_previous())
    return scaled +
           sentences({say("subtitle.metric", {{"tokens", tokens}, {"metric", metric_name(s.params.beside)}}), range});
  return scaled +
         sentences({say("subtitle.diagonals", {{"tokens", tokens}}),
                    is_examined(s) ? say("subtitle.dots")
                                   : say("subtitle.no_count", {{"why", or_why_not(s.out.previous_token_heads, "")}}),
                    range, any_is_off(s.scaled) ? say("subtitle.stroke") : ""});
}

std::string summary(const Scene& s) {
  if (s.empty()) return say("summary.waiting");
  if (!s.about_previous()) return metric_finding(s) + ".";
  const std::size_t i = s.at(s.layer, s.head);
  const std::string head = name_of(s.layer, s.head), range = spread_text(s, Metric::previous, i);
  const std::string ratio = std::isfinite(s.out.ratio.data[i])
                                ? say("summary.ratio", {{"head", head},
                                                        {"lag", lag_text(value_of(s.out.argmax_lag, i))},
                                                        {"share", percent_text(s.out.ratio.data[i], 1)}})
                                : say("summary.no_ratio", {{"head", head}, {"why", no_ratio(s)}});
  return sentences({finding(s) + ".", ratio, range.empty() ? "" : say("summary.range", {{"range", range}})});
}

std::vector<figure::Note> notes(const Scene& s) {
  using Kind = figure::Note::Kind;
  std::vector<figure::Note> out{{Kind::text, say("note.diagonal")},
                                {Kind::equation, "ratio = second-largest mean diagonal / largest mean diagonal"},
                                {Kind::text, say("note.ratio")}};
  if (!s.empty() && s.out.even_previous.value > 0)
    out.push_back({Kind::text, say("note.even", {{"share", percent_text(s.out.even_previous.value, 1)}})});
  out.push_back({Kind::text, say("note.induction")});
  if (!s.empty() && s.windows() > 1) out.push_back({Kind::text, say("note.windows")});
  out.push_back({Kind::caution, say("note.caution")});
  return out;
}

figure::Reading of_head(const Scene& s, std::size_t layer, std::size_t head) {
  const std::size_t i = s.at(layer, head);
  figure::Reading r{
      "layer " + std::to_string(layer) + ", head " + std::to_string(head),
      {"ratio  " + number_text(s.out.ratio.data[i], 3), "largest diagonal  " + lag_text(value_of(s.out.argmax_lag, i)),
       "one token back  " + number_text(value_of(s.out.previous, i), 4),
       "itself  " + number_text(value_of(s.out.self, i), 4), "first token  " + number_text(value_of(s.out.first, i), 4),
       "after the same  " + number_text(value_of(s.out.induction, i), 4),
       "entropy  " + say("bits", {{"n", number_text(value_of(s.out.entropy, i), 2)}})}};
  const Metric metric = s.params.metric;
  if (const std::string range = spread_text(s, metric, i); !range.empty())
    r.lines.push_back(metric_name(metric) + "  " + range);
  if (const double in = value_of(s.out.in_windows, i); !s.difference && s.windows() > 1 && std::isfinite(in))
    r.lines.push_back(say("reading.windows", {{"in", number_text(in, 0)}, {"windows", std::to_string(s.windows())}}));
  return r;
}

figure::Reading reading(const figure::Reading&, const protocol::Result& result, const ParamValues& asked,
                        const ViewState& view) {
  const Scene s = read(result, asked);
  const Focus& f = view.focus;
  const int layer = f.at("layer"), head = f.at("head"), lag = f.at("lag");
  if (s.empty()) return {};
  if (layer >= 0 && head >= 0) {
    const auto l = static_cast<std::size_t>(layer), h = static_cast<std::size_t>(head);
    if (l >= s.layers || h >= s.heads) return {};
    figure::Reading r = of_head(s, l, h);
    add_scaled_line(r, s.scaled, view);
    return r;
  }
  if (lag < 0 || static_cast<std::size_t>(lag) >= s.lags) return {};
  const auto i = static_cast<std::size_t>(lag);
  figure::Reading r{lag_text(lag),
                    {name_of(s.layer, s.head) + "  " + number_text(profile(s)[i], 4),
                     say("row.even") + "  " + number_text(value_of(s.out.even, i), 4)}};
  if (const Between range = s.lag_spread(i); range.known())
    r.lines.push_back("windows  " + number_text(range.least, 4) + "–" + number_text(range.most, 4));
  return r;
}

figure::Figure view(const protocol::Result& result, const ParamValues& asked) {
  const Scene s = read(result, asked);
  figure::Figure f;
  f.title = title(s, result), f.subtitle = subtitle(s, result), f.summary = summary(s);
  f.panels = {{"heads", s.empty() ? "" : shown_name(s, s.params.metric), heads(s)},
              {"scatter", "", scatter(s)},
              {"profile", "", lag_profile(s)}};
  f.lead = headline(s);
  f.root = figure::row(
      {figure::panel("heads", 0.42f, 220, 520), figure::column({figure::panel("scatter"), figure::panel("profile")})});
  f.notes = notes(s);
  f.tables = {all_heads(s), profile_table(s)};
  show_scaled_heads(f, s.scaled);
  f.down = {"layer", 0, static_cast<int>(s.layers) - 1}, f.across = {"head", 0, static_cast<int>(s.heads) - 1};
  return f;
}

}  // namespace

ViewStudy view_study() { return {describe(), view, reading}; }

}  // namespace helix::studies::head_taxonomy
