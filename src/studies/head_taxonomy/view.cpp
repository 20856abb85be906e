// All heads on a map of how clearly each has one diagonal, the chosen head's profile, and a table that opens attention.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/text.h"
#include "studies/head_taxonomy/head_taxonomy.h"
#include "studies/registry_view.h"
#include "studies/silenced_heads_view.h"
#include "studies/token_text.h"
#include "studies/undefined.h"

namespace helix::studies::head_taxonomy {
namespace {

using protocol::Grid;

constexpr std::size_t kLagsShown = 32;  // lags of the profile, more if the largest diagonal lies farther away

/// The result, and the head chosen by the controls: the result has all heads, so choosing one needs no run.
struct Scene {
  Output out;
  bool difference = false, complete = true;
  std::size_t layers = 0, heads = 0, lags = 0;
  std::size_t layer = 0, head = 0;  // whose profile is drawn
  std::vector<HeadPlace> silenced{};

  bool empty() const { return layers == 0; }
  std::size_t at(std::size_t l, std::size_t h) const { return l * heads + h; }
  bool looks_back(std::size_t i) const { return i < out.argmax_lag.data.size() && out.argmax_lag.data[i] == 1; }
};

bool is_whole(const Grid& grid, const std::vector<std::size_t>& shape) {
  return grid.shape == shape &&
         grid.data.size() == std::accumulate(shape.begin(), shape.end(), std::size_t{1}, std::multiplies<>());
}

double value_of(const Grid& grid, std::size_t i) { return i < grid.data.size() ? grid.data[i] : std::nan(""); }

/// Heads by their ratio: previous-token heads first, and NaN last.
std::vector<std::size_t> ranking(const Scene& s) {
  std::vector<std::size_t> order(s.layers * s.heads);
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto key = [&](std::size_t i) {
    const double ratio = s.out.ratio.data[i];
    return std::pair(!s.looks_back(i), std::isfinite(ratio) ? ratio : HUGE_VAL);
  };
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
  return order;
}

Scene read(const protocol::Result& result, const ParamValues& asked) {
  Scene s{protocol::read_outputs<Output>(result), result.difference, result.complete};
  s.silenced = silenced_heads(result);
  const auto& shape = s.out.mean_diagonal.shape;
  if (shape.size() != 3 || shape[0] == 0 || shape[1] == 0 || shape[2] == 0) return s;
  if (!is_whole(s.out.mean_diagonal, shape) || !is_whole(s.out.ratio, {shape[0], shape[1]})) return s;
  s.layers = shape[0], s.heads = shape[1], s.lags = shape[2];
  const auto params = read_params<Params>(asked.empty() ? defaults(describe()) : asked);
  const std::size_t clearest = ranking(s).front();
  const auto chosen = [](int index, std::size_t other, std::size_t count) {
    return index < 0 ? other : std::min(static_cast<std::size_t>(index), count - 1);
  };
  s.layer = chosen(params.layer, clearest / s.heads, s.layers);
  s.head = chosen(params.head, clearest % s.heads, s.heads);
  return s;
}

std::string name_of(std::size_t layer, std::size_t head) {
  return "head " + std::to_string(layer) + "." + std::to_string(head);
}

std::string lag_text(double lag) {
  if (!std::isfinite(lag)) return "–";
  return lag == 0 ? "the token itself" : to_fixed(lag, 0) + (lag == 1 ? " token back" : " tokens back");
}

std::vector<double> profile(const Scene& s) {
  const auto from = s.out.mean_diagonal.data.begin() + static_cast<std::ptrdiff_t>(s.at(s.layer, s.head) * s.lags);
  return {from, from + static_cast<std::ptrdiff_t>(s.lags)};
}

/// Whether a previous-token head could be found: one token back was examined.
bool is_examined(const Scene& s) { return std::isfinite(s.out.previous_token_heads.value); }

/// Why the chosen head has no ratio.
std::string no_ratio(const Scene& s) {
  return s.lags < 2 ? "undefined: only one diagonal is examined" : "undefined: its diagonals hold no attention";
}

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

figure::Plot heads(const Scene& s) {
  figure::Plot plot{figure::over("head", 0, static_cast<int>(s.heads)),
                    figure::over("layer", 0, static_cast<int>(s.layers))};
  if (s.empty()) return plot;
  plot.colour = figure::ColourScale{"ratio"};
  if (s.difference) plot.colour->range = figure::scale_of(s.out.ratio.data, true);
  plot.marks = {
      figure::Cells{figure::pyramid_of(s.out.ratio.data, s.layers, s.heads, plot.colour->range), "layer", "head"}};
  for (const bool outer : {true, false})
    if (!s.difference) plot.marks.push_back(previous_token_heads(s, outer));
  strike_out(plot, s.silenced);
  plot.chosen = {{"layer", static_cast<int>(s.layer)}, {"head", static_cast<int>(s.head)}};
  plot.gestures = {{figure::Gesture::On::click,
                    {"layer", "head"},
                    figure::Gesture::Effect::set,
                    "layer={layer}&head={head}",
                    "Click a head to see its profile."}};
  return plot;
}

std::size_t lags_shown(const Scene& s) {
  const double far = value_of(s.out.argmax_lag, s.at(s.layer, s.head));
  const double most = std::isfinite(far) && far > 0 ? far + 8 : 0;
  return std::min(s.lags, std::max(kLagsShown, static_cast<std::size_t>(std::min(most, 1e6))));
}

figure::Plot lag_profile(const Scene& s) {
  figure::Plot plot{figure::over("lag", 0, 0), figure::over("", 0, 0)};
  if (s.empty()) return plot;
  const std::size_t shown = lags_shown(s);
  plot.x = figure::over("lag", 0, static_cast<int>(shown));
  plot.x.title = "tokens back";
  if (shown < s.lags) plot.x.title += " (the first " + std::to_string(shown) + " of " + std::to_string(s.lags) + ")";
  plot.y = figure::quantity("mean attention");
  plot.y.from_zero = true;
  const auto line = [&](std::vector<double> values, std::string name, figure::Ink ink) {
    values.resize(std::min(values.size(), shown));
    figure::Line l{"lag", 0, figure::over_index(std::move(values)), ink, std::move(name)};
    l.digits = 3;
    return l;
  };
  figure::Line even = line(s.out.even.data, "even attention", figure::kMute);
  even.dashed = true, even.width = 1.6f;
  figure::Line own = line(profile(s), name_of(s.layer, s.head), figure::series(0));
  own.dots = true;
  plot.marks = {std::move(even), std::move(own)};
  return plot;
}

/// The number of the chosen head.
figure::Number headline(const Scene& s) {
  if (s.empty()) return {};
  const std::size_t i = s.at(s.layer, s.head);
  figure::Number n{number_text(s.out.ratio.data[i], 3), {"ratio of " + name_of(s.layer, s.head)}, s.complete};
  if (!std::isfinite(s.out.ratio.data[i])) {
    n.lines.push_back(no_ratio(s));
    return n;
  }
  n.lines.push_back("largest mean diagonal: " + lag_text(value_of(s.out.argmax_lag, i)));
  n.lines.push_back(
      percent_text(value_of(s.out.previous, i), 1) +
      " of its attention goes one token back; even attention: " + percent_text(s.out.even_previous.value, 1));
  return n;
}

// ---- tables

figure::Table all_heads(const Scene& s) {
  figure::Table t{"All heads",
                  {{"head", "", 0, {}, {}},
                   {"layer", "", 0, {}},
                   {"ratio", "", 3, {}},
                   {"largest mean at", "tokens", 0, {}},
                   {"one token back", "", 4, {}},
                   {"largest mean", "", 4, {}}}};
  for (const std::size_t i : ranking(s)) {
    const std::string l = std::to_string(i / s.heads), h = std::to_string(i % s.heads);
    const double lag = value_of(s.out.argmax_lag, i);
    t.columns[0].texts.push_back(l + "." + h);
    t.columns[1].values.push_back(static_cast<double>(i / s.heads));
    t.columns[2].values.push_back(s.out.ratio.data[i]);
    t.columns[3].values.push_back(lag);
    t.columns[4].values.push_back(value_of(s.out.previous, i));
    const bool there = lag >= 0 && lag < static_cast<double>(s.lags);
    t.columns[5].values.push_back(there ? s.out.mean_diagonal.data[i * s.lags + static_cast<std::size_t>(lag)]
                                        : std::nan(""));
    t.go.push_back("from=here&study=attention&attention.layer=" + l + "&attention.head=" + h);
  }
  t.help =
      "Ratio: the second-largest mean diagonal over the largest. A row opens the attention of its head on this prompt";
  t.open = !s.empty();
  return t;
}

figure::Table profile_table(const Scene& s) {
  figure::Table t{"Mean attention by distance, " + name_of(s.layer, s.head),
                  {{"tokens back", "", 0, {}}, {"mean attention", "", 4, {}}, {"even attention", "", 4, {}}}};
  if (s.empty()) return t;
  t.columns[1].values = profile(s);
  for (std::size_t lag = 0; lag < s.lags; ++lag) {
    t.columns[0].values.push_back(static_cast<double>(lag));
    t.columns[2].values.push_back(value_of(s.out.even, lag));
  }
  return t;
}

// ---- words

/// "11 of 48 heads attend most to the previous token", or that none could be found.
std::string finding(const Scene& s) {
  if (!is_examined(s)) return "Which heads attend most to the previous token was not examined";
  const double count = s.out.previous_token_heads.value;
  return number_text(count, 0) + " of " + number_text(s.out.heads.value, 0) +
         (count == 1 ? " heads attends most to the previous token" : " heads attend most to the previous token");
}

std::string title(const Scene& s, const protocol::Result& result) {
  return s.empty() ? "Heads by where they attend" : finding(s) + with_edits(result);
}

std::string subtitle(const Scene& s, const protocol::Result& result) {
  if (s.empty()) return "Waiting for a run.";
  const std::size_t tokens = result.tokens.size();
  return silenced_text(s.silenced, {s.layer, s.head}) +
         "Mean attention along each diagonal of each head's pattern, over " +
         with_thousands(static_cast<long long>(tokens)) + (tokens == 1 ? " token. " : " tokens. ") +
         (is_examined(s) ? std::string("Dots mark the heads that attend most to the previous token; a head that looks "
                                       "everywhere equally gets none.")
                         : "The count is " + or_why_not(s.out.previous_token_heads, "") + ".") +
         (s.silenced.empty() ? "" : " A stroke marks a head that an edit switches off.");
}

std::string summary(const Scene& s) {
  if (s.empty()) return "The figure waits for a run.";
  const std::size_t i = s.at(s.layer, s.head);
  const std::string ratio = std::isfinite(s.out.ratio.data[i])
                                ? "The largest mean diagonal of " + name_of(s.layer, s.head) + " is " +
                                      lag_text(value_of(s.out.argmax_lag, i)) + ", and its second-largest is " +
                                      percent_text(s.out.ratio.data[i], 1) + " of it."
                                : "The ratio of " + name_of(s.layer, s.head) + " is " + no_ratio(s) + ".";
  return finding(s) + ". " + ratio;
}

std::vector<figure::Note> notes(const Scene& s) {
  using Kind = figure::Note::Kind;
  std::vector<figure::Note> out{
      {Kind::text,
       "A diagonal of an attention pattern is one distance: every token and the token so many places before it. The "
       "mean "
       "along it says how much attention a head gives to that distance. A previous-token head has its largest mean one "
       "token back."},
      {Kind::equation, "ratio = second-largest mean diagonal / largest mean diagonal"},
      {Kind::text,
       "A ratio near 0 means that one diagonal stands out; near 1, that two are alike. The first token's row and "
       "column "
       "are left out, because most heads attend to it when they have nothing else to do. Even attention has its "
       "largest "
       "diagonal at the token itself."}};
  if (!s.empty() && s.out.even_previous.value > 0)
    out.push_back({Kind::text, "With even attention " + percent_text(s.out.even_previous.value, 1) +
                                   " would go one token back on this prompt."});
  out.push_back({Kind::caution,
                 "This does not show how much a head does. The ratio compares a head's diagonals with each other, "
                 "however little of its attention they hold. On another prompt the count is another."});
  return out;
}

figure::Reading of_head(const Scene& s, std::size_t layer, std::size_t head) {
  const std::size_t i = s.at(layer, head);
  return {
      "layer " + std::to_string(layer) + ", head " + std::to_string(head),
      {"ratio  " + number_text(s.out.ratio.data[i], 3), "largest diagonal  " + lag_text(value_of(s.out.argmax_lag, i)),
       "one token back  " + number_text(value_of(s.out.previous, i), 4)}};
}

figure::Reading reading(const protocol::Result& result, const ParamValues& asked, const ViewState& view) {
  const Scene s = read(result, asked);
  const Focus& f = view.focus;
  const int layer = f.at("layer"), head = f.at("head"), lag = f.at("lag");
  if (s.empty()) return {};
  if (layer >= 0 && head >= 0) {
    const auto l = static_cast<std::size_t>(layer), h = static_cast<std::size_t>(head);
    return l < s.layers && h < s.heads ? of_head(s, l, h) : figure::Reading();
  }
  if (lag < 0 || static_cast<std::size_t>(lag) >= s.lags) return {};
  const auto i = static_cast<std::size_t>(lag);
  return {lag_text(lag),
          {name_of(s.layer, s.head) + "  " + number_text(profile(s)[i], 4),
           "even attention  " + number_text(value_of(s.out.even, i), 4)}};
}

figure::Figure view(const protocol::Result& result, const ParamValues& asked) {
  const Scene s = read(result, asked);
  figure::Figure f;
  f.title = title(s, result), f.subtitle = subtitle(s, result), f.summary = summary(s);
  f.panels = {{"heads", "", heads(s)}, {"profile", "", lag_profile(s)}, {"number", "", headline(s)}};
  f.root = figure::row(
      {figure::panel("heads", 0.5f, 220, 520), figure::column({figure::panel("number"), figure::panel("profile")})});
  f.notes = notes(s);
  f.tables = {all_heads(s), profile_table(s)};
  f.down = {"layer", 0, static_cast<int>(s.layers) - 1}, f.across = {"head", 0, static_cast<int>(s.heads) - 1};
  return f;
}

}  // namespace

ViewStudy view_study() { return {describe(), view, reading}; }

}  // namespace helix::studies::head_taxonomy
