// Which frame a plot has, its scales' domains, and the scales that panels share.
#include "figure/plot.h"

#include <algorithm>
#include <cmath>

namespace helix::figure {
namespace {

template <class Kind>
const Kind* mark_of(const Plot& plot) {
  for (const Mark& mark : plot.marks)
    if (const auto* found = std::get_if<Kind>(&mark)) return found;
  return nullptr;
}

const Bars* list_of(const Plot& plot) {
  for (const Mark& mark : plot.marks)
    if (const auto* bars = std::get_if<Bars>(&mark); bars && bars->across) return bars;
  return nullptr;
}

struct Span {
  Domain& d;
  ScaleKind kind;
  void add(double v) const {
    if (std::isfinite(straightened(kind, v))) d.low = std::min(d.low, v), d.high = std::max(d.high, v);
  }
  void add(const Coordinates& at, bool upright) const {
    if (at.dims == 0 || (at.dims == 1 && !upright)) return;
    const std::size_t d_ = at.dims == 1 ? 0 : upright ? 1 : 0;
    for (std::size_t i = 0; i < at.size(); ++i) add(at(i, d_));
  }
};

struct SpanOfMark {
  Span span;
  bool upright;
  void operator()(const Line& m) const { span.add(m.at, upright); }
  void operator()(const Points& m) const {
    if (m.at) span.add(*m.at, upright);
  }
  void operator()(const Bars& m) const {
    if (upright == m.across) return;
    for (const double v : m.values) span.add(v);
    for (const double v : m.before) span.add(v);
    if (!m.values.empty()) span.add(0);
  }
  void operator()(const Area& m) const {
    if (!upright) return;
    for (const double v : m.low) span.add(v);
    for (const double v : m.high) span.add(v);
  }
  void operator()(const Cells&) const {}
  void operator()(const Rule& m) const {
    if (m.upright == upright) return;
    span.add(m.at);
    if (m.band) span.add(m.to);
  }
  void operator()(const Arrow& m) const { both(m.from), both(m.to); }
  void operator()(const Text& m) const { both(m.at); }
  void operator()(const Callout& m) const { both(m.at), both(m.to); }
  void operator()(const Words&) const {}
  void operator()(const Arcs&) const {}
  void both(const std::vector<double>& p) const {
    if (p.size() >= 2) span.add(p[upright ? 1 : 0]);
  }
};

void unite(Shared& shared, const Scale& scale, const Domain& d) {
  if (scale.id.empty() || scale.kind == ScaleKind::index || scale.kind == ScaleKind::band || d.low > d.high) return;
  const auto [at, made] = shared.domains.try_emplace(scale.id, d);
  if (!made) at->second = {std::min(at->second.low, d.low), std::max(at->second.high, d.high)};
}

}  // namespace

Domain span_of(const Plot& plot, bool upright) {
  Domain d{HUGE_VAL, -HUGE_VAL};
  const Scale& scale = upright ? plot.y : plot.x;
  for (const Mark& mark : plot.marks) std::visit(SpanOfMark{{d, scale.kind}, upright}, mark);
  if (scale.low) d.low = *scale.low;
  if (scale.high) d.high = *scale.high;
  return d;
}

Shared shared_scales(const Figure& figure, const ViewState& view) {
  Shared shared;
  for (const Panel& panel : figure.panels) {
    if (const auto* plot = std::get_if<Plot>(&panel.content)) {
      if (!plot->x.id.empty()) unite(shared, plot->x, span_of(*plot, false));
      if (!plot->y.id.empty()) unite(shared, plot->y, span_of(*plot, true));
      if (plot->colour && !plot->colour->id.empty()) {
        shared.bars[plot->colour->id] = plot;
        std::string& longest = shared.titles[plot->colour->id];
        if (panel.title.size() > longest.size()) longest = panel.title;
      }
    }
    if (const auto* space = std::get_if<Space>(&panel.content); space && !space->id.empty()) {
      const Reach reach = reach_of(*space, view);
      const auto [at, made] = shared.reaches.try_emplace(space->id, reach);
      if (made) continue;
      at->second.level = std::max(at->second.level, reach.level);
      at->second.upright = std::max(at->second.upright, reach.upright);
      for (std::size_t a = 0; a < 3; ++a) at->second.axes[a] = std::max(at->second.axes[a], reach.axes[a]);
    }
  }
  return shared;
}

bool shows_bar(const Plot& plot, const Shared& shared) {
  if (!plot.colour) return false;
  const auto bar = shared.bars.find(plot.colour->id);
  return bar == shared.bars.end() || bar->second == &plot;
}

Side entries_of(const Scale& scale, const ViewState& view) {
  Side side;
  side.kind = scale.kind, side.axis = scale.axis;
  side.first = scale.first, side.count = std::max(scale.count, 0);
  if (const Window* w = scale.axis.empty() ? nullptr : view.window(scale.axis)) {
    const int last = scale.first + side.count - 1;
    if (w->first <= last && w->last >= scale.first && w->first <= w->last) {
      side.first = std::clamp(w->first, scale.first, last);
      side.count = std::clamp(w->last, side.first, last) - side.first + 1;
    }
  }
  side.low = side.first - 0.5, side.high = side.first + side.count - 0.5;
  return side;
}

Wish wish_of(const Plot& plot, float width) {
  if (const auto* cells = mark_of<Cells>(plot)) return matrix_wish(plot, *cells, width);
  if (const auto* words = mark_of<Words>(plot)) return words_wish(plot, *words, width);
  if (const Bars* bars = list_of(plot)) return list_wish(plot, *bars);
  return cartesian_wish(plot, width);
}

void draw(const Plot& plot, PanelContext& context) {
  if (const auto* cells = mark_of<Cells>(plot)) return draw_matrix(plot, *cells, context);
  if (const auto* words = mark_of<Words>(plot)) return draw_words(plot, *words, context);
  if (const Bars* bars = list_of(plot)) return draw_list(plot, *bars, context);
  draw_cartesian(plot, context);
}

Margins margins_of(const Plot& plot, PanelContext& context) {
  const bool other = mark_of<Cells>(plot) || mark_of<Words>(plot) || list_of(plot);
  return other ? Margins() : cartesian_margins(plot, context);
}

float add_dashes(Layer& layer, Point a, Point b, float radius, Rgba ink, float phase) {
  constexpr float on = 5, off = 4, period = on + off;
  const float dx = b.x - a.x, dy = b.y - a.y, length = std::hypot(dx, dy);
  if (!(length > 0) || !std::isfinite(length) || length > 1e5f) return phase;
  const auto at = [&](float t) { return Point{a.x + dx * t / length, a.y + dy * t / length}; };
  for (float from = -phase; from < length; from += period) {
    const float start = std::max(from, 0.0f), end = std::min(from + on, length);
    if (end > start) layer.capsules.push_back({at(start), at(end), radius, ink, ink});
  }
  return std::fmod(phase + length, period);
}

Rect spots_area(const PlotFrame& f) {
  constexpr float beside = 8;
  return {f.area.x - beside, f.area.y - beside, f.area.w + 2 * beside, f.area.h + 2 * beside};
}

bool add_label(Block& block, Label label, std::vector<Rect>& taken) {
  const Rect box = label_box(label);
  if (std::any_of(taken.begin(), taken.end(), [&](const Rect& other) { return overlap(other, box); })) return false;
  taken.push_back(box);
  block.labels.push_back(std::move(label));
  return true;
}

}  // namespace helix::figure
