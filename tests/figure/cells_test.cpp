// Matrices: their layout with labels, what can be pointed at in them, and their form in a document.
#include <algorithm>

#include "figure/svg.h"
#include "tests/figure/drawings.h"
#include "tests/figure/samples.h"
#include "tests/figure/xml_check.h"

namespace figure_cells_test {

using namespace helix;
using namespace helix::figure;
using namespace helix::testing;
using Catch::Approx;

namespace {

std::vector<std::string> words(std::size_t n) {
  const std::vector<std::string> some{"The",  "·cat", "·sat",          "·on", "·the", "·extraordinarily",
                                      "·mat", ",",    "·Ünderstanding"};
  std::vector<std::string> out;
  for (std::size_t i = 0; i < n; ++i) out.push_back(some[i % some.size()]);
  return out;
}

/// Lower triangle, larger near the diagonal; nothing above it.
Plot causal(std::size_t n, std::size_t m = 0) {
  const std::size_t cols = m ? m : n;
  std::vector<double> values(n * cols, std::nan(""));
  for (std::size_t q = 0; q < n; ++q)
    for (std::size_t k = 0; k <= std::min(q, cols - 1); ++k)
      values[q * cols + k] = 1.0 / static_cast<double>(q - k + 1);
  Plot plot{over("key", 0, static_cast<int>(cols), words(cols)), over("query", 0, static_cast<int>(n), words(n))};
  plot.colour = ColourScale{"attention", {0, 1, false}, "masked"};
  Cells cells;
  cells.cells = pyramid_of(values, n, cols, plot.colour->range);
  cells.row_axis = "query", cells.col_axis = "key";
  plot.marks = {std::move(cells)};
  return plot;
}

Plot heads(std::size_t layers, std::size_t count, std::size_t side) {
  std::vector<double> values;
  for (std::size_t i = 0; i < layers * count * side * side; ++i) values.push_back(static_cast<double>(i % 7) / 7);
  Plot plot{over("head", 0, static_cast<int>(count)), over("layer", 0, static_cast<int>(layers))};
  plot.colour = ColourScale{"attention"};
  plot.chosen = {{"layer", 1}, {"head", 0}};
  Cells cells;
  cells.cells = pyramid_of_tiles(values, layers, count, side, side, plot.colour->range);
  cells.row_axis = "query", cells.col_axis = "key", cells.down_axis = "layer", cells.across_axis = "head";
  plot.marks = {std::move(cells)};
  return plot;
}

Figure figure_of(Plot matrix, Plot grid) {
  Figure f;
  f.title = "A head", f.summary = "A summary.";
  f.panels = {{"pattern", "layer 1, head 0", std::move(matrix)},
              {"heads", "all heads", std::move(grid)},
              {"number", "", Number{"62.1 %", {"goes to the token before, mean"}, true}}};
  f.root = row({panel("pattern"), column({panel("heads"), panel("number")}, 0.36f, 190, 420)});
  return f;
}

Focus at_cell(int query, int key, bool locked = false) { return {{{"query", query}, {"key", key}}, locked}; }

ViewState showing(int first_query, int last_query, int first_key, int last_key) {
  ViewState view;
  view.show({"query", first_query, last_query}), view.show({"key", first_key, last_key});
  return view;
}

std::size_t count_of(const std::string& text, const char* part) {
  std::size_t n = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at) ++n;
  return n;
}

}  // namespace

TEST_CASE("no label of a matrix is cut or covers another", "[figure][cells]") {
  for (const std::size_t n : {1u, 2u, 5u, 18u, 40u, 100u, 333u, 1024u})
    for (const auto& [width, font] :
         std::vector<std::pair<float, float>>{{752, 12}, {1000, 12}, {362, 12}, {320, 12}, {752, 18}, {362, 18}}) {
      const Figure f = figure_of(causal(n), heads(12, 12, std::min<std::size_t>(n, 24)));
      for (const Focus& focus : {Focus(), at_cell(static_cast<int>(n) - 1, static_cast<int>(n) / 2, true)}) {
        CAPTURE(n, width, font, focus.at("query"));
        const Drawing d = drawn(f, width, preferred_height(f, width, font), focused(focus), font);
        check_labels(d);
        const Hit* cells = hit_of(d, "pattern");
        REQUIRE(cells);
        REQUIRE(cells->y.count == static_cast<int>(n));
        CHECK(cells->rect.w >= std::min(64.0f * static_cast<float>(n), width * 0.3f) * 0.8f);
        const Block& b = *d.find("pattern");
        CHECK(cells->rect.right() <= b.rect.right() + 0.5f);
        CHECK(cells->rect.bottom() <= b.rect.bottom());
      }
    }
}

TEST_CASE("numbers are written into cells where all of them fit, in ink that is read on each", "[figure][cells]") {
  const auto numbered = [](std::size_t n) {
    Plot plot = causal(n);
    auto& cells = std::get<Cells>(plot.marks.front());
    for (std::size_t q = 0; q < n; ++q)
      for (std::size_t k = 0; k < n; ++k)
        cells.numbers.push_back(k <= q ? 100.0f / static_cast<float>(q - k + 1) : std::nanf(""));
    return figure_of(std::move(plot), heads(3, 4, 10));
  };
  const auto written = [](const Figure& f, const ViewState& view, const char* number) {
    std::vector<Label> out;
    const Drawing d = drawn(f, 1248, 620, view);
    check_labels(d);
    const Rect area = hit_of(d, "pattern")->rect;
    for (const Label& l : d.find("pattern")->labels)
      if (l.text == number && area.contains(l.at)) out.push_back(l);
    return out;
  };
  const Figure few = numbered(12), many = numbered(90);
  CHECK(written(few, {}, "100").size() == 12);
  CHECK(written(few, {}, "50").size() == 11);
  CHECK(written(few, {}, "100").front().colour == Rgba{0, 0, 0, 255});       // on the bright end of the map
  CHECK(written(few, {}, "10").front().colour == Rgba{255, 255, 255, 255});  // on the dark end
  CHECK(written(many, {}, "100").empty());
  CHECK(written(many, showing(40, 49, 40, 49), "100").size() == 10);  // a part of it fits
}

TEST_CASE("cells are wider than high where they may be and there is more width than height", "[figure][cells]") {
  const auto area = [](float stretch, float height) {
    Plot plot = causal(18);
    std::get<Cells>(plot.marks.front()).stretch = stretch;
    const Drawing d = drawn(figure_of(std::move(plot), heads(3, 4, 10)), 1248, height);
    check_labels(d);
    const Rect cells = hit_of(d, "pattern")->rect;
    CHECK(cells.bottom() <= d.find("pattern")->rect.bottom());
    return cells;
  };
  const Rect square = area(1, 500), wide = area(1.6f, 500);
  CHECK(square.w == square.h);
  CHECK(wide.h == Approx(square.h).margin(18));  // a whole number of pixels per cell
  CHECK(wide.w == Approx(1.6f * square.w).margin(36));
  CHECK(area(1.6f, 1200).w < 1.05f * area(1.6f, 1200).h);  // square where there is enough height
}

TEST_CASE("every cell is found where it is drawn", "[figure][cells]") {
  const Figure f = figure_of(causal(30), heads(3, 4, 10));
  for (const ViewState& view :
       {ViewState(), showing(5, 20, 2, 9), showing(29, 29, 0, 0), showing(25, 900, 0, 900), showing(77, 80, 77, 80)}) {
    const Drawing d = drawn(f, 752, 500, view);
    const Hit* hit = hit_of(d, "pattern");
    REQUIRE(hit);
    const int first_row = hit->y.first, first_col = hit->x.first, rows = hit->y.count, cols = hit->x.count;
    const Window* window = view.window("query");
    CHECK(first_row == (window && window->first < 30 ? window->first : 0));
    CHECK(rows == (window && window->first < 30 ? std::min(window->last, 29) - window->first + 1 : 30));
    REQUIRE(rows > 0);
    for (int q = first_row; q < first_row + rows; ++q)
      for (int k = first_col; k < first_col + cols; ++k) {
        const Rect r = d.rect_of({{"query", q}, {"key", k}}, "pattern");
        REQUIRE(picked(d, middle(r)) == at_cell(q, k));
      }
    CHECK(!hit->at({hit->rect.x - 1, hit->rect.y + 1}, 0));
    CHECK(d.rect_of({{"query", first_row - 1}, {"key", first_col}}, "pattern").w == 0);
    const auto nearest = hit->nearest({-1e6f, 1e6f});
    CHECK(std::find(nearest.begin(), nearest.end(), Place{"query", first_row + rows - 1}) != nearest.end());
    CHECK(std::find(nearest.begin(), nearest.end(), Place{"key", first_col}) != nearest.end());
    const Image image = images(*d.find("pattern")).front();
    CHECK(image.row == Approx(first_row));
    CHECK(image.cols == Approx(cols));
  }
  const Drawing d = drawn(f, 752, 500);
  const Hit* tiles = hit_of(d, "heads");
  REQUIRE(tiles);
  REQUIRE(tiles->y.count == 3);
  CHECK(images(*d.find("heads")).size() == 12);
  for (int l = 0; l < 3; ++l)
    for (int h = 0; h < 4; ++h) {
      const Rect r = d.rect_of({{"layer", l}, {"head", h}}, "heads");
      CHECK(picked(d, {r.x + r.w * 0.75f, r.y + r.h * 0.25f}) == Focus{{"layer", l}, {"head", h}});
    }
  CHECK(d.rect_of({{"layer", 3}, {"head", 0}}, "heads").w == 0);
}

TEST_CASE("a tag is a text in its cell's upper corner where it covers nothing, else a spot; without a text, a stroke",
          "[figure][cells]") {
  const auto drawn_with = [](std::vector<Tag> tags, float width, bool tiles) {
    Plot plot = tiles ? heads(3, 4, 6) : causal(4);
    std::get<Cells>(plot.marks[0]).tags = std::move(tags);
    Figure f;
    f.panels = {{"cells", "", std::move(plot)}};
    return block_of(drawn(f, width), "cells");
  };
  for (const bool tiles : {false, true}) {
    CAPTURE(tiles);
    const Block wide = drawn_with({{1, 2, "×2"}, {9, 9, "×3"}}, 500, tiles);
    CHECK(has_label(wide, "×2"));
    CHECK(!has_label(wide, "×3"));  // there is no such cell
    const Block narrow = drawn_with({{1, 2, "×2"}}, 70, tiles), bare = drawn_with({}, 70, tiles);
    CHECK(!has_label(narrow, "×2"));
    CHECK(boxes(narrow).size() == boxes(bare).size() + 2);
    const Block struck = drawn_with({{1, 2, ""}}, 500, tiles), plain = drawn_with({}, 500, tiles);
    CHECK(capsules(struck).size() == capsules(plain).size() + 4);
  }
}

TEST_CASE("a long prompt is drawn with fewer cells, the largest shown", "[figure][cells]") {
  const Figure f = figure_of(causal(1024), heads(12, 12, 24));
  const Drawing d = drawn(f, 752, 500);
  const Image image = images(*d.find("pattern")).front();
  CHECK(image.shades->pooled > 1);
  CHECK(static_cast<float>(image.shades->rows) <= 1.1f * hit_of(d, "pattern")->rect.h);
  CHECK(has_label(*d.find("pattern"), "largest of"));
  CHECK(images(block_of(drawn(f, 752, 500, showing(100, 149, 100, 149)), "pattern")).front().shades->pooled == 1);
}

TEST_CASE("a cell in focus is lit in the matrix and in every head", "[figure][cells]") {
  const Figure f = figure_of(causal(18), heads(4, 4, 18));
  const auto count = [](const Drawing& d, const char* id) { return boxes(*d.find(id)).size(); };
  const Drawing before = drawn(f, 752, 500), after = drawn(f, 752, 500, focused(at_cell(7, 3)));
  CHECK(count(after, "pattern") > count(before, "pattern"));
  CHECK(count(after, "heads") == count(before, "heads") + 16);
  const auto strong = [&](const std::string& text) {
    const auto& labels = after.find("pattern")->labels;
    return std::count_if(labels.begin(), labels.end(),
                         [&](const Label& l) { return l.text == text && l.weight == Weight::strong; });
  };
  CHECK(strong(words(18)[7]) == 1);
  CHECK(strong(words(18)[3]) == 1);
  // With a longer prompt.
  CHECK(count(drawn(f, 752, 500, focused(at_cell(700, 300))), "heads") == count(before, "heads"));
}

TEST_CASE("a position in focus is a row and a column of the matrix, a head a frame in the grid", "[figure][cells]") {
  const Figure f = figure_of(causal(18), heads(4, 4, 18));
  const auto drawn_at = [&](const Focus& focus, const char* id) {
    return boxes(block_of(drawn(f, 752, 500, focused(focus)), id));
  };
  const Rect row = drawn(f, 752, 500).rect_of({{"query", 7}, {"key", 0}}, "pattern"),
             col = drawn(f, 752, 500).rect_of({{"query", 0}, {"key", 7}}, "pattern");
  const auto lit = drawn_at({{"position", 7}}, "pattern");
  const auto along = [&](Rgba ink, auto same) {
    return std::any_of(lit.begin(), lit.end(), [&](const FilledRect& b) { return b.fill == ink && same(b.rect); });
  };
  CHECK(along(Theme().accent, [&](const Rect& r) { return r.y == Approx(row.y) && r.h < 3; }));
  CHECK(along(Theme().warm, [&](const Rect& r) { return r.x == Approx(col.x) && r.w < 3; }));
  CHECK(drawn_at({{"layer", 2}, {"head", 3}}, "heads").size() == drawn_at({}, "heads").size() + 4);
  CHECK(drawn_at({{"layer", 9}, {"head", 3}}, "heads").size() == drawn_at({}, "heads").size());
}

TEST_CASE("a line on a matrix is painted after its picture, and lies on its cells", "[figure][cells]") {
  Figure f = figure_of(causal(20), heads(2, 2, 20));
  Line diagonal{"key", 0, over_index({}), kWarm};
  for (int i = 0; i < 20; ++i) diagonal.at.data.push_back(i);
  content<Plot>(f, 0).marks.push_back(diagonal);
  const Drawing d = drawn(f, 752, 500);
  const Block& block = *d.find("pattern");
  std::size_t picture = block.layers.size(), line = 0;
  for (std::size_t i = 0; i < block.layers.size(); ++i) {
    if (!block.layers[i].images.empty()) picture = i;
    if (!block.layers[i].capsules.empty()) line = i;
  }
  CHECK(picture < line);
  const auto pieces = capsules(block);
  REQUIRE(pieces.size() == 19);
  const Point cell = middle(d.rect_of({{"query", 4}, {"key", 4}}, "pattern"));
  CHECK(pieces[4].a.x == Approx(cell.x).margin(0.1));
  CHECK(pieces[4].a.y == Approx(cell.y).margin(0.1));
  const std::string svg = to_svg(d, "T", "S.");
  CHECK(svg.find("<image") < svg.find("<path"));
}

TEST_CASE("two matrices of a figure have a place each, and are pointed at each for itself", "[figure][cells]") {
  Figure f = figure_of(causal(20), causal(30));
  content<Plot>(f, 1).x.axis = "other_key", content<Plot>(f, 1).y.axis = "other_query";
  for (const float width : {752.0f, 362.0f}) {
    const Drawing d = drawn(f, width);
    const Hit *a = hit_of(d, "pattern"), *b = hit_of(d, "heads");
    REQUIRE((a && b));
    CHECK(a->rect.w > 40);
    CHECK(b->rect.w > 40);
    CHECK(!overlap(d.find("pattern")->rect, d.find("heads")->rect));
    CHECK(!overlap(a->rect, b->rect));
    CHECK(picked(d, middle(d.rect_of({{"query", 7}, {"key", 3}}))) == at_cell(7, 3));
    CHECK(picked(d, middle(d.rect_of({{"other_query", 27}, {"other_key", 3}}))) ==
          Focus{{"other_query", 27}, {"other_key", 3}});
  }
}

TEST_CASE("a matrix in a document is one picture, sharp and cut to what is seen", "[figure][cells]") {
  const Figure f = figure_of(causal(40), heads(2, 2, 20));
  const std::string svg = to_svg(drawn(f, 752, 500, showing(10, 19, 4, 13)), "T", "S.");
  CHECK(xml_problem(svg).empty());
  CHECK(svg.find("image-rendering=\"pixelated\"") != std::string::npos);
  CHECK(svg.find("viewBox=\"0 0 10 10\"") != std::string::npos);
  CHECK(svg.find("style=") == std::string::npos);  // the page's content security policy forbids it
  CHECK(svg.find("rotate(-90 ") != std::string::npos);
  CHECK(count_of(svg, "data:image/png;base64,") == 5);
}

TEST_CASE("matrices of odd shapes and sizes are laid out as well", "[figure][cells]") {
  for (const auto& [rows, cols] : std::vector<std::pair<std::size_t, std::size_t>>{{1, 1}, {1, 50}, {50, 1}, {3, 200}})
    for (const float width : {1280.0f, 390.0f, 130.0f, 20.0f, 0.0f})
      for (const float height : {600.0f, 90.0f, 1.0f, 0.0f})
        check_sane(drawn(figure_of(causal(rows, cols), heads(1, 1, 1)), width, height, focused(at_cell(0, 0))));
  CHECK(hit_of(drawn(figure_of(Plot(), Plot()), 800, 500), "pattern") == nullptr);
  Plot none;
  none.marks = {Cells()};
  CHECK(hit_of(drawn(figure_of(none, none), 800, 500), "pattern") == nullptr);
}

TEST_CASE("bars show as many as can be read and count the others", "[figure][cells]") {
  Figure f;
  Bars bars{"item"};
  bars.across = true;
  std::vector<std::string> names;
  for (int i = 0; i < 100; ++i) {
    names.push_back("·token " + std::to_string(i));
    bars.values.push_back(1.0 / (i + 1)), bars.texts.push_back("1.00 %"), bars.strong.push_back(i == 0);
  }
  Plot plot{quantity("probability"), over("item", 0, 100, std::move(names))};
  plot.marks = {std::move(bars)};
  f.panels = {{"next", "probability", std::move(plot)}, {"number", "", Number{"3.1 bits", {"entropy"}, true}}};
  f.root = row({panel("next"), panel("number", 0.2f, 190, 190)});
  for (const float width : {752.0f, 362.0f}) {
    const Drawing d = drawn(f, width, 400);
    check_labels(d);
    const Hit* items = hit_of(d, "next");
    REQUIRE(items);
    CHECK(items->y.count > 10);
    CHECK(items->y.count < 100);
    CHECK(has_label(*d.find("next"), "more, in the table"));
    const Rect third = d.rect_of({{"item", 2}});
    CHECK(third.w > 0);
    CHECK(picked(d, {third.x + 5, third.y + third.h / 2}) == Focus{{"item", 2}});
    CHECK(d.rect_of({{"item", 99}}).w == 0);
  }
}

TEST_CASE("an upright rule stands over a list of bars at its number, and its label off the title", "[figure][cells]") {
  Bars bars{"item", 0, {1.0, 0.5, 0.25}, series(0), true};
  Plot plot{quantity("share"), over("item", 0, 3, {"a", "b", "c"})};
  plot.marks = {std::move(bars), Rule{.upright = true, .at = 0.5, .label = "even", .ink = kMute, .dashed = true},
                Rule{.upright = true, .at = 2, .label = "beyond"}};
  Figure f;
  f.panels = {{"list", "a title that is as long as the rule is far away, and longer", std::move(plot)}};
  const Drawing d = drawn(f, 500, 200);
  check_labels(d);
  CHECK(has_label(*d.find("list"), "even"));
  CHECK(!has_label(*d.find("list"), "beyond"));
  const Rect half = d.rect_of({{"item", 1}});
  const auto all = boxes(block_of(d, "list"));
  CHECK(std::ranges::any_of(all,
                            [&](const FilledRect& b) { return b.rect.w < 2 && b.rect.h == 3 && b.rect.x > half.x; }));
}

TEST_CASE("bars of components mark those on the axes of the space", "[figure]") {
  Figure f;
  Bars bars{kComponentAxis, 1, {0.5, 0.3, 0.1, 0.05}};
  bars.across = true, bars.strong = {1, 1, 1, 0};
  Plot plot{quantity("share"), over(kComponentAxis, 1, 4)};
  plot.marks = {std::move(bars)};
  f.panels = {{"bars", "", std::move(plot)}};
  const auto marked = [&](const ViewState& view) {
    std::vector<int> found;
    const Drawing d = drawn(f, 400, 200, view);
    const auto& boxes = d.find("bars")->layers.front().boxes;
    for (std::size_t i = 0; i < boxes.size(); ++i)
      if (boxes[i].fill == Page().theme.accent) found.push_back(static_cast<int>(i) + 1);
    return found;
  };
  CHECK(marked({}) == std::vector{1, 2, 3});
  ViewState other;
  other.axes = {4, 2, 1};
  CHECK(marked(other) == std::vector{1, 2, 4});
}

TEST_CASE("plots that share their colours show one bar", "[figure][cells]") {
  Figure f = figure_of(causal(12), heads(2, 2, 4));
  Plot other = causal(12);
  content<Plot>(f, 0).colour->id = other.colour->id = "attention";
  f.panels[2] = {"number", "", other};
  const auto bars = [](const Figure& figure, float width) {
    std::vector<std::string> panels;
    for (const Block& b : drawn(figure, width).blocks)
      if (has_label(b, "masked")) panels.push_back(b.panel);
    return panels;
  };
  CHECK(bars(f, 1200) == std::vector<std::string>{"number"});
  // A plot without marks is only a bar.
  Plot alone;
  alone.x.quiet = alone.y.quiet = true;
  alone.height = 44;
  alone.colour = other.colour;
  f.panels.push_back({"colours", "", alone});
  f.root = column({panel("pattern"), panel("heads"), panel("number"), panel("colours")});
  CHECK(bars(f, 700) == std::vector<std::string>{"colours"});
  const Drawing d = drawn(f, 700);
  for (const Label& l : block_of(d, "colours").labels)
    CHECK(label_box(l).bottom() <= block_of(d, "colours").rect.bottom() + 1);
  CHECK(!hit_of(d, "colours"));
}

TEST_CASE("the cell that the controls say is outlined, and a plot says where all of it is", "[figure][cells]") {
  Figure f = figure_of(causal(12), heads(2, 2, 4));
  const auto outlined = [](const Figure& figure) {
    const Drawing d = drawn(figure, 1000);
    const Rect cell = d.rect_of({{"query", 7}, {"key", 3}, {"layer", 2}}, "pattern");
    const auto shapes = boxes(block_of(d, "pattern"));
    return std::ranges::any_of(shapes, [&](const FilledRect& b) {
      return b.fill == Theme().accent && std::abs(b.rect.bottom() - (cell.y - 1)) < 0.1f && b.rect.w > cell.w;
    });
  };
  auto& plot = content<Plot>(f, 0);
  plot.whole = {{"layer", 2}};
  CHECK(!outlined(f));
  plot.chosen = {{"query", 7}, {"key", 3}};
  CHECK(outlined(f));
  const Drawing d = drawn(f, 1000);
  const Focus focus = picked(d, middle(d.rect_of({{"query", 7}, {"key", 3}, {"layer", 2}}, "pattern")));
  CHECK(focus.at("layer") == 2);
  CHECK(focus.at("query") == 7);
}

TEST_CASE("sides that have no room beside the title are named below it", "[figure][cells]") {
  for (const float width : {900.0f, 150.0f}) {
    Figure f = figure_of(causal(12), heads(2, 2, 4));
    f.panels = {{"pattern", "a title of some length", causal(12)}};
    f.root = panel("pattern");
    const Drawing d = drawn(f, width, 400);
    const auto& labels = block_of(d, "pattern").labels;
    const auto names = std::ranges::find_if(labels, [](const Label& l) { return l.text.starts_with("query ↓"); });
    REQUIRE(names != labels.end());
    CHECK((names->at.y > block_of(d, "pattern").rect.y + 12) == (width < 200));
    check_labels(d);
  }
}

TEST_CASE("maps that share their colours have their heads alike, whatever their titles", "[figure][cells]") {
  const auto below = [](const char* id) {
    Figure f;
    f.panels = {{"long", "a title of quite some length", causal(12)}, {"short", "short", causal(12)}};
    for (std::size_t i = 0; i < 2; ++i) content<Plot>(f, i).colour->id = id;
    f.root = kept_row({panel("long"), panel("short")});
    const Drawing d = drawn(f, 430, 300);
    std::vector<bool> out;
    for (const char* which : {"long", "short"})
      for (const Label& l : block_of(d, which).labels)
        if (l.text.starts_with("query ↓")) out.push_back(l.at.y > block_of(d, which).rect.y + 12);
    return out;
  };
  CHECK(below("attention") == std::vector{true, true});
  CHECK(below("") == std::vector{true, false});  // each for itself
}

TEST_CASE("a colour bar is as wide as its numbers need, and its name takes two lines beside it", "[figure][cells]") {
  Figure f = figure_of(causal(12), heads(2, 2, 4));
  f.panels = {{"pattern", "", causal(12)}};
  f.root = panel("pattern");
  auto& colour = *content<Plot>(f, 0).colour;
  colour.title = "change of its probability", colour.range = {-0.0871, 0.0871, true};
  for (const float width : {210.0f, 240.0f, 400.0f}) {
    CAPTURE(width);
    const Drawing d = drawn(f, width, 300);
    check_labels(d);
    std::string name;
    std::vector<Label> labels = block_of(d, "pattern").labels;
    std::ranges::sort(labels, {}, [](const Label& l) { return l.at.y; });
    for (const Label& l : labels)
      if (l.text.size() > 3 && colour.title.find(l.text) != std::string::npos)
        name += (name.empty() ? "" : " ") + l.text;
    if (width > 220) CHECK(name == colour.title);
  }
}

}  // namespace figure_cells_test
