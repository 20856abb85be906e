// The quiet panels: bars with their numbers, the big number, and the strip with the range.
#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "figure/layout.h"

namespace helix::figure {

namespace {

constexpr float kLeastBar = 16, kMostBar = 26;  // from one bar to the next
constexpr float kBarsTop = 22;

/// Room for the widest of some texts.
template <class Text>
float room_for(const Bars& bars, std::size_t count, float size, float least, float most, const Text& text) {
  float room = least;
  for (std::size_t i = 0; i < count; ++i) room = std::max(room, text_width(text(bars.bars[i]), size) + 10);
  return std::min(room, std::max(most, least));
}

bool in_focus(const Bars& bars, int index) {
  if (bars.each == Bars::Each::nothing) return false;
  return index == (bars.each == Bars::Each::item ? bars.focus.item : bars.focus.position);
}

}  // namespace

void draw_bars(const Bars& bars, const std::string& title, const Theme& theme, Block& block, Drawing& drawing) {
  const Rect& r = block.rect;
  if (!title.empty()) block.labels.push_back({{r.x, r.y + 8}, title, theme.font, theme.text});
  if (bars.bars.empty()) return;
  // As many as can be read; a last line counts the others.
  const auto fits = static_cast<std::size_t>(std::max((r.h - kBarsTop) / kLeastBar, 1.0f));
  const std::size_t shown = bars.bars.size() <= fits ? bars.bars.size() : std::max<std::size_t>(fits - 1, 1);
  const float step =
      std::min(kMostBar, (r.h - kBarsTop) / static_cast<float>(bars.bars.size() <= fits ? shown : shown + 1));
  const float thick = step * 0.58f;
  const float left = room_for(bars, shown, theme.font, 18, r.w * 0.4f, [](const Bars::Bar& b) { return b.label; });
  const float room = room_for(bars, shown, theme.font, 54, r.w * 0.4f, [](const Bars::Bar& b) { return b.text; });
  double most = 0;
  for (const Bars::Bar& bar : bars.bars)
    if (std::isfinite(bar.value)) most = std::max(most, bar.value);
  float y = r.y + kBarsTop;
  for (std::size_t i = 0; i < shown; ++i) {
    const Bars::Bar& bar = bars.bars[i];
    const int index = bars.first + static_cast<int>(i);
    const bool focused = in_focus(bars, index);
    const float full = std::max(r.w - left - room, 1.0f);
    const double part = most > 0 && std::isfinite(bar.value) ? std::clamp(bar.value / most, 0.0, 1.0) : 0;
    const float w = full * static_cast<float>(part), middle = y + step / 2;
    block.labels.push_back(
        {{r.x, middle}, shortened(bar.label, left - 6, theme.font), theme.font, focused ? theme.text : theme.mute});
    block.boxes.push_back({{r.x + left, middle - thick / 2, std::max(w, 1.0f), thick},
                           focused      ? theme.warm
                           : bar.strong ? theme.accent
                                        : mix(theme.line, theme.mute, 0.35),
                           1.5f});
    block.labels.push_back({{r.x + left + w + 6, middle},
                            shortened(bar.text, room, theme.font),
                            theme.font,
                            bar.strong || focused ? theme.text : theme.mute});
    if (bars.each != Bars::Each::nothing) drawing.items.push_back({index, {r.x, y, r.w, step}});
    y += step;
  }
  if (shown < bars.bars.size())
    block.labels.push_back(
        {{r.x, y + step / 2},
         "and " + with_thousands(static_cast<long long>(bars.bars.size() - shown)) + " more, in the table",
         theme.font,
         theme.mute});
}

namespace {

/// In as many lines as it takes, parted between words.
std::vector<std::string> wrapped(const std::string& text, float width, float size) {
  std::vector<std::string> lines{""};
  for (const std::string& word : split(text, ' ')) {
    std::string& line = lines.back();
    if (line.empty())
      line = word;
    else if (text_width(line + " " + word, size) <= width * 1.08f)  // the estimate is a generous one
      line += " " + word;
    else
      lines.push_back(word);
  }
  return lines;
}

}  // namespace

void draw_headline(const Headline& headline, const Theme& theme, Block& block) {
  const Rect& r = block.rect;
  float y = r.y + 14;
  if (headline.number.empty()) return;
  block.labels.push_back(
      {{r.x, y}, headline.number, 22, headline.settled ? theme.text : theme.mute, Anchor::start, Weight::strong});
  y += 25;
  for (const std::string& whole : headline.lines)
    for (const std::string& line : wrapped(whole, r.w, theme.font)) {
      if (y + 8 > r.bottom()) return;
      block.labels.push_back({{r.x, y}, line, theme.font, theme.mute});
      y += line.size() < whole.size() ? 15.0f : 18.0f;
    }
}

namespace {

constexpr float kLine = 16;               // from one line of the title to the next
constexpr float kTop = 18, kBottom = 20;  // the title above and the axis below the strip

/// In one line, or in two where that is too wide and there is a comma to part them at.
std::vector<std::string> title_lines(const std::string& title, float width, float size) {
  const std::size_t comma = title.find(", ");
  if (comma == std::string::npos || text_width(title, size) <= width) return {title};
  return {title.substr(0, comma + 1), title.substr(comma + 2)};
}

void draw_profile_bars(const Profile& profile, const Theme& theme, const IndexScale& scale, double most, Block& block) {
  const std::size_t n = profile.values.size();
  const float width = std::max(scale.rect.w / static_cast<float>(scale.last + 1), 1.0f);
  for (std::size_t i = 0; i < n; ++i) {
    if (std::isnan(profile.values[i])) continue;  // a gap
    const int index = profile.first + static_cast<int>(i);
    const float h = scale.rect.h * static_cast<float>(std::clamp(profile.values[i] / most, 0.0, 1.0));
    const double t = n > 1 ? static_cast<double>(i) / static_cast<double>(n - 1) : 0.5;
    block.boxes.push_back(
        {{scale.x_of(index) - width / 2, scale.rect.bottom() - h, width, h}, colour(profile.map, t, theme.dark), 0});
  }
}

void draw_range(const Profile& profile, const Theme& theme, const IndexScale& scale, Block& block, Drawing& drawing) {
  const float x0 = scale.x_of(profile.range_first), x1 = scale.x_of(profile.range_last);
  const float y = scale.rect.bottom() + 2;
  block.boxes.push_back({{scale.rect.x, y, scale.rect.w, 3}, theme.line, 1.5f});
  if (profile.fit_first >= 0) {
    const float f0 = scale.x_of(profile.fit_first), f1 = scale.x_of(profile.fit_last);
    block.boxes.push_back({{f0, y + 4, std::max(f1 - f0, 2.0f), 2}, theme.warm, 1});
  }
  block.boxes.push_back({{x0, y, std::max(x1 - x0, 2.0f), 3}, theme.accent, 1.5f});
  for (const float x : {x0, x1}) block.boxes.push_back({{x - 4.5f, y - 3, 9, 9}, theme.accent, 4.5f});
  // Small targets first: where both ends lie close together either can still be taken.
  drawing.handles.push_back({Handle::Which::first, {x0 - 5, y - 8, 10, 20}});
  drawing.handles.push_back({Handle::Which::last, {x1 - 5, y - 8, 10, 20}});
  if (x1 - x0 > 24) drawing.handles.push_back({Handle::Which::whole, {x0 + 9, y - 2, x1 - x0 - 18, 8}});
}

}  // namespace

void draw_profile(const Profile& profile, const Theme& theme, Block& block, Drawing& drawing) {
  const Rect& r = block.rect;
  double most = 0;
  for (const double v : profile.values)
    if (std::isfinite(v)) most = std::max(most, v);
  const std::string range = profile.values.empty() ? "" : "  (0 to " + to_fixed(most, 2) + ")";
  float top = kTop - kLine;
  for (const std::string& line : title_lines(profile.what + range, r.w - 2, theme.font)) {
    block.labels.push_back({{r.x + 2, r.y + top + 5}, line, theme.font, theme.mute});
    top += kLine;
  }
  IndexScale scale;
  scale.rect = {r.x + 6, r.y + top, r.w - 12, r.h - top - kBottom};
  scale.last = std::max(profile.axis_last, 1);
  if (most > 0) draw_profile_bars(profile, theme, scale, most, block);
  draw_range(profile, theme, scale, block, drawing);
  const float y = scale.rect.bottom() + 14;
  const auto tick = [&](int index, Anchor anchor) {
    block.labels.push_back({{scale.x_of(index), y}, std::to_string(index), theme.font - 1, theme.mute, anchor});
  };
  tick(0, Anchor::start);
  tick(scale.last, Anchor::end);
  const int step = static_cast<int>(nice_step(scale.last, r.w < 420 ? 3 : 6));
  for (int i = std::max(step, 1); i < scale.last; i += std::max(step, 1))
    if (scale.x_of(scale.last) - scale.x_of(i) > 40) tick(i, Anchor::middle);
  if (profile.focus.position >= 0 && profile.focus.position <= scale.last)
    block.boxes.push_back(
        {{scale.x_of(profile.focus.position) - 0.75f, scale.rect.y - 2, 1.5f, scale.rect.h + 4}, theme.text, 0});
  drawing.scale = scale;
}

}  // namespace helix::figure
