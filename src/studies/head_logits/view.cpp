// Every head in its layer, coloured by what it adds to the logit; beside it everything that is no head, and of a set of
// prompts what each of them gives.
#include <algorithm>
#include <cmath>
#include <utility>

#include "base/text.h"
#include "studies/head_logits/head_logits.h"
#include "studies/model_name.h"
#include "studies/null_range.h"
#include "studies/registry_view.h"
#include "studies/scaled_heads_view.h"
#include "studies/token_text.h"

namespace helix::studies::head_logits {
namespace {

using protocol::Grid;

constexpr float kBars = 190;  // the height of a panel of bars, in pixels, below a map that takes the spare height
constexpr std::size_t kFewLayers = 6;     // so many layers do not fill a high window: the bars take the spare height
constexpr float kRow = 56, kAround = 75;  // the height of one of these few rows, and of what stands around them

struct Scene {
  const protocol::Result& result;
  Output out;
  Params params;
  std::size_t layers = 0, heads = 0;
  NullRange random{};

  bool empty() const { return layers * heads == 0; }
  bool few() const { return !empty() && layers <= kFewLayers; }
  bool difference() const { return result.difference; }
  bool set() const { return !out.by_prompt.data.empty(); }
  std::string name(std::size_t i) const { return std::to_string(i / heads) + "." + std::to_string(i % heads); }
  std::size_t most() const { return at(std::ranges::max_element(out.contribution.data)); }
  std::size_t least() const { return at(std::ranges::min_element(out.contribution.data)); }
  std::size_t at(std::vector<double>::const_iterator cell) const {
    return static_cast<std::size_t>(cell - out.contribution.data.begin());
  }
  /// Whether the head that says most is against the answer.
  bool against() const { return -out.opposed.value > out.strongest.value; }
  std::size_t loudest() const { return against() ? least() : most(); }
  double loudest_value() const { return against() ? out.opposed.value : out.strongest.value; }
};

Scene read(const protocol::Result& result) {
  Scene s{result, protocol::read_outputs<Output>(result),
          read_params<Params>(result.params.empty() ? defaults(describe()) : result.params)};
  Grid& map = s.out.contribution;
  if (map.shape.size() == 2 && map.data.size() == map.shape[0] * map.shape[1] && !map.data.empty())
    s.layers = map.shape[0], s.heads = map.shape[1];
  if (s.out.deviation.data.size() != map.data.size()) s.out.deviation = {};
  if (s.out.parts.size() != s.out.part.data.size()) s.out.parts.clear(), s.out.part = {};
  if (s.out.part_deviation.data.size() != s.out.parts.size()) s.out.part_deviation = {};
  if (s.out.sentences.size() != s.out.by_prompt.data.size()) s.out.sentences.clear(), s.out.by_prompt = {};
  s.random = range_of(s.out.random_strongest.data);
  return s;
}

/// "+1.96", "−0.42", "0.00".
std::string logits_text(double value) {
  const std::string text = number_text(value, 2);
  if (std::isfinite(value) && std::abs(value) < 0.005) return "0.00";
  return (value > 0 ? "+" : "") + text;
}

double value_at(const Grid& grid, std::size_t i) { return i < grid.data.size() ? grid.data[i] : std::nan(""); }

std::string with_deviation(double value, double deviation) {
  return logits_text(value) + (std::isfinite(deviation) ? " ± " + number_text(deviation, 2) : "");
}

// ---- panels

figure::Plot map_plot(const Scene& s) {
  figure::Plot plot{figure::over("head", 0, static_cast<int>(s.heads)),
                    figure::over("layer", 0, static_cast<int>(s.layers))};
  if (s.empty()) return plot;
  const std::vector<double>& values = s.out.contribution.data;
  plot.colour = figure::ColourScale{say(s.difference() ? "legend.change" : "legend.added")};
  plot.colour->range = figure::scale_of(values, true);
  figure::Cells cells{figure::pyramid_of(values, s.layers, s.heads, plot.colour->range), "layer", "head"};
  cells.numbers.assign(values.begin(), values.end());
  for (float& x : cells.numbers)
    if (std::abs(x) < 0.005f) x = 0;  // not "−0.00"
  cells.digits = 2, cells.stretch = 2.4f;
  plot.marks = {std::move(cells)};
  if (!s.difference())
    plot.chosen = {{"layer", static_cast<int>(s.loudest() / s.heads)},
                   {"head", static_cast<int>(s.loudest() % s.heads)}};
  plot.gestures = {{figure::Gesture::On::click,
                    {"layer", "head"},
                    figure::Gesture::Effect::go,
                    "from=here&study=attention&attention.layer={layer}&attention.head={head}",
                    say("hint.head")}};
  if (s.difference()) return plot;
  add_head_acts(plot);
  return plot;
}

/// All heads together, and each part that is no head: they add up to the difference.
figure::Plot parts_plot(const Scene& s) {
  std::vector<double> values;
  std::vector<std::string> names;
  if (!s.empty()) names.push_back(say("reading.all_heads")), values.push_back(s.out.all_heads.value);
  for (std::size_t i = 0; i < s.out.parts.size(); ++i)
    names.push_back(s.out.parts[i]), values.push_back(s.out.part.data[i]);
  const int n = static_cast<int>(values.size());
  figure::Plot plot{figure::over("source", 0, n, std::move(names)),
                    figure::quantity(s.difference() ? "change" : "added", "logits")};
  plot.x.title.clear(), plot.y.from_zero = true, plot.height = s.few() ? 0 : kBars;
  if (n > 0) plot.marks = {figure::Rule{.at = 0}, figure::Bars{"source", 0, std::move(values), figure::series(0)}};
  return plot;
}

figure::Plot prompts_plot(const Scene& s) {
  const int n = static_cast<int>(s.out.by_prompt.data.size());
  figure::Plot plot{figure::over("prompt", 0, n), figure::quantity("difference", "logits")};
  plot.y.from_zero = true, plot.height = s.few() ? 0 : kBars;
  if (n == 0) return plot;
  plot.marks = {figure::Rule{.at = 0}, figure::Bars{"prompt", 0, s.out.by_prompt.data, figure::series(0)}};
  if (!s.difference())
    plot.marks.push_back(
        figure::Rule{.at = s.out.difference.value, .label = "mean", .ink = figure::kMute, .dashed = true});
  return plot;
}

// ---- words

bool two_tokens(const Scene& s) { return s.out.text.size() > 1; }

/// What the logit is of: "“ Mary”", "the right name".
std::string answer_text(const Scene& s) {
  if (s.set()) return say("answer.set");
  return s.out.text.empty() ? say("answer.one") : token_quoted(one_line(s.out.text[0]));
}

bool stands_out(const Scene& s) { return s.random.known() && std::abs(s.loudest_value()) > s.random.most; }

std::string title(const Scene& s) {
  if (s.empty()) return say("title");
  if (s.difference()) return say("title.change");
  const std::string edits = with_edits(s.result);
  if (!stands_out(s)) return say("title.none", {{"answer", answer_text(s)}}) + edits;
  return say(s.against() ? "title.against" : "title.for", {{"head", s.name(s.loudest())},
                                                           {"answer", answer_text(s)},
                                                           {"logits", logits_text(s.loudest_value())},
                                                           {"all", logits_text(s.out.difference.value)}}) +
         edits;
}

std::string subtitle(const Scene& s) {
  if (s.empty()) return say("subtitle.waiting");
  if (s.difference()) return say("subtitle.change");
  const std::string logits = logits_text(s.out.difference.value);
  if (s.set())
    return say("subtitle.set", {{"logits", logits},
                                {"spread", number_text(s.out.spread.value, 2)},
                                {"prompts", number_text(s.out.prompts.value, 0)},
                                {"share", percent_text(s.out.right.value, 0)}});
  if (!two_tokens(s)) return say("subtitle.one", {{"answer", answer_text(s)}, {"logits", logits}});
  const std::string other = token_quoted(one_line(s.out.text[1]));
  return say("subtitle.two", {{"answer", answer_text(s)}, {"other", other}, {"logits", logits}});
}

figure::Number headline(const Scene& s) {
  if (s.empty() || s.difference()) return {};
  figure::Number n{
      logits_text(s.loudest_value()), {say("lead.logits", {{"head", s.name(s.loudest())}})}, s.result.complete};
  if (s.random.known()) n.lines.push_back(say("lead.random", {{"range", span_text(s.random, 2)}}));
  const double other = s.against() ? s.out.strongest.value : s.out.opposed.value;
  if (s.against() ? other > 0 : other < 0)
    n.lines.push_back(say(s.against() ? "lead.for" : "lead.against",
                          {{"head", s.name(s.against() ? s.most() : s.least())}, {"logits", logits_text(other)}}));
  return n;
}

std::vector<figure::Note> notes(const Scene& s) {
  using Kind = figure::Note::Kind;
  std::vector<figure::Note> out{{Kind::text, say("note.sum")},
                                {Kind::equation, "c_h = (x_h − mean(x_h)) · w / s,  w = g (u_a − u_b)"},
                                {Kind::text, say(s.set()         ? "note.chance_set"
                                                 : two_tokens(s) ? "note.chance_two"
                                                                 : "note.chance_one")}};
  if (s.set()) out.push_back({Kind::text, say("note.set")});
  if (const double error = s.out.residual_error.value; !s.empty() && std::isfinite(error))
    out.push_back({Kind::text, say("note.residual", {{"error", number_text(error, 4)}})});
  out.push_back({Kind::caution, say("note.caution")});
  return out;
}

figure::Reading part_reading(const Scene& s, int source) {
  if (s.empty() || source < 0) return {};
  if (source == 0) return {say("reading.all_heads"), {say("reading.add") + "  " + logits_text(s.out.all_heads.value)}};
  const auto i = static_cast<std::size_t>(source - 1);
  if (i >= s.out.parts.size()) return {};
  return {s.out.parts[i],
          {say("reading.adds") + "  " + with_deviation(s.out.part.data[i], value_at(s.out.part_deviation, i))}};
}

figure::Reading reading(const figure::Reading&, const protocol::Result& result, const ParamValues&,
                        const ViewState& view) {
  const Scene s = read(result);
  if (view.focus.has("source")) return part_reading(s, view.focus.at("source"));
  const int layer = view.focus.at("layer"), head = view.focus.at("head");
  if (layer < 0 || head < 0 || static_cast<std::size_t>(layer) >= s.layers || static_cast<std::size_t>(head) >= s.heads)
    return {};
  const std::size_t i = static_cast<std::size_t>(layer) * s.heads + static_cast<std::size_t>(head);
  figure::Reading r{
      "head " + s.name(i),
      {say("reading.adds") + "  " + with_deviation(value_at(s.out.contribution, i), value_at(s.out.deviation, i))}};
  if (s.random.known() && !s.difference())
    r.lines.push_back(say("reading.random") + "  " + say("reading.at_most", {{"range", span_text(s.random, 2)}}));
  add_scaled_line(r, scaled_heads(result.edits), view);
  return r;
}

figure::Figure view(const protocol::Result& result, const ParamValues&) {
  const Scene s = read(result);
  figure::Figure f;
  f.title = title(s), f.subtitle = subtitle(s), f.lead = headline(s);
  f.summary = s.empty() ? say("summary.waiting") : f.title + ". " + f.subtitle;
  f.panels = {{"map", s.empty() ? "" : say("panel.map"), map_plot(s)},
              {"parts", s.empty() ? "" : say("panel.parts"), parts_plot(s)}};
  if (s.set()) f.panels.push_back({"prompts", say("panel.prompts"), prompts_plot(s)});
  const figure::Box below =
      s.set() ? figure::row({figure::panel("parts", 0.6f), figure::panel("prompts")}) : figure::panel("parts");
  const float most = s.few() ? kRow * static_cast<float>(s.layers) + kAround : 0;
  f.root = figure::column({figure::panel("map", 0, 0, most), below});
  f.notes = notes(s);
  f.row_links = {{{"layer", "head"},
                  "from=here&study=attention&attention.layer={layer}&attention.head={head}",
                  say("hint.row"),
                  false,
                  say("table.heads")}};
  show_scaled_heads(f, scaled_heads(result.edits));
  f.down = {"layer", 0, static_cast<int>(s.layers) - 1}, f.across = {"head", 0, static_cast<int>(s.heads) - 1};
  return f;
}

}  // namespace

ViewStudy view_study() { return {describe(), view, reading}; }

}  // namespace helix::studies::head_logits
