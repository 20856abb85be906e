// Bars: vertical over an index, or horizontal in a list with their texts at the end.
#include <algorithm>
#include <cmath>

#include "base/shared_words.h"
#include "base/text.h"
#include "figure/plot.h"

namespace helix::figure {
namespace {

constexpr std::size_t kFewBars = 6;  // of a list: so many are drawn even where there is little room
constexpr float kLeastBar = 16, kUsualBar = 26, kMostBar = 50;  // height of one bar in a list, with the gap below it
constexpr float kThickest = 22;
constexpr float kTop = 22;        // the line of the title
constexpr float kSeparate = 6;    // narrower bars than this form a surface
constexpr float kBeforeWide = 2;  // the line that stands for the other side of a comparison

std::string name_of(const Plot& plot, int index) {
  const auto i = static_cast<std::size_t>(index - plot.y.first);
  return index >= plot.y.first && i < plot.y.names.size() ? plot.y.names[i] : std::to_string(index);
}

std::string text_of(const Bars& bars, std::size_t i) {
  return i < bars.texts.size() ? bars.texts[i] : short_number(i < bars.values.size() ? bars.values[i] : 0);
}

/// Emphasised bars: over components, those on the visitor's axes; else those that the study names.
bool is_strong(const Bars& bars, std::size_t i, const ViewState& view) {
  if (i >= bars.strong.size()) return false;
  if (bars.axis != kComponentAxis) return bars.strong[i];
  return std::ranges::find(view.axes, bars.first + static_cast<int>(i)) != view.axes.end();
}

/// The width of the widest of some texts, within bounds.
template <class TextOf>
float room_for(std::size_t count, float size, float least, float most, const TextOf& text) {
  float room = least;
  for (std::size_t i = 0; i < count; ++i) room = std::max(room, text_width(text(i), size) + 10);
  return std::min(room, std::max(most, least));
}

}  // namespace

void draw_mark(const Bars& bars, PlotFrame& f) {
  Layer& layer = f.context.block.top();
  const Theme& theme = f.context.theme;
  const std::size_t n = bars.values.size();
  const float width = std::max(f.x.step() * (f.x.step() > 6 ? 0.8f : 1.0f), 1.0f);
  const float top = std::min(f.y.from, f.y.to), foot = std::max(f.y.from, f.y.to);
  const float zero = std::clamp(f.y.shows(0) ? f.y.at(0) : foot, top, foot);
  for (std::size_t i = 0; i < n; ++i) {
    const double index = bars.first + static_cast<double>(i);
    if (std::isnan(bars.values[i]) || !f.x.shows(index)) continue;  // a gap
    const double v = std::isfinite(bars.values[i]) ? bars.values[i] : 0;
    const float y = std::clamp(f.y.at(v), top, foot);
    const Rgba ink =
        bars.ink.role == Ink::Role::along ? ink_along(f.context.view.map, i, n, theme) : ink_of(bars.ink, theme);
    layer.boxes.push_back({{f.x.at(index) - width / 2, std::min(y, zero), width, std::abs(zero - y)}, ink, 0});
  }
  for (std::size_t i = 0; i < bars.before.size(); ++i) {
    const double index = bars.first + static_cast<double>(i);
    if (!std::isfinite(bars.before[i]) || !f.x.shows(index)) continue;
    const float y = std::clamp(f.y.at(bars.before[i]), top, foot);
    layer.boxes.push_back({{f.x.at(index) - width / 2, y - kBeforeWide / 2, width, kBeforeWide},
                           width < kSeparate ? theme.mute : theme.text,
                           0});
  }
}

/// Upright rules over a list, their labels on the line of the title; `most`: the value at the right end.
void draw_list_rules(const Plot& plot, double most, const Rect& bars, PanelContext& context) {
  const Theme& theme = context.theme;
  Block& block = context.block;
  for (const Mark& mark : plot.marks) {
    const auto* rule = std::get_if<Rule>(&mark);
    if (!rule || !rule->upright || !(rule->at >= 0 && rule->at <= most)) continue;
    const float x = bars.x + bars.w * static_cast<float>(rule->at / most);
    const Rgba ink = ink_of(rule->ink, theme);
    const auto dash = [&](float at, float y) {
      const Rect part{at - rule->width / 2, y, rule->width, rule->dashed ? 3.0f : 6.0f};
      const auto covers = [&](const Label& l) { return overlap(label_box(l), part); };
      if (std::ranges::none_of(block.labels, covers)) block.above().boxes.push_back({part, ink, 0});
    };
    for (float y = bars.y; y < bars.bottom(); y += 6) dash(x, y);
    if (rule->label.empty()) continue;
    const float title = block.rect.x + text_width(context.panel.title, theme.font) * 1.05f + 10;
    Label label{{x + 4, block.rect.y + 8}, rule->label, theme.font - 1, theme.mute};
    if (label.at.x < title) {  // the title stands there: at the end of its line, with a piece of the rule
      label.at.x = std::max(block.rect.right() - text_width(rule->label, label.size) * 1.05f, title + 8);
      for (float y = block.rect.y + 2; y < block.rect.y + 14; y += 6) dash(label.at.x - 5, y);
    }
    block.labels.push_back(std::move(label));
  }
}

Wish list_wish(const Plot& plot, const Bars& bars) {
  const auto few = static_cast<float>(std::clamp<std::size_t>(bars.values.size(), 3, kFewBars));
  if (plot.height > 0) return {plot.height, std::min(plot.height, kTop + few * kLeastBar), false};
  // Until there is a result, room for eight bars, so that the page keeps its height.
  const auto n = static_cast<float>(bars.values.empty() ? 8 : std::max<std::size_t>(bars.values.size(), 3));
  return {std::min(kTop + n * kUsualBar, 420.0f), kTop + few * kLeastBar, true};
}

void draw_list(const Plot& plot, const Bars& bars, PanelContext& context) {
  Block& block = context.block;
  Layer& layer = block.top();
  const Theme& theme = context.theme;
  const Rect& r = block.rect;
  const std::size_t n = bars.values.size();
  if (!context.panel.title.empty())
    block.labels.push_back({{r.x, r.y + 8}, shortened(context.panel.title, r.w, theme.font), theme.font, theme.text});
  if (n == 0) return;
  // As many bars as are readable; a last line says how many more there are.
  const auto fits = static_cast<std::size_t>(std::max((r.h - kTop) / kLeastBar, 1.0f));
  const std::size_t shown = n <= fits ? n : std::max<std::size_t>(fits - 1, 1);
  const float step = std::min(kMostBar, (r.h - kTop) / static_cast<float>(n <= fits ? shown : shown + 1));
  const float thick = std::min(step * 0.58f, kThickest);
  const auto name = [&](std::size_t i) { return name_of(plot, bars.first + static_cast<int>(i)); };
  const auto text = [&](std::size_t i) { return text_of(bars, i); };
  const float left = room_for(shown, theme.font, 18, r.w * 0.4f, name);
  const float room = room_for(shown, theme.font, 54, r.w * 0.4f, text);
  const auto lit = context.view.focus.lit(bars.axis);
  double most = plot.x.high.value_or(0);
  if (!plot.x.high)
    for (const double v : bars.values)
      if (std::isfinite(v)) most = std::max(most, v);
  for (const double v : bars.before)
    if (std::isfinite(v)) most = std::max(most, v);
  float y = r.y + kTop;
  for (std::size_t i = 0; i < shown; ++i, y += step) {
    const int index = bars.first + static_cast<int>(i);
    const bool focused = !bars.axis.empty() && std::find(lit.begin(), lit.end(), index) != lit.end();
    const double part = most > 0 && std::isfinite(bars.values[i]) ? std::clamp(bars.values[i] / most, 0.0, 1.0) : 0;
    const float full = std::max(r.w - left - room, 1.0f), w = full * static_cast<float>(part), middle = y + step / 2;
    float end = w;  // of what is drawn
    const bool chosen = is_strong(bars, i, context.view), strong = chosen || focused;
    block.labels.push_back(
        {{r.x, middle}, shortened(name(i), left - 6, theme.font), theme.font, focused ? theme.text : theme.mute});
    const Rgba ink = focused  ? theme.warm
                     : chosen ? theme.accent
                              : mix(theme.line, theme.mute, theme.dark ? 0.35 : 0.2);
    layer.boxes.push_back({{r.x + left, middle - thick / 2, std::max(w, 1.0f), thick}, ink, 1.5f});
    if (i < bars.before.size() && std::isfinite(bars.before[i]) && most > 0) {
      const float before = full * static_cast<float>(std::clamp(bars.before[i] / most, 0.0, 1.0));
      const float tall = std::min(thick + 6, step);
      layer.boxes.push_back({{r.x + left + before, middle - tall / 2, kBeforeWide, tall}, theme.text, 0});
      end = std::max(end, before + kBeforeWide);
    }
    block.labels.push_back({{r.x + left + end + 6, middle},
                            shortened(text(i), room, theme.font),
                            theme.font,
                            strong ? theme.text : theme.mute});
  }
  draw_list_rules(plot, most, {r.x + left, r.y + kTop, std::max(r.w - left - room, 1.0f), y - r.y - kTop}, context);
  if (!bars.axis.empty())
    context.drawing.hits.push_back({block.panel,
                                    {r.x, r.y + kTop, r.w, step * static_cast<float>(shown)},
                                    {},
                                    {},
                                    {bars.axis, bars.first, static_cast<int>(shown)}});
  if (shown < n)
    block.labels.push_back({{r.x, y + step / 2},
                            shared_words("figure.more", {{"n", with_thousands(static_cast<long long>(n - shown))}}),
                            theme.font,
                            theme.mute});
}

}  // namespace helix::figure
