// Words in cells: what each layer would predict at each position. Beside it the entropy, layer by layer, at one position.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "base/text.h"
#include "studies/logit_lens/logit_lens.h"
#include "studies/model_name.h"
#include "studies/reading_view.h"
#include "studies/registry_view.h"
#include "studies/token_text.h"

namespace helix::studies::logit_lens {
namespace {

constexpr float kStretch = 4;             // cells are wider than high: they hold words
constexpr float kRow = 21, kAround = 96;  // of a matrix whose words can be read, in pixels
constexpr float kLowest = 220, kHighest = 720;

struct Lens {
  Output out;
  int at = -1;  // the chosen position; −1: nothing was computed
  bool difference = false;

  std::size_t last() const { return out.layers() - 1; }
  std::size_t cell(std::size_t layer) const { return out.cell(layer, static_cast<std::size_t>(at)); }
  std::string answer() const { return out.text[cell(last())]; }
};

Lens read(const protocol::Result& result) {
  Lens lens{protocol::read_outputs<Output>(result), -1, result.difference};
  const std::size_t cells = lens.out.layers() * lens.out.positions();
  const auto fits = [&](const protocol::Grid& grid) {
    return grid.shape == lens.out.entropy.shape && grid.data.size() == cells;
  };
  const bool whole = cells > 0 && fits(lens.out.entropy) && fits(lens.out.top) && fits(lens.out.probability) &&
                     lens.out.text.size() == cells;
  if (!whole) return lens;
  const double at = lens.out.position.value, end = static_cast<double>(lens.out.positions()) - 1;
  lens.at = lens.difference || !(at >= 0 && at <= end) ? static_cast<int>(end) : static_cast<int>(at);
  return lens;
}

std::vector<std::string> token_names(const protocol::Result& result) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < result.tokens.size(); ++i)
    names.push_back(token_label(token_at(result, static_cast<int>(i))));
  return names;
}

/// [position, layer] of [layer, position]: the text runs down, as it is read, and the layers run across.
std::vector<double> turned(const protocol::Grid& grid) {
  std::vector<double> out;
  for (std::size_t j = 0; j < grid.cols(); ++j)
    for (std::size_t i = 0; i < grid.rows(); ++i) out.push_back(grid(i, j));
  return out;
}

figure::Plot map(const protocol::Result& result, const Lens& lens) {
  figure::Plot plot;
  if (lens.at < 0) return plot;
  const std::size_t layers = lens.out.layers(), n = lens.out.positions();
  plot.x = figure::over("layer", 0, static_cast<int>(layers));
  plot.y = figure::over("position", 0, static_cast<int>(n), token_names(result));
  plot.height = std::clamp(kRow * static_cast<float>(n) + kAround, kLowest, kHighest);
  const std::vector<double> shades = turned(lens.out.probability);
  plot.colour = figure::ColourScale{lens.difference ? say("colour.change") : "probability"};
  plot.colour->range = figure::scale_of(shades, lens.difference);
  if (!lens.difference) plot.colour->range.high = 1;
  figure::Cells cells;
  cells.row_axis = "position", cells.col_axis = "layer", cells.stretch = kStretch;
  cells.cells = figure::pyramid_of(shades, n, layers, plot.colour->range);
  for (std::size_t j = 0; j < n && !lens.difference; ++j)
    for (std::size_t i = 0; i < layers; ++i) {
      cells.words.push_back(token_label(lens.out.text[lens.out.cell(i, j)]));
      cells.strong.push_back(lens.out.top.data[lens.out.cell(i, j)] ==
                             lens.out.top.data[lens.out.cell(lens.last(), j)]);
    }
  plot.marks = {std::move(cells)};
  plot.chosen = {{"position", lens.at}, {"layer", static_cast<int>(lens.last())}};
  plot.gestures = {{figure::Gesture::On::click,
                    {"layer", "position"},
                    figure::Gesture::Effect::set,
                    "position={position}",
                    say("hint.cell")}};
  return plot;
}

figure::Plot curve(const Lens& lens) {
  figure::Plot plot{figure::over("layer", 0, static_cast<int>(lens.out.layers())),
                    figure::quantity(lens.difference ? "change of the entropy" : "entropy", "bits")};
  plot.height = 220;
  if (lens.at < 0) return plot;
  std::vector<double> bits;
  for (std::size_t i = 0; i < lens.out.layers(); ++i)
    bits.push_back(lens.out.entropy.data[lens.cell(i)] / std::numbers::ln2);
  figure::Callout end{{static_cast<double>(lens.last()), bits.back()},
                      say("callout.end", {{"bits", number_text(lens.out.entropy_bits.value, 2)}})};
  const auto most = static_cast<std::size_t>(std::ranges::max_element(bits) - bits.begin());
  figure::Callout peak{
      {static_cast<double>(most), bits[most]},
      say("callout.least_sure", {{"layer", std::to_string(most)}, {"bits", number_text(bits[most], 2)}})};
  end.lead = true;
  figure::Line line{"layer", 0, figure::over_index(std::move(bits))};
  line.dots = true;
  plot.y.from_zero = !lens.difference;
  plot.marks = {std::move(line)};
  if (!lens.difference && std::isfinite(end.at[1])) {
    plot.marks.push_back(std::move(end));
    if (most != lens.last() && std::isfinite(peak.at[1])) plot.marks.push_back(std::move(peak));
  }
  return plot;
}

figure::Number headline(const Lens& lens) {
  if (lens.at < 0) return {};
  const std::string sign = lens.difference && lens.out.entropy_bits.value > 0 ? "+" : "";
  return {sign + number_text(lens.out.entropy_bits.value, 2) + " bits",
          {say(lens.difference ? "lead.change" : "lead.entropy"),
           sign + number_text(lens.out.entropy_nats.value, 3) + " nats"},
          true};
}

/// The title by when the answer has become the likeliest.
const char* title_id(const Lens& lens) {
  const double layer = lens.out.from_layer.value;
  if (!(layer >= 0 && layer <= static_cast<double>(lens.last()))) return "title.likeliest";
  if (layer == 0) return "title.from_start";
  return layer == static_cast<double>(lens.last()) ? "title.after_last" : "title.from_layer";
}

std::string title(const protocol::Result& result, const Lens& lens) {
  if (lens.at < 0) return say("title.none");
  if (lens.difference) return say("title.change");
  return say(title_id(lens),
             {{"token", token_quoted(one_line(lens.answer()))}, {"layer", to_fixed(lens.out.from_layer.value, 0)}}) +
         with_edits(result);
}

constexpr const char* kReadouts[] = {"readout.once", "readout.none", "readout.twice", "readout.frozen"};  // by Norm

std::string subtitle(const protocol::Result& result, const Lens& lens, const Params& params) {
  if (lens.at < 0) return say("subtitle.waiting");
  if (lens.difference) return say("subtitle.change");
  return sentences({say("subtitle.after", {{"place", place_text(result, say("position.after"), lens.at)}}),
                    say(kReadouts[static_cast<std::size_t>(params.norm)])});
}

std::vector<figure::Note> notes() {
  using Kind = figure::Note::Kind;
  return {{Kind::text, say("note.lens")},
          {Kind::equation, "p_l = softmax(W · ln_f(x_l)),  H_l = −Σ p_l ln p_l"},
          {Kind::caution, say("note.caution")}};
}

figure::Table table(const protocol::Result& result, const Lens& lens) {
  figure::Table t{
      lens.at < 0 ? "Layers" : say("table.after", {{"place", place_text(result, say("position.after"), lens.at)}}),
      {{"layer", "", 0, {}},
       {"token", "", 0, {}},
       {"probability", "fraction", 6, {}},
       {"entropy", "nats", 4, {}},
       {"entropy", "bits", 4, {}}}};
  t.over = {"layer", "position"};
  for (std::size_t i = 0; lens.at >= 0 && i < lens.out.layers(); ++i) {
    const double nats = lens.out.entropy.data[lens.cell(i)];
    t.columns[0].values.push_back(static_cast<double>(i));
    t.columns[1].texts.push_back(lens.out.text[lens.cell(i)]);
    t.columns[2].values.push_back(lens.out.probability.data[lens.cell(i)]);
    t.columns[3].values.push_back(nats), t.columns[4].values.push_back(nats / std::numbers::ln2);
  }
  return t;
}

figure::Reading reading(const figure::Reading&, const protocol::Result& result, const ParamValues&,
                        const ViewState& view) {
  figure::Reading r;
  const Lens lens = read(result);
  if (lens.at < 0 || !(view.focus.has("layer") || view.focus.has("position"))) return r;
  const int layer = view.focus.at("layer"), position = view.focus.has("position") ? view.focus.at("position") : lens.at;
  if (position < 0 || static_cast<std::size_t>(position) >= lens.out.positions()) return r;
  r.title = place_text(result, "position", position);
  if (layer < 0 || static_cast<std::size_t>(layer) >= lens.out.layers()) return r;
  const std::size_t cell = lens.out.cell(static_cast<std::size_t>(layer), static_cast<std::size_t>(position));
  const double nats = lens.out.entropy.data[cell], p = lens.out.probability.data[cell];
  r.title = "layer " + std::to_string(layer) + ", " + r.title;
  r.lines = {token_quoted(lens.out.text[cell]) + "  " + share_or_change(result.difference, p, 2),
             "entropy  " + number_text(nats / std::numbers::ln2, 3) + " bits, " + number_text(nats, 3) + " nats"};
  return r;
}

figure::Figure view(const protocol::Result& result, const ParamValues&) {
  const auto params = read_params<Params>(result.params);
  const Lens lens = read(result);
  figure::Figure f;
  f.title = title(result, lens), f.subtitle = subtitle(result, lens, params);
  f.summary = lens.at < 0 ? say("summary.waiting") : f.title + ". " + f.subtitle;
  f.lead = headline(lens);
  f.panels = {{"map", lens.at < 0 ? "" : say("panel.map"), map(result, lens)},
              {"entropy", lens.at < 0 ? "" : say("panel.entropy"), curve(lens)}};
  f.notes = notes();
  f.tables = {table(result, lens)};
  f.root = figure::row({figure::panel("map"), figure::panel("entropy", 0.3f, 240, 420)});
  f.narrow = figure::column({figure::panel("map"), figure::panel("entropy")});
  f.across = {"layer", 0, static_cast<int>(lens.out.layers()) - 1};
  f.down = {"position", 0, static_cast<int>(lens.out.positions()) - 1};
  return f;
}

}  // namespace

ViewStudy view_study() { return {describe(), view, reading}; }

}  // namespace helix::studies::logit_lens
