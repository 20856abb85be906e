// The big number with its lines.
#include "base/text.h"
#include "figure/panels.h"

namespace helix::figure {
namespace {

constexpr float kHeading = 24, kHeadingSize = 15;  // CSS pixels: the height of a heading, and its type

/// Wrapped between words into as many lines as needed.
std::vector<std::string> wrapped(const std::string& text, float width, float size) {
  std::vector<std::string> lines{""};
  for (const std::string& word : split(text, ' ')) {
    std::string& line = lines.back();
    if (line.empty())
      line = word;
    else if (text_width(line + " " + word, size) <= width * 1.08f)  // text_width overestimates
      line += " " + word;
    else
      lines.push_back(word);
  }
  return lines;
}

}  // namespace

Wish wish_of(const Number& number, float width) {
  if (number.number.empty() && !number.lines.empty()) return {kHeading, kHeading, false};
  if (number.number.empty()) return {86, 60, false};  // the height most numbers have, until there is one
  float height = 32;
  for (const std::string& line : number.lines)
    height += 18 + 15 * static_cast<float>(wrapped(line, width, Theme().font).size() - 1);
  return {height, height, false};  // every line is a number that the figure speaks of
}

void draw(const Number& number, PanelContext& context) {
  Block& block = context.block;
  const Theme& theme = context.theme;
  const Rect& r = block.rect;
  float y = r.y + 14;
  if (number.number.empty()) {  // a heading over other panels
    if (!number.lines.empty())
      block.labels.push_back({{r.x, r.y + kHeading / 2},
                              shortened(number.lines.front(), r.w, kHeadingSize),
                              kHeadingSize,
                              theme.text,
                              Anchor::start,
                              Weight::strong});
    return;
  }
  block.labels.push_back(
      {{r.x, y}, number.number, 22, number.settled ? theme.text : theme.mute, Anchor::start, Weight::strong});
  y += 25;
  for (const std::string& whole : number.lines)
    for (const std::string& line : wrapped(whole, r.w, theme.font)) {
      if (y + 8 > r.bottom()) return;
      block.labels.push_back({{r.x, y}, line, theme.font, theme.mute});
      y += line.size() < whole.size() ? 15.0f : 18.0f;
    }
}

}  // namespace helix::figure
