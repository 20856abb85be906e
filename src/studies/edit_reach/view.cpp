// Two maps over layers and text: how far each state moved, and what putting it back alone does to the prediction. Beside
// them, by layer, how the effect passes to the last token.
#include <algorithm>
#include <cmath>
#include <utility>

#include "base/text.h"
#include "studies/edit_reach/edit_reach.h"
#include "studies/reading_view.h"
#include "studies/registry_view.h"
#include "studies/token_text.h"

namespace helix::studies::edit_reach {
namespace {

constexpr float kStretch = 3;                   // cells may be so much wider than high
constexpr float kRow = 18, kAround = 110;       // of a map whose tokens can be read, in pixels
constexpr float kLowest = 260, kHighest = 640;  // of a map

struct Scene {
  const protocol::Result& result;
  Output out;
  Params params;

  bool empty() const { return out.moved.data.empty() || out.text.empty(); }
  /// Not in a difference whose sides have different likeliest tokens: their probabilities are not subtracted.
  bool has_restored() const {
    return !empty() && out.restored.data.size() == out.moved.data.size() && !std::isnan(out.restored.data.front());
  }
  bool difference() const { return result.difference; }
  std::size_t n() const { return out.positions(); }
  std::size_t layers() const { return out.layers(); }
  std::string answer() const { return token_quoted(one_line(out.text[0])); }
  std::string stage(std::size_t layer) const {
    return layer + 1 < layers() ? say("stage.before", {{"layer", std::to_string(layer)}}) : say("stage.after");
  }
  /// The study's own edit, when the visitor has none.
  bool own_edit() const {
    const std::string own = "replace_position:" + std::to_string(own_place()) + ":" + std::to_string(params.by);
    return result.edits == std::vector<std::string>{own};
  }
  std::size_t own_place() const {
    return params.position < 0 ? n() - std::min<std::size_t>(n(), 2) : static_cast<std::size_t>(params.position);
  }
};

Scene read(const protocol::Result& result) {
  Scene s{result, protocol::read_outputs<Output>(result), read_params<Params>(result.params)};
  const std::size_t cells = s.out.moved.rows() * s.out.moved.cols();
  if (s.out.moved.shape.size() != 2 || cells == 0 || s.out.moved.data.size() != cells ||
      s.out.here.data.size() != s.out.text.size() || s.out.as_is.data.size() != s.out.text.size())
    s.out.moved.data.clear();
  return s;
}

/// [position, layer] of [layer, position]: the text runs down, as it is read, and the layers run across.
std::vector<double> turned(const protocol::Grid& grid, double less) {
  std::vector<double> out;
  for (std::size_t j = 0; j < grid.cols(); ++j)
    for (std::size_t i = 0; i < grid.rows(); ++i) out.push_back(grid(i, j) - less);
  return out;
}

figure::Plot map(const Scene& s, const protocol::Grid& grid, double less, const std::string& colour, bool about_zero) {
  figure::Plot plot;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < s.result.tokens.size(); ++i)
    names.push_back(token_label(token_at(s.result, static_cast<int>(i))));
  plot.x = figure::over("layer", 0, static_cast<int>(s.layers()));
  plot.y = figure::over("position", 0, static_cast<int>(s.n()), std::move(names));
  plot.height = std::clamp(kRow * static_cast<float>(s.n()) + kAround, kLowest, kHighest);
  const std::vector<double> values = turned(grid, less);
  plot.colour = figure::ColourScale{colour};
  plot.colour->range = figure::scale_of(values, about_zero);
  figure::Cells cells;
  cells.row_axis = "position", cells.col_axis = "layer", cells.stretch = kStretch;
  cells.cells = figure::pyramid_of(values, s.n(), s.layers(), plot.colour->range);
  plot.marks = {std::move(cells)};
  if (s.own_edit() && !s.difference())
    plot.gestures = {{figure::Gesture::On::click,
                      {"layer", "position"},
                      figure::Gesture::Effect::set,
                      "position={position}",
                      say("hint.click")}};
  return plot;
}

/// The probability with the last token's state put back, by layer, and the highest or lowest with another's.
figure::Plot handover_plot(const Scene& s) {
  figure::Plot plot{figure::over("layer", 0, static_cast<int>(s.layers())),
                    figure::quantity(say("axis.probability"), "fraction")};
  plot.y.percent = true, plot.y.from_zero = true, plot.height = 240;
  if (!s.has_restored()) return plot;
  const bool falls = s.out.probability.value < s.out.probability_as_is.value;
  std::vector<double> last, other;
  for (std::size_t layer = 0; layer < s.layers(); ++layer) {
    last.push_back(s.out.restored(layer, s.n() - 1));
    double best = s.out.probability.value;
    for (std::size_t i = 0; i + 1 < s.n(); ++i) {
      const double p = s.out.restored(layer, i);
      best = falls ? std::max(best, p) : std::min(best, p);
    }
    other.push_back(best);
  }
  figure::Line own{"layer", 0, figure::over_index(std::move(last)), figure::series(0)};
  own.dots = true, own.name = say("line.last");
  figure::Line rest{"layer", 0, figure::over_index(std::move(other)), figure::series(1)};
  rest.dots = true, rest.name = say("line.other");
  if (s.n() > 1) plot.marks.push_back(std::move(rest));
  plot.marks.push_back(std::move(own));
  if (s.difference()) return plot;
  plot.marks.push_back(
      figure::Rule{false, s.out.probability_as_is.value, 0, false, say("rule.without_it"), figure::kMute, 1, true});
  plot.marks.push_back(
      figure::Rule{false, s.out.probability.value, 0, false, say("rule.with_it"), figure::kWarm, 1, true});
  return plot;
}

/// The earlier token whose state carries at least half of the effect before this layer, and most of all; −1: none does.
int carrier(const Scene& s, std::size_t layer) {
  const double effect = s.out.probability_as_is.value - s.out.probability.value;
  int best = -1;
  double most = 0.5;
  for (std::size_t i = 0; s.has_restored() && i + 1 < s.n(); ++i)
    if (const double share = (s.out.restored(layer, i) - s.out.probability.value) / effect; share >= most)
      most = share, best = static_cast<int>(i);
  return best;
}

std::string title(const Scene& s) {
  if (s.empty()) return say("title.none");
  if (s.difference()) return say("title.change");
  if (s.out.reached.value == 0) return say("title.nothing");
  const double layer = s.out.handover.value;
  if (!(layer >= 0 && layer < static_cast<double>(s.layers())))
    return say(s.has_restored() ? "title.hardly" : "title.moves", {{"share", percent_text(s.out.reached.value, 0)}});
  if (layer < 1) return say("title.from_start");
  const int from = carrier(s, static_cast<std::size_t>(layer) - 1);
  const std::string where = to_fixed(layer - 1, 0);
  const auto before =
      s.out.moved.data.begin() + (static_cast<std::ptrdiff_t>(layer) - 1) * static_cast<std::ptrdiff_t>(s.n());
  if (std::all_of(before, before + static_cast<std::ptrdiff_t>(s.n()), [](double x) { return x == 0; }))
    return say("title.arises", {{"layer", where}});
  if (from < 0) return say("title.together", {{"layer", where}});
  return say("title.passes", {{"token", token_quoted(one_line(token_at(s.result, from)))},
                              {"position", std::to_string(from)},
                              {"layer", where}});
}

std::string subtitle(const Scene& s) {
  if (s.empty()) return say("subtitle.none");
  if (s.difference())
    return sentences(
        {say("subtitle.change"), s.has_restored() || s.out.restored.data.empty() ? "" : say("subtitle.other_token")});
  const bool handed =
      std::isfinite(s.out.restored_there.value) && s.out.handover.value + 1 < static_cast<double>(s.layers());
  const std::string restored = handed
                                   ? say("subtitle.restored", {{"share", percent_text(s.out.restored_there.value, 0)},
                                                               {"median", percent_text(s.out.chance.value, 0)}})
                                   : "";
  const std::string edits =
      s.own_edit() ? say("subtitle.placed",
                         {{"token", token_quoted(one_line(token_at(s.result, static_cast<int>(s.own_place()))))},
                          {"position", std::to_string(s.own_place())},
                          {"by", std::to_string(s.params.by)}})
                   : join(s.result.edits, ", ");
  return say("subtitle.goes", {{"edits", edits},
                               {"answer", s.answer()},
                               {"before", share_text(s.out.probability_as_is.value, 1)},
                               {"after", share_text(s.out.probability.value, 1)},
                               {"restored", restored}});
}

figure::Number headline(const Scene& s) {
  if (s.empty()) return {};
  return {share_text(s.out.probability.value, 1),
          {say("lead.probability", {{"token", s.answer()}}),
           say("lead.without", {{"share", share_text(s.out.probability_as_is.value, 1)}})},
          true};
}

std::vector<figure::Note> notes() {
  using Kind = figure::Note::Kind;
  return {{Kind::text, say("note.cone")},
          {Kind::equation, "moved = ‖y − x‖ / max(‖x‖, ‖y‖)"},
          {Kind::caution, say("note.caution")}};
}

figure::Table token_table(const Scene& s) {
  figure::Table t{"Before and after",
                  {{"token", "", 0, {}, s.out.text},
                   {"without the edit", "fraction", 4, s.out.as_is.data},
                   {"with it", "fraction", 4, s.out.here.data},
                   {"change", "fraction", 4, {}}}};
  t.over = {"rank"};
  for (std::size_t i = 0; i < s.out.text.size(); ++i)
    t.columns[3].values.push_back(s.out.here.data[i] - s.out.as_is.data[i]);
  return t;
}

figure::Reading reading(const figure::Reading&, const protocol::Result& result, const ParamValues&,
                        const ViewState& view) {
  figure::Reading r;
  const Scene s = read(result);
  if (s.empty() || !view.focus.has("layer")) return r;
  const int layer = view.focus.at("layer"), position = view.focus.has("position") ? view.focus.at("position") : -1;
  if (layer < 0 || static_cast<std::size_t>(layer) >= s.layers()) return r;
  const auto at = static_cast<std::size_t>(layer);
  if (position < 0 || static_cast<std::size_t>(position) >= s.n()) {
    r.title = s.stage(at);
    return r;
  }
  const auto i = static_cast<std::size_t>(position);
  r.title = place_text(result, say("position"), position) + ", " + s.stage(at);
  r.lines = {say("reading.moved") + "  " + share_or_change(result.difference, s.out.moved(at, i), 2)};
  if (s.has_restored())
    r.lines.push_back(say("reading.put_back") + "  " + share_or_change(result.difference, s.out.restored(at, i), 2));
  return r;
}

figure::Figure view(const protocol::Result& result, const ParamValues&) {
  const Scene s = read(result);
  figure::Figure f;
  f.title = title(s), f.subtitle = subtitle(s), f.lead = headline(s), f.notes = notes();
  f.summary = s.empty() ? say("summary.none") : f.title + ". " + f.subtitle;
  if (s.empty()) {
    f.panels = {{"moved", "", figure::Plot{}}};
    f.root = f.narrow = figure::panel("moved");
    return f;
  }
  f.panels = {{"moved", say("panel.moved"), map(s, s.out.moved, 0, say("reading.moved"), s.difference())}};
  f.tables = {token_table(s)};
  f.across = {"layer", 0, static_cast<int>(s.layers()) - 1}, f.down = {"position", 0, static_cast<int>(s.n()) - 1};
  f.root = f.narrow = figure::panel("moved");
  if (!s.has_restored()) return f;
  const double zero = s.difference() ? 0 : s.out.probability.value;
  f.panels.push_back({"restored", say("panel.restored", {{"token", s.answer()}}),
                      map(s, s.out.restored, zero, say("colour.restored"), true)});
  f.panels.push_back({"handover", say("panel.handover"), handover_plot(s)});
  f.root = figure::row({figure::panel("moved"), figure::panel("restored"), figure::panel("handover", 0.9f, 240, 420)});
  f.narrow = figure::column({figure::panel("moved"), figure::panel("restored"), figure::panel("handover")});
  return f;
}

}  // namespace

ViewStudy view_study() { return {describe(), view, reading}; }

}  // namespace helix::studies::edit_reach
