// The term by dimension, raw and with the gain folded in; beside it what is left of the sink after each removal, and the
// sink layer by layer.
#include <algorithm>
#include <cmath>
#include <utility>

#include "base/text.h"
#include "studies/attention_sink/attention_sink.h"
#include "studies/null_range.h"
#include "studies/reading_view.h"
#include "studies/registry_view.h"
#include "studies/token_text.h"
#include "studies/undefined.h"

namespace helix::studies::attention_sink {
namespace {

using protocol::Grid;

constexpr double kSink = 2;  // times the even share from which on it is called a sink

struct Scene {
  Output out;
  Params params;
  bool difference = false, complete = true;
  NullRange random{}, random_gain{};

  bool has_term() const { return std::isfinite(out.ratio.value) && !out.bias_term.data.empty(); }
  bool has_text() const { return std::isfinite(out.to_first.value) && !out.by_layer.data.empty(); }
  bool is_sink() const { return out.to_first.value >= kSink * out.even.value; }
  std::size_t without() const { return static_cast<std::size_t>(params.without); }
  std::string removed_name() const {
    return without() < out.removal.size() ? in_words(out.removal[without()]) : say("removal.it");
  }
  std::string layers() const {
    const std::string first = number_text(out.first_layer.value, 0), last = number_text(out.last_layer.value, 0);
    return first == last ? say("layers.one", {{"layer", first}})
                         : say("layers.some", {{"first", first}, {"last", last}});
  }
};

Scene read(const protocol::Result& result) {
  Scene s{protocol::read_outputs<Output>(result),
          read_params<Params>(result.params.empty() ? defaults(describe()) : result.params), result.difference,
          result.complete};
  if (s.out.removed.data.size() != s.out.removal.size()) s.out.removed = {}, s.out.removal.clear();
  if (s.out.share.data.size() != s.out.removal.size()) s.out.share = {};
  s.random = range_of(s.out.random_ratios.data), s.random_gain = range_of(s.out.random_ratios_gain.data);
  return s;
}

std::string times_text(double ratio) { return say("times", {{"ratio", number_text(ratio, 1)}}); }

std::string dimensions_text(const Scene& s) {
  std::vector<std::string> names;
  for (const double i : s.out.dimension.data) names.push_back(number_text(i, 0));
  if (names.empty()) return say("dimensions.chosen");
  if (names.size() == 1) return say("dimensions.one", {{"dimension", names.front()}});
  const std::string last = names.back();
  names.pop_back();
  return say("dimensions.some", {{"dimensions", join(names, ", ")}, {"last", last}});
}

std::string without_text(const std::string& what) { return say("without", {{"what", in_words(what)}}); }

// ---- panels

figure::Plot term_plot(const Scene& s, const Grid& term) {
  const int n = static_cast<int>(term.data.size());
  figure::Plot plot{figure::over("dimension", 0, n), figure::quantity("mean over heads")};
  plot.y.from_zero = !s.difference;
  if (n == 0) return plot;
  figure::Line line{"dimension", 0, figure::over_index(term.data), figure::series(0)};
  line.width = 1.2f;
  plot.marks = {std::move(line)};
  if (s.difference) return plot;
  auto at = std::make_shared<figure::Coordinates>(figure::Coordinates{2, {}});
  figure::Points points{"rank", 1, at, figure::kWarm, 4.2f};
  for (const double i : s.out.dimension.data) {
    if (!(i >= 0 && i < n)) continue;
    at->data.insert(at->data.end(), {i, term.data[static_cast<std::size_t>(i)]});
    points.labels.push_back(number_text(i, 0));
  }
  plot.marks.push_back(std::move(points));
  return plot;
}

figure::Plot removals_plot(const Scene& s) {
  const int n = static_cast<int>(s.out.removal.size());
  std::vector<std::string> names;
  for (int i = 0; i < n; ++i)
    names.push_back(i == 0 ? say("as_it_is") : without_text(s.out.removal[static_cast<std::size_t>(i)]));
  figure::Plot plot{figure::quantity("attention to the first token", "fraction"),
                    figure::over("removal", 0, n, std::move(names))};
  plot.y.title.clear(), plot.x.percent = true;
  if (n == 0) return plot;
  figure::Bars bars{"removal", 0, s.out.removed.data, figure::series(0), true};
  for (const double x : s.out.removed.data) bars.texts.push_back(percent_text(x, 1));
  bars.strong.assign(s.out.removed.data.size(), 0);
  for (const std::size_t i : {std::size_t{0}, s.without()})
    if (i < bars.strong.size()) bars.strong[i] = 1;
  plot.marks = {std::move(bars)};
  if (!s.difference && std::isfinite(s.out.even.value))
    plot.marks.push_back(figure::Rule{
        .upright = true, .at = s.out.even.value, .label = "even", .ink = figure::kMute, .width = 1.4f, .dashed = true});
  return plot;
}

figure::Plot layers_plot(const Scene& s) {
  const int n = static_cast<int>(s.out.by_layer.data.size());
  figure::Plot plot{figure::over("layer", 0, n), figure::quantity("attention to the first token", "fraction")};
  plot.y.percent = true, plot.y.from_zero = true;
  if (n == 0) return plot;
  const auto line = [&](const Grid& grid, const std::string& name, int ink) {
    if (grid.data.size() != s.out.by_layer.data.size()) return;
    figure::Line one{"layer", 0, figure::over_index(grid.data), figure::series(ink), name};
    one.dots = true;
    plot.marks.push_back(std::move(one));
  };
  if (!s.difference && std::isfinite(s.out.even.value))
    plot.marks.push_back(
        figure::Rule{.at = s.out.even.value, .label = "even", .ink = figure::kMute, .width = 1.4f, .dashed = true});
  if (s.params.without != Without::nothing) line(s.out.without_by_layer, without_text(s.removed_name()), 1);
  line(s.out.by_layer, say("as_it_is"), 0);
  return plot;
}

// ---- words

std::string title(const protocol::Result& result, const Scene& s) {
  if (!s.has_term() && !s.has_text()) return say("title.none");
  if (s.difference) return say("title.change");
  if (!s.has_text())
    return say("title.term", {{"times", times_text(s.out.ratio.value)},
                              {"n", std::to_string(s.out.dimension.data.size())},
                              {"times_gain", times_text(s.out.ratio_gain.value)}});
  const std::string here = percent_text(s.out.to_first.value, 0), even = percent_text(s.out.even.value, 0);
  if (!s.is_sink()) return say("title.no_sink", {{"here", here}, {"even", even}}) + with_edits(result);
  if (s.params.without != Without::nothing && std::isfinite(s.out.without.value))
    return say("title.sink_without", {{"here", here},
                                      {"what", s.removed_name()},
                                      {"without", percent_text(s.out.without.value, 0)},
                                      {"even", even}}) +
           with_edits(result);
  return say("title.sink", {{"here", here}, {"even", even}}) + with_edits(result);
}

/// " (random W_K 1.2 to 1.9)", or nothing where no random ones were drawn.
std::string beside_random(const std::string& id, const NullRange& range) {
  return range.known() ? " " + say(id, {{"range", span_text(range, 1)}}) : "";
}

std::string subtitle(const Scene& s) {
  if (!s.has_term() && !s.has_text()) return say("subtitle.waiting");
  if (s.difference) return say("subtitle.change");
  const std::string where = say(s.has_text() ? "subtitle.heads_of_text" : "subtitle.heads", {{"layers", s.layers()}});
  if (!s.has_term()) return where;
  return sentences({where, say("subtitle.term", {{"dimensions", dimensions_text(s)},
                                                 {"times", times_text(s.out.ratio.value)},
                                                 {"random", beside_random("subtitle.random", s.random)},
                                                 {"times_gain", times_text(s.out.ratio_gain.value)},
                                                 {"random_gain", beside_random("subtitle.range", s.random_gain)}})});
}

figure::Number headline(const Scene& s) {
  if (s.has_text()) {
    figure::Number n{percent_text(s.out.to_first.value, 1), {say("lead.to_first")}, s.complete};
    n.lines.push_back(say("lead.even", {{"even", percent_text(s.out.even.value, 1)}}));
    if (s.params.without != Without::nothing)
      n.lines.push_back(or_why_not(s.out.without, say("lead.without", {{"share", percent_text(s.out.without.value, 1)},
                                                                       {"what", s.removed_name()}})));
    return n;
  }
  if (!s.has_term()) return {};
  return {times_text(s.out.ratio.value),
          {say("lead.raw"), say("lead.gain", {{"times", times_text(s.out.ratio_gain.value)}}),
           s.random.known() ? say("lead.random", {{"range", span_text(s.random, 1)}}) : say("lead.random_unknown")},
          s.complete};
}

std::vector<figure::Note> notes(const Scene& s) {
  using Kind = figure::Note::Kind;
  std::vector<figure::Note> out{
      {Kind::text, say("note.terms")},
      {Kind::equation, "s(i, j) √d_head = x_i W_Q W_Kᵀ x_jᵀ + x_i W_Q b_Kᵀ + b_Q W_Kᵀ x_jᵀ + b_Q b_Kᵀ"},
      {Kind::text, say("note.gain")}};
  if (s.has_text() && s.out.share.data.size() == kRemovals && std::isfinite(s.out.share.data[2]))
    out.push_back({Kind::text, say("note.control", {{"b_K", percent_text(s.out.share.data[2], 1)},
                                                    {"row_1", percent_text(s.out.share.data[3], 1)},
                                                    {"b_Q", percent_text(s.out.share.data[1], 1)}})});
  out.push_back({Kind::caution, say("note.caution")});
  return out;
}

figure::Reading reading(const figure::Reading&, const protocol::Result& result, const ParamValues&,
                        const ViewState& view) {
  const Scene s = read(result);
  const auto at = [](const Grid& grid, int i) {
    return i >= 0 && static_cast<std::size_t>(i) < grid.data.size() ? grid.data[static_cast<std::size_t>(i)]
                                                                    : std::nan("");
  };
  const int layer = view.focus.at("layer"), removal = view.focus.at("removal"), rank = view.focus.at("rank");
  if (const double dimension = at(s.out.dimension, rank - 1); dimension >= 0 && dimension < 1e6) {
    const int i = static_cast<int>(dimension);
    return {"dimension " + std::to_string(i),
            {"raw  " + number_text(at(s.out.bias_term, i), 4),
             "with the gain  " + number_text(at(s.out.bias_term_gain, i), 4)}};
  }
  if (std::isfinite(at(s.out.by_layer, layer)))
    return {"layer " + std::to_string(layer),
            {"to the first token  " + share_or_change(result.difference, at(s.out.by_layer, layer), 1),
             without_text(s.removed_name()) + "  " +
                 share_or_change(result.difference, at(s.out.without_by_layer, layer), 1)}};
  if (std::isfinite(at(s.out.removed, removal)))
    return {removal == 0 ? say("as_it_is") : without_text(s.out.removal[static_cast<std::size_t>(removal)]),
            {"to the first token  " + share_or_change(result.difference, at(s.out.removed, removal), 1),
             "of that stays  " + share_or_change(result.difference, at(s.out.share, removal), 1)}};
  return {};
}

figure::Figure view(const protocol::Result& result, const ParamValues&) {
  const Scene s = read(result);
  figure::Figure f;
  f.title = title(result, s), f.subtitle = subtitle(s), f.lead = headline(s);
  f.summary = s.has_term() || s.has_text() ? f.title + ". " + f.subtitle : say("summary.waiting");
  f.panels = {{"raw", s.has_term() ? say("panel.raw") : "", term_plot(s, s.out.bias_term)},
              {"gain", s.has_term() ? say("panel.gain") : "", term_plot(s, s.out.bias_term_gain)}};
  std::vector<figure::Box> left{figure::panel("raw"), figure::panel("gain")};
  f.root = figure::column(left);
  if (s.has_text()) {
    f.panels.push_back({"removals", say("panel.removals"), removals_plot(s)});
    f.panels.push_back({"layers", say("panel.layers"), layers_plot(s)});
    f.root = figure::row(
        {figure::column({figure::panel("removals"), figure::panel("layers")}, 0.52f), figure::column(std::move(left))});
  }
  f.notes = notes(s), f.row_links = {{{"removal"}, "", "", s.has_text(), say("table.removals")}};
  f.across = {"dimension", 0, static_cast<int>(s.out.bias_term.data.size()) - 1};
  return f;
}

}  // namespace

ViewStudy view_study() { return {describe(), view, reading}; }

}  // namespace helix::studies::attention_sink
