// The angles between all layers' frames, by how far these are apart, as a matrix and as a map of the layers; below, how the
// numbers grow with the text, beside those that the source text states; last, the overlap and what each frame is made of.
#include <algorithm>
#include <cmath>
#include <utility>

#include "base/decimal.h"
#include "base/text.h"
#include "studies/layer_frames/view_pairs.h"
#include "studies/layer_frames/view_tables.h"
#include "studies/reading_view.h"
#include "studies/registry_view.h"
#include "studies/token_text.h"
#include "studies/undefined.h"

namespace helix::studies::layer_frames {
namespace {

// ---- panels

figure::Plot matrix(const Scene& s, const std::vector<double>& values, const char* title, double most, int digits,
                    float height) {
  const int n = static_cast<int>(s.layers);
  figure::Plot plot{figure::over("other layer", 0, n), figure::over("layer", 0, n)};
  if (s.empty()) return plot;
  plot.x.title = "layer";
  plot.colour = figure::ColourScale{title};
  plot.colour->range = s.difference ? figure::scale_of(values, true) : figure::ShadeScale{0, most};
  if (std::ranges::any_of(values, [](double x) { return std::isnan(x); })) plot.colour->missing = "no signal dimension";
  figure::Cells cells{figure::pyramid_of(values, s.layers, s.layers, plot.colour->range), "layer", "other layer"};
  cells.numbers.assign(values.begin(), values.end()), cells.digits = digits, cells.stretch = 2.4f;
  plot.height = height;
  plot.marks = {std::move(cells)};
  return plot;
}

/// The mean principal angle of every two frames. Of a change the sums': a mean of changes over other dimensions means nothing.
figure::Plot angles(const Scene& s) {
  if (s.difference) return matrix(s, s.out.angles.data, "degrees", 90, 0, kHigh);
  std::vector<double> means;
  for (std::size_t i = 0; i < s.layers; ++i)
    for (std::size_t j = 0; j < s.layers; ++j) means.push_back(i == j ? s.out.angles(i, i) : mean_angle(s, i, j));
  return matrix(s, means, "degrees", 90, 0, kHigh);
}

/// The layers in order, joined; both axes have one range.
figure::Plot map(const Scene& s) {
  figure::Plot plot{figure::quantity("first axis", "°"), figure::quantity("second axis", "°")};
  plot.height = kHigh;
  if (s.out.mds.shape != std::vector<std::size_t>{s.layers, 2} || s.out.mds.data.size() != 2 * s.layers) return plot;
  auto places = std::make_shared<figure::Coordinates>(figure::Coordinates{2, s.out.mds.data});
  double most = 0;
  for (const double x : places->data) most = std::isfinite(x) ? std::max(most, std::abs(x)) : most;
  plot.x.low = plot.y.low = -1.15 * most, plot.x.high = plot.y.high = 1.15 * most;
  if (!(most > 0)) plot.x.low = plot.y.low = -1, plot.x.high = plot.y.high = 1;
  figure::Line path{"layer", 0, *places, figure::kFaint};
  path.width = 1.4f;
  figure::Points layers{"layer", 0, places, figure::kAlong, 4.5f};
  for (std::size_t i = 0; i < s.layers; ++i) layers.labels.push_back(std::to_string(i));
  plot.marks = {std::move(path), std::move(layers)};
  return plot;
}

figure::Plot dimensions(const Scene& s) {
  figure::Plot plot{figure::over("layer", 0, static_cast<int>(s.layers)), figure::quantity("dimensions")};
  plot.height = kLow;
  if (s.empty()) return plot;
  plot.y.from_zero = true;
  figure::Line signal{"layer", 0, figure::over_index(s.out.dimensions.data), figure::series(0), "signal"};
  figure::Line effective{"layer", 0, figure::over_index(s.out.participation.data), figure::series(1), "effective"};
  signal.dots = effective.dots = true;
  signal.digits = 0, effective.digits = 1;
  if (std::isfinite(s.out.noise_dimensions.value) && !s.difference)
    plot.marks.push_back(
        figure::Rule{.at = s.out.noise_dimensions.value,
                     .label = say("rule.noise", {{"dimensions", number_text(s.out.noise_dimensions.value, 1)}}),
                     .ink = figure::kMute,
                     .dashed = true});
  plot.marks.push_back(std::move(effective)), plot.marks.push_back(std::move(signal));
  return plot;
}

/// Shares for a logarithmic axis: NaN where nothing can be drawn.
std::vector<double> drawable(std::vector<double> shares) {
  for (double& x : shares)
    if (!(x > 1e-7)) x = std::nan("");
  return shares;
}

figure::Plot spectrum(const Scene& s) {
  const Grid& share = s.out.share;
  const bool whole = !s.empty() && share.shape.size() == 2 && share.rows() == s.layers && share.cols() > 0 &&
                     share.data.size() == share.rows() * share.cols();
  const std::size_t count = whole ? share.cols() : 0;
  figure::Plot plot{figure::over("component", 1, static_cast<int>(count)), figure::quantity("share of the variance")};
  plot.height = kLow;
  if (!whole) return plot;
  plot.y.percent = true;
  if (!s.difference) plot.y.kind = figure::ScaleKind::log;
  const auto row = [&](std::size_t i) {
    const auto from = share.data.begin() + static_cast<std::ptrdiff_t>(i * count);
    std::vector<double> values(from, from + static_cast<std::ptrdiff_t>(count));
    return s.difference ? values : drawable(std::move(values));
  };
  const auto add = [&](std::vector<double> values, figure::Ink ink, std::string name, float width) {
    figure::Line line{"component", 1, figure::over_index(std::move(values)), ink, std::move(name)};
    line.width = width, line.digits = 4;
    plot.marks.push_back(std::move(line));
  };
  for (std::size_t i = 1; i + 1 < s.layers; ++i) add(row(i), figure::kFaint, "", 1.2f);
  if (!s.out.noise_share.data.empty() && !s.difference) {
    add(drawable(s.out.noise_share.data), figure::kMute, "noise", 1.6f);
    std::get<figure::Line>(plot.marks.back()).dashed = true;
  }
  add(row(0), figure::series(0), "layer 0", 2.2f);
  if (s.layers > 1) add(row(s.layers - 1), figure::series(1), "layer " + std::to_string(s.layers - 1), 2.2f);
  if (s.params.criterion == Criterion::mean && at(s.out.edge, 0) > 0 && !s.difference)
    plot.marks.push_back(figure::Rule{.at = at(s.out.edge, 0), .label = "edge", .ink = figure::kWarm, .dashed = true});
  return plot;
}

figure::Coordinates joined(const std::vector<double>& x, const std::vector<double>& y) {
  figure::Coordinates out{2, {}};
  for (std::size_t i = 0; i < std::min(x.size(), y.size()); ++i) out.data.insert(out.data.end(), {x[i], y[i]});
  return out;
}

/// A number over the first so many tokens, that of random frames, and what the text states for GPT-2 small.
figure::Plot by_length(const Scene& s, const Grid& values, const Grid& null, const char* what,
                       double Stated::* stated) {
  figure::Plot plot{figure::quantity("tokens"), figure::quantity(what)};
  plot.height = kLow;
  if (s.empty() || values.data.empty()) return plot;
  plot.y.from_zero = !s.difference, plot.y.percent = stated == &Stated::dispersion;
  if (!s.difference) plot.x.kind = figure::ScaleKind::log, plot.x.low = 10, plot.x.high = 1500;
  figure::Coordinates text{2, {}};
  for (const Stated& one : kStated)
    if (one.*stated > 0) text.data.insert(text.data.end(), {one.tokens, one.*stated});
  figure::Line theirs{"", 0, text, figure::kWarm, "text"};
  figure::Line own{"length", 0, joined(s.out.length.data, values.data), figure::series(0), "here"};
  own.dots = theirs.dots = theirs.dashed = true;
  figure::Line random{"length", 0, joined(s.out.length.data, null.data), figure::kMute, "random"};
  random.dashed = true, random.width = 1.6f;
  if (!null.data.empty()) plot.marks.push_back(std::move(random));
  if (!s.difference) plot.marks.push_back(std::move(theirs));
  plot.marks.push_back(std::move(own));
  return plot;
}

// ---- words

/// Of each criterion: the subtitle, and what stands in it for the estimate of the noise.
constexpr const char* kSubtitles[kCriteria][2] = {{"subtitle.edge", "noise.mean"},
                                                  {"subtitle.edge", "noise.median"},
                                                  {"subtitle.edge", "noise.geometric"},
                                                  {"subtitle.edge", "noise.geometric_text"},
                                                  {"subtitle.share", ""},
                                                  {"subtitle.gap", ""}};

std::string title(const Scene& s, const protocol::Result& result) {
  if (s.empty()) return say("title.waiting");
  if (!s.known()) return say("title.no_pair") + with_edits(result);
  const std::string share = percent_text(s.out.dispersion.value, 1);
  const double random = s.out.random_dispersion.value;
  return (std::isfinite(random) ? say("title.apart_random", {{"share", share}, {"random", percent_text(random, 1)}})
                                : say("title.apart", {{"share", share}})) +
         with_edits(result);
}

std::string subtitle(const Scene& s) {
  if (s.empty()) return say("subtitle.waiting");
  const double noise = s.out.noise_dimensions.value;
  const auto& [id, estimate] = kSubtitles[static_cast<std::size_t>(s.params.criterion)];
  return say(id, {{"tokens", with_thousands(static_cast<long long>(std::lround(s.out.samples.value)))},
                  {"estimate", *estimate ? say(estimate) : ""},
                  {"dimensions", number_text(s.out.mean_dimensions.value, 1)},
                  {"features", number_text(s.out.features.value, 0)},
                  {"model", s.model},
                  {"of_noise", std::isfinite(noise) ? say("subtitle.of_noise", {{"n", number_text(noise, 1)}}) : ""}});
}

/// "the sum of angles grows from 12.3° to 45.6°"
std::string course(const std::string& name, const std::string& from, const std::string& to, bool grows) {
  if (from == to) return say("course.stays", {{"name", name}, {"at", from}});
  return say(grows ? "course.grows" : "course.falls", {{"name", name}, {"from", from}, {"to", to}});
}

/// The sum of random frames, which grow with the number of their dimensions alone.
std::string by_chance(const Scene& s, std::size_t from, std::size_t to) {
  const double a = at(s.out.length_random_angle, from), b = at(s.out.length_random_angle, to);
  if (!std::isfinite(a) || !std::isfinite(b)) return {};
  const std::string sum = course(say("trend.sum"), number_text(a, 1) + "°", number_text(b, 1) + "°", b > a);
  return say(b > a ? "growth.random_grows" : "growth.random", {{"course", sum}});
}

/// A number that the text says grows, or falls, with the prompt.
struct Trend {
  std::string name;
  const Grid& by_length;
  bool grows;
  int digits;
  const char* unit;
  std::string stated_from, stated_to;  // the text's, from 15 to about 1,000 tokens

  bool known(std::size_t from, std::size_t to) const {
    return std::isfinite(at(by_length, from)) && std::isfinite(at(by_length, to));
  }
  /// By the digits that are shown.
  bool is_theirs(std::size_t from, std::size_t to) const {
    const double a = at(by_length, from), b = at(by_length, to);
    return number_text(a, digits) != number_text(b, digits) && (b > a) == grows;
  }
  std::string course_here(std::size_t from, std::size_t to) const {
    const double a = at(by_length, from), b = at(by_length, to);
    return course(name, number_text(a, digits) + unit, number_text(b, digits) + unit, b > a);
  }
};

std::vector<Trend> trends_of(const Scene& s) {
  return {{say("trend.angle"), s.out.length_angle, true, 1, "°", "108.6°", "338.8°"},
          {say("trend.union"), s.out.length_union, true, 0, "", "19", "277"},
          {say("trend.dispersion"), s.out.length_dispersion, false, 3, "", "0.326", "0.260"}};
}

std::string names_of(const std::vector<const Trend*>& trends) {
  std::string text = trends.front()->name;
  for (std::size_t i = 1; i < trends.size(); ++i)
    text = say(i + 1 == trends.size() ? "names.last" : "names.next", {{"names", text}, {"name", trends[i]->name}});
  return text;
}

/// Which of the trends are the text's.
std::string verdict_on(const std::vector<const Trend*>& same, const std::vector<const Trend*>& other) {
  if (other.empty()) return say("growth.all");
  if (same.empty()) return say("growth.none");
  return say("growth.some", {{"these", names_of(same)}, {"those", names_of(other)}});
}

/// What the text says of growth, and what it is here; empty for a single length.
std::string growth(const Scene& s) {
  const auto& length = s.out.length.data;
  std::size_t from = 0;
  while (from + 1 < length.size() && !std::isfinite(at(s.out.length_angle, from))) ++from;
  const std::size_t to = length.empty() ? 0 : length.size() - 1;
  constexpr double kFar = 3;  // times as many tokens: between lengths closer together a difference is chance
  if (from >= to || !(length[to] >= kFar * length[from])) return {};
  std::vector<std::string> here, stated;
  std::vector<const Trend*> same, other;
  const std::vector<Trend> trends = trends_of(s);
  for (const Trend& trend : trends) {
    if (!trend.known(from, to)) continue;
    here.push_back(trend.course_here(from, to));
    stated.push_back(course(trend.name, trend.stated_from, trend.stated_to, trend.grows));
    (trend.is_theirs(from, to) ? same : other).push_back(&trend);
  }
  if (here.empty()) return {};
  return sentences(
      {say("growth.here",
           {{"from", number_text(length[from], 0)}, {"to", number_text(length[to], 0)}, {"courses", join(here, ", ")}}),
       say("growth.stated", {{"courses", join(stated, ", ")}}), verdict_on(same, other), by_chance(s, from, to)});
}

std::string summary(const Scene& s) {
  if (s.empty()) return say("summary.waiting");
  if (!s.known()) return say("summary.no_pair");
  const std::string share = percent_text(s.out.dispersion.value, 1);
  const double random = s.out.random_dispersion.value;
  return sentences(
      {std::isfinite(random) ? say("summary.angles_random", {{"share", share}, {"random", percent_text(random, 1)}})
                             : say("summary.angles", {{"share", share}}),
       say("summary.together",
           {{"sum", number_text(s.out.mean_angle.value, 1)}, {"rank", number_text(s.out.union_rank.value, 0)}})});
}

figure::Number headline(const Scene& s) {
  if (s.empty()) return {};
  figure::Number n{s.known() ? percent_text(s.out.dispersion.value, 1) : "–", {say("lead.apart")}, s.complete};
  if (!s.known()) n.lines = {or_why_not(s.out.dispersion, "")};
  if (std::isfinite(s.out.random_dispersion.value) && s.known())
    n.lines.push_back(random_text(s.out.random_dispersion.value));
  return n;
}

/// What the rank of all frames says: nothing where it is as high as it can be.
std::string rank_text(const Scene& s) {
  double all = 0;
  for (const double d : s.out.dimensions.data) all += d;
  const double most = std::min(all, s.out.features.value), rank = s.out.union_rank.value,
               random = s.out.random_union_effective.value;
  const std::string effective = number_text(s.out.union_effective.value, 1);
  return sentences({say(rank >= most ? "note.rank_most" : "note.rank",
                        {{"dimensions", number_text(all, 0)}, {"rank", number_text(rank, 0)}}),
                    std::isfinite(random)
                        ? say("note.effective_random", {{"rank", effective}, {"random", number_text(random, 1)}})
                        : say("note.effective", {{"rank", effective}})});
}

std::vector<figure::Note> notes(const Scene& s) {
  using Kind = figure::Note::Kind;
  std::vector<figure::Note> out{
      {Kind::text, say("note.frame")},
      {Kind::equation, "θ_k = arccos σ_k(U_iᵀ U_j),  k ≤ min(d_i, d_j),  dispersion = Σ θ / (90° · min(d_i, d_j))"},
      {Kind::text, say("note.signal")},
      {Kind::equation, "λ > σ² (1 + √(D/N))²,  Q = (a − b) / (b − c)"}};
  if (const std::string trend = growth(s); !trend.empty()) out.push_back({Kind::text, trend});
  if (s.known() && std::isfinite(s.out.random_stress.value) && std::isfinite(s.out.stress.value))
    out.push_back({Kind::text, say("note.map", {{"stress", number_text(s.out.stress.value, 3)},
                                                {"random_stress", number_text(s.out.random_stress.value, 3)},
                                                {"overlap", percent_text(s.out.overlapping.value, 1)},
                                                {"threshold", to_shown(s.params.threshold)},
                                                {"random_overlap", percent_text(s.out.random_overlapping.value, 1)}})});
  if (s.known()) out.push_back({Kind::text, rank_text(s)});
  out.push_back({Kind::text, say("note.open")});
  out.push_back({Kind::caution, say("note.caution")});
  return out;
}

figure::Reading reading_of_pair(const Scene& s, std::size_t i, std::size_t j) {
  std::vector<std::string> lines{"sum of angles  " + number_text(s.out.angles(i, j), 1) + "°",
                                 "overlap  " + share_or_change(s.difference, s.out.overlap(i, j), 1)};
  if (!s.difference)
    lines.insert(lines.begin(),
                 "mean angle  " + number_text(i == j ? s.out.angles(i, i) : mean_angle(s, i, j), 1) + "°");
  return {say("reading.pair", {{"layer", std::to_string(i)}, {"other", std::to_string(j)}}), std::move(lines)};
}

/// The shares that are named in the panel: of the first layer and of the last, beside those of noise.
figure::Reading reading_of_component(const Scene& s, const figure::Reading& made, std::size_t component) {
  figure::Reading r{"PC" + std::to_string(component + 1), {}};
  for (const std::size_t layer : {std::size_t{0}, s.layers - 1})
    if (layer < s.out.share.rows())
      r.lines.push_back("layer " + std::to_string(layer) + "  " +
                        share_or_change(s.difference, s.out.share(layer, component), 2));
  r.lines.insert(r.lines.end(), made.lines.begin(), made.lines.end());
  return r;
}

figure::Reading reading(const figure::Reading& made, const protocol::Result& result, const ParamValues&,
                        const ViewState& view) {
  const int layer = view.focus.at("layer"), other = view.focus.at("other layer"), length = view.focus.at("length"),
            apart = view.focus.at("apart"), component = view.focus.at("component");
  if (layer < 0 && other < 0 && length < 0 && apart < 0 && component < 0) return {};
  const Scene s = read(result);
  const bool shares = s.out.share.data.size() == s.out.share.rows() * s.out.share.cols();
  if (component >= 1 && layer < 0 && shares && static_cast<std::size_t>(component) <= s.out.share.cols())
    return reading_of_component(s, made, static_cast<std::size_t>(component - 1));
  if (apart >= 1 && static_cast<std::size_t>(apart) < s.layers)
    return reading_of_apart(s, static_cast<std::size_t>(apart));
  if (layer >= 0 && static_cast<std::size_t>(layer) < s.layers) {
    const auto i = static_cast<std::size_t>(layer), j = static_cast<std::size_t>(std::max(other, 0));
    if (other >= 0 && j < s.layers) return reading_of_pair(s, i, j);
    figure::Reading r = made;
    r.lines.push_back("largest gap Q  " + say("reading.gap", {{"gap", number_text(at(s.out.gap, i), 1)},
                                                              {"after", number_text(at(s.out.gap_at, i), 0)}}));
    return r;
  }
  if (length < 0 || static_cast<std::size_t>(length) >= s.out.length.data.size()) return {};
  const auto i = static_cast<std::size_t>(length);
  return {say("reading.length", {{"tokens", number_text(at(s.out.length, i), 0)}}), made.lines};
}

figure::Figure view(const protocol::Result& result, const ParamValues&) {
  const Scene s = read(result);
  figure::Figure f;
  f.title = title(s, result), f.subtitle = subtitle(s), f.summary = summary(s), f.lead = headline(s);
  const auto titled = [&](std::string text) { return s.empty() ? "" : std::move(text); };
  f.panels = {
      {"pairs", titled(say("panel.pairs")), pairs(s)},
      {"angles", titled(say(s.difference ? "panel.sums" : "panel.angles")), angles(s)},
      {"map", titled(say("panel.map", {{"stress", number_text(s.out.stress.value, 2)}})), map(s)},
      {"sums", titled(say("panel.sums")),
       by_length(s, s.out.length_angle, s.out.length_random_angle, "degrees", &Stated::mean)},
      {"dispersion", titled(say("panel.dispersion")),
       by_length(s, s.out.length_dispersion, s.out.length_random, "of a right angle", &Stated::dispersion)},
      {"union", titled(say("panel.union")), by_length(s, s.out.length_union, {}, "dimensions", &Stated::union_rank)},
      {"overlap", titled(say("panel.overlap", {{"threshold", to_shown(s.params.threshold)}})),
       matrix(s, s.out.overlap.data, "fraction of the angles", 1, 2, kLow)},
      {"dimensions", titled(say("panel.dimensions")), dimensions(s)},
      {"spectrum", titled(say("panel.spectrum")), spectrum(s)}};
  const auto three = [](const char* a, const char* b, const char* c) {
    return figure::row({figure::panel(a), figure::panel(b), figure::panel(c)});
  };
  const figure::Box lead =
      figure::row({figure::panel("pairs", 0.46f), figure::panel("angles", 0.28f), figure::panel("map")});
  f.root = figure::column({lead, three("sums", "dispersion", "union"), three("overlap", "dimensions", "spectrum")});
  f.notes = notes(s), f.tables = {trends(s), conventions(s)};
  f.across = {"layer", 0, static_cast<int>(s.layers) - 1};
  return f;
}

}  // namespace

ViewStudy view_study() { return {describe(), view, reading}; }

}  // namespace helix::studies::layer_frames
