// A plot between two axes: margins, ticks, titles, and its marks.
#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "figure/plot.h"

namespace helix::figure {
namespace {

constexpr float kTitle = 18, kTicks = 16, kAxisTitle = 15;  // lines above and below the area
constexpr float kEachTick = 34, kTickGap = 12;              // least pixels from one tick to the next
constexpr float kMostNames = 0.42f;                         // of the width: the names of rows
constexpr float kMostShared = 0.5f;                         // of the width: names that only another plot has
constexpr int kFewEntries = 24;                             // layers, heads: each has a tick if there is room
constexpr int kMostYTicks = 6;                              // more lines than these would compete with the data
constexpr float kLeastRow = 13;                             // of a row with a name
constexpr float kUsualHeight = 190, kLeastHeight = 136;
constexpr float kStretched = 1.8f;  // of the height that a plot prefers: the most that it takes of spare room
constexpr float kBar = 30;          // the colour bar with its numbers, below everything else

bool low_plot(const Plot& plot) { return plot.height > 0 && plot.height < 120; }

bool has_x_title(const Plot& plot) { return !plot.x.quiet && !plot.x.title.empty() && !low_plot(plot); }

std::string with_unit(const Scale& scale) {
  if (scale.unit.empty() || scale.percent) return scale.title;  // ticks in percent say it
  return scale.title.empty() ? scale.unit : scale.title + " (" + scale.unit + ")";
}

int y_tick_count(float height) { return std::clamp(static_cast<int>(height / kEachTick), 2, kMostYTicks); }

/// The title of the y axis, less what the panel's title says already.
std::string y_title(const Scale& y, const std::string& title) {
  if (y.title.empty() || title.find(y.title) == std::string::npos) return y.title.empty() ? "" : with_unit(y);
  return y.percent ? "" : y.unit;
}

/// The panel's title and the title of the y axis, on one line or two.
std::vector<Label> head_lines(const PlotFrame& f) {
  const Rect& r = f.context.block.rect;
  const Theme& theme = f.context.theme;
  const std::string& title = f.context.panel.title;
  const std::string what = y_title(f.plot.y, title);
  std::vector<Label> lines;
  float x = r.x + 2;
  if (!title.empty()) {
    lines.push_back({{x, r.y + 8}, shortened(title, r.w - 4, theme.font), theme.font, theme.text});
    x += text_width(title, theme.font) * 1.04f + 10;
  }
  if (what.empty()) return lines;
  if (!title.empty() && x + text_width(what, f.size) > r.right()) x = r.x + 2;
  const float y = !title.empty() && x == r.x + 2 ? r.y + 8 + kTitle - 2 : r.y + 8;
  // A title that is too wide is split at its first comma, if it has one.
  const std::size_t comma = what.find(", ");
  if (x == r.x + 2 && comma != std::string::npos && text_width(what, f.size) > r.w - 4) {
    lines.push_back({{x, y}, what.substr(0, comma + 1), f.size, theme.mute});
    lines.push_back({{x, y + kTitle - 3}, shortened(what.substr(comma + 2), r.w - 4, f.size), f.size, theme.mute});
  } else {
    lines.push_back({{x, y}, shortened(what, r.right() - x, f.size), f.size, theme.mute});
  }
  return lines;
}

/// The height of what stands below the area.
float below(const Plot& plot, bool bar) {
  return (plot.x.quiet ? plot.y.quiet ? 4 : 8 : kTicks + 2) + (has_x_title(plot) ? kAxisTitle : 0) +
         grips_height(plot) + (bar ? kBar : 0);
}

Side quantity_side(const Scale& scale, Domain span, const Shared& shared, int count) {
  if (!scale.id.empty())
    if (const auto it = shared.domains.find(scale.id); it != shared.domains.end()) span = it->second;
  const Domain d = nice_domain(scale, span, count);
  Side side;
  side.kind = scale.kind, side.axis = scale.axis;
  side.low = straightened(scale.kind, d.low), side.high = straightened(scale.kind, d.high);
  return side;
}

Side side_of(const Plot& plot, bool upright, const PanelContext& context, int count) {
  const Scale& scale = upright ? plot.y : plot.x;
  if (scale.kind == ScaleKind::index || scale.kind == ScaleKind::band) return entries_of(scale, context.view);
  return quantity_side(scale, span_of(plot, upright), context.shared, count);
}

/// Converts the ends of a quantity's side back to values.
double end_value(const Side& side, double straight) {
  if (side.kind == ScaleKind::log) return std::pow(10.0, straight);
  if (side.kind == ScaleKind::symlog) return std::copysign(std::pow(10.0, std::abs(straight)) - 1, straight);
  return straight;
}

std::vector<Tick> side_ticks(const Scale& scale, const Side& side, int count) {
  return ticks(scale, end_value(side, side.low), end_value(side, side.high), count);
}

std::string entry_name(const Scale& scale, int index) {
  const auto i = static_cast<std::size_t>(index - scale.first);
  return index >= scale.first && i < scale.names.size() ? scale.names[i] : number_text(index, 0);
}

/// `width`: of the panel, of which names take at most a part.
float y_ticks_room(const Plot& plot, const Side& y, float height, float width, float size) {
  if (plot.y.quiet) return 4;
  float room = 0;
  if (y.entries())
    for (int i = y.first; i < y.first + y.count; ++i) room = std::max(room, text_width(entry_name(plot.y, i), size));
  else
    for (const Tick& t : side_ticks(plot.y, y, y_tick_count(height))) room = std::max(room, text_width(t.text, size));
  return std::min(room, width * kMostNames) + 9;
}

void draw_y_axis(PlotFrame& f) {
  const Theme& theme = f.context.theme;
  Layer& layer = f.context.block.top();
  if (f.plot.y.quiet) return;
  const auto tick = [&](float y, const std::string& text, bool grid) {
    if (grid) layer.boxes.push_back({{f.area.x, y - 0.5f, f.area.w, 1}, theme.line, 0});
    f.context.block.labels.push_back({{f.area.x - 6, y}, text, f.size, theme.mute, Anchor::end});
  };
  if (f.y.entries()) {
    const int step = std::max(1, static_cast<int>(std::ceil(13 / std::max(f.y.step(), 0.01f))));
    for (int i = f.y.first; i < f.y.first + f.y.count; i += step)
      tick(f.y.at(i), shortened(entry_name(f.plot.y, i), f.area.x - f.context.block.rect.x - 8, f.size), false);
    return;
  }
  for (const Tick& t : side_ticks(f.plot.y, f.y, y_tick_count(f.area.h)))
    if (f.y.shows(t.value)) tick(f.y.at(t.value), t.text, true);
}

/// Ticks of entries: the first, the last, and round numbers in between; names only as many as fit.
std::vector<Tick> entry_ticks(const PlotFrame& f) {
  const int first = f.x.first, last = f.x.first + f.x.count - 1;
  std::vector<Tick> out;
  if (f.x.count <= 0) return out;
  if (!f.plot.x.names.empty()) {
    float widest = 0;
    for (int i = first; i <= last; ++i) widest = std::max(widest, text_width(entry_name(f.plot.x, i), f.size));
    const int step = std::max(1, static_cast<int>(std::ceil((widest + kTickGap) / std::max(f.x.step(), 0.01f))));
    for (int i = first; i <= last; i += step) out.push_back({static_cast<double>(i), entry_name(f.plot.x, i)});
    if (const int left = last - static_cast<int>(out.back().value); left > 0) {
      if (left < step && out.size() > 1) out.pop_back();  // the last entry's tick is kept rather than the one before it
      out.push_back({static_cast<double>(last), entry_name(f.plot.x, last)});
    }
    return out;
  }
  const int count = std::max(static_cast<int>(f.area.w / 90), 2);
  int step = std::max(static_cast<int>(nice_step(last - first + 1, count)), 1);
  if (f.x.count <= kFewEntries)  // each, or each second, where they fit
    step = std::min(step, std::max(static_cast<int>(std::ceil(kTickGap * 2 / f.x.step())), 1));
  const float least = f.x.count <= kFewEntries ? 2 * kTickGap - 1 : 34;
  out.push_back({static_cast<double>(first), number_text(first, 0)});
  for (int i = (first / step + 1) * step; i < last; i += step)
    if (f.x.at(last) - f.x.at(i) > least && f.x.at(i) - f.x.at(first) > std::min(least, 28.0f))
      out.push_back({static_cast<double>(i), number_text(i, 0)});
  if (last > first) out.push_back({static_cast<double>(last), number_text(last, 0)});
  return out;
}

void draw_x_axis(PlotFrame& f) {
  const Theme& theme = f.context.theme;
  Block& block = f.context.block;
  if (f.plot.x.quiet) return;
  const float y = f.area.bottom() + grips_height(f.plot) + 10;
  const auto marks =
      f.x.entries() ? entry_ticks(f) : side_ticks(f.plot.x, f.x, std::max(static_cast<int>(f.area.w / 80), 2));
  std::vector<Rect> taken;
  for (const Tick& t : marks) {
    if (!f.x.shows(t.value)) continue;
    const float x = f.x.at(t.value), half = text_width(t.text, f.size) / 2;
    const Rect& r = block.rect;
    Label label{{x, y}, t.text, f.size, theme.mute, Anchor::middle};
    if (x + half > r.right() - 1) label.at.x = r.right() - 1, label.anchor = Anchor::end;
    if (x - half < r.x + 1) label.at.x = r.x + 1, label.anchor = Anchor::start;
    if (!add_label(block, std::move(label), taken)) continue;
    if (!f.x.entries()) block.top().boxes.push_back({{x - 0.5f, f.area.bottom(), 1, 4}, theme.mute, 0});
  }
  if (has_x_title(f.plot))
    block.labels.push_back({{f.area.x + f.area.w / 2, y + kAxisTitle},
                            shortened(with_unit(f.plot.x), block.rect.w, f.size),
                            f.size,
                            theme.mute,
                            Anchor::middle});
}

/// Draws vertical lines at the focus and at the selection of the controls.
void draw_lit(PlotFrame& f) {
  if (!f.x.entries() || f.x.axis.empty()) return;
  const Theme& theme = f.context.theme;
  Layer& layer = f.context.block.above();
  const auto line = [&](int index, float width, Rgba ink) {
    if (f.x.shows(index))
      layer.boxes.push_back({{f.x.at(index) - width / 2, f.area.y - 2, width, f.area.h + 4}, ink, 0});
  };
  for (const Place& p : f.plot.chosen)
    if (p.axis == f.x.axis) line(p.index, 1.5f, theme.text);
  for (const int index : f.context.view.focus.lit(f.x.axis)) line(index, 1.25f, mix(theme.mute, theme.text, 0.5));
}

/// Makes the area as small as one unit is along the side with less room, in the middle of what there is.
void keep_square(PlotFrame& f) {
  const double wide = f.x.high - f.x.low, high = f.y.high - f.y.low;
  if (!(wide > 0) || !(high > 0)) return;
  const float unit = std::min(f.area.w / static_cast<float>(wide), f.area.h / static_cast<float>(high));
  const float w = unit * static_cast<float>(wide), h = unit * static_cast<float>(high);
  f.area = {f.area.x + (f.area.w - w) / 2, f.area.y + (f.area.h - h) / 2, w, h};
}

void add_hit(PlotFrame& f) {
  Hit hit{f.context.panel.id, f.area, f.plot.whole};
  if (f.x.entries() && !f.x.axis.empty()) hit.x = {f.x.axis, f.x.first, f.x.count};
  if (!hit.x.none()) f.context.drawing.hits.push_back(std::move(hit));
}

}  // namespace

Wish cartesian_wish(const Plot& plot, float width) {
  if (plot.height > 0) {
    const float rows = plot.y.kind == ScaleKind::band ? kLeastRow * static_cast<float>(plot.y.count) : 0;
    const float least = std::min(plot.height, std::max(kLeastHeight, kTitle + rows + below(plot, false)));
    return {plot.height, least, false, 0, plot.height < kLeastHeight ? 0 : plot.height * kStretched};
  }
  // Plots above each other get areas of one height, whichever of them have an axis below.
  const float usual = kTicks + 2 + kAxisTitle, axis = below(plot, false);
  return {std::clamp(width * 0.55f, kUsualHeight, 420.0f) - usual + axis, kLeastHeight - usual + axis, true, axis};
}

namespace {

/// A plot whose area is not placed yet.
struct Measured {
  PlotFrame f;
  std::vector<Label> head{};
  bool bar = false;
  float top = 0, height = 0;  // of the area
  Margins margins{};
};

Measured measured(const Plot& plot, PanelContext& context) {
  const Rect& r = context.block.rect;
  Measured m{{plot, context, {}, {}, {}, context.theme.font - 1}, {}};
  PlotFrame& f = m.f;
  m.head = head_lines(f);
  m.top = m.head.empty() ? 8 : m.head.back().at.y - r.y + 14;
  m.bar = (r.w > 200 || plot.marks.empty()) && shows_bar(plot, context.shared);
  m.height = std::max(r.h - m.top - below(plot, m.bar), 1.0f);
  f.y = side_of(plot, true, context, y_tick_count(m.height));
  f.x = side_of(plot, false, context, std::max(static_cast<int>(r.w / 80), 2));
  m.margins = {y_ticks_room(plot, f.y, m.height, r.w, f.size), line_names_room(plot, context.theme.font, r.w * 0.55f)};
  return m;
}

}  // namespace

Margins cartesian_margins(const Plot& plot, PanelContext& context) { return measured(plot, context).margins; }

void draw_cartesian(const Plot& plot, PanelContext& context) {
  const Rect& r = context.block.rect;
  auto [f, head, bar, top, height, margins] = measured(plot, context);
  for (const Label& l : head) context.block.labels.push_back(l);
  const float left = std::max(margins.numbers, context.least.numbers);
  const float names = margins.names > 0 ? std::max(margins.names, std::min(context.least.names, r.w * kMostShared)) : 0;
  f.area = {r.x + left, r.y + top, std::max(r.w - left - names - 8, 1.0f), height};
  if (plot.square) keep_square(f);
  f.x.from = f.area.x, f.x.to = f.area.right();
  f.y.from = f.area.bottom(), f.y.to = f.area.y;
  if (f.y.entries()) std::swap(f.y.from, f.y.to);  // the first entry is on top
  draw_y_axis(f), draw_x_axis(f);
  add_hit(f);
  for (const Mark& mark : plot.marks) {
    context.block.above();
    std::visit([&](const auto& m) { draw_mark(m, f); }, mark);
  }
  draw_lit(f);
  draw_grips(f);
  if (names > 0) draw_line_names(f, names);
  draw_rule_labels(f);
  draw_callouts(f);
  if (bar) {
    const auto palette = point_palette_of(plot.colour->range, context.view.map, context.theme);
    draw_colour_bar(*plot.colour, 1, *palette, {f.area.x, r.bottom() - kBar + 6}, std::min(132.0f, f.area.w), context);
  }
}

}  // namespace helix::figure
