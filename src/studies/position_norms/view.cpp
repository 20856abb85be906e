// The norm of every row over its position (or its token), and beside it a histogram of the norms; both also after
// shuffling the columns.
#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "base/length_text.h"
#include "base/text.h"
#include "studies/model_name.h"
#include "studies/position_norms/position_norms.h"
#include "studies/reading_view.h"
#include "studies/registry_view.h"

namespace helix::studies::position_norms {
namespace {

constexpr std::size_t kMostDrawn = 2048;  // norms drawn one by one
constexpr std::size_t kGroups = 512;      // groups for more norms: largest, mean and smallest of each
constexpr std::size_t kFurthest = 12;     // rows in the table of outliers
constexpr std::size_t kLeastFramed = 50;  // rows: of fewer, all are shown
constexpr std::size_t kNamed = 3;         // outliers that are named in the figure
constexpr double kApart = 0.02;           // of all rows, between two that are named
constexpr double kMostRows = 0.995;       // the part of the rows that the height is made for
constexpr double kMargin = 0.25;          // of their range: above and below it
constexpr double kSpread = 3;             // standard deviations from the mean that make an outlier

struct Scene {
  Output out;
  Params params;
  bool complete = true;
  std::string model;

  std::size_t size() const { return out.norm.data.size(); }
  bool empty() const { return out.norm.data.empty(); }
  bool tokens() const { return params.of == Of::wte; }
  const char* axis() const { return tokens() ? "token" : "position"; }
  int first() const { return static_cast<int>(out.norm.first); }
  /// All norms are equal up to the rounding of weights of 32 bits: none stands out.
  bool constant() const { return out.max.value - out.min.value <= 3e-7 * out.mean.value; }
  std::string rows() const {
    return say(tokens() ? "rows.tokens" : params.of == Of::sum ? "rows.sums" : "rows.positions");
  }
  std::string row() const { return say(tokens() ? "row.token" : params.of == Of::sum ? "row.sum" : "row.position"); }
};

Scene read(const protocol::Result& result) {
  return {protocol::read_outputs<Output>(result),
          read_params<Params>(result.params.empty() ? defaults(describe()) : result.params), result.complete,
          spoken_name(result.provenance.model)};
}

// ---- panels

/// Adds the largest, mean and smallest of each group of neighbours, as lines over the first index of the group.
void add_groups(const Scene& s, figure::Plot& plot) {
  const std::size_t each = (s.size() + kGroups - 1) / kGroups;
  figure::Line most{"", 0, {2}, figure::kMute, "largest"}, mean{"", 0, {2}, figure::series(0), "mean"},
      least{"", 0, {2}, figure::kMute, "smallest"};
  most.width = least.width = 1;
  for (figure::Line* line : {&most, &mean, &least}) line->axis = "group";
  for (std::size_t from = 0; from < s.size(); from += each) {
    const auto begin = s.out.norm.data.begin() + static_cast<std::ptrdiff_t>(from),
               end = s.out.norm.data.begin() + static_cast<std::ptrdiff_t>(std::min(from + each, s.size()));
    const double x = s.first() + static_cast<double>(from);
    most.at.data.insert(most.at.data.end(), {x, *std::max_element(begin, end)});
    least.at.data.insert(least.at.data.end(), {x, *std::min_element(begin, end)});
    mean.at.data.insert(mean.at.data.end(), {x, std::accumulate(begin, end, 0.0) / static_cast<double>(end - begin)});
  }
  plot.marks.insert(plot.marks.end(), {most, least, mean});
}

void add_baseline(const Scene& s, figure::Plot& plot) {
  const double mean = s.out.shuffled_mean.value, std = s.out.shuffled_std.value;
  if (!std::isfinite(mean) || !std::isfinite(std)) return;
  figure::Rule band{
      .at = mean + kSpread * std, .to = mean - kSpread * std, .band = true, .label = say("rule.shuffled")};
  band.ink = figure::kMute;
  plot.marks.push_back(std::move(band));
}

/// The range of nearly all norms, and of the band: a few that lie far out must not flatten all others.
void frame_most(const Scene& s, figure::Plot& plot) {
  std::vector<double> sorted = s.out.norm.data;
  std::erase_if(sorted, [](double x) { return !std::isfinite(x); });
  if (sorted.size() < kLeastFramed) return;
  std::ranges::sort(sorted);
  const auto end = static_cast<std::size_t>(static_cast<double>(sorted.size() - 1) * kMostRows);
  double low = sorted[sorted.size() - 1 - end], high = sorted[end];
  for (const figure::Mark& mark : plot.marks)
    if (const auto* band = std::get_if<figure::Rule>(&mark); band && band->band)
      low = std::min({low, band->at, band->to}), high = std::max({high, band->at, band->to});
  const double margin = kMargin * (high - low);
  if (!(margin > 0) || (sorted.front() >= low - margin && sorted.back() <= high + margin)) return;
  plot.y.from_zero = false;
  plot.y.low = std::max(low - margin, 0.0), plot.y.high = high + margin;
}

/// The rows that get a note: the few that are farthest out, each so far from the others that the notes have room.
std::vector<std::size_t> named_rows(const Scene& s) {
  const auto out = [&](std::size_t i) { return std::abs(s.out.norm.data[i] - s.out.mean.value); };
  std::vector<std::size_t> order, named;
  for (std::size_t i = 0; i < s.size(); ++i)
    if (out(i) > kSpread * s.out.std.value) order.push_back(i);
  std::ranges::stable_sort(order, std::greater(), out);
  for (const std::size_t i : order) {
    const auto near = [&](std::size_t other) {
      return static_cast<double>(std::max(i, other) - std::min(i, other)) < kApart * static_cast<double>(s.size());
    };
    if (named.size() < kNamed && std::ranges::none_of(named, near)) named.push_back(i);
  }
  return named;
}

/// "row 0: 9.88" at these rows. Of a norm beyond the frame, the note stands where its line leaves it.
void add_outliers(const Scene& s, figure::Plot& plot) {
  for (const std::size_t i : named_rows(s)) {
    const int row = s.first() + static_cast<int>(i);
    const double norm = s.out.norm.data[i], low = plot.y.low.value_or(norm), high = plot.y.high.value_or(norm);
    const std::string text = say(norm > high  ? "callout.above"
                                 : norm < low ? "callout.below"
                                              : "callout.row",
                                 {{"row", std::to_string(row)}, {"norm", length_text(norm, 2)}});
    plot.marks.push_back(figure::Callout{{static_cast<double>(row), std::clamp(norm, low, std::max(low, high))}, text});
  }
}

figure::Plot norms(const Scene& s) {
  figure::Plot plot{figure::over(s.axis(), s.first(), static_cast<int>(s.size())), figure::quantity("norm")};
  if (s.tokens()) plot.x.title = "token id";
  if (s.empty()) return plot;
  plot.y.from_zero = true;
  add_baseline(s, plot);
  if (s.size() > kMostDrawn) {
    add_groups(s, plot);
  } else {
    if (s.out.orthogonal.data.size() == s.size()) {
      figure::Line line{s.axis(), s.first(), figure::over_index(s.out.orthogonal.data), figure::kWarm, "if orthogonal"};
      line.dashed = true, line.width = 1.6f, line.digits = 3;
      plot.marks.push_back(std::move(line));
    }
    figure::Line line{s.axis(), s.first(), figure::over_index(s.out.norm.data), figure::series(0),
                      s.params.of == Of::sum ? "token + position" : "norm"};
    line.digits = 3;
    plot.marks.push_back(std::move(line));
    if (!s.tokens() && !s.constant()) {
      frame_most(s, plot);
      add_outliers(s, plot);
      figure::Callout mean{{s.first() + 0.5 * static_cast<double>(s.size()), s.out.mean.value},
                           say("callout.mean", {{"mean", length_text(s.out.mean.value, 4)}})};
      mean.lead = true;
      if (std::isfinite(s.out.mean.value)) plot.marks.push_back(std::move(mean));
    }
  }
  plot.gestures = {{figure::Gesture::On::brush, {s.axis()}, figure::Gesture::Effect::window, "", say("hint.brush")}};
  if (s.tokens())
    plot.gestures.push_back({figure::Gesture::On::click,
                             {"token"},
                             figure::Gesture::Effect::set,
                             "of=sum&token={token}",
                             say("hint.token")});
  return plot;
}

figure::Plot histogram(const Scene& s) {
  const auto& bins = s.out.histogram.data;
  std::vector<std::string> names;
  const auto& from = s.out.bin_from.data;
  // As many decimals as tell ticks apart, which stand several bins from each other.
  const double apart = from.size() > 1 ? 5 * (from[1] - from[0]) : 0;
  const int digits = apart > 0 ? std::clamp(static_cast<int>(std::ceil(-std::log10(apart))), 1, 9) : 2;
  for (std::size_t i = 0; i < bins.size() && i < from.size(); ++i) names.push_back(to_fixed(from[i], digits));
  figure::Plot plot{figure::over("bin", 0, static_cast<int>(bins.size()), std::move(names)),
                    figure::quantity("share of rows")};
  plot.x.title = "norm";
  if (bins.empty()) return plot;
  plot.y.percent = true;
  plot.marks = {figure::Bars{"bin", 0, bins, figure::series(0)}};
  if (!s.out.shuffled_histogram.data.empty()) {
    figure::Line line{"bin", 0, figure::over_index(s.out.shuffled_histogram.data), figure::kWarm, "shuffled"};
    line.width = 1.6f, line.digits = 3;
    plot.marks.push_back(std::move(line));
  }
  return plot;
}

figure::Number headline(const Scene& s) {
  if (s.empty()) return {};
  figure::Number n{length_text(s.out.mean.value, 4), {say("lead.mean")}, s.complete};
  n.lines.push_back(say(
      "lead.std", {{"std", length_text(s.out.std.value, 4)}, {"shuffled", length_text(s.out.shuffled_std.value, 4)}}));
  n.lines.push_back(say("lead.largest", {{"norm", length_text(s.out.max.value, 4)}}));
  n.lines.push_back(say("lead.smallest", {{"norm", length_text(s.out.min.value, 4)}}));
  if (s.params.of == Of::sum) n.lines.push_back(say("lead.token", {{"norm", length_text(s.out.token_norm.value, 4)}}));
  return n;
}

// ---- tables

/// Rows sorted by the distance of their norm from the mean.
figure::Table furthest(const Scene& s) {
  std::vector<std::size_t> order(s.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto distance = [&](std::size_t i) {
    const double d = std::abs(s.out.norm.data[i] - s.out.mean.value);
    return std::isfinite(d) ? d : -1;
  };
  const auto count = static_cast<std::ptrdiff_t>(std::min(order.size(), kFurthest));
  std::partial_sort(order.begin(), order.begin() + count, order.end(), [&](std::size_t a, std::size_t b) {
    return distance(a) > distance(b) || (distance(a) == distance(b) && a < b);
  });
  order.resize(static_cast<std::size_t>(count));
  figure::Table t{
      "Furthest from the mean norm",
      {{s.tokens() ? "token" : "position", "", 0, {}}, {"norm", "", 4, {}}, {"from the mean", "std", 2, {}}}};
  for (const std::size_t i : order) {
    t.columns[0].values.push_back(s.first() + static_cast<double>(i));
    t.columns[1].values.push_back(s.out.norm.data[i]);
    t.columns[2].values.push_back(s.constant() ? std::nan("")
                                               : (s.out.norm.data[i] - s.out.mean.value) / s.out.std.value);
  }
  return t;
}

// ---- words

std::string title(const Scene& s) {
  if (s.empty()) return say("title.none");
  if (s.size() == 1 || s.constant())
    return say(s.size() == 1 ? "title.one" : "title.constant",
               {{"row", s.row()}, {"norm", length_text(s.out.mean.value, 4)}});
  if (s.tokens())
    return say("title.tokens", {{"least", length_text(s.out.min.value, 2)}, {"most", length_text(s.out.max.value, 2)}});
  const double n = s.out.outliers.value;
  const double by_chance = s.out.shuffled_outliers.value;
  return say(!std::isfinite(by_chance) ? "title.outliers"
             : n <= by_chance          ? "title.no_more"
                                       : "title.more",
             {{"n", number_text(n, 0)},
              {"all", with_thousands(static_cast<long long>(s.size()))},
              {"rows", s.rows()},
              {"mean", length_text(s.out.mean.value, 3)},
              {"shuffled", number_text(by_chance, 0)}});
}

std::string subtitle(const Scene& s, const protocol::Result& result) {
  if (s.empty()) return say("subtitle.none");
  const bool fixed = s.params.source == PositionSource::sinusoidal && !s.tokens();
  return say(!fixed                   ? "subtitle.model"
             : s.params.of == Of::sum ? "subtitle.sinusoidal_sum"
                                      : "subtitle.sinusoidal",
             {{"model", s.model}, {"convention", result.provenance.convention}});
}

std::string summary(const Scene& s) {
  if (s.empty()) return say("summary.none");
  if (s.constant()) return title(s) + ".";
  return title(s) + ". " +
         say("summary.norms", {{"mean", length_text(s.out.mean.value, 4)},
                               {"std", length_text(s.out.std.value, 4)},
                               {"shuffled_std", length_text(s.out.shuffled_std.value, 4)},
                               {"n", number_text(s.out.shuffled_outliers.value, 0)}});
}

std::vector<figure::Note> notes(const Scene& s) {
  using Kind = figure::Note::Kind;
  std::vector<figure::Note> all{
      {Kind::text, say("note.norm")},
      {Kind::equation, s.params.of == Of::sum ? "|e + p|² = |e|² + |p|² + 2 e·p" : "|p| = √(Σⱼ p_j²)"}};
  if (!s.empty() && !s.constant())
    all.push_back({Kind::text, say("note.shuffled", {{"shuffled_std", length_text(s.out.shuffled_std.value, 4)},
                                                     {"n", number_text(s.out.shuffled_outliers.value, 0)},
                                                     {"std", length_text(s.out.std.value, 4)}})});
  if (!s.empty() && s.constant() && s.params.of == Of::wpe && s.params.source == PositionSource::sinusoidal)
    all.push_back({Kind::text, say("note.sinusoidal")});
  else if (s.params.of == Of::sum)
    all.push_back({Kind::text, say("note.sum")});
  else if (!s.tokens())
    all.push_back({Kind::text, say("note.outliers")});
  all.push_back({Kind::caution, say("note.caution")});
  return all;
}

figure::Reading reading(const figure::Reading&, const protocol::Result& result, const ParamValues&,
                        const ViewState& view) {
  const Scene s = read(result);
  figure::Reading r;
  const int bin = view.focus.at("bin"), at = view.focus.at(s.axis()) - s.first();
  if (view.focus.has(s.axis()) && at >= 0 && static_cast<std::size_t>(at) < s.size()) {
    const double norm = s.out.norm.data[static_cast<std::size_t>(at)];
    r.title = std::string(s.axis()) + " " + std::to_string(at + s.first());
    r.lines = {"norm  " + length_text(norm, 4)};
    const double away = (norm - s.out.mean.value) / s.out.std.value;
    if (!result.difference && !s.constant() && std::isfinite(away))
      r.lines.push_back(say(away < 0 ? "reading.below" : "reading.above", {{"std", number_text(std::abs(away), 2)}}));
    if (static_cast<std::size_t>(at) < s.out.orthogonal.data.size())
      r.lines.push_back("if orthogonal  " + length_text(s.out.orthogonal.data[static_cast<std::size_t>(at)], 4));
  } else if (bin >= 0 && static_cast<std::size_t>(bin) < s.out.histogram.data.size() &&
             static_cast<std::size_t>(bin) < s.out.bin_from.data.size()) {
    const auto i = static_cast<std::size_t>(bin);
    r.title = say("reading.bin", {{"norm", length_text(s.out.bin_from.data[i], 4)}});
    r.lines = {"share of rows  " + share_or_change(result.difference, s.out.histogram.data[i], 2)};
    if (i < s.out.shuffled_histogram.data.size())
      r.lines.push_back("shuffled columns  " + share_or_change(result.difference, s.out.shuffled_histogram.data[i], 2));
  }
  return r;
}

figure::Figure view(const protocol::Result& result, const ParamValues&) {
  const Scene s = read(result);
  figure::Figure f;
  f.title = title(s), f.subtitle = subtitle(s, result), f.summary = summary(s);
  f.panels = {{"norm", s.empty() ? "" : say(s.tokens() ? "panel.tokens" : "panel.positions"), norms(s)},
              {"histogram", s.empty() ? "" : say("panel.histogram"), histogram(s)}};
  f.lead = headline(s);
  f.notes = notes(s), f.tables = {furthest(s)};
  f.root = figure::row({figure::panel("norm"), figure::panel("histogram", 0.36f, 240, 520)});
  f.across = {s.axis(), s.first(), s.first() + static_cast<int>(s.size()) - 1};
  return f;
}

}  // namespace

ViewStudy view_study() { return {describe(), view, reading}; }

}  // namespace helix::studies::position_norms
