// All four cases in a dot plot on a logarithmic axis, for three outputs of the model; beside it each token of the chosen case.
#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "base/utf8.h"
#include "figure/dots.h"
#include "figure/ticks.h"
#include "studies/model_name.h"
#include "studies/permutation/permutation.h"
#include "studies/registry_view.h"
#include "studies/token_text.h"

namespace helix::studies::permutation {
namespace {

using protocol::Grid;

constexpr double kLowest = 1e-8,
                 kHighest = 10;          // of the logarithmic axis; two vectors of equal length differ by 2 at most
constexpr std::size_t kTokensTold = 24;  // of the shuffled text, in a note

struct Scene {
  Output out;
  Params params;
  bool difference = false, complete = true;
  std::size_t tokens = 0;
  std::size_t removed = 0;  // what edits remove in every case: 2 positions, 1 the mask

  bool empty() const { return tokens == 0; }
  std::size_t chosen() const { return params.chosen(); }
  /// The case that runs where this one is asked for.
  std::size_t runs(std::size_t which) const { return which | removed; }
  double by_token(std::size_t which, std::size_t i) const { return out.by_token.data[which * tokens + i]; }
  bool no_change() const { return out.max_change.value < kNoChange; }
};

Scene read(const protocol::Result& result) {
  Scene s{protocol::read_outputs<Output>(result),
          read_params<Params>(result.params.empty() ? defaults(describe()) : result.params), result.difference,
          result.complete};
  for (const Grid* grid : {&s.out.change, &s.out.outputs, &s.out.logits, &s.out.unmatched})
    if (grid->shape != std::vector<std::size_t>{kCases} || grid->data.size() != kCases) return s;
  const auto& shape = s.out.by_token.shape;
  if (shape.size() != 2 || shape[0] != kCases || s.out.by_token.data.size() != shape[0] * shape[1]) return s;
  s.tokens = shape[1];
  for (const std::string& edit : result.edits) s.removed |= edit == "zero_positions" ? 2u : edit == "no_mask" ? 1u : 0u;
  return s;
}

/// "with the mask alone".
std::string case_text(std::size_t which) { return say(std::string("case.") + kCaseNames[which]); }

/// "mask": what is on.
std::vector<std::string> case_names() {
  std::vector<std::string> names;
  for (const char* name : kCaseNames) names.push_back(say(std::string("name.") + name));
  return names;
}

/// For a logarithmic axis: values below its lower end stand at it.
std::vector<double> drawable(std::vector<double> values, bool difference) {
  for (double& v : values)
    if (!difference && v < 1.3 * kLowest) v = 1.3 * kLowest;
  return values;
}

figure::Scale ratio(const Scene& s) {
  figure::Scale scale = figure::quantity(s.difference ? "difference of changes" : "change");
  scale.id = "change";
  if (s.difference) return scale;
  scale.kind = figure::ScaleKind::log;
  scale.low = kLowest, scale.high = kHighest;
  return scale;
}

figure::Rule limit(std::string label) {
  return {.upright = true, .at = kNoChange, .label = std::move(label), .ink = figure::kMute, .dashed = true};
}

// ---- panels

/// A row for each case, and a dot at the change of one output of the model; the chosen case's is larger.
figure::Plot cases(const Scene& s, const Grid& values, double not_undone) {
  figure::Plot plot{figure::quantity(""), figure::over("case", 0, static_cast<int>(kCases), case_names())};
  plot.y.title.clear();
  if (s.empty()) return plot;
  plot.x = ratio(s);
  if (!s.difference) plot.marks.push_back(limit("no change"));
  if (!s.difference && std::isfinite(not_undone))
    plot.marks.push_back(
        figure::Rule{.upright = true, .at = not_undone, .label = "not undone", .ink = figure::kWarm, .dashed = true});
  const std::vector<double> drawn = drawable(values.data, s.difference);
  for (std::size_t i = 0; i < kCases; ++i)
    plot.marks.push_back(figure::one_dot("case", static_cast<int>(i), drawn[i], figure::kAccent,
                                         i == s.chosen() ? 6.5f : 4, figure::short_number(values.data[i])));
  return plot;
}

figure::Plot tokens(const Scene& s, const protocol::Result& result) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < s.tokens; ++i) {
    const std::string text = token_at(result, static_cast<int>(i));
    names.push_back(text.empty() ? std::to_string(i) : token_label(text));
  }
  figure::Plot plot{figure::quantity(""), figure::over("position", 0, static_cast<int>(s.tokens), std::move(names))};
  plot.y.title.clear();
  if (s.empty()) return plot;
  plot.x = ratio(s);
  std::vector<double> values;
  for (std::size_t i = 0; i < s.tokens; ++i) values.push_back(s.by_token(s.chosen(), i));
  if (!s.difference) plot.marks.push_back(limit("no change"));
  plot.marks.push_back(figure::row_dots("position", 0, drawable(std::move(values), s.difference), figure::kAccent));
  return plot;
}

figure::Number headline(const Scene& s) {
  if (s.empty()) return {};
  figure::Number n{figure::short_number(s.out.max_change.value), {}, s.complete};
  n.lines = {say("lead.change"), case_text(s.runs(s.chosen())),
             say("lead.not_undone", {{"change", figure::short_number(s.out.not_undone.value)}}),
             say("lead.outputs", {{"change", figure::short_number(s.out.output_change.value)}})};
  return n;
}

// ---- words

std::string title(const Scene& s) {
  if (s.empty() || !std::isfinite(s.out.max_change.value)) return say("title.none");
  switch (s.runs(s.chosen())) {
    case 0:
      if (!s.no_change()) return say("title.both");
      break;
    case 1:
      if (!s.no_change()) return say("title.positions");
      break;
    case 2:
      if (!s.no_change()) return say("title.mask");
      break;
    default:
      if (s.no_change()) return say("title.neither");
  }
  return say("title.change", {{"change", figure::short_number(s.out.max_change.value)}});
}

std::string shuffled_text(const Scene& s, const protocol::Result& result) {
  std::string text;
  const std::size_t n = std::min(s.out.order.data.size(), kTokensTold);
  for (std::size_t j = 0; j < n; ++j) {
    const double from = s.out.order.data[j];
    if (from >= 0 && from < static_cast<double>(s.tokens)) text += token_at(result, static_cast<int>(from));
  }
  return text.empty() ? text : one_line(text) + (s.out.order.data.size() > n ? " …" : "");
}

/// What the two cases without positions say; each reason only where its number shows it.
std::string cases_text(const Scene& s) {
  const double neither = s.out.change.data[3], mask = s.out.change.data[2];
  const std::string change = figure::short_number(neither);
  return sentences(
      {neither < kNoChange
           ? say("note.rounding", {{"change", change}, {"outputs", figure::short_number(s.out.outputs.data[3])}})
           : say(std::isfinite(neither) ? "note.more_than_rounding" : "note.neither", {{"change", change}}),
       say(mask >= kNoChange && !(s.removed & 1u) ? "note.mask_because" : "note.mask",
           {{"change", figure::short_number(mask)}})});
}

std::vector<figure::Note> notes(const Scene& s, const protocol::Result& result) {
  using Kind = figure::Note::Kind;
  std::vector<figure::Note> all{{Kind::text, say("note.method")}, {Kind::equation, "change = |y − y_shuffled| / |y|"}};
  if (const std::string text = s.empty() ? "" : shuffled_text(s, result); !text.empty())
    all.push_back({Kind::text, say("note.shuffled", {{"text", text}})});
  if (!s.empty()) all.push_back({Kind::text, cases_text(s)});
  all.push_back({Kind::caution, say("note.caution")});
  return all;
}

std::vector<figure::Table> tables(const Scene& s, const protocol::Result& result) {
  figure::Table four{"Cases",
                     {{"case", "", 0, {}, case_names()},
                      {"attention of layer 0", "", 10, {}},
                      {"after all layers", "", 10, {}},
                      {"last token's logits", "", 10, {}},
                      {"shuffle not undone", "", 4, {}}}};
  figure::Table each{"Tokens",
                     {{"position", "", 0, {}}, {"token", "", 0, {}, {}}, {"in the shuffled text", "", 0, {}}}};
  four.over = {"case"}, each.over = {"case", "position"};
  if (s.empty()) return {std::move(four), std::move(each)};
  const Grid* columns[] = {&s.out.change, &s.out.outputs, &s.out.logits, &s.out.unmatched};
  for (std::size_t i = 0; i < 4; ++i) four.columns[i + 1].values = columns[i]->data;
  std::vector<double> places(s.tokens, std::nan(""));
  for (std::size_t j = 0; j < s.out.order.data.size(); ++j)
    if (const double from = s.out.order.data[j]; from >= 0 && from < static_cast<double>(s.tokens))
      places[static_cast<std::size_t>(from)] = static_cast<double>(j);
  each.columns[2].values = places;
  for (std::size_t i = 0; i < s.tokens; ++i) {
    each.columns[0].values.push_back(static_cast<double>(i));
    each.columns[1].texts.push_back(token_at(result, static_cast<int>(i)));
  }
  for (std::size_t which = 0; which < kCases; ++which) {
    const auto from = s.out.by_token.data.begin() + static_cast<std::ptrdiff_t>(which * s.tokens);
    each.columns.push_back({case_text(which), "", 10, {from, from + static_cast<std::ptrdiff_t>(s.tokens)}});
  }
  return {std::move(four), std::move(each)};
}

figure::Reading reading(const figure::Reading& made, const protocol::Result& result, const ParamValues&,
                        const ViewState& view) {
  const Scene s = read(result);
  figure::Reading r;
  if (s.empty()) return r;
  const int which = view.focus.at("case"), position = view.focus.at("position");
  if (which >= 0 && which < static_cast<int>(kCases)) {
    r = {case_text(static_cast<std::size_t>(which)), made.lines};
  } else if (position >= 0 && static_cast<std::size_t>(position) < s.tokens) {
    r.title = place_text(result, "position", position);
    for (std::size_t i = 0; i < kCases; ++i)
      r.lines.push_back(case_text(i) + "  " + figure::short_number(s.by_token(i, static_cast<std::size_t>(position))));
  }
  return r;
}

figure::Figure view(const protocol::Result& result, const ParamValues&) {
  const Scene s = read(result);
  figure::Figure f;
  f.title = title(s) + (s.empty() ? "" : with_edits(result));
  f.subtitle = s.empty() ? say("subtitle.waiting")
                         : say("subtitle.shuffled", {{"model", at_start(spoken_name(result.provenance.model))},
                                                     {"n", with_thousands(static_cast<long long>(s.tokens))},
                                                     {"seed", std::to_string(s.params.seed)}});
  f.summary = s.empty() ? say("summary.waiting")
                        : sentences({f.title + ".",
                                     say("summary.change", {{"change", figure::short_number(s.out.max_change.value)},
                                                            {"neither", figure::short_number(s.out.change.data[3])}})});
  const bool any = !s.empty();
  f.panels = {{"attention", any ? say("panel.attention") : "", cases(s, s.out.change, s.out.not_undone.value)},
              {"outputs", any ? say("panel.outputs") : "", cases(s, s.out.outputs, std::nan(""))},
              {"logits", any ? say("panel.logits") : "", cases(s, s.out.logits, std::nan(""))},
              {"tokens", any ? say("panel.tokens", {{"case", case_text(s.chosen())}}) : "", tokens(s, result)}};
  f.lead = headline(s);
  f.notes = notes(s, result), f.tables = tables(s, result);
  f.root = figure::row({figure::column({figure::panel("attention"), figure::panel("outputs"), figure::panel("logits")}),
                        figure::panel("tokens", 0.45f)});
  f.across = {"position", 0, static_cast<int>(s.tokens) - 1};
  f.down = {"case", 0, any ? static_cast<int>(kCases) - 1 : -1};
  return f;
}

}  // namespace

ViewStudy view_study() { return {describe(), view, reading}; }

}  // namespace helix::studies::permutation
