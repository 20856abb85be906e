#include <cmath>

#include "figure/compare.h"

#include "figure/layout.h"
#include "tests/support.h"

namespace figure_compare_test {

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
  const Figure both = beside(planted(0.5), planted(1), "This", "That");
  CHECK(both.panels.size() == 6);  // two of each side, and a heading
  CHECK(std::get<Number>(both.find("heading")->content).lines[0] == "This");
  CHECK(std::get<Number>(both.find("against.heading")->content).lines[0] == "That");
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
  CHECK(both.summary.ends_with("."));
}

TEST_CASE("colours that several plots share stay one range on both sides, with a bar each", "[figure][compare]") {
  Figure left = planted(0.5), right = planted(1);
  for (Figure* f : {&left, &right}) {
    std::get<Plot>(f->panels[0].content).colour->id = "share";
    f->panels.push_back({"second", "", f->panels[0].content});
  }
  right.panels.back().id = "elsewhere";  // a panel without a counterpart
  const Figure both = beside(left, right, "This", "That");
  for (const char* id : {"matrix", "second", "against.matrix", "against.elsewhere"})
    CHECK(plot_of(both, id).colour->range.high == 1);
  CHECK(std::abs(last_shade(plot_of(both, "second")) - 128) <= 1);
  CHECK(plot_of(both, "second").colour->id != plot_of(both, "against.elsewhere").colour->id);
}

TEST_CASE("the two sides lie next to each other, and below each other on a phone", "[figure][compare]") {
  const Figure both = beside(planted(0.5), planted(1), "This", "That");
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

TEST_CASE("a figure with an arrangement of its own for phones has both sides there", "[figure][compare]") {
  Figure left = planted(0.5), right = planted(1);
  for (Figure* f : {&left, &right}) f->narrow = column({panel("curve"), panel("matrix")}), f->lead = {"12", {"of all"}};
  const Figure both = beside(left, right, "This", "That");
  Page page;
  page.width = 390, page.height = 1600;
  std::vector<std::string> order;
  for (const Block& block : layout(both, ViewState(), page).blocks) order.push_back(block.panel);
  CHECK(order == std::vector<std::string>{"heading", "number", "curve", "matrix", "against.heading", "against.number",
                                          "against.curve", "against.matrix"});
}

namespace {

Panel curve_panel(std::vector<double> values, int first = 0) {
  Plot plot{over("row", first, static_cast<int>(values.size())), quantity("norm")};
  plot.marks = {Line{"row", first, over_index(std::move(values)), series(0), "norm"}};
  return {"norm", "", plot};
}

Panel space_panel(Coordinates at) {
  Space space;
  space.marks = {Line{"position", 0, std::move(at)}};
  return {"space", "", space};
}

}  // namespace

TEST_CASE("a curve is drawn over the other side's, over the entries of both", "[figure][compare]") {
  Panel here = curve_panel({1, 2, 3}, 5);
  REQUIRE(overlay(here, curve_panel({4, 5, 6, 7}, 3), "That") == Overlaid::curves);
  const Plot& plot = std::get<Plot>(here.content);
  REQUIRE(plot.marks.size() == 2);
  const Line& ghost = std::get<Line>(plot.marks[0]);
  CHECK(ghost.name == "That");
  CHECK(ghost.first == 3);
  CHECK(ghost.at.data == std::vector<double>{4, 5, 6, 7});
  CHECK(plot.x.first == 3);
  CHECK(plot.x.count == 5);
  Panel same = curve_panel({1, 2, 3});
  REQUIRE(overlay(same, curve_panel({1, 2, 3}), "That") == Overlaid::curves);
  CHECK(std::get<Plot>(same.content).marks.size() == 1);  // what would lie on this side's own is left out
  Panel other_axis = curve_panel({1, 2});
  std::get<Plot>(other_axis.content).x.axis = "lag";
  CHECK(overlay(other_axis, curve_panel({1, 2}), "That") == Overlaid::other_entries);
  Panel matrix{"matrix", "", plot_of(planted(1), "matrix")};
  CHECK(overlay(matrix, matrix, "That") == Overlaid::nothing);
}

TEST_CASE("bars carry the other side's ends, entry by entry", "[figure][compare]") {
  const auto bars = [](std::vector<double> values, int first) {
    Plot plot{over("component", first, static_cast<int>(values.size())), quantity("share")};
    plot.marks = {Bars{"component", first, std::move(values)}};
    return Panel{"share", "", plot};
  };
  Panel here = bars({0.5, 0.3, 0.2}, 1);
  REQUIRE(overlay(here, bars({0.6, 0.4}, 2), "That") == Overlaid::marks);
  const auto& before = std::get<Bars>(std::get<Plot>(here.content).marks[0]).before;
  REQUIRE(before.size() == 3);
  CHECK(std::isnan(before[0]));
  CHECK(before[1] == 0.6);
  CHECK(before[2] == 0.4);
}

TEST_CASE("the other side's points are rings where they lie elsewhere", "[figure][compare]") {
  const auto dots = [](std::vector<double> at, Ink ink = kAccent) {
    Plot plot{quantity("change"), over("case", 0, static_cast<int>(at.size()))};
    Points points{"case", 0, std::make_shared<Coordinates>(1, std::move(at)), ink};
    points.labels.assign(points.at->size(), "a number");
    plot.marks = {std::move(points)};
    return Panel{"dots", "", plot};
  };
  Panel here = dots({1, 2, 3});
  REQUIRE(overlay(here, dots({1, 2, 4}), "That") == Overlaid::marks);
  const auto& marks = std::get<Plot>(here.content).marks;
  REQUIRE(marks.size() == 2);
  const Points& ring = std::get<Points>(marks[0]);
  CHECK(ring.shape == Shape::ring);
  CHECK(ring.at->data == std::vector<double>{1, 2, 4});
  CHECK(ring.labels.empty());  // a number beside it would be taken for this side's
  CHECK(ring.axis.empty());    // its places are the other side's
  Panel same = dots({1, 2, 3});
  CHECK(overlay(same, dots({1, 2, 3}), "That") == Overlaid::nothing);
  CHECK(std::get<Plot>(same.content).marks.size() == 1);
  CHECK(overlay(same, dots({1, 2, 4}, kMute), "That") == Overlaid::nothing);  // a baseline
  Panel names = dots({1, 2, 3});
  std::get<Plot>(names.content).y.names = {"a", "b", "c"};
  CHECK(overlay(names, dots({1, 2, 4}), "That") == Overlaid::other_entries);
}

TEST_CASE("the other curve of a space is turned onto this one and keeps its lengths", "[figure][compare]") {
  Coordinates here{4}, there{4};
  for (int i = 0; i < 40; ++i) {
    const double t = 0.2 * i, x = std::cos(t), y = 2 * std::sin(t), z = 0.1 * t, w = 0.3 * std::sin(3 * t);
    here.data.insert(here.data.end(), {x, y, z, w});
    there.data.insert(there.data.end(), {z, -x, y, -w});  // another basis of the same space
  }
  Panel same = space_panel(here);
  REQUIRE(overlay(same, space_panel(there), "That") == Overlaid::curves);
  CHECK(std::get<Space>(same.content).marks.size() == 1);  // the same curve: nothing to draw over it
  there.data.back() += 0.01;                               // along w, which the turn leaves alone
  Panel panel = space_panel(here);
  REQUIRE(overlay(panel, space_panel(there), "That") == Overlaid::curves);
  const auto& marks = std::get<Space>(panel.content).marks;
  REQUIRE(marks.size() == 2);
  const Coordinates& ghost = std::get<Line>(marks[0]).at;
  for (std::size_t i = 0; i + 1 < here.data.size(); ++i) CHECK(std::abs(ghost.data[i] - here.data[i]) < 1e-9);
}

TEST_CASE("a cloud and a curve of a space are turned as one, points beside points", "[figure][compare]") {
  testing::Dice dice(5);
  Coordinates cloud{3}, curve{3}, other_cloud{3}, other_curve{3};
  const auto turned = [](Coordinates& into, double x, double y, double z) {
    into.data.insert(into.data.end(), {-y, x, z});
  };
  for (int i = 0; i < 60; ++i) {
    const double x = 3 * dice.between(-1, 1), y = 2 * dice.between(-1, 1), z = dice.between(-1, 1);
    cloud.data.insert(cloud.data.end(), {x, y, z});
    turned(other_cloud, x, y, z);
  }
  for (int i = 0; i < 9; ++i) {
    const double t = 0.3 * i;
    curve.data.insert(curve.data.end(), {t, 1, 0.5 * t});
    turned(other_curve, t, 1, 0.5 * t);
  }
  const auto panel = [](const Coordinates& points, const Coordinates& line) {
    Panel out = space_panel(line);
    Points dots{"token", 0, std::make_shared<Coordinates>(points)};
    dots.labels.assign(points.size(), "word");
    std::get<Space>(out.content).marks.insert(std::get<Space>(out.content).marks.begin(), dots);
    return out;
  };
  Panel same = panel(cloud, curve);
  CHECK(overlay(same, panel(other_cloud, other_curve), "That") == Overlaid::curves);
  CHECK(std::get<Space>(same.content).marks.size() == 2);  // nothing lies elsewhere
  for (double& x : other_curve.data) x += 0.01;            // the cloud, of many points, holds the turn
  Panel moved = panel(cloud, curve);
  CHECK(overlay(moved, panel(other_cloud, other_curve), "That") == Overlaid::cloud);
  const auto& marks = std::get<Space>(moved.content).marks;
  REQUIRE(marks.size() == 4);
  const auto& ghost = std::get<Points>(marks[0]);
  CHECK(ghost.ink.role == Ink::Role::mute);
  CHECK(ghost.axis.empty());
  CHECK(ghost.labels.empty());
  for (std::size_t i = 0; i < cloud.data.size(); ++i) CHECK(std::abs(ghost.at->data[i] - cloud.data[i]) < 0.02);
  const Coordinates& line = std::get<Line>(marks[1]).at;
  double apart = 0;
  for (std::size_t i = 0; i < curve.data.size(); ++i) apart = std::max(apart, std::abs(line.data[i] - curve.data[i]));
  CHECK(apart > 0.005);
  Panel fewer = panel(Coordinates{3, std::vector<double>(cloud.data.begin(), cloud.data.end() - 3)}, curve);
  CHECK(overlay(fewer, panel(other_cloud, other_curve), "That") == Overlaid::curves);  // other points: not paired
}

}  // namespace figure_compare_test
