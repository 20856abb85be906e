// A token's path through the model as tiles, the parameters of each part as bars, and every tensor in a table.
#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "studies/model_card/model_card.h"
#include "studies/model_name.h"
#include "studies/registry_view.h"

namespace helix::studies::model_card {
namespace {

/// The result.
struct Scene {
  Output out;
  std::string model;
  bool difference = false, complete = true;

  /// Parts that have numbers.
  std::size_t parts() const { return std::min({out.part_parameters.data.size(), out.part.size(), kParts.size()}); }
  bool empty() const { return parts() == 0; }
  /// Of these, the parts that every GPT-2 has, and others up to the last non-empty one.
  std::size_t shown() const {
    std::size_t n = parts();
    while (n > 7 && out.part_parameters.data[n - 1] == 0) --n;
    return n;
  }
  double of_part(std::size_t i) const { return i < parts() ? out.part_parameters.data[i] : std::nan(""); }
  std::size_t tensors() const { return std::min(out.name.size(), out.tensor_parameters.data.size()); }
};

Scene read(const protocol::Result& result) {
  return {protocol::read_outputs<Output>(result), result.provenance.model, result.difference, result.complete};
}

/// "38.6 M"; "–" for NaN.
std::string count_text(double count) {
  if (!std::isfinite(count)) return "–";
  const double size = std::fabs(count);
  if (size >= 1e9) return to_fixed(count / 1e9, 2) + " G";
  if (size >= 1e6) return to_fixed(count / 1e6, 1) + " M";
  if (size >= 1e4) return to_fixed(count / 1e3, 0) + " k";
  return to_fixed(count, 0);
}

std::string whole_text(double count) {
  return std::isfinite(count) && std::fabs(count) < 1e15 ? with_thousands(std::llround(count)) : "–";
}

std::string shape_text(const Scene& s, std::size_t tensor) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < kDimensions; ++i) {
    const std::size_t at = tensor * kDimensions + i;
    if (at < s.out.shapes.data.size() && std::isfinite(s.out.shapes.data[at]))
      parts.push_back(whole_text(s.out.shapes.data[at]));
  }
  return join(parts, " × ");
}

// ---- panels

struct Stage {
  std::string text, below, help;
};

/// The stages a token passes, in order; those between the embeddings and ln_f once for each layer.
std::vector<Stage> stages(const Scene& s) {
  const auto size = [](const protocol::Quantity& q) { return whole_text(q.value); };
  const std::string d = size(s.out.d_model);
  return {{"wte", size(s.out.n_vocab) + " × " + d, say("stage.wte")},
          {"+ wpe", size(s.out.n_ctx) + " × " + d, say("stage.wpe")},
          {"ln_1", d, say("stage.ln_1")},
          {"attention", say("stage.heads", {{"n", size(s.out.n_head)}}), say("stage.attention")},
          {"+", say("stage.residual"), say("stage.attention_added")},
          {"ln_2", d, say("stage.ln_2")},
          {"MLP", d + " → " + size(s.out.d_mlp) + " → " + d, say("stage.mlp")},
          {"+", say("stage.residual"), say("stage.mlp_added")},
          {"ln_f", d, say("stage.ln_f")},
          {"wteᵀ", d + " × " + size(s.out.n_vocab), say("stage.head")},
          {"softmax", say("stage.probabilities"), say("stage.softmax")}};
}

figure::Plot way(const Scene& s) {
  figure::Plot plot;
  figure::Words words{"stage", 1};
  if (!s.empty() && !s.difference)
    for (const Stage& stage : stages(s)) words.texts.push_back(stage.text), words.below.push_back(stage.below);
  plot.marks = {std::move(words)};
  return plot;
}

figure::Plot bars(const Scene& s) {
  figure::Bars b{"part", 0};
  b.across = true;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < s.shown(); ++i) {
    const double count = s.of_part(i);
    names.push_back(kParts[i].label), b.values.push_back(count), b.strong.push_back(count > 0);
    b.texts.push_back(s.difference ? count_text(count)
                      : count == 0 ? say("bar.none")
                                   : count_text(count) + ", " + percent_text(count / s.out.parameters.value, 1));
  }
  const auto rows = static_cast<int>(names.size());
  figure::Plot plot{figure::quantity(say(s.difference ? "axis.change" : "axis.parameters")),
                    figure::over("part", 0, rows, std::move(names))};
  plot.marks = {std::move(b)};
  return plot;
}

figure::Number headline(const Scene& s) {
  if (s.empty()) return {};
  figure::Number n{count_text(s.out.parameters.value), {}, s.complete};
  n.lines.push_back(say(s.difference ? "axis.change" : "lead.parameters"));
  if (s.difference) return n;
  if (s.out.whole.value > s.out.parameters.value)
    n.lines.push_back(say("lead.whole", {{"n", count_text(s.out.whole.value)}}));
  n.lines.push_back(
      say("lead.layers", {{"layers", whole_text(s.out.n_layer.value)}, {"heads", whole_text(s.out.n_head.value)}}));
  n.lines.push_back(
      say("lead.dimensions", {{"d", whole_text(s.out.d_model.value)}, {"mlp", whole_text(s.out.d_mlp.value)}}));
  n.lines.push_back(say("lead.positions",
                        {{"positions", whole_text(s.out.n_ctx.value)}, {"tokens", whole_text(s.out.n_vocab.value)}}));
  n.lines.push_back(
      say("lead.bytes", {{"mb", to_fixed(s.out.bytes.value / 1e6, 1)}, {"tensors", whole_text(s.out.tensors.value)}}));
  return n;
}

// ---- tables

figure::Table parts_table(const Scene& s) {
  figure::Table t{"Parts", {{"part", "", 0, {}, {}}, {"parameters", "", 0, {}}, {"share", "fraction", 4, {}}}};
  for (std::size_t i = 0; i < s.parts(); ++i) {
    t.columns[0].texts.push_back(kParts[i].label);
    t.columns[1].values.push_back(s.of_part(i));
    t.columns[2].values.push_back(s.of_part(i) / s.out.parameters.value);
    t.go.push_back(kParts[i].go);
  }
  t.over = {"part"}, t.help = say("hint.row"), t.open = !s.empty();
  return t;
}

figure::Table tensors_table(const Scene& s) {
  figure::Table t{"Every tensor",
                  {{"name", "", 0, {}, {}},
                   {"shape", "", 0, {}, {}},
                   {"numbers", "", 0, {}},
                   {"stored as", "", 0, {}, {}},
                   {"part", "", 0, {}, {}}}};
  t.over = {"tensor"};
  for (std::size_t i = 0; i < s.tensors(); ++i) {
    t.columns[0].texts.push_back(s.out.name[i]);
    t.columns[1].texts.push_back(shape_text(s, i));
    t.columns[2].values.push_back(s.out.tensor_parameters.data[i]);
    t.columns[3].texts.push_back(i < s.out.stored.size() ? s.out.stored[i] : std::string());
    t.columns[4].texts.push_back(i < s.out.part_of.size() ? s.out.part_of[i] : std::string());
  }
  return t;
}

// ---- words

std::string title(const Scene& s) {
  if (s.empty() || s.difference) return say(s.empty() ? "title.none" : "title.change");
  const auto& o = s.out;
  const std::array<std::pair<double, const char*>, 4> groups{{{o.mlp.value, "title.mlps"},
                                                              {o.attention.value, "title.attention"},
                                                              {o.embeddings.value, "title.embeddings"},
                                                              {o.other.value, "title.other"}}};
  const auto most = *std::ranges::max_element(groups, {}, [](const auto& group) { return group.first; });
  return say(most.second, {{"share", percent_text(most.first / o.parameters.value, 0)}});
}

std::string subtitle(const Scene& s) {
  if (s.empty()) return say("subtitle.none");
  return say("subtitle.numbers", {{"n", whole_text(s.out.parameters.value)}, {"model", spoken_name(s.model)}});
}

std::string summary(const Scene& s) {
  if (s.empty()) return say("summary.none");
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < s.parts(); ++i)
    if (s.of_part(i) > 0) parts.push_back(std::string(kParts[i].label) + " " + count_text(s.of_part(i)));
  return say("summary.parts", {{"n", whole_text(s.out.parameters.value)}, {"parts", join(parts, ", ")}});
}

std::vector<figure::Note> notes(const Scene& s) {
  using Kind = figure::Note::Kind;
  std::vector<figure::Note> out{{Kind::text, say("note.path")},
                                {Kind::equation, "parameters = (V + T) d + n (12 d² + 13 d) + 2 d"}};
  if (!s.empty() && !s.difference && std::isfinite(s.out.whole.value))
    out.push_back({Kind::text, say("note.whole", {{"tokens", whole_text(s.out.n_vocab.value)},
                                                  {"positions", whole_text(s.out.n_ctx.value)},
                                                  {"dimensions", whole_text(s.out.d_model.value)},
                                                  {"layers", whole_text(s.out.n_layer.value)},
                                                  {"parameters", whole_text(s.out.whole.value)},
                                                  {"points", whole_text(s.out.n_layer.value + 1)}})});
  out.push_back({Kind::caution, say("note.caution")});
  return out;
}

figure::Reading reading(const figure::Reading&, const protocol::Result& result, const ParamValues&,
                        const ViewState& view) {
  const Scene s = read(result);
  const int stage = view.focus.at("stage"), part = view.focus.at("part");
  if (s.empty()) return {};
  if (part >= 0 && static_cast<std::size_t>(part) < s.shown()) {
    const auto i = static_cast<std::size_t>(part);
    figure::Reading r{kParts[i].label, {say("reading.parameters", {{"n", whole_text(s.of_part(i))}})}};
    if (!s.difference)  // of a change it would be a share of another change
      r.lines.push_back(say("reading.share", {{"share", percent_text(s.of_part(i) / s.out.parameters.value, 2)}}));
    return r;
  }
  const std::vector<Stage> all = stages(s);
  if (stage < 1 || static_cast<std::size_t>(stage) > all.size()) return {};
  const Stage& at = all[static_cast<std::size_t>(stage - 1)];
  return {at.text, {at.below, at.help}};
}

figure::Figure view(const protocol::Result& result, const ParamValues&) {
  const Scene s = read(result);
  figure::Figure f;
  f.title = title(s), f.subtitle = subtitle(s), f.summary = summary(s);
  const bool known = std::isfinite(s.out.n_layer.value);
  f.panels = {
      {"way",
       s.empty() ? "" : say(known ? "panel.way" : "panel.way_by_layer", {{"n", whole_text(s.out.n_layer.value)}}),
       way(s)},
      {"parts", s.empty() ? "" : say("panel.parts"), bars(s)}};
  f.lead = headline(s);
  f.root = figure::column({figure::panel("way"), figure::panel("parts")});
  f.notes = notes(s), f.tables = {parts_table(s), tensors_table(s)};
  f.down = {"part", 0, static_cast<int>(s.shown()) - 1};
  return f;
}

}  // namespace

ViewStudy view_study() { return {describe(), view, reading}; }

}  // namespace helix::studies::model_card
