// Colours: maps, and texts on their background.
#include "figure/theme.h"

#include <algorithm>

#include "tests/support.h"

namespace theme_test {

using namespace helix;
using namespace helix::figure;

TEST_CASE("colour maps run from end to end, and grow lighter on the way", "[figure][theme]") {
  CHECK(colour(ColourMap::viridis, 0, false) == Rgba{68, 1, 84});
  CHECK(colour(ColourMap::viridis, 1, false) == Rgba{253, 231, 37});
  CHECK(colour(ColourMap::cividis, 0, false) == Rgba{0, 34, 78});
  CHECK(colour(ColourMap::cividis, 1, false) == Rgba{254, 232, 56});
  CHECK(colour(ColourMap::jet, 0, true) == Rgba{0, 0, 128});
  CHECK(colour(ColourMap::jet, 1, true) == Rgba{128, 0, 0});
  const auto luminance = [](Rgba c) {
    const auto linear = [](double x) { return std::pow(x / 255, 2.2); };
    return 0.2126 * linear(c.r) + 0.7152 * linear(c.g) + 0.0722 * linear(c.b);
  };
  for (const ColourMap map : {ColourMap::viridis, ColourMap::cividis})
    for (const bool dark : {false, true})
      for (int i = 1; i <= 100; ++i)
        CHECK(luminance(colour(map, i / 100.0, dark)) >= luminance(colour(map, (i - 1) / 100.0, dark)) - 1e-3);
  for (const ColourMap map : {ColourMap::viridis, ColourMap::cividis}) {
    CHECK(luminance(colour(map, 0, true)) > luminance(colour(map, 0, false)) * 1.2);
    CHECK(colour(map, 1, true) == colour(map, 1, false));
    CHECK(colour(map, -5, true) == colour(map, 0, true));
    CHECK(colour(map, 5, true) == colour(map, 1, true));
  }
  CHECK(mix({0, 0, 0}, {100, 200, 50}, 0.5) == Rgba{50, 100, 25});
  CHECK(mix({200, 0, 0}, {100, 0, 0}, 1) == Rgba{100, 0, 0});
}

TEST_CASE("points and lines stand out from the ground at both ends of their colours", "[figure][theme]") {
  const auto linear = [](double x) {
    return x <= 0.04045 * 255 ? x / 255 / 12.92 : std::pow((x / 255 + 0.055) / 1.055, 2.4);
  };
  const auto luminance = [&](Rgba c) { return 0.2126 * linear(c.r) + 0.7152 * linear(c.g) + 0.0722 * linear(c.b); };
  const auto contrast = [&](Rgba a, Rgba b) {
    const double x = luminance(a) + 0.05, y = luminance(b) + 0.05;
    return std::max(x, y) / std::min(x, y);
  };
  for (const ColourMap map : {ColourMap::viridis, ColourMap::cividis})
    for (const Theme& theme : {Theme(), Theme::light()})
      for (const double t : {0.0, 0.5, 1.0}) {
        CAPTURE(static_cast<int>(map), theme.dark, t);
        CHECK(contrast(mark_colour(map, t, theme.dark), theme.background) >= 3);
      }
}

TEST_CASE("text can be read on its ground, in both themes", "[figure][theme]") {
  const auto linear = [](double x) {
    return x <= 0.04045 * 255 ? x / 255 / 12.92 : std::pow((x / 255 + 0.055) / 1.055, 2.4);
  };
  const auto luminance = [&](Rgba c) { return 0.2126 * linear(c.r) + 0.7152 * linear(c.g) + 0.0722 * linear(c.b); };
  const auto contrast = [&](Rgba a, Rgba b) {
    const double x = luminance(a), y = luminance(b);
    return (std::max(x, y) + 0.05) / (std::min(x, y) + 0.05);
  };
  for (const Theme& t : {Theme(), Theme::light()}) {
    CHECK(contrast(t.text, t.background) >= 7);
    CHECK(contrast(t.mute, t.background) >= 4.5);
    CHECK(contrast(t.accent, t.background) >= 3);
    CHECK(contrast(t.warm, t.background) >= 3);
  }
  CHECK(Theme().dark);
  CHECK(!Theme::light().dark);
}

}  // namespace theme_test
