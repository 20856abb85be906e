// Texts in free space: callouts with their leaders, labels of rules and of points, names of lines.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "figure/cover.h"
#include "figure/dots.h"
#include "figure/inks.h"
#include "figure/svg.h"
#include "tests/figure/drawings.h"
#include "tests/figure/samples.h"

namespace callouts_test {

using namespace helix;
using namespace helix::figure;
using namespace helix::testing;
using Catch::Approx;

namespace {

Figure alone(Panel panel) {
  Figure f;
  f.summary = "A wave.";
  f.panels = {std::move(panel)};
  return f;
}

/// A wave over 200 positions.
Plot wave() {
  Plot plot{over("position", 0, 200), quantity("height")};
  std::vector<double> y;
  for (int i = 0; i < 200; ++i) y.push_back(std::sin(0.06 * i));
  plot.marks = {Line{"position", 0, over_index(std::move(y))}};
  return plot;
}

const Label* label_of(const Block& block, std::string_view text) {
  const auto found = std::ranges::find(block.labels, text, &Label::text);
  return found == block.labels.end() ? nullptr : &*found;
}

/// How many capsules of a mark's width run through a box.
std::size_t crossing(const Block& block, const Rect& box) {
  return static_cast<std::size_t>(std::ranges::count_if(capsules(block), [&](const Capsule& c) {
    return c.radius > 0.9f && c.from != Theme().background && c.from != Theme().mute &&
           box.contains({(c.a.x + c.b.x) / 2, (c.a.y + c.b.y) / 2});
  }));
}

}  // namespace

TEST_CASE("a callout's text stands beside the data, with a leader to its place", "[figure][callouts]") {
  Plot plot = wave();
  const double top = std::numbers::pi / 2 / 0.06;
  plot.marks.push_back(Callout{{top, 1}, "the first crest"});
  plot.marks.push_back(Callout{{3 * top, -1}, "the trough"});
  Callout range{{2 * top, 0}, "half a period", {4 * top, 0}};
  plot.marks.push_back(range);
  for (const float width : {360.0f, 700.0f}) {
    const Drawing d = drawn(alone({"wave", "a wave", plot}), width, 360);
    CAPTURE(width);
    check_sane(d), check_labels(d);
    const Block& block = block_of(d, "wave");
    for (const char* text : {"the first crest", "the trough", "half a period"}) {
      const Label* label = label_of(block, text);
      REQUIRE(label);
      CHECK(crossing(block, label_box(*label)) == 0);
    }
    CHECK(rings(block).size() == 2);  // of the places; the range has a bracket
    const Point crest = rings(block)[0].centre;
    const auto leads = std::ranges::any_of(capsules(block), [&](const Capsule& c) {
      return c.radius < 0.9f && std::hypot(c.b.x - crest.x, c.b.y - crest.y) < 8;
    });
    CHECK(leads);
  }
  const Figure f = alone({"wave", "a wave", plot});
  CHECK(spoken_summary(f) == "A wave. Marked: the first crest; the trough; half a period.");
  CHECK(to_svg(drawn(f, 700, 360), "t", "d", {}).find(">the first crest</text>") != std::string::npos);
  CHECK(spoken_summary(alone({"wave", "", wave()})) == "A wave.");
}

TEST_CASE("where there is no room a callout is left out, the headline's last", "[figure][callouts]") {
  Plot plot = wave();
  for (int i = 0; i < 12; ++i)
    plot.marks.push_back(Callout{{5.0 + 15 * i, std::sin(0.06 * (5 + 15 * i))}, "a remark of some length"});
  Callout lead{{100, std::sin(6)}, "3.02 turns"};
  lead.lead = true;
  plot.marks.push_back(lead);
  const Drawing d = drawn(alone({"wave", "", plot}), 300, 170);
  check_labels(d);
  const Block& block = block_of(d, "wave");
  const Label* label = label_of(block, "3.02 turns");
  REQUIRE(label);
  CHECK(label->weight == Weight::strong);
  CHECK(std::ranges::count(block.labels, "a remark of some length", &Label::text) < 12);
  plot.marks.push_back(Callout{{500, 0}, "outside the plot"});
  plot.marks.push_back(Callout{{std::nan(""), 0}, "nowhere"});
  const Drawing more = drawn(alone({"wave", "", plot}), 300, 170);
  check_sane(more);
  CHECK(!has_label(block_of(more, "wave"), "nowhere"));
}

TEST_CASE("of places near each other, no leader runs through another's text", "[figure][callouts]") {
  Plot plot{over("position", 0, 512), quantity("norm")};
  std::vector<double> norm;
  for (int i = 0; i < 512; ++i) norm.push_back(0.25 + std::exp(-i / 12.0) + 0.5 * std::pow(i / 511.0, 4));
  plot.marks.push_back(Line{"position", 0, over_index(norm), series(0), "norm"});
  const std::vector<std::string> texts{"row 0: 2.38, above this frame", "row 1: 1.40, above this frame", "row 2: 1.15"};
  for (std::size_t i = 0; i < texts.size(); ++i)
    plot.marks.push_back(Callout{{static_cast<double>(i), norm[i]}, texts[i]});
  for (const float width : {500.0f, 600.0f, 700.0f}) {
    const Drawing d = drawn(alone({"norms", "", plot}), width, 160);
    CAPTURE(width);
    check_labels(d);
    const Block& block = block_of(d, "norms");
    std::size_t leaders = 0;
    for (const Capsule& c : capsules(block)) {
      if (c.radius > 0.65f || c.from != ink_of(kWarm, Theme())) continue;
      ++leaders;
      for (const Label& label : block.labels) {
        const auto has = [&](const std::string& text) { return text.find(label.text) != std::string::npos; };
        if (label.text.size() < 5 || std::ranges::none_of(texts, has)) continue;
        for (int i = 0; i <= 50; ++i) {
          const float t = static_cast<float>(i) / 50;
          CHECK(!label_box(label).contains({c.a.x + (c.b.x - c.a.x) * t, c.a.y + (c.b.y - c.a.y) * t}));
        }
      }
    }
    CHECK(leaders == 3);
  }
}

TEST_CASE("in a space a callout keeps off the curve however it is turned", "[figure][callouts]") {
  Space space = space_of(helix_points(200), 0);
  const auto row = helix_points(200);
  space.marks.push_back(Callout{{row[300], row[301], row[302]}, "a hundred positions"});
  for (const double azimuth : {0.0, 70.0, 200.0}) {
    ViewState view;
    view.camera.azimuth = azimuth;
    const Drawing d = drawn(alone({"helix", "", space}), 600, 500, view);
    CAPTURE(azimuth);
    check_labels(d);
    const Label* label = label_of(block_of(d, "helix"), "a hundred positions");
    REQUIRE(label);
    CHECK(crossing(block_of(d, "helix"), label_box(*label)) == 0);
  }
}

TEST_CASE("a text on a curve covers no name of an axis", "[figure][space]") {
  Space space = space_of(helix_points(200), 0);
  Points text{"position", 0, std::make_shared<Coordinates>(Coordinates{3, helix_points(12)})};
  space.legend = false, text.carried = true;
  for (int i = 0; i < 12; ++i) text.labels.push_back("word" + std::to_string(i));
  space.marks.push_back(std::move(text));
  for (int turn = 0; turn < 24; ++turn) {
    ViewState view;
    view.camera.azimuth = 15.0 * turn;
    const Drawing d = drawn(alone({"helix", "", space}), 390, 420, view);
    CAPTURE(turn);
    check_labels(d);
    for (const char* name : {"PC1  33.7 %", "PC2", "PC3  20 %"}) CHECK(has_label(block_of(d, "helix"), name));
  }
}

TEST_CASE("a rule's label stands where nothing is drawn", "[figure][callouts]") {
  Plot plot{over("position", 0, 40), quantity("height")};
  Bars bars{"position", 0, {}};
  for (int i = 0; i < 40; ++i) bars.values.push_back(i < 20 ? 1 : 5);
  plot.marks = {std::move(bars), Rule{.at = 4, .label = "chance", .dashed = true}};
  const Drawing d = drawn(alone({"bars", "", plot}), 600, 300);
  check_labels(d);
  const Block& block = block_of(d, "bars");
  const Label* label = label_of(block, "chance");
  REQUIRE(label);
  for (const FilledRect& box : boxes(block))
    if (box.fill == Theme().accent) CHECK(!overlap(box.rect, label_box(*label)));
}

TEST_CASE("labels of points stay in their panel and off other points", "[figure][callouts]") {
  Plot plot{quantity("x"), quantity("y")};
  plot.x.low = plot.y.low = 0, plot.x.high = plot.y.high = 10;
  auto at = std::make_shared<Coordinates>(Coordinates{2, {9.9, 5, 5, 5, 5.4, 5, 1, 9.9}});
  Points points{"token", 0, at};
  points.labels = {"at the edge", "crowded", "", "at the top"};
  plot.marks = {points};
  const Drawing d = drawn(alone({"plane", "", plot}), 420, 300);
  check_labels(d);
  const Block& block = block_of(d, "plane");
  REQUIRE(label_of(block, "at the edge"));
  CHECK(label_of(block, "at the edge")->anchor == Anchor::end);
  REQUIRE(label_of(block, "crowded"));
  for (const Point& p : spots_of(d, "plane")->at) CHECK(!label_box(*label_of(block, "crowded")).contains(p));
}

TEST_CASE("dots, rings and ticks", "[figure][marks]") {
  const auto with = [](Shape shape) {
    Plot plot{quantity("x"), over("claim", 0, 1, {"one"})};
    Points points = one_dot("claim", 0, 3, kBad, 4);
    points.shape = shape;
    plot.marks = {points};
    return drawn(alone({"dots", "", plot}), 300, 120);
  };
  const Rgba red = ink_of(kBad, Theme());
  CHECK(std::ranges::any_of(capsules(block_of(with(Shape::disc), "dots")),
                            [&](const Capsule& c) { return c.from == red; }));
  CHECK(
      std::ranges::any_of(rings(block_of(with(Shape::ring), "dots")), [&](const Ring& r) { return r.colour == red; }));
  CHECK(std::ranges::any_of(boxes(block_of(with(Shape::tick), "dots")),
                            [&](const FilledRect& b) { return b.fill == red && b.rect.h > 2 * b.rect.w; }));
}

TEST_CASE("lines that lie on each other have one name, and one line alone has none", "[figure][marks]") {
  Plot plot = wave();
  const auto named = [&](const char* name, int ink) {
    Line line = std::get<Line>(wave().marks[0]);
    line.name = name, line.ink = series(ink);
    return line;
  };
  plot.marks = {named("key at 0", 0), named("key at 3", 1), named("key at 30", 2)};
  const auto names = [&] {
    const Drawing d = drawn(alone({"wave", "", plot}), 600, 300);
    check_labels(d);
    return d;
  };
  CHECK(label_of(block_of(names(), "wave"), "3 curves coincide"));
  CHECK(!has_label(block_of(names(), "wave"), "key at"));
  std::get<Line>(plot.marks[0]).at.data[50] = 3;
  CHECK(label_of(block_of(names(), "wave"), "2 curves coincide"));
  CHECK(has_label(block_of(names(), "wave"), "key at 0"));
  plot.marks = {named("norm", 0)};
  CHECK(!has_label(block_of(names(), "wave"), "norm"));
}

TEST_CASE("plots above each other have areas of one height, whichever has the axis", "[figure][boxes]") {
  Figure f;
  for (const char* id : {"a", "b", "c"}) f.panels.push_back({id, id, wave()});
  content<Plot>(f, 0).x.quiet = content<Plot>(f, 1).x.quiet = true;
  for (const float height : {500.0f, 900.0f}) {
    const Drawing d = drawn(f, 600, height);
    CHECK(hit_of(d, "a")->rect.h == Approx(hit_of(d, "c")->rect.h).margin(1));
    CHECK(hit_of(d, "b")->rect.h == Approx(hit_of(d, "c")->rect.h).margin(1));
    CHECK(block_of(d, "c").rect.bottom() == Approx(height).margin(1));
  }
}

TEST_CASE("a curve is wider where it is near, and parts what lies behind it", "[figure][space]") {
  const Drawing d = drawn(alone({"helix", "", space_of(helix_points(300), 0)}), 700, 500);
  const auto all = capsules(block_of(d, "helix"));
  float least = 1e9f, most = 0;
  std::size_t margins = 0;
  for (const Capsule& c : all) {
    if (c.from == Theme().background) ++margins;
    if (c.radius < 1 || c.from == Theme().background || c.from == Theme().mute) continue;
    least = std::min(least, c.radius), most = std::max(most, c.radius);
  }
  CHECK(most > 1.6f * least);
  CHECK(margins >= 299);
  CHECK(margins < all.size() / 2);
  CHECK(all.back().from != Theme().background);
}

TEST_CASE("chosen bars stand out from the others by 3:1, in both themes", "[figure][marks]") {
  const auto luminance = [](Rgba c) {
    const auto linear = [](double x) {
      return x <= 0.04045 * 255 ? x / 255 / 12.92 : std::pow((x / 255 + 0.055) / 1.055, 2.4);
    };
    return 0.2126 * linear(c.r) + 0.7152 * linear(c.g) + 0.0722 * linear(c.b) + 0.05;
  };
  for (const Theme& theme : {Theme(), Theme::light()}) {
    Page page;
    page.width = 1280, page.height = 800, page.theme = theme;
    const auto bars = boxes(block_of(layout(sample(), {}, page), "explained"));
    const double a = luminance(bars[0].fill), b = luminance(bars[3].fill);
    CAPTURE(theme.dark, a, b);
    CHECK(std::max(a, b) / std::min(a, b) >= 3);
  }
}

TEST_CASE("what has been drawn is counted in rectangles", "[figure][callouts]") {
  Cover cover({100, 100, 200, 100});
  cover.add(Point{150, 150}, Cover::kMark);
  cover.add(Point{150, 150}, Cover::kShade);  // the dearer one counts
  cover.add(Point{10, 10}, Cover::kMark);     // outside
  cover.sum();
  CHECK(cover.under({140, 140, 20, 20}).first == Cover::kMark);
  CHECK(cover.under({200, 140, 20, 20}).first == 0);
  CHECK(cover.at({150, 150}) == Cover::kMark);
  CHECK(cover.at({10, 10}) == 0);
}

}  // namespace callouts_test
