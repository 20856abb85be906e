// Texts as running text: tiles in lines, wrapped at the width.
#include <algorithm>
#include <cmath>
#include <iterator>

#include "base/shared_words.h"
#include "base/text.h"
#include "figure/plot.h"

namespace helix::figure {
namespace {

constexpr float kTitle = 22, kInset = 7, kBetween = 3, kLineGap = 8;
constexpr float kMostHeight = 420;
constexpr float kBar = 34, kBarWidth = 132;  // the colour bar below
constexpr double kTint = 0.24;               // of a tile, from the panel's background towards its colour
constexpr int kTints[] = {0, 1, 4};          // series colours of the tiles, in turn

struct Sizes {
  float text, small, height;
};
Sizes sizes_of(float font) { return {font + 3, font - 2, 2 * (font - 2) * 1.3f + (font + 3) * 1.45f}; }

/// The tiles in lines, y from 0; each is as wide as its widest text.
std::vector<Rect> tiles_of(const Words& words, float width, const Sizes& sizes) {
  std::vector<Rect> tiles;
  float x = 0, y = 0;
  for (std::size_t i = 0; i < words.texts.size(); ++i) {
    float wide = std::max(text_width(words.texts[i], sizes.text),
                          text_width(std::to_string(words.first + static_cast<int>(i)), sizes.small));
    if (i < words.below.size()) wide = std::max(wide, text_width(words.below[i], sizes.small));
    const float w = std::min(wide + 2 * kInset, width);
    if (x > 0 && x + w > width) x = 0, y += sizes.height + kLineGap;
    tiles.push_back({x, y, w, sizes.height});
    x += w + kBetween;
  }
  return tiles;
}

/// How far the lines scroll up to show a given tile, at most to the last line.
float moved(const std::vector<Rect>& tiles, std::size_t wanted, float room, float line) {
  const float whole = tiles.back().bottom();
  if (whole <= room || wanted >= tiles.size()) return 0;
  const float shown = std::max(std::floor((room + kLineGap) / line), 1.0f) * line;
  const float lines = std::ceil((whole + kLineGap) / line) * line;
  const float above = std::floor(shown / line / 2) * line;
  return std::clamp(tiles[wanted].y - above, 0.0f, std::max(lines - shown, 0.0f));
}

struct Marked {
  std::vector<int> lit;
  int chosen = -1;
};

/// How a tile is filled, and the inks of its text and of the numbers around it.
struct Paint {
  Rgba ground, text, small;
};

/// `palette`: the panel's colours, where it has some.
Paint paint_of(const Plot& plot, const Words& words, std::size_t i, const Palette* palette, bool lit,
               const Theme& theme) {
  if (palette) {
    const double value = i < words.values.size() ? words.values[i] : std::nan("");
    const Rgba ground = (*palette)[shade(value, plot.colour->range)], ink = ink_on(ground);
    return {ground, ink, ink};
  }
  const Rgba hue = ink_of(series(kTints[i % std::size(kTints)]), theme);
  return {mix(theme.background, lit ? theme.warm : hue, lit ? 0.4 : kTint), theme.text, theme.mute};
}

void draw_tile(const Plot& plot, const Words& words, std::size_t i, const Rect& tile, const Sizes& sizes,
               const Marked& marked, const Palette* palette, PanelContext& context) {
  const Theme& theme = context.theme;
  Block& block = context.block;
  const int index = words.first + static_cast<int>(i);
  const bool lit = std::ranges::find(marked.lit, index) != marked.lit.end(), chosen = index == marked.chosen;
  const Paint paint = paint_of(plot, words, i, palette, lit, theme);
  block.top().boxes.push_back({tile, paint.ground, 4});
  if (lit && palette) add_frame(block.above(), tile, context.view.focus.locked ? 2 : 1.5f, theme.text);
  if (chosen) add_frame(block.above(), {tile.x + 2, tile.y + 2, tile.w - 4, tile.h - 4}, 2, theme.accent);
  const float middle = tile.x + tile.w / 2, room = tile.w - 4;
  const auto line = [&](float y, const std::string& text, float size, Rgba ink, Weight weight) {
    block.labels.push_back({{middle, y}, shortened(text, room, size), size, ink, Anchor::middle, weight});
  };
  const float small = sizes.small * 1.3f;
  line(tile.y + small / 2 + 1, std::to_string(index), sizes.small, paint.small, Weight::regular);
  line(tile.y + tile.h / 2, words.texts[i], sizes.text, paint.text, chosen ? Weight::strong : Weight::regular);
  if (i < words.below.size())
    line(tile.bottom() - small / 2 - 1, words.below[i], sizes.small, paint.small, Weight::regular);
}

/// Words have the panel's colours if it has some and they have values for them.
bool is_coloured(const Plot& plot, const Words& words) { return plot.colour && !words.values.empty(); }

int chosen_of(const Plot& plot, const std::string& axis) {
  const auto at = std::ranges::find(plot.chosen, axis, &Place::axis);
  return at == plot.chosen.end() ? -1 : at->index;
}

}  // namespace

Wish words_wish(const Plot& plot, const Words& words, float width) {
  const Sizes sizes = sizes_of(Theme().font);
  const auto tiles = tiles_of(words, width, sizes);
  const float height = tiles.empty() ? sizes.height : tiles.back().bottom();
  const float bar = is_coloured(plot, words) ? kBar : 0;
  return {std::min(kTitle + height + 6, kMostHeight) + bar, kTitle + sizes.height + bar, false};
}

void draw_words(const Plot& plot, const Words& words, PanelContext& context) {
  const Rect& r = context.block.rect;
  const Theme& theme = context.theme;
  const Sizes sizes = sizes_of(theme.font);
  const std::string& title = context.panel.title;
  if (!title.empty())
    context.block.labels.push_back({{r.x, r.y + 8}, shortened(title, r.w, theme.font), theme.font, theme.text});
  const auto tiles = tiles_of(words, r.w, sizes);
  if (tiles.empty()) return;
  Marked marked{words.axis.empty() ? std::vector<int>() : context.view.focus.lit(words.axis),
                chosen_of(plot, words.axis)};
  const auto palette = is_coloured(plot, words) ? palette_of(plot.colour->range, context.view.map, theme)
                                                : std::shared_ptr<const Palette>();
  // Where there is no room for both, the tiles come first.
  const bool bar = palette && shows_bar(plot, context.shared) && r.h - kTitle - kBar >= sizes.height;
  const float room = r.h - kTitle - (bar ? kBar : 0), end = r.y + kTitle + room;
  const auto up_to = [&](int index) {
    return moved(tiles, static_cast<std::size_t>(std::max(index - words.first, 0)), room, sizes.height + kLineGap);
  };
  float up = up_to(marked.chosen);
  if (!marked.lit
           .empty()) {  // a visible tile does not move when focused; one that the keys focus off screen scrolls in
    const auto i = static_cast<std::size_t>(std::max(marked.lit.front() - words.first, 0));
    if (i < tiles.size() && (tiles[i].y < up || tiles[i].bottom() - up > room)) up = up_to(marked.lit.front());
  }
  std::size_t first = tiles.size(), last = 0;
  float below = r.y + kTitle;
  for (std::size_t i = 0; i < tiles.size(); ++i) {
    const Rect tile{r.x + tiles[i].x, r.y + kTitle + tiles[i].y - up, tiles[i].w, tiles[i].h};
    if (tile.y < r.y + kTitle - 0.5f || tile.bottom() > end + 0.5f) continue;
    first = std::min(first, i), last = i;
    draw_tile(plot, words, i, tile, sizes, marked, palette.get(), context);
    below = std::max(below, tile.bottom());
    if (!words.axis.empty())
      context.drawing.hits.push_back({context.block.panel, tile, {{words.axis, words.first + static_cast<int>(i)}}});
  }
  if (bar && end + kBar <= r.bottom() + 0.5f)
    draw_colour_bar(*plot.colour, 1, *palette, {r.x, below + 10}, std::min(kBarWidth, r.w - 4), context);
  if (first > last || (first == 0 && last + 1 == tiles.size())) return;
  const std::string part =
      shared_words("figure.part", {{"first", with_thousands(words.first + static_cast<long long>(first))},
                                   {"last", with_thousands(words.first + static_cast<long long>(last))},
                                   {"all", with_thousands(static_cast<long long>(tiles.size()))}});
  if (text_width(title, theme.font) + text_width(part, theme.font) + 16 <= r.w)
    context.block.labels.push_back({{r.right(), r.y + 8}, part, theme.font, theme.mute, Anchor::end});
}

/// Words are drawn in a frame of their own: nothing is left to draw here.
void draw_mark(const Words&, PlotFrame&) {}

}  // namespace helix::figure
