// The colour bar, with its title and notes beside it.
#include <algorithm>
#include <string>
#include <utility>

#include "figure/plot.h"

#include "base/shared_words.h"

namespace helix::figure {
namespace {

/// A title beside the bar, in one line or two, as much of it as fits; empty where hardly any of it would.
std::pair<std::string, std::string> two_lines(const std::string& title, float room, float size) {
  if (text_width(title, size) <= room) return {title, ""};
  if (room <= 6 * size) return {};
  for (std::size_t at = title.rfind(' '); at != std::string::npos && at > 0; at = title.rfind(' ', at - 1))
    if (text_width(title.substr(0, at), size) <= room)
      return {title.substr(0, at), shortened(title.substr(at + 1), room, size)};
  return {shortened(title, room, size), ""};
}

}  // namespace

void draw_colour_bar(const ColourScale& scale, std::size_t pooled, const Palette& palette, Point at, float width,
                     PanelContext& context) {
  constexpr int steps = 48;
  constexpr float height = 7, between = 10;
  Block& block = context.block;
  Layer& layer = block.above();
  const Theme& theme = context.theme;
  const float size = theme.font - 1;
  const std::string low = short_number(scale.range.low), high = short_number(scale.range.high);
  const float least = std::max(64.0f, text_width(low, size) + between + text_width(high, size));
  // A bar without a name says nothing: it is narrower where its name would not fit beside it.
  width =
      std::clamp(block.rect.right() - at.x - 12 - text_width(scale.title, size) * 1.02f, std::min(least, width), width);
  for (int i = 0; i < steps; ++i)
    layer.boxes.push_back({{at.x + width * static_cast<float>(i) / steps, at.y, width / steps + 0.5f, height},
                           palette[static_cast<std::size_t>(1 + (254 * i + 127) / steps)],
                           0});
  const float below = at.y + height + 9;
  const auto text = [&](float x, std::string words, Anchor anchor) {
    block.labels.push_back({{x, below}, std::move(words), size, theme.mute, anchor});
  };
  text(at.x, low, Anchor::start);
  text(at.x + width, high, Anchor::end);
  if (scale.range.diverging && width > 100) text(at.x + width / 2, "0", Anchor::middle);
  // Title and notes stand beside the bar, as far as they fit.
  float right = at.x + width + 12;
  const auto beside = [&](const std::string& words) {
    const float wide = text_width(words, size);
    if (words.empty() || right + wide > block.rect.right()) return false;
    block.labels.push_back({{right, at.y + height / 2}, words, size, theme.mute});
    right += wide + 14;
    return true;
  };
  const auto [first, rest] = two_lines(scale.title, block.rect.right() - right, size);
  if (!rest.empty()) text(right, rest, Anchor::start);
  beside(first);
  if (!scale.missing.empty() && right + 14 + text_width(scale.missing, size) <= block.rect.right()) {
    const Rect box{right, at.y - 1, 9, 9};
    layer.boxes.push_back({box, palette[0], 0});
    add_frame(layer, box, 1, theme.line);
    right += 15;
    beside(scale.missing);
  }
  std::string words = scale.note;
  if (pooled > 1) words = shared_words("figure.pooled", {{"n", std::to_string(pooled)}});
  if (!words.empty() && !beside(words) && rest.empty() &&
      at.x + width + 12 + text_width(words, size) <= block.rect.right())
    block.labels.push_back({{at.x + width + 12, below}, words, size, theme.mute});
}

}  // namespace helix::figure
