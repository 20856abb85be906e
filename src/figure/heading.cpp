#include "figure/heading.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/text.h"
#include "figure/drawing.h"

namespace helix::figure {
namespace {

constexpr float kMargin = 20, kFoot = 22;
constexpr float kFirst = 8;         // from the margin to the middle of the first line
constexpr float kToSub = 24;        // from the title's last line to the first below it
constexpr float kToPanels = 26;     // from the last line to the panels
constexpr float kBetween = 24;      // between the title and the key result
constexpr float kMostLead = 0.34f;  // of the width, for the key result
constexpr float kBold = 1.08f;      // how much wider strong letters are

constexpr std::size_t kMostCaption = 3;  // lines that one line of a caption takes
constexpr float kLeastPanels = 280, kMostPanels = 780;

/// A size of type, and how far its lines are apart.
struct Type {
  float size, line;
};
constexpr Type kTitle{18, 23}, kSub{13, 17}, kNumber{22, 0}, kLines{12, 16}, kCaption{10, 13};

/// A percent sign stays with its number.
std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  for (std::string& word : split(text, ' ')) {
    if (word.starts_with('%') && !words.empty())
      words.back() += " " + word;
    else
      words.push_back(std::move(word));
  }
  return words;
}

/// The words in at most `most` lines of a width; what is left over is cut at the end of the last one.
std::vector<std::string> wrapped(const std::string& text, float width, float size, std::size_t most) {
  std::vector<std::string> lines(1);
  for (std::string& word : words_of(text)) {
    std::string& line = lines.back();
    const bool fits = line.empty() || text_width(line + " " + word, size) <= width;
    if (fits || lines.size() == most)
      line += (line.empty() ? "" : " ") + word;
    else
      lines.push_back(std::move(word));
  }
  for (std::string& line : lines) line = shortened(line, width, size);
  return lines;
}

/// Draws lines below each other; returns the middle of the last one.
float draw_lines(const std::vector<std::string>& lines, Point at, Type type, Rgba ink, Anchor anchor, Weight weight,
                 Block& block) {
  for (std::size_t i = 0; i < lines.size(); ++i)
    block.labels.push_back(
        {{at.x, at.y + type.line * static_cast<float>(i)}, lines[i], type.size, ink, anchor, weight});
  return at.y + type.line * static_cast<float>(std::max<std::size_t>(lines.size(), 1) - 1);
}

/// The key result at the right; {its width, the middle of its last line}.
std::pair<float, float> draw_lead(const Number& lead, const Page& page, Block& block) {
  if (lead.number.empty()) return {0, 0};
  const float most = (page.width - 2 * kMargin) * kMostLead, right = page.width - kMargin, top = kMargin + kFirst;
  std::vector<std::string> lines;
  float width = text_width(lead.number, kNumber.size) * kBold;
  for (const std::string& text : lead.lines)
    for (std::string& line : wrapped(text, most, kLines.size, 2)) {
      width = std::max(width, text_width(line, kLines.size));
      lines.push_back(std::move(line));
    }
  draw_lines({lead.number}, {right, top}, kNumber, page.theme.text, Anchor::end, Weight::strong, block);
  const Point below{right, top + kToSub};
  return {width + kBetween, draw_lines(lines, below, kLines, page.theme.mute, Anchor::end, Weight::regular, block)};
}

}  // namespace

Rect draw_heading(const Figure& figure, const Page& page, Drawing& drawing) {
  const Rect area{0, 0, page.width, page.height};
  const float width = page.width - 2 * kMargin;
  Block text{"", area};
  text.top().boxes.push_back({area, page.theme.background, 0});
  const auto [lead, lead_end] = draw_lead(figure.lead, page, text);
  const float room = std::max(width - lead, width * (1 - kMostLead) / 2);
  const auto title = wrapped(figure.title, room / kBold, kTitle.size, 2);
  const float title_end =
      draw_lines(title, {kMargin, kMargin + kFirst}, kTitle, page.theme.text, Anchor::start, Weight::strong, text);
  const auto sub = wrapped(figure.subtitle, room, kSub.size, 3);
  const float sub_end =
      draw_lines(sub, {kMargin, title_end + kToSub}, kSub, page.theme.mute, Anchor::start, Weight::regular, text);
  std::vector<std::string> caption;
  for (const std::string& line : split(page.caption, '\n'))
    for (std::string& part : wrapped(line, width, kCaption.size, kMostCaption)) caption.push_back(std::move(part));
  const float foot = kFoot + kCaption.line * static_cast<float>(caption.size() - 1);
  draw_lines(caption, {kMargin, page.height - foot + kFirst}, kCaption, page.theme.mute, Anchor::start, Weight::regular,
             text);
  drawing.blocks.push_back(std::move(text));
  const float top = std::max(sub_end, lead_end) + kToPanels;
  return {kMargin, top, width, std::max(page.height - top - kMargin - foot, 0.0f)};
}

float standalone_height(const Figure& figure, Page page) {
  const float unit = page.theme.font / Theme().font, tall = 10'000;
  page.width /= unit, page.height = tall;
  Drawing words;
  const Rect panels = draw_heading(figure, page, words);
  const float wished = std::clamp(preferred_height(figure, panels.w), kLeastPanels, kMostPanels);
  return std::ceil(unit * (tall - panels.h + std::max(wished, least_height(figure, panels.w))));
}

}  // namespace helix::figure
