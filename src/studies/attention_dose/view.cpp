// The query's row as bars that can be pulled, and beside it what the prediction would be at every height of the bar.
#include <algorithm>
#include <cmath>
#include <utility>

#include "base/text.h"
#include "studies/attention_dose/attention_dose.h"
#include "studies/reading_view.h"
#include "studies/registry_view.h"
#include "studies/token_text.h"

namespace helix::studies::attention_dose {
namespace {

constexpr double kHardly = 0.01;   // a probability that moves by less than this hardly depends on the weight
constexpr std::size_t kDrawn = 5;  // tokens with a curve
constexpr int kPercent = 100;      // steps of a pulled bar

struct Scene {
  const protocol::Result& result;
  Output out;
  Params params;
  bool difference = false;

  bool empty() const { return out.row.data.empty() || out.curves.rows() != kSteps || out.text.empty(); }
  int query() const { return static_cast<int>(out.query.value); }
  int key() const { return static_cast<int>(out.key.value); }
  bool set() const { return params.height >= 0; }
  std::string head() const {
    return say("head", {{"head", std::to_string(params.layer) + "." + std::to_string(params.head)}});
  }
  std::string token(std::size_t i) const { return token_quoted(one_line(out.text[i])); }
  std::string place(int position) const {
    const std::string text = token_at(result, position);
    return text.empty() ? say("position_at", {{"position", std::to_string(position)}})
                        : token_quoted(one_line(text)) + " (" + std::to_string(position) + ")";
  }
};

Scene read(const protocol::Result& result) {
  Scene s{result, protocol::read_outputs<Output>(result), read_params<Params>(result.params), result.difference};
  const bool whole = s.out.curves.cols() == s.out.text.size() && s.out.now.data.size() == s.out.text.size() &&
                     s.out.row_as_is.data.size() == s.out.row.data.size() && std::isfinite(s.out.query.value) &&
                     std::isfinite(s.out.key.value);
  if (!whole) s.out.row.data.clear();
  return s;
}

figure::Plot row_plot(const Scene& s) {
  std::vector<std::string> names;
  const std::size_t n = s.out.row.data.size();
  for (std::size_t i = 0; i < n; ++i) names.push_back(token_label(token_at(s.result, static_cast<int>(i))));
  figure::Plot plot{figure::over("key", 0, static_cast<int>(n), std::move(names)),
                    figure::quantity(say("axis.row"), "fraction")};
  plot.y.percent = true, plot.y.from_zero = true;
  if (!s.difference) plot.y.low = 0, plot.y.high = 1;
  if (s.empty()) return plot;
  figure::Bars bars{"key", 0, s.out.row.data, figure::series(0)};
  if (s.set()) bars.before = s.out.row_as_is.data;
  plot.marks = {std::move(bars)};
  plot.chosen = {{"key", s.key()}};
  const double share = s.out.share.value;
  if (!s.difference && std::isfinite(share))
    plot.marks.push_back(
        figure::Callout{{static_cast<double>(s.key()), share}, s.place(s.key()) + "  " + share_text(share, 1)});
  figure::Gesture pull{figure::Gesture::On::drag,
                       {"key", "height"},
                       figure::Gesture::Effect::set,
                       "key={key}&height={height}",
                       say("hint.pull")};
  pull.first = s.key(), pull.steps = kPercent;
  if (!s.difference) plot.gestures = {std::move(pull)};
  return plot;
}

/// The probability of a token at every height.
figure::Line curve(const Scene& s, std::size_t token) {
  figure::Line line{"step", 0, {2, {}}, figure::series(static_cast<int>(token))};
  for (std::size_t step = 0; step < kSteps; ++step) {
    line.at.data.push_back(s.out.height.data[step]);
    line.at.data.push_back(s.out.curves(step, token));
  }
  line.name = token_label(s.out.text[token]), line.digits = 2;
  return line;
}

figure::Plot curve_plot(const Scene& s) {
  figure::Plot plot{figure::quantity(say("axis.key"), "fraction"),
                    figure::quantity(say("axis.probability"), "fraction")};
  plot.x.percent = plot.y.percent = true, plot.y.from_zero = true;
  plot.x.low = 0, plot.x.high = 1;
  if (s.empty()) return plot;
  for (std::size_t i = std::min(kDrawn, s.out.text.size()); i-- > 0;) plot.marks.push_back(curve(s, i));
  if (s.difference) return plot;
  plot.marks.push_back(figure::Rule{true, s.out.share_as_is.value, 0, false, say("as_it_is"), figure::kMute, 1, true});
  if (s.set())
    plot.marks.push_back(
        figure::Rule{true, s.out.share.value, 0, false, percent_text(s.out.share.value, 0), figure::kWarm, 2});
  return plot;
}

figure::Plot heads_plot(const Scene& s) {
  const auto n = static_cast<int>(s.out.by_head.data.size());
  std::vector<std::string> names;
  for (int i = 0; i < n; ++i) names.push_back(std::to_string(s.params.layer) + "." + std::to_string(i));
  figure::Plot plot{figure::over("head", 0, n, std::move(names)), figure::quantity(say("axis.change"), "fraction")};
  plot.y.percent = true, plot.y.from_zero = true, plot.height = 170;
  if (s.empty()) return plot;
  plot.marks = {figure::Bars{"head", 0, s.out.by_head.data, figure::series(0)}};
  plot.chosen = {{"head", s.params.head}};
  plot.gestures = {
      {figure::Gesture::On::click, {"head"}, figure::Gesture::Effect::set, "head={head}", say("hint.head")}};
  return plot;
}

std::string title(const Scene& s) {
  if (s.empty()) return say("title.none");
  const double least = s.out.lowest.value, most = s.out.highest.value;
  if (s.out.largest_change.value < kHardly) return say("title.hardly", {{"token", s.token(0)}}) + with_edits(s.result);
  return say("title.takes", {{"token", s.token(0)},
                             {"least", percent_text(least, least < 0.01 ? 2 : 0)},
                             {"most", percent_text(most, most < 0.01 ? 2 : 0)}}) +
         with_edits(s.result);
}

std::string subtitle(const Scene& s) {
  if (s.empty()) return say("subtitle.none");
  return say(s.set() ? "subtitle.set" : "subtitle.gives", {{"head", s.head()},
                                                           {"query", s.place(s.query())},
                                                           {"key", s.place(s.key())},
                                                           {"share", share_text(s.out.share_as_is.value, 1)},
                                                           {"set", share_text(s.out.share.value, 1)}});
}

figure::Number headline(const Scene& s) {
  if (s.empty()) return {};
  return {share_text(s.out.probability.value, 1),
          {say("lead.probability", {{"token", s.token(0)}}),
           say("lead.as_is", {{"share", share_text(s.out.probability_as_is.value, 1)}})},
          true};
}

/// How the chosen head compares with the layer's others, which are the chance level of such a move.
std::string against_others(const Scene& s) {
  if (!std::isfinite(s.out.others_largest.value)) return "";
  const double own = std::abs(s.out.by_head.data[static_cast<std::size_t>(s.params.head)]);
  return say(own > s.out.others_largest.value ? "note.others_less" : "note.others_more",
             {{"most", number_text(100 * s.out.others_largest.value, 1)}, {"own", number_text(100 * own, 1)}});
}

std::vector<figure::Note> notes(const Scene& s) {
  using Kind = figure::Note::Kind;
  std::vector<figure::Note> all{{Kind::text, say(s.difference ? "note.set" : "note.pull")},
                                {Kind::equation, "a_k = h,  a_j = (1 − h) (c_j / Σᵢ cᵢ),  i ≠ k"}};
  if (!s.empty())
    if (std::string text = against_others(s); !text.empty()) all.push_back({Kind::text, std::move(text)});
  all.push_back({Kind::caution, say("note.caution")});
  return all;
}

/// The weight as an edit of the prompt, for every other study.
figure::Table as_edit(const Scene& s) {
  figure::Table t{say("table.edit"), {{"edit", "", 0, {}, {}}}};
  std::string spec = "set_pattern:" + std::to_string(s.params.layer) + "." + std::to_string(s.params.head);
  for (const int position : {s.query(), s.key()}) spec += ":" + std::to_string(position);
  spec += ":" + to_text(s.params.height / 100.0);
  t.columns[0].texts = {spec};
  t.go = {"from=here&study=predictions&edit=" + spec};
  t.help = say("hint.edit");
  return t;
}

figure::Reading reading(const figure::Reading& made, const protocol::Result& result, const ParamValues&,
                        const ViewState& view) {
  const Scene s = read(result);
  figure::Reading r;
  if (s.empty()) return r;
  if (view.focus.has("key")) {
    r = made;
    if (r.title.empty()) return r;
    r.title = place_text(result, say("position"), view.focus.at("key"));
    if (s.set())
      r.lines.push_back(
          say("as_it_is") + "  " +
          share_or_change(result.difference, s.out.row_as_is(static_cast<std::size_t>(view.focus.at("key"))), 2));
  } else if (view.focus.has("step")) {
    const auto step = static_cast<std::size_t>(std::clamp(view.focus.at("step"), 0, static_cast<int>(kSteps) - 1));
    r.title = say("reading.height", {{"share", percent_text(s.out.height.data[step], 0)}});
    for (std::size_t i = 0; i < std::min(kDrawn, s.out.text.size()); ++i)
      r.lines.push_back(s.token(i) + "  " + share_or_change(result.difference, s.out.curves(step, i), 2));
  } else if (view.focus.has("head")) {
    const auto head = static_cast<std::size_t>(std::max(view.focus.at("head"), 0));
    if (head >= s.out.by_head.data.size()) return r;
    r.title = say("head", {{"head", std::to_string(s.params.layer) + "." + std::to_string(head)}});
    r.lines = {s.token(0) + "  " + say("reading.points", {{"points", number_text(100 * s.out.by_head.data[head], 2)}})};
  }
  return r;
}

figure::Figure view(const protocol::Result& result, const ParamValues&) {
  const Scene s = read(result);
  figure::Figure f;
  f.title = title(s), f.subtitle = subtitle(s);
  f.summary = s.empty() ? say("summary.none") : f.title + ". " + f.subtitle;
  f.lead = headline(s);
  f.panels = {
      {"row", s.empty() ? "" : say("panel.row"), row_plot(s)},
      {"curve", s.empty() ? "" : say("panel.curve"), curve_plot(s)},
      {"heads", s.empty() ? "" : say("panel.heads", {{"layer", std::to_string(s.params.layer)}}), heads_plot(s)}};
  f.notes = notes(s);
  if (!s.empty()) {
    if (s.set() && !s.difference) f.tables = {as_edit(s)};
    f.across = {"key", 0, static_cast<int>(s.out.row.data.size()) - 1};
  }
  f.root = figure::row(
      {figure::column({figure::panel("row"), figure::panel("heads", 0, 150, 190)}, 0.5f), figure::panel("curve")});
  f.narrow = figure::column({figure::panel("row"), figure::panel("curve"), figure::panel("heads")});
  return f;
}

}  // namespace

ViewStudy view_study() { return {describe(), view, reading}; }

}  // namespace helix::studies::attention_dose
