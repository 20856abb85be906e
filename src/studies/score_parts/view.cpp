// What a head's scores differ by, part by part, beside what random heads have; each part by lag; and the parts as maps.
#include <algorithm>
#include <cmath>
#include <utility>

#include "base/text.h"
#include "figure/dots.h"
#include "studies/null_range.h"
#include "studies/reading_view.h"
#include "studies/registry_view.h"
#include "studies/score_parts/score_parts.h"
#include "studies/token_text.h"
#include "studies/undefined.h"

namespace helix::studies::score_parts {
namespace {

using Vec = std::vector<double>;

constexpr double kUsual = 0.5;    // attention from which on the head is said to look back one token
constexpr double kTimesEven = 2;  // and also so many times what even attention gives
constexpr float kHigh = 250;      // of the upper plots, in pixels
constexpr std::size_t kMaps[] = {0, 1, 2, 3};
constexpr const char* kMapIds[] = {"pp", "pt", "tp", "tt"};

struct Scene {
  const protocol::Result& result;
  Output out;
  bool difference() const { return result.difference; }
  bool empty() const { return out.share.data.size() != kParts || out.part.size() != kParts; }
  std::size_t side() const { return out.score.rows(); }
  bool has_maps() const {
    return !empty() && side() > 0 && out.score.data.size() == side() * side() &&
           out.parts.data.size() == kParts * side() * side();
  }
  std::size_t lags() const {
    const std::size_t n = out.score_by_lag.data.size();
    return out.by_lag.data.size() == kParts * n ? n : 0;
  }
  std::string head() const {
    return say("head", {{"head", number_text(out.layer.value, 0) + "." + number_text(out.head.value, 0)}});
  }
  /// Over the seeds, of one part.
  NullRange random(std::size_t part) const {
    Vec values;
    for (std::size_t i = part; i < out.random_share.data.size(); i += kParts)
      values.push_back(out.random_share.data[i]);
    return range_of(values);
  }
  /// "45–52 %" of positions alone (parts 0 and 4) or of tokens alone (3 and 5).
  NullRange random_of(std::size_t a, std::size_t b) const {
    Vec values;
    for (std::size_t i = 0; i + kParts <= out.random_share.data.size(); i += kParts)
      values.push_back(out.random_share.data[i + a] + out.random_share.data[i + b]);
    return range_of(values);
  }
  bool looks_back() const {
    return out.previous.value >= kUsual && out.previous.value >= kTimesEven * out.even_previous.value;
  }
};

Scene read(const protocol::Result& result) { return {result, protocol::read_outputs<Output>(result)}; }

// ---- panels

/// A row for each part: the head's share, and in grey that of random heads; left of zero a part works against the score.
figure::Plot shares_plot(const Scene& s) {
  std::vector<std::string> names(s.out.part.begin(), s.out.part.end());
  const auto rows = static_cast<int>(names.size());
  figure::Plot plot{figure::quantity("", "fraction"), figure::over("part", 0, rows, std::move(names))};
  plot.y.title.clear(), plot.x.percent = true, plot.height = kHigh;
  if (s.empty()) return plot;
  std::vector<std::string> labels;
  Vec random;
  for (std::size_t p = 0; p < kParts; ++p)
    labels.push_back(percent_text(s.out.share.data[p], 1)), random.push_back(s.random(p).mean);
  plot.marks = {figure::Rule{.upright = true, .at = 0, .ink = figure::kMute, .width = 1.2f}};
  if (!s.difference()) plot.marks.push_back(figure::row_dots("part", 0, random, figure::kMute, 3.4f));
  plot.marks.push_back(figure::row_dots("part", 0, s.out.share.data, figure::kAccent, 5, std::move(labels)));
  return plot;
}

Vec lag_row(const Scene& s, std::size_t part) {
  const std::size_t n = s.lags();
  const auto begin = s.out.by_lag.data.begin() + static_cast<std::ptrdiff_t>(part * n);
  return {begin, begin + static_cast<std::ptrdiff_t>(n)};
}

figure::Plot lag_plot(const Scene& s) {
  const auto n = static_cast<int>(s.lags());
  figure::Plot plot{figure::over("lag", 0, n), figure::quantity(say(s.difference() ? "axis.change" : "axis.score"))};
  plot.x.title = say("axis.back"), plot.height = kHigh;
  if (n == 0) return plot;
  const auto line = [&](Vec values, std::string name, figure::Ink ink, float width) {
    figure::Line one{"lag", 0, figure::over_index(std::move(values)), ink, std::move(name)};
    one.width = width;
    return one;
  };
  plot.marks.push_back(figure::Rule{.at = 0, .ink = figure::kMute, .width = 1});
  plot.marks.push_back(line(lag_row(s, 4), say("line.any"), figure::series(4), 1.4f));
  plot.marks.push_back(line(lag_row(s, 3), say("line.token"), figure::series(1), 1.8f));
  plot.marks.push_back(line(lag_row(s, 0), say("line.position"), figure::kAccent, 2.6f));
  figure::Line whole = line(s.out.score_by_lag.data, say("line.score"), figure::kText, 1.6f);
  whole.dashed = true;
  plot.marks.push_back(std::move(whole));
  if (const Vec positions = lag_row(s, 0); !s.difference() && !positions.empty()) {
    const auto most = static_cast<std::size_t>(std::ranges::max_element(positions) - positions.begin());
    if (std::isfinite(positions[most]))
      plot.marks.push_back(figure::Callout{{static_cast<double>(most), positions[most]},
                                           say("callout.favour", {{"lag", std::to_string(most)}})});
  }
  return plot;
}

/// All maps on one scale, diverging about the mean of a query's keys.
figure::Plot map(const Scene& s, Vec values, const figure::ShadeScale& scale) {
  const auto n = static_cast<int>(s.side());
  figure::Plot plot{figure::over("key", 0, n), figure::over("query", 0, n)};
  plot.x.quiet = plot.y.quiet = true;
  if (values.empty()) return plot;
  plot.colour = figure::ColourScale{say(s.difference() ? "colour.change" : "colour.score")};
  plot.colour->id = "score", plot.colour->range = scale;
  figure::Cells cells;
  cells.row_axis = "query", cells.col_axis = "key";
  cells.cells = figure::pyramid_of(values, s.side(), s.side(), scale);
  plot.marks = {std::move(cells)};
  return plot;
}

Vec map_of(const Scene& s, std::size_t part) {
  const std::size_t cells = s.side() * s.side();
  const auto begin = s.out.parts.data.begin() + static_cast<std::ptrdiff_t>(part * cells);
  return {begin, begin + static_cast<std::ptrdiff_t>(cells)};
}

// ---- words

std::string title(const Scene& s) {
  if (s.empty() || s.difference()) return say(s.empty() ? "title.none" : "title.change");
  const double position = s.out.position_share.value, token = s.out.token_share.value;
  const std::string edits = with_edits(s.result);
  if (!std::isfinite(position)) return say("title.same", {{"head", s.head()}}) + edits;
  return say(position >= token ? "title.positions" : "title.tokens",
             {{"head", s.head()}, {"position", percent_text(position, 0)}, {"token", percent_text(token, 0)}}) +
         edits;
}

std::string subtitle(const Scene& s) {
  if (s.empty()) return say("subtitle.none");
  if (s.difference()) return say("subtitle.change");
  if (!std::isfinite(s.out.position_share.value)) return say("subtitle.nothing");
  const double lag = s.out.peak_lag.value;
  return sentences(
      {say(s.random(0).known() ? "subtitle.random" : "subtitle.random_follow",
           {{"positions", span_text(s.random_of(0, 4), 0, true)}, {"tokens", span_text(s.random_of(3, 5), 0, true)}}),
       say(!std::isfinite(lag) ? "subtitle.no_key"
           : lag == 0          ? "subtitle.itself"
                               : "subtitle.back",
           {{"n", number_text(lag, 0)}, {"share", percent_text(s.out.previous.value, 1)}})});
}

figure::Number headline(const Scene& s) {
  if (s.empty()) return {};
  if (!std::isfinite(s.out.position_share.value))
    return {"–", {or_why_not(s.out.position_share, "")}, s.result.complete};
  figure::Number n{percent_text(s.out.position_share.value, 1), {say("lead.positions")}, s.result.complete};
  if (s.random(0).known()) n.lines.push_back(say("lead.random", {{"range", span_text(s.random_of(0, 4), 0, true)}}));
  n.lines.push_back(say("lead.tokens", {{"share", percent_text(s.out.token_share.value, 1)}}));
  return n;
}

std::vector<figure::Note> notes(const Scene& s) {
  using Kind = figure::Note::Kind;
  std::vector<figure::Note> out{{Kind::text, say("note.sums")},
                                {Kind::equation, "s(i, j) √d_head = (q_i^p + q_i^t + q_i^c) · (k_j^p + k_j^t + k_j^c)"},
                                {Kind::text, say("note.shares")},
                                {Kind::caution, say("note.caution")}};
  if (!s.empty() && std::isfinite(s.out.residual_error.value))
    out.push_back({Kind::text, say("note.error", {{"error", number_text(s.out.residual_error.value, 7)}})});
  return out;
}

figure::Reading reading(const figure::Reading&, const protocol::Result& result, const ParamValues&,
                        const ViewState& view) {
  const Scene s = read(result);
  figure::Reading r;
  if (s.empty()) return r;
  const auto at = [&](const char* axis, std::size_t count) {
    const int i = view.focus.has(axis) ? view.focus.at(axis) : -1;
    return i >= 0 && static_cast<std::size_t>(i) < count ? std::optional(static_cast<std::size_t>(i)) : std::nullopt;
  };
  const auto query = at("query", s.side()), key = at("key", s.side());
  if (query && key && s.has_maps()) {
    r.title = place_text(result, say("query"), static_cast<int>(*query)) + ", " +
              place_text(result, say("key"), static_cast<int>(*key));
    const std::size_t cell = *query * s.side() + *key;
    if (std::isnan(s.out.score.data[cell])) {
      r.lines = {say(*key == 0 ? "reading.first" : *key > *query ? "reading.later" : "reading.only")};
      return r;
    }
    r.lines = {say("line.score") + "  " + number_text(s.out.score.data[cell], 3)};
    for (std::size_t p = 0; p < kParts; ++p)
      r.lines.push_back(s.out.part[p] + "  " + number_text(s.out.parts.data[p * s.side() * s.side() + cell], 3));
    return r;
  }
  if (const auto lag = at("lag", s.lags())) {
    r.title = say("reading.back", {{"n", std::to_string(*lag)}});
    r.lines = {say("line.score") + "  " + number_text(s.out.score_by_lag.data[*lag], 3)};
    for (std::size_t p = 0; p < kParts; ++p)
      r.lines.push_back(s.out.part[p] + "  " + number_text(lag_row(s, p)[*lag], 3));
  } else if (const auto part = at("part", kParts)) {
    r.title = s.out.part[*part];
    r.lines = {say("reading.share") + "  " + share_or_change(result.difference, s.out.share.data[*part], 2)};
    if (const NullRange range = s.random(*part); range.known())
      r.lines.push_back(say("reading.random") + "  " + null_text(range, 1, true));
  }
  return r;
}

figure::Figure view(const protocol::Result& result, const ParamValues&) {
  const Scene s = read(result);
  figure::Figure f;
  f.title = title(s), f.subtitle = subtitle(s), f.lead = headline(s), f.notes = notes(s);
  f.summary = s.empty() ? say("summary.none") : f.title + ". " + f.subtitle;
  f.panels = {{"shares", s.empty() ? "" : say("panel.shares"), shares_plot(s)},
              {"lags", s.empty() ? "" : say("panel.lags"), lag_plot(s)}};
  const figure::ShadeScale scale =
      s.has_maps() ? figure::scale_of(s.out.score.data, true) : figure::ShadeScale{-1, 1, true};
  f.panels.push_back(
      {"score", s.has_maps() ? say("panel.score") : "", map(s, s.has_maps() ? s.out.score.data : Vec(), scale)});
  std::vector<figure::Box> maps{figure::panel("score")};
  for (std::size_t k = 0; k < std::size(kMaps); ++k) {
    const std::size_t part = kMaps[k];
    f.panels.push_back(
        {kMapIds[k], s.has_maps() ? s.out.part[part] : "", map(s, s.has_maps() ? map_of(s, part) : Vec(), scale)});
    maps.push_back(figure::panel(kMapIds[k]));
  }
  f.root = figure::column({figure::row({figure::panel("shares"), figure::panel("lags")}), figure::row(maps)});
  f.narrow = figure::column({figure::panel("shares"), figure::panel("lags"),
                             figure::kept_row({figure::panel("score"), figure::panel("pp")}),
                             figure::kept_row({figure::panel("pt"), figure::panel("tp")}), figure::panel("tt")});
  f.across = {"key", 0, static_cast<int>(s.side()) - 1}, f.down = {"query", 0, static_cast<int>(s.side()) - 1};
  return f;
}

}  // namespace

ViewStudy view_study() { return {describe(), view, reading}; }

}  // namespace helix::studies::score_parts
