// The quiet panels: bars with their numbers, the big number, and the strip with the range.
#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "figure/layout.h"

namespace helix::figure {

void draw_bars(const Bars& bars, const std::string& title, const Theme& theme, Block& block) {
  const Rect& r = block.rect;
  block.labels.push_back({{r.x, r.y + 8}, title, theme.font, theme.text});
  if (bars.bars.empty()) return;
  const float step = std::min(26.0f, (r.h - 22) / static_cast<float>(bars.bars.size()));
  const float thick = step * 0.58f, left = 18, room = 54;  // room for "33.7 %"
  double most = 0;
  for (const Bars::Bar& bar : bars.bars) most = std::max(most, bar.value);
  float y = r.y + 22;
  for (const Bars::Bar& bar : bars.bars) {
    const float full = std::max(r.w - left - room, 1.0f);
    const float w = most > 0 ? full * static_cast<float>(std::max(bar.value, 0.0) / most) : 0;
    const float middle = y + step / 2;
    block.labels.push_back({{r.x, middle}, bar.label, theme.font, theme.mute});
    block.boxes.push_back({{r.x + left, middle - thick / 2, std::max(w, 1.0f), thick},
                           bar.strong ? theme.accent : mix(theme.line, theme.mute, 0.35),
                           1.5f});
    block.labels.push_back({{r.x + left + w + 6, middle}, bar.text, theme.font, bar.strong ? theme.text : theme.mute});
    y += step;
  }
}

void draw_headline(const Headline& headline, const Theme& theme, Block& block) {
  const Rect& r = block.rect;
  float y = r.y + 14;
  block.labels.push_back(
      {{r.x, y}, headline.number, 22, headline.settled ? theme.text : theme.mute, Anchor::start, Weight::strong});
  y += 25;
  for (const std::string& line : headline.lines) {
    if (y + 8 > r.bottom()) return;
    block.labels.push_back({{r.x, y}, line, theme.font, theme.mute});
    y += 18;
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
