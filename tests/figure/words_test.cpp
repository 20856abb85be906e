// Texts as running text: where the tiles stand, and their colours.
#include <algorithm>
#include <cmath>
#include <optional>

#include "figure/inks.h"
#include "figure/svg.h"
#include "tests/figure/drawings.h"
#include "tests/figure/samples.h"

namespace figure_words_test {

using namespace helix;
using namespace helix::figure;
using namespace helix::testing;

namespace {

Figure alone(Panel panel) {
  Figure f;
  f.panels = {std::move(panel)};
  return f;
}

Figure print_of(std::size_t n, int chosen = -1) {
  Words words{"position"};
  for (std::size_t i = 0; i < n; ++i) {
    words.texts.push_back(i % 3 ? "·word" : "·longer");
    words.below.push_back("id " + std::to_string(100 + i));
  }
  Plot plot;
  plot.marks = {std::move(words)};
  if (chosen >= 0) plot.chosen = {{"position", chosen}};
  return alone({"tokens", "position, token, id", std::move(plot)});
}

}  // namespace

TEST_CASE("words stand in lines, each where it can be pointed at", "[figure][marks]") {
  for (const float width : {320.0f, 1100.0f}) {
    const Drawing d = drawn(print_of(12), width);
    check_sane(d);
    check_labels(d);
    CHECK(d.hits.size() == 12);
    for (std::size_t i = 0; i < d.hits.size(); ++i) {
      CHECK(picked(d, middle(d.hits[i].rect)).at("position") == static_cast<int>(i));
      for (std::size_t k = 0; k < i; ++k) CHECK(!overlap(d.hits[i].rect, d.hits[k].rect));
    }
  }
  CHECK(drawn(print_of(12), 320).hits[11].rect.y > drawn(print_of(12), 1100).hits[11].rect.y);
}

TEST_CASE("of many words those around the chosen one are shown, and what is pointed at does not move",
          "[figure][marks]") {
  const Figure f = print_of(2000, 1000);
  const Drawing d = drawn(f, 600, 300);
  check_sane(d);
  check_labels(d);
  CHECK(has_label(block_of(d, "tokens"), "of 2,000"));
  const auto rect_of = [](const Drawing& drawing, int position) -> std::optional<Rect> {
    for (const Hit& hit : drawing.hits)
      if (hit.places.front().index == position) return hit.rect;
    return std::nullopt;
  };
  REQUIRE(rect_of(d, 1000));
  CHECK(!rect_of(d, 0));
  const Drawing pointed = drawn(f, 600, 300, focused({{"position", 1001}}));
  REQUIRE(rect_of(pointed, 1001));
  CHECK(rect_of(pointed, 1001)->y == rect_of(d, 1001)->y);
  CHECK(rect_of(drawn(f, 600, 300, focused({{"position", 3}})), 3));
  CHECK(drawn(print_of(0), 600, 300).hits.empty());
}

namespace {

double luminance(Rgba c) {
  const auto linear = [](double x) {
    return x <= 0.04045 * 255 ? x / 255 / 12.92 : std::pow((x / 255 + 0.055) / 1.055, 2.4);
  };
  return 0.2126 * linear(c.r) + 0.7152 * linear(c.g) + 0.0722 * linear(c.b);
}

double contrast(Rgba a, Rgba b) {
  const double x = luminance(a), y = luminance(b);
  return (std::max(x, y) + 0.05) / (std::min(x, y) + 0.05);
}

/// Coloured from one end of the scale to the other; the first has no number.
Figure coloured(std::size_t n, bool diverging) {
  Figure f = print_of(n);
  auto& plot = std::get<Plot>(f.panels[0].content);
  plot.colour = ColourScale{"surprise, bits", {diverging ? -5.0 : 0.0, 5, diverging}, "not predicted"};
  auto& values = std::get<Words>(plot.marks[0]).values;
  values.push_back(std::nan(""));
  const ShadeScale range = plot.colour->range;
  for (std::size_t i = 1; i < n; ++i)
    values.push_back(range.low + (range.high - range.low) * static_cast<double>(i - 1) / static_cast<double>(n - 2));
  return f;
}

Drawing themed(const Figure& f, const ViewState& view, const Theme& theme) {
  Page page;
  page.width = 700, page.height = preferred_height(f, 700), page.theme = theme;
  return layout(f, view, page);
}

}  // namespace

TEST_CASE("words have the colours of their values, and can be read on each", "[figure][marks]") {
  for (const Theme& theme : {Theme(), Theme::light()})
    for (const bool diverging : {false, true})
      for (const ColourMap map : {ColourMap::viridis, ColourMap::cividis, ColourMap::jet}) {
        const Figure f = coloured(40, diverging);
        const ShadeScale range = std::get<Plot>(f.panels[0].content).colour->range;
        ViewState view;
        view.map = map;
        const Drawing d = themed(f, view, theme);
        check_sane(d);
        check_labels(d);
        const auto palette = palette_of(range, map, theme);
        const Block& block = block_of(d, "tokens");
        REQUIRE(d.hits.size() == 40);
        for (const Hit& hit : d.hits) {
          const auto all = boxes(block);
          const auto tile = std::ranges::find_if(
              all, [&](const FilledRect& b) { return b.rect.x == hit.rect.x && b.rect.y == hit.rect.y; });
          REQUIRE(tile != all.end());
          const int i = hit.places.front().index;
          const double value =
              std::get<Words>(std::get<Plot>(f.panels[0].content).marks[0]).values[static_cast<std::size_t>(i)];
          CHECK(tile->fill == (*palette)[shade(value, range)]);
          int texts = 0;
          for (const Label& label : block.labels)
            if (label.at.x >= hit.rect.x && label.at.x <= hit.rect.right() && label.at.y >= hit.rect.y &&
                label.at.y <= hit.rect.bottom()) {
              ++texts;
              CHECK(contrast(label.colour, tile->fill) >= 4.5);
            }
          CHECK(texts == 3);
        }
        CHECK((has_label(block, "surprise, bits") && has_label(block, "not predicted")));
        CHECK(has_label(block, diverging ? "−5" : "0"));
      }
}

TEST_CASE("coloured words are the same in a document; the one that is pointed at has a frame, not another colour",
          "[figure][marks]") {
  const Figure f = coloured(12, false);
  const Drawing d = drawn(f, 700), lit = drawn(f, 700, focused({{"position", 11}}));
  const auto has = [](const Drawing& drawing, Rgba fill) {
    return std::ranges::any_of(boxes(block_of(drawing, "tokens")),
                               [&](const FilledRect& b) { return b.fill == fill && b.rect.w > 9; });
  };
  const Rgba brightest = colour(ColourMap::viridis, 1, true);
  CHECK((has(d, brightest) && has(lit, brightest)));
  CHECK(boxes(block_of(lit, "tokens")).size() == boxes(block_of(d, "tokens")).size() + 4);
  CHECK(to_svg(d, "words", "words in colour").find("fill=\"#fde725\"") != std::string::npos);
}

TEST_CASE("without a scale or without values words have their colours in turn, and no bar", "[figure][marks]") {
  const auto fills = [](const Figure& f) {
    std::vector<Rgba> out;
    for (const FilledRect& b : boxes(block_of(drawn(f, 700), "tokens"))) out.push_back(b.fill);
    return out;
  };
  const auto plain = fills(print_of(9));
  CHECK(plain.size() == 9);
  Figure no_values = coloured(9, false), no_scale = no_values;
  std::get<Words>(std::get<Plot>(no_values.panels[0].content).marks[0]).values.clear();
  std::get<Plot>(no_scale.panels[0].content).colour.reset();
  CHECK(fills(no_values) == plain);
  CHECK(fills(no_scale) == plain);
}

TEST_CASE("of many coloured words the bar stands below those that are shown", "[figure][marks]") {
  const Drawing d = drawn(coloured(600, false), 390, 300);
  check_sane(d);
  check_labels(d);
  const Block& block = block_of(d, "tokens");
  CHECK(has_label(block, "of 600"));
  CHECK(has_label(block, "surprise, bits"));
  float below = 0;
  for (const Hit& hit : d.hits) below = std::max(below, hit.rect.bottom());
  for (const Label& label : block.labels)
    if (label.text.find("surprise") != std::string::npos) CHECK(label.at.y > below);
}

}  // namespace figure_words_test
