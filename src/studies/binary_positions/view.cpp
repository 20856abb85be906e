// A plot for each bit, the most significant on top: the bit as bars, its sinusoid as a curve. Beside them, the distance
// between neighbouring positions in both codes.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/text.h"
#include "figure/ticks.h"
#include "studies/binary_positions/binary_positions.h"
#include "studies/registry_view.h"

namespace helix::studies::binary_positions {
namespace {

using protocol::Grid;

constexpr int kPointsPerPosition = 12;  // per curve

struct Scene {
  Output out;
  bool complete = true;
  std::size_t bits = 0, positions = 0;

  bool empty() const { return positions == 0; }
  double bit(std::size_t b, std::size_t p) const { return out.bit.data[b * positions + p]; }
};

bool is_list(const Grid& grid, std::size_t size) { return grid.shape.size() == 1 && grid.data.size() == size; }

Scene read(const protocol::Result& result) {
  Scene s{protocol::read_outputs<Output>(result), result.complete};
  const auto& shape = s.out.bit.shape;
  if (shape.size() != 2 || shape[0] == 0 || shape[0] > 8 || shape[1] == 0) return s;
  if (s.out.bit.data.size() != shape[0] * shape[1] || s.out.sinusoid.shape != shape ||
      s.out.sinusoid.data.size() != s.out.bit.data.size())
    return s;
  if (!is_list(s.out.period, shape[0]) || !is_list(s.out.flips, shape[1])) return s;
  s.bits = shape[0], s.positions = shape[1];
  return s;
}

/// "01101", the most significant bit first.
std::string binary_text(const Scene& s, std::size_t position) {
  std::string text;
  for (std::size_t b = s.bits; b-- > 0;) text += s.bit(b, position) > 0.5 ? '1' : '0';
  return text;
}

// ---- panels

figure::Line curve(const Scene& s, double period) {
  figure::Coordinates at{2};
  const int last = (static_cast<int>(s.positions) - 1) * kPointsPerPosition;
  for (int i = 0; i <= last; ++i) {
    const double p = static_cast<double>(i) / kPointsPerPosition;
    at.data.insert(at.data.end(), {p, -std::sin(2 * std::numbers::pi * (p + 0.5) / period)});
  }
  figure::Line line{"", 0, std::move(at), figure::series(1)};
  line.width = s.positions > 64 ? 1.2f : 1.8f;
  return line;
}

constexpr float kAllWaves = 540;  // pixels: the height of all bits together

/// From zero to each height, without gaps.
figure::Area shaded(const std::vector<double>& heights) {
  figure::Area area{"position", 0, {}, {}, figure::series(0)};
  for (const double h : heights) area.low.push_back(std::min(h, 0.0)), area.high.push_back(std::max(h, 0.0));
  return area;
}

figure::Plot waves(const Scene& s, std::size_t b) {
  figure::Plot plot{figure::over("position", 0, static_cast<int>(s.positions)), figure::quantity("")};
  plot.x.quiet = b > 0;
  plot.y.quiet = true;
  plot.y.low = -1.15, plot.y.high = 1.15;
  const float each = std::clamp(kAllWaves / static_cast<float>(s.bits), 56.0f, 108.0f);
  plot.height =
      b > 0 ? each : each + (each >= 91 ? 29.0f : 14.0f);  // the last has the axis, with its title if high enough
  std::vector<double> heights;
  for (std::size_t p = 0; p < s.positions; ++p) heights.push_back(2 * s.bit(b, p) - 1);
  plot.marks = {shaded(heights)};
  const double period = s.out.period.data[b];
  if (period > 0 && std::isfinite(period)) plot.marks.push_back(curve(s, period));
  return plot;
}

figure::Plot steps(const Scene& s) {
  figure::Plot plot{figure::over("position", 0, static_cast<int>(s.positions)), figure::quantity("")};
  if (s.empty()) return plot;
  plot.y.from_zero = true;
  std::vector<double> heights;
  for (const double flips : s.out.flips.data) heights.push_back(2 * std::sqrt(std::max(flips, 0.0)));
  plot.marks = {shaded(heights)};
  if (std::isfinite(s.out.sinusoid_step.value))
    plot.marks.push_back(
        figure::Rule{.at = s.out.sinusoid_step.value,
                     .label = say("rule.sinusoids", {{"step", number_text(s.out.sinusoid_step.value, 2)}}),
                     .ink = figure::series(1),
                     .width = 2});
  return plot;
}

figure::Number headline(const Scene& s) {
  if (s.empty()) return {};
  return {percent_text(s.out.agreement.value, 0),
          {say("lead.agreement"), say("lead.chance", {{"share", percent_text(s.out.chance.value, 0)}}),
           say("lead.correlation", {{"r", number_text(s.out.correlation.value, 3)}})},
          s.complete};
}

// ---- words

std::vector<figure::Note> notes(const Scene& s) {
  using Kind = figure::Note::Kind;
  std::vector<figure::Note> all{{Kind::text, say("note.counter")},
                                {Kind::equation, "bit_b(p) = 1  where  −sin(2π (p + 1/2) / 2^(b + 1)) > 0"}};
  if (!s.empty())
    all.push_back({Kind::text, say("note.jumps", {{"bits", std::to_string(s.bits)},
                                                  {"jump", number_text(s.out.largest_jump.value, 2)},
                                                  {"step", number_text(s.out.sinusoid_step.value, 2)}})});
  all.push_back({Kind::caution, say("note.caution")});
  return all;
}

figure::Reading reading(const figure::Reading&, const protocol::Result& result, const ParamValues&,
                        const ViewState& view) {
  const Scene s = read(result);
  figure::Reading r;
  const int position = view.focus.at("position");
  if (position < 0 || static_cast<std::size_t>(position) >= s.positions) return r;
  const auto p = static_cast<std::size_t>(position);
  r.title = "position " + std::to_string(position);
  r.lines = {say("reading.binary", {{"digits", binary_text(s, p)}})};
  for (std::size_t b = s.bits; b-- > 0;)
    r.lines.push_back("bit " + std::to_string(b) + "  " +
                      say("reading.bit", {{"value", number_text(s.bit(b, p), 0)},
                                          {"sinusoid", number_text(s.out.sinusoid.data[b * s.positions + p], 3)}}));
  return r;
}

std::string panel_title(const Scene& s, std::size_t b) {
  return say("panel.bit", {{"bit", std::to_string(b)}, {"period", number_text(s.out.period.data[b], 0)}});
}

figure::Figure view(const protocol::Result& result, const ParamValues&) {
  const Scene s = read(result);
  figure::Figure f;
  f.title = say(s.empty() ? "title.waiting" : "title.waves");
  f.subtitle = s.empty() ? say("subtitle.waiting") : say("subtitle.waves", {{"last", std::to_string(s.positions - 1)}});
  f.summary = s.empty() ? say("summary.waiting")
                        : say("summary.waves", {{"title", f.title},
                                                {"agreement", percent_text(s.out.agreement.value, 0)},
                                                {"chance", percent_text(s.out.chance.value, 0)}});
  std::vector<figure::Box> stack;
  for (std::size_t b = s.bits; b-- > 0;) {
    f.panels.push_back({"bit_" + std::to_string(b), panel_title(s, b), waves(s, b)});
    stack.push_back(figure::panel(f.panels.back().id));
  }
  f.panels.push_back({"steps", s.empty() ? "" : say("panel.steps"), steps(s)});
  f.lead = headline(s);
  figure::Box side = figure::panel("steps", stack.empty() ? 0.0f : 0.36f, 240, 520);
  f.root = stack.empty() ? side : figure::row({figure::column(std::move(stack)), std::move(side)});
  f.notes = notes(s);
  f.across = {"position", 0, static_cast<int>(s.positions) - 1};
  return f;
}

}  // namespace

ViewStudy view_study() { return {describe(), view, reading}; }

}  // namespace helix::studies::binary_positions
