#include "figure/compare.h"

#include "figure/layout.h"
#include "tests/support.h"

using namespace helix;
using namespace helix::figure;

namespace {

/// A matrix of two numbers and a curve, with gestures that zoom and that change the state.
Figure planted(double most) {
  const std::vector<double> numbers{0, most};
  Figure f;
  f.title = "planted", f.subtitle = "up to " + std::to_string(most), f.summary = "Two numbers.";
  Plot matrix;
  matrix.x = over("key", 0, 2), matrix.y = over("query", 0, 1);
  matrix.colour = ColourScale{"share", scale_of(numbers, false)};
  matrix.marks.push_back(Cells{pyramid_of(numbers, 1, 2, matrix.colour->range), "query", "key"});
  matrix.gestures = {{Gesture::On::brush, {"key"}}, {Gesture::On::click, {"key"}, Gesture::Effect::set, "first={key}"}};
  Plot curve;
  curve.x = over("key", 0, 2), curve.y = quantity("share");
  f.panels = {{"matrix", "", matrix}, {"curve", "", curve}};
  f.tables = {{"Numbers", {{"share", "", 2, numbers}}}};
  return f;
}

const Plot& plot_of(const Figure& f, const char* id) {
  const Panel* found = f.find(id);
  REQUIRE(found);
  return std::get<Plot>(found->content);
}

std::uint8_t last_shade(const Plot& plot) { return (*std::get<Cells>(plot.marks[0]).cells.front())(0, 1); }

}  // namespace

TEST_CASE("two figures beside each other keep every panel and table, and share their scales", "[figure][compare]") {
  const Figure both = beside(planted(0.5), planted(1));
  CHECK(both.panels.size() == 4);
  CHECK(both.tables.size() == 2);
  CHECK(both.tables[1].title != both.tables[0].title);
  const Plot &a = plot_of(both, "matrix"), &b = plot_of(both, "against.matrix");
  CHECK(a.colour->range.high == b.colour->range.high);
  CHECK(last_shade(b) == 255);
  CHECK(std::abs(last_shade(a) - 128) <= 1);  // half the value, half the brightness
  CHECK(!plot_of(both, "curve").y.id.empty());
  CHECK(plot_of(both, "curve").y.id == plot_of(both, "against.curve").y.id);
  CHECK(a.gestures.size() == 2);
  CHECK(b.gestures.size() == 1);  // gestures that change the main state are removed
  testing::check_sentence(both.summary);
}

TEST_CASE("colours that several plots share stay one range on both sides, with a bar each", "[figure][compare]") {
  Figure left = planted(0.5), right = planted(1);
  for (Figure* f : {&left, &right}) {
    std::get<Plot>(f->panels[0].content).colour->id = "share";
    f->panels.push_back({"second", "", f->panels[0].content});
  }
  right.panels.back().id = "elsewhere";  // a panel without a counterpart
  const Figure both = beside(left, right);
  for (const char* id : {"matrix", "second", "against.matrix", "against.elsewhere"})
    CHECK(plot_of(both, id).colour->range.high == 1);
  CHECK(std::abs(last_shade(plot_of(both, "second")) - 128) <= 1);
  CHECK(plot_of(both, "second").colour->id != plot_of(both, "against.elsewhere").colour->id);
}

TEST_CASE("the two sides lie next to each other, and below each other on a phone", "[figure][compare]") {
  const Figure both = beside(planted(0.5), planted(1));
  for (const float width : {1280.0f, 390.0f}) {
    Page page;
    page.width = width, page.height = 900;
    const Drawing drawing = layout(both, ViewState(), page);
    const auto rect = [&](const char* id) {
      for (const Block& block : drawing.blocks)
        if (block.panel == id) return block.rect;
      FAIL("no such block");
      return Rect();
    };
    const Rect a = rect("matrix"), b = rect("against.matrix");
    if (width > 1000)
      CHECK(b.x >= a.right());
    else
      CHECK(b.y >= a.y + a.h);
  }
}
