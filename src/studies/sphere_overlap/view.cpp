// The shared volume of two balls by the distance of their centres, above a histogram of distances; and the shell.
#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "figure/ticks.h"
#include "studies/registry_view.h"
#include "studies/sphere_overlap/sphere_overlap.h"

namespace helix::studies::sphere_overlap {
namespace {

using protocol::Grid;

constexpr double kBelowMean = 2.2;    // the axis reaches down to this many times the mean's exponent
constexpr double kLabelsApart = 0.5;  // as a fraction of two radii

struct Scene {
  Output out;
  Params params;
  bool complete = true;
  std::size_t bins = 0;
  double width = 0;  // of a bin
  bool difference = false;

  bool empty() const { return bins == 0; }
  double start(std::size_t i) const { return out.distance.data[i] - width / 2; }
  /// The position of a distance on the axis of bins.
  double place(double distance) const { return distance / width - 0.5; }
};

Scene read(const protocol::Result& result) {
  Scene s{protocol::read_outputs<Output>(result),
          read_params<Params>(result.params.empty() ? defaults(describe()) : result.params), result.complete};
  s.difference = result.difference;
  const std::size_t n = s.out.distance.data.size();
  for (const Grid* grid : {&s.out.histogram, &s.out.distance, &s.out.log10_fraction})
    if (grid->shape != std::vector<std::size_t>{n} || grid->data.size() != n) return s;
  if (n < 2) return s;
  s.bins = n, s.width = s.out.distance.data[1] - s.out.distance.data[0];
  return s;
}

/// "10⁻¹⁹¹" for −190.7: the value of such a power can be too small for a double.
std::string power_text(double log10_value) {
  if (std::isnan(log10_value)) return "–";
  if (std::isinf(log10_value)) return log10_value < 0 ? "0" : "∞";
  if (log10_value > -3) return to_fixed(std::pow(10.0, log10_value), 4);
  static const char* digits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text = "10⁻";
  for (const char c : to_fixed(-log10_value, 0)) text += c >= '0' && c <= '9' ? digits[c - '0'] : "";
  return text;
}

int digits_of(double width) {
  return width > 0 && std::isfinite(width) ? std::clamp(static_cast<int>(std::ceil(-std::log10(width) - 1e-9)), 0, 6)
                                           : 0;
}

figure::Scale distances(const Scene& s) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < s.bins; ++i) names.push_back(number_text(s.start(i), digits_of(s.width)));
  figure::Scale scale = figure::over("bin", 0, static_cast<int>(s.bins), std::move(names));
  scale.title = say("axis.distance", {{"width", number_text(s.width, digits_of(s.width))}});
  return scale;
}

// ---- panels

figure::Plot shared(const Scene& s) {
  figure::Plot plot{figure::over("bin", 0, 0), figure::quantity("power of ten")};
  if (s.empty()) return plot;
  plot.x = distances(s);
  std::vector<double> values = s.out.log10_fraction.data;
  const double mean = s.out.log10_mean_fraction.value,
               low = std::isfinite(mean) ? std::min(kBelowMean * mean, -6.0) : -50;
  for (double& v : values)
    if (!(v >= low)) v = std::nan("");
  plot.y.low = low, plot.y.high = -0.12 * low;  // room above the curve for the labels of the rules
  figure::Line line{"bin", 0, figure::over_index(std::move(values)), figure::series(0)};
  plot.marks = {figure::Rule{.upright = true,
                             .at = s.place(2 * s.params.radius),
                             .label = say("rule.no_overlap"),
                             .ink = figure::kMute,
                             .dashed = true},
                std::move(line)};
  if (std::isfinite(mean) && !s.difference)
    plot.marks.push_back(
        figure::Rule{.at = mean, .label = say("rule.mean", {{"share", power_text(mean)}}), .ink = figure::kMute});
  // If the two rules stood close together, so would their labels.
  if (s.out.stated_distance.value < kLabelsApart * 2 * s.params.radius)
    plot.marks.push_back(
        figure::Rule{.upright = true,
                     .at = s.place(s.out.stated_distance.value),
                     .label = say("rule.stated", {{"distance", number_text(s.out.stated_distance.value, 2)}}),
                     .ink = figure::kWarm,
                     .dashed = true});
  return plot;
}

figure::Plot pairs(const Scene& s) {
  figure::Plot plot{figure::over("bin", 0, 0), figure::quantity("share of the pairs")};
  if (s.empty()) return plot;
  plot.x = distances(s);
  plot.y.from_zero = plot.y.percent = true;
  const auto count = static_cast<double>(s.params.count);
  std::vector<double> shares;
  for (const double n : s.out.histogram.data) shares.push_back(n / (count * (count - 1) / 2));
  plot.marks = {figure::Bars{"bin", 0, std::move(shares), figure::series(0)}};
  return plot;
}

figure::Plot shell(const Scene& s) {
  const auto& data = s.out.shell.data;
  figure::Plot plot{figure::over("dimensions", 1, static_cast<int>(data.size())), figure::quantity("")};
  if (data.empty()) return plot;
  plot.y.low = 0, plot.y.high = 1;
  plot.y.percent = true;
  figure::Line line{"dimensions", 1, figure::over_index(data), figure::series(4)};
  plot.marks = {std::move(line)};
  return plot;
}

/// "12.3 %"; never 100 % of the pairs where one of them does not overlap.
std::string overlapping_text(const Scene& s) {
  const double share = s.out.pairs_overlapping.value;
  return share < 1 && share > 0.9995 ? say("more_than") : share_text(share, 1);
}

figure::Number headline(const Scene& s) {
  if (s.empty()) return {};
  return {power_text(s.out.log10_mean_fraction.value),
          {say("lead.mean"), say("lead.with_self", {{"share", number_text(s.out.mean_with_self.value, 5)}}),
           say("lead.self_alone", {{"share", number_text(s.out.self_share.value, 5)}}),
           say("lead.slides", {{"share", number_text(kStatedMean, 5)}}),
           say(s.out.pairs_overlapping.value == 1 ? "lead.all" : "lead.some", {{"share", overlapping_text(s)}})},
          s.complete};
}

// ---- words

std::vector<figure::Note> notes(const Scene& s) {
  using Kind = figure::Note::Kind;
  std::vector<figure::Note> all{{Kind::text, say("note.balls")},
                                {Kind::equation, "share = I_x((n + 1) / 2, 1/2),  x = 1 − (d / 2r)²"},
                                {Kind::equation, "shell = 1 − (1 − ε)^n"}};
  if (!s.empty()) {
    all.push_back({Kind::text, say("note.shell", {{"dimensions", with_thousands(s.params.dimension)},
                                                  {"share", number_text(s.out.shell_fraction.value, 5)},
                                                  {"shell", share_text(s.params.epsilon, 2)},
                                                  {"in_3d", number_text(s.out.shell_in_3d.value, 4)}})});
    all.push_back({Kind::text, say("note.slides", {{"here", power_text(s.out.log10_mean_fraction.value)},
                                                   {"distance", number_text(s.out.stated_distance.value, 2)},
                                                   {"self", number_text(s.out.self_share.value, 5)}})});
  }
  all.push_back({Kind::caution, say("note.caution")});
  return all;
}

figure::Reading reading(const figure::Reading&, const protocol::Result& result, const ParamValues&,
                        const ViewState& view) {
  const Scene s = read(result);
  figure::Reading r;
  const int bin = view.focus.at("bin"), dimensions = view.focus.at("dimensions");
  if (bin >= 0 && static_cast<std::size_t>(bin) < s.bins) {
    const auto i = static_cast<std::size_t>(bin);
    r.title = say("reading.bin", {{"from", number_text(s.start(i), digits_of(s.width))},
                                  {"to", number_text(s.start(i) + s.width, digits_of(s.width))}});
    r.lines = {say("reading.pairs", {{"pairs", number_text(s.out.histogram.data[i], 0)}}),
               say("reading.volume") + "  " + figure::short_number(s.out.log10_fraction.data[i])};
  } else if (dimensions >= 1 && static_cast<std::size_t>(dimensions) <= s.out.shell.data.size()) {
    r.title = say("reading.dimensions", {{"n", std::to_string(dimensions)}});
    r.lines = {say("reading.shell") + "  " +
               number_text(s.out.shell.data[static_cast<std::size_t>(dimensions - 1)], 5)};
  }
  return r;
}

std::string title(const Scene& s) {
  if (s.empty()) return say("title.none");
  const double overlapping = s.out.pairs_overlapping.value;
  if (overlapping == 0) return say("title.no_overlap");
  return say(overlapping == 1 ? "title.all" : "title.some",
             {{"share", overlapping_text(s)}, {"volume", power_text(s.out.log10_mean_fraction.value)}});
}

figure::Figure view(const protocol::Result& result, const ParamValues&) {
  const Scene s = read(result);
  figure::Figure f;
  f.title = title(s);
  f.subtitle = s.empty() ? say("subtitle.none") : result.provenance.convention + ".";
  f.summary = s.empty()
                  ? say("summary.none")
                  : f.title + ". " + say("summary.shell", {{"share", number_text(s.out.shell_fraction.value, 5)}});
  f.panels = {{"shared", s.empty() ? "" : say("panel.shared"), shared(s)},
              {"pairs", s.empty() ? "" : say("panel.pairs"), pairs(s)},
              {"shell", s.empty() ? "" : say("panel.shell"), shell(s)}};
  f.lead = headline(s);
  f.notes = notes(s);
  f.root = figure::row(
      {figure::column({figure::panel("shared"), figure::panel("pairs")}), figure::panel("shell", 0.36f, 240, 480)});
  f.across = {"bin", 0, static_cast<int>(s.bins) - 1};
  return f;
}

}  // namespace

ViewStudy view_study() { return {describe(), view, reading}; }

}  // namespace helix::studies::sphere_overlap
