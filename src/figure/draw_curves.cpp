// Curves over moments: a plot for each scale, its lines named beside it with their values at the mark.
#include <algorithm>
#include <array>
#include <cmath>

#include "base/text.h"
#include "figure/layout.h"

namespace helix::figure {
namespace {

constexpr float kTitle = 18, kAxis = 18;      // the line above and the moments below
constexpr float kKey = 15;                    // from one name to the next
constexpr float kSideBySide = 520;            // narrower, one plot stands below the other
constexpr float kBetween = 22, kSwatch = 14;  // between two plots; the stroke before a name
constexpr float kNumbers = 30;                // the scale on the left
constexpr float kStroke = 1.1f, kDot = 3, kTickRoom = 58;

std::array<Rgba, Curves::kLines> inks(const Theme& theme) { return {theme.accent, theme.warm, theme.text, theme.mute}; }

std::string value_text(const Curves::Line& line, int moment) {
  const auto i = static_cast<std::size_t>(std::max(moment, 0));
  if (moment < 0 || i >= line.values.size() || !std::isfinite(line.values[i])) return "–";
  return to_fixed(line.values[i], line.digits);
}

std::string key_text(const Curves::Line& line, int moment) { return line.name + "  " + value_text(line, moment); }

/// The names' room: what the longest needs with its longest number, so that nothing moves while the mark does.
float key_room(const Curves::Plot& plot, float size, float most) {
  float room = 0;
  for (const Curves::Line& line : plot.lines) room = std::max(room, text_width(line.name + "  -0.00", size));
  return std::min(room + kSwatch + 6, most);
}

struct PlotArea {
  const Curves::Plot& plot;
  IndexScale scale;
  float y_of(double value) const {
    const double span = plot.high > plot.low ? plot.high - plot.low : 1;
    const double part = std::clamp((value - plot.low) / span, 0.0, 1.0);
    return scale.rect.bottom() - scale.rect.h * static_cast<float>(part);
  }
};

void draw_scale(const PlotArea& area, const Theme& theme, Block& block) {
  const Rect& r = area.scale.rect;
  const int digits = area.plot.high - area.plot.low >= 4 ? 0 : 1;
  for (const double part : {0.0, 0.5, 1.0}) {
    const double value = area.plot.low + part * (area.plot.high - area.plot.low);
    const float y = area.y_of(value);
    block.boxes.push_back({{r.x, y - 0.5f, r.w, 1}, theme.line, 0});
    block.labels.push_back({{r.x - 6, y}, to_fixed(value, digits), theme.font - 1, theme.mute, Anchor::end});
  }
}

void draw_moments(const Curves& curves, const IndexScale& scale, const Theme& theme, Block& block) {
  const float y = scale.rect.bottom() + 11;
  const auto tick = [&](int index, Anchor anchor) {
    block.labels.push_back(
        {{scale.x_of(index), y}, curves.moments[static_cast<std::size_t>(index)], theme.font - 1, theme.mute, anchor});
  };
  tick(0, Anchor::start);
  if (scale.last == 0) return;
  tick(scale.last, Anchor::end);
  const float each = scale.rect.w / static_cast<float>(scale.last + 1);
  const int step = std::max(1, static_cast<int>(std::ceil(kTickRoom / each)));
  for (int i = step; static_cast<float>(scale.last - i) * each > kTickRoom; i += step) tick(i, Anchor::middle);
}

void draw_lines(const PlotArea& area, int mark, const Theme& theme, Block& block) {
  const auto colours = inks(theme);
  for (std::size_t l = std::min(area.plot.lines.size(), Curves::kLines); l-- > 0;) {  // the first lies on top
    const std::vector<double>& values = area.plot.lines[l].values;
    const auto at = [&](std::size_t i) { return Point{area.scale.x_of(static_cast<double>(i)), area.y_of(values[i])}; };
    for (std::size_t i = 1; i < values.size(); ++i)
      if (std::isfinite(values[i - 1]) && std::isfinite(values[i]))
        block.capsules.push_back({at(i - 1), at(i), kStroke, colours[l], colours[l]});
    const auto m = static_cast<std::size_t>(std::max(mark, 0));
    if (mark >= 0 && m < values.size() && std::isfinite(values[m]))
      block.capsules.push_back({at(m), at(m), kDot, colours[l], colours[l]});
  }
}

void draw_key(const Curves::Plot& plot, int mark, const Rect& r, const Theme& theme, Block& block) {
  const auto colours = inks(theme);
  float y = r.y + kKey / 2;
  for (std::size_t l = 0; l < std::min(plot.lines.size(), Curves::kLines); ++l, y += kKey) {
    block.boxes.push_back({{r.x, y - 1.25f, kSwatch - 4, 2.5f}, colours[l], 1});
    const std::string text = shortened(key_text(plot.lines[l], mark), r.w - kSwatch, theme.font);
    block.labels.push_back({{r.x + kSwatch, y}, text, theme.font, theme.text});
  }
}

void draw_mark(const PlotArea& area, int index, Rgba ink, float width, Block& block) {
  if (index < 0 || index > area.scale.last) return;
  const Rect& r = area.scale.rect;
  block.boxes.push_back({{area.scale.x_of(index) - width / 2, r.y - 3, width, r.h + 6}, ink, 0});
}

void draw_plot(const Curves& curves, const Curves::Plot& plot, const Rect& r, const Theme& theme, Block& block,
               Drawing& drawing) {
  const std::string title = plot.what + ", over " + curves.moment_name;
  block.labels.push_back({{r.x + 2, r.y + 7}, shortened(title, r.w - 4, theme.font), theme.font, theme.mute});
  const float key = key_room(plot, theme.font, r.w * 0.5f);
  PlotArea area{plot, {}};
  area.scale.rect = {r.x + kNumbers, r.y + kTitle + 4, std::max(r.w - kNumbers - key - 10, 1.0f),
                     std::max(r.h - kTitle - kAxis - 6, 1.0f)};
  area.scale.last = static_cast<int>(curves.moments.size()) - 1;
  draw_scale(area, theme, block);
  draw_moments(curves, area.scale, theme, block);
  draw_lines(area, curves.mark, theme, block);
  draw_mark(area, curves.beside, theme.mute, 1, block);
  draw_mark(area, curves.focus.item, theme.line, 1, block);
  draw_mark(area, curves.mark, theme.text, 1.5f, block);
  const int shown = curves.focus.item >= 0 ? curves.focus.item : curves.mark;
  draw_key(plot, shown, {area.scale.rect.right() + 12, area.scale.rect.y - 2, key, area.scale.rect.h}, theme, block);
  const Rect& plotted = area.scale.rect;
  if (!curves.mark_key.empty()) {
    const float x = area.scale.x_of(curves.mark);
    if (curves.mark >= 0) drawing.handles.push_back({Handle::Which::moment, {x - 6, plotted.y, 12, plotted.h}});
    drawing.handles.push_back({Handle::Which::moment, plotted, true});
  }
  drawing.moments.push_back(area.scale);
}

}  // namespace

float curves_height(const Curves& curves, float width) {
  const auto plots = static_cast<float>(curves.plots.size());
  return width >= kSideBySide ? 160.0f : 132 * plots + kBetween * std::max(plots - 1, 0.0f) / 2;
}

void draw_curves(const Curves& curves, const Theme& theme, Block& block, Drawing& drawing) {
  if (curves.moments.empty() || curves.plots.empty()) return;
  const Rect& r = block.rect;
  const auto count = static_cast<float>(curves.plots.size());
  const bool across = r.w >= kSideBySide;
  const float gap = across ? kBetween : kBetween / 2;
  const float each = ((across ? r.w : r.h) - gap * (count - 1)) / count;
  for (std::size_t i = 0; i < curves.plots.size(); ++i) {
    const float from = (each + gap) * static_cast<float>(i);
    const Rect part = across ? Rect{r.x + from, r.y, each, r.h} : Rect{r.x, r.y + from, r.w, each};
    draw_plot(curves, curves.plots[i], part, theme, block, drawing);
  }
}

}  // namespace helix::figure
