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
  plot.colour = figure::ColourScale{s.difference() ? "change of the contribution, logits" : "added, logits"};
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
                    "Click a head to see where it attends."}};
  if (s.difference()) return plot;
  add_head_acts(plot);
  return plot;
}

/// All heads together, and each part that is no head: they add up to the difference.
figure::Plot parts_plot(const Scene& s) {
  std::vector<double> values;
  std::vector<std::string> names;
  if (!s.empty()) names.emplace_back("all heads"), values.push_back(s.out.all_heads.value);
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

/// What the logit is of: "“ Mary”", "the right name".
std::string answer_text(const Scene& s) {
  if (s.set()) return "the right name";
  return s.out.text.empty() ? "the answer" : token_quoted(one_line(s.out.text[0]));
}

std::string against_text(const Scene& s) {
  if (s.set()) return "the other one";
  return s.out.text.size() > 1 ? token_quoted(one_line(s.out.text[1])) : "the mean of the vocabulary";
}

bool stands_out(const Scene& s) { return s.random.known() && std::abs(s.loudest_value()) > s.random.most; }

std::string title(const Scene& s) {
  if (s.empty()) return "What each head says about the next word";
  if (s.difference()) return "How what the heads say changes";
  const std::string edits = with_edits(s.result);
  if (!stands_out(s)) return "No head stands out for " + answer_text(s) + edits;
  return "Head " + s.name(s.loudest()) + (s.against() ? " is most against " : " says most for ") + answer_text(s) +
         ": " + logits_text(s.loudest_value()) + " of " + logits_text(s.out.difference.value) + " logits" + edits;
}

std::string subtitle(const Scene& s) {
  if (s.empty()) return "Waiting for the model.";
  if (s.difference()) return "One state's contributions minus the other's, head by head.";
  std::string text = "The logit of " + answer_text(s) + " less " +
                     (s.set() || s.out.text.size() > 1 ? "that of " : "") + against_text(s) + " is " +
                     logits_text(s.out.difference.value);
  if (s.set())
    text += " ± " + number_text(s.out.spread.value, 2) + " over " + number_text(s.out.prompts.value, 0) +
            " prompts, and higher in " + percent_text(s.out.right.value, 0);
  return text + ". All parts add up to it, with LayerNorm's scale held.";
}

figure::Number headline(const Scene& s) {
  if (s.empty() || s.difference()) return {};
  figure::Number n{logits_text(s.loudest_value()), {"logits from head " + s.name(s.loudest())}, s.result.complete};
  if (s.random.known()) n.lines.push_back("random tokens: at most " + span_text(s.random, 2));
  const double other = s.against() ? s.out.strongest.value : s.out.opposed.value;
  if (s.against() ? other > 0 : other < 0)
    n.lines.push_back(std::string(s.against() ? "for" : "against") + " it: head " +
                      s.name(s.against() ? s.most() : s.least()) + ", " + logits_text(other));
  return n;
}

std::vector<figure::Note> notes(const Scene& s) {
  using Kind = figure::Note::Kind;
  std::vector<figure::Note> out{
      {Kind::text,
       "The residual stream of the last token is a sum: the token, its position, and what every head and MLP has "
       "added. "
       "The output head is linear. With the scale s of the last LayerNorm held at its value in this run, a logit is "
       "therefore a sum over these parts too. x_h is what a head has written, g LayerNorm's gain, and u_a the row of "
       "the "
       "output head for token a; without a second token, u_b is the mean row of the vocabulary."},
      {Kind::equation, "c_h = (x_h − mean(x_h)) · w / s,  w = g (u_a − u_b)"},
      {Kind::text,
       "Chance: the same outputs are read out for random tokens of the vocabulary in place of " +
           std::string(s.set() || s.out.text.size() > 1 ? "the two" : "the answer") +
           (s.set() ? ", the same for all prompts" : "") +
           ". The largest contribution of any head to them, over 20 seeds, is what a head must exceed to stand out."}};
  if (s.set())
    out.push_back({Kind::text,
                   "In each prompt of the set two people are named, one of them gives something, and the other one's "
                   "name is to come next. Each pair stands in both orders, because the order must not matter. The "
                   "sentences are our own, after those of Wang et al. 2022; the names are those that are one token of "
                   "this model's vocabulary."});
  if (!s.empty() && std::isfinite(s.out.residual_error.value))
    out.push_back({Kind::text, "All parts together miss the difference by " +
                                   to_text(std::round(s.out.residual_error.value * 1e9) / 1e9) +
                                   " of the largest part."});
  out.push_back({Kind::caution,
                 "Only the direct path is counted. A head may also act through later heads and MLPs, and without one "
                 "head others may take over: an edit that switches it off shows that."});
  return out;
}

std::vector<figure::Table> tables(const Scene& s) {
  figure::Table heads{"Heads", {{"head", "", 0, {}, {}}, {"added", "logits", 4, s.out.contribution.data}}};
  for (std::size_t i = 0; i < s.out.contribution.data.size() && !s.empty(); ++i) {
    heads.columns[0].texts.push_back(s.name(i));
    heads.go.push_back("from=here&study=attention&attention.layer=" + std::to_string(i / s.heads) +
                       "&attention.head=" + std::to_string(i % s.heads));
  }
  heads.help = "A row shows where that head attends.";
  figure::Table parts{"Other parts", {{"part", "", 0, {}, s.out.parts}, {"added", "logits", 4, s.out.part.data}}};
  if (s.set()) {
    heads.columns.push_back({"spread", "logits", 4, s.out.deviation.data});
    parts.columns.push_back({"spread", "logits", 4, s.out.part_deviation.data});
  }
  figure::Table chance{"Chance",
                       {{"seed", "", 0, {}}, {"largest contribution", "logits", 4, s.out.random_strongest.data}}};
  for (std::size_t i = 0; i < s.out.random_strongest.data.size(); ++i)
    chance.columns[0].values.push_back(static_cast<double>(i + 1));
  std::vector<figure::Table> all{std::move(heads), std::move(parts)};
  if (s.set())
    all.push_back(
        {"Prompts", {{"prompt", "", 0, {}, s.out.sentences}, {"difference", "logits", 4, s.out.by_prompt.data}}});
  all.push_back(std::move(chance));
  return all;
}

figure::Reading part_reading(const Scene& s, int source) {
  if (s.empty() || source < 0) return {};
  if (source == 0) return {"all heads", {"add  " + logits_text(s.out.all_heads.value)}};
  const auto i = static_cast<std::size_t>(source - 1);
  if (i >= s.out.parts.size()) return {};
  return {s.out.parts[i], {"adds  " + with_deviation(s.out.part.data[i], value_at(s.out.part_deviation, i))}};
}

figure::Reading reading(const protocol::Result& result, const ParamValues&, const ViewState& view) {
  const Scene s = read(result);
  if (view.focus.has("source")) return part_reading(s, view.focus.at("source"));
  if (view.focus.has("prompt")) {
    const auto i = static_cast<std::size_t>(std::max(view.focus.at("prompt"), 0));
    if (i >= s.out.sentences.size()) return {};
    return {"prompt " + std::to_string(i), {s.out.sentences[i], "difference  " + logits_text(s.out.by_prompt.data[i])}};
  }
  const int layer = view.focus.at("layer"), head = view.focus.at("head");
  if (layer < 0 || head < 0 || static_cast<std::size_t>(layer) >= s.layers || static_cast<std::size_t>(head) >= s.heads)
    return {};
  const std::size_t i = static_cast<std::size_t>(layer) * s.heads + static_cast<std::size_t>(head);
  figure::Reading r{"head " + s.name(i),
                    {"adds  " + with_deviation(value_at(s.out.contribution, i), value_at(s.out.deviation, i))}};
  if (s.random.known() && !s.difference()) r.lines.push_back("random tokens  at most " + span_text(s.random, 2));
  add_scaled_line(r, scaled_heads(result.edits), view);
  return r;
}

figure::Figure view(const protocol::Result& result, const ParamValues&) {
  const Scene s = read(result);
  figure::Figure f;
  f.title = title(s), f.subtitle = subtitle(s), f.lead = headline(s);
  f.summary = s.empty() ? "The figure waits for the model." : f.title + ". " + f.subtitle;
  f.panels = {{"map", s.empty() ? "" : "added by each head", map_plot(s)},
              {"parts", s.empty() ? "" : "and by everything else", parts_plot(s)}};
  if (s.set()) f.panels.push_back({"prompts", "prompt by prompt", prompts_plot(s)});
  const figure::Box below =
      s.set() ? figure::row({figure::panel("parts", 0.6f), figure::panel("prompts")}) : figure::panel("parts");
  const float most = s.few() ? kRow * static_cast<float>(s.layers) + kAround : 0;
  f.root = figure::column({figure::panel("map", 0, 0, most), below});
  f.notes = notes(s);
  f.tables = tables(s);
  show_scaled_heads(f, scaled_heads(result.edits));
  f.down = {"layer", 0, static_cast<int>(s.layers) - 1}, f.across = {"head", 0, static_cast<int>(s.heads) - 1};
  return f;
}

}  // namespace

ViewStudy view_study() { return {describe(), view, reading}; }

}  // namespace helix::studies::head_logits
