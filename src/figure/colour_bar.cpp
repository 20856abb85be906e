// The colour bar, with its title and notes beside it.
#include <algorithm>
#include <string>

#include "figure/plot.h"

#include "base/shared_words.h"

namespace helix::figure {

void draw_colour_bar(const ColourScale& scale, std::size_t pooled, const Palette& palette, Point at, float width,
                     PanelContext& context) {
  constexpr int steps = 48;
  constexpr float height = 7, least = 64;
  Block& block = context.block;
  Layer& layer = block.above();
  const Theme& theme = context.theme;
  const float size = theme.font - 1;
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
  text(at.x, short_number(scale.range.low), Anchor::start);
  text(at.x + width, short_number(scale.range.high), Anchor::end);
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
  if (!beside(scale.title) && block.rect.right() - right > 6 * size)  // as much of it as fits
    block.labels.push_back(
        {{right, at.y + height / 2}, shortened(scale.title, block.rect.right() - right, size), size, theme.mute});
  if (!scale.missing.empty() && right + 14 + text_width(scale.missing, size) <= block.rect.right()) {
    const Rect box{right, at.y - 1, 9, 9};
    layer.boxes.push_back({box, palette[0], 0});
    add_frame(layer, box, 1, theme.line);
    right += 15;
    beside(scale.missing);
  }
  std::string words = scale.note;
  if (pooled > 1) words = shared_words("figure.pooled", {{"n", std::to_string(pooled)}});
  if (!words.empty() && !beside(words) && at.x + width + 12 + text_width(words, size) <= block.rect.right())
    block.labels.push_back({{at.x + width + 12, below}, words, size, theme.mute});
}

}  // namespace helix::figure
