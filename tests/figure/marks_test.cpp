// Marks in plots and spaces: in the order of their list, highlighted at the focus, pointed at where they are drawn.
#include <algorithm>

#include "figure/cloud.h"
#include "figure/svg.h"
#include "tests/figure/drawings.h"
#include "tests/figure/samples.h"
#include "tests/figure/xml_check.h"

namespace marks_test {

using namespace helix;
using namespace helix::figure;
using namespace helix::testing;
using Catch::Approx;

namespace {

constexpr std::size_t kMany = 20'000;

Figure alone(Panel panel) {
  Figure f;
  f.panels = {std::move(panel)};
  return f;
}

/// A plane from 0 to 10 in both directions.
Plot plane(std::vector<Mark> marks) {
  Plot plot{quantity("x"), quantity("y")};
  plot.x.low = plot.y.low = 0, plot.x.high = plot.y.high = 10;
  plot.marks = std::move(marks);
  return plot;
}

Points points(std::vector<double> at) {
  Points made{"token", 100};
  made.at = std::make_shared<const Coordinates>(Coordinates{2, std::move(at)});
  return made;
}

/// The space of these points, with a curve that has a ring at the focus.
Figure with_cloud(std::size_t n) {
  Dice dice(3);
  Coordinates at{4};
  Points tokens{"token", 0};
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t d = 0; d < 4; ++d) at.data.push_back(dice.normal());
    tokens.values.push_back(dice.unit());
  }
  tokens.at = std::make_shared<const Coordinates>(std::move(at));
  tokens.ink = kByValue, tokens.radius = 1.5f;
  Space space;
  space.axes = {{"PC1", ""}, {"PC2", ""}, {"PC3", ""}, {"PC4", ""}};
  space.marks = {std::move(tokens)};
  return alone({"tokens", "", std::move(space)});
}

std::size_t count_of(const std::string& text, const char* part) {
  std::size_t n = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at) ++n;
  return n;
}

}  // namespace

TEST_CASE("a few points far away do not make a crowd small", "[figure][marks]") {
  const auto scale_with = [](std::size_t n, std::size_t far, double where = 100) {
    Figure f = with_cloud(n);
    auto& points = mark<Points>(content<Space>(f, 0));
    Coordinates at = *points.at;
    for (std::size_t i = 0; i < far; ++i) at.data[i * n / far * at.dims] = where;
    points.at = std::make_shared<const Coordinates>(std::move(at));
    const Drawing d = drawn(f, 800, 600);
    double scale = 0;
    for (const Layer& layer : d.find("tokens")->layers)
      for (const Cloud& c : layer.clouds) scale = c.projection.scale;
    return scale;
  };
  const double crowd = scale_with(5000, 0);
  REQUIRE(crowd > 0);
  CHECK(scale_with(5000, 20) == Catch::Approx(crowd).epsilon(0.2));
  CHECK(scale_with(5000, 500) < crowd / 5);  // these are no few
  CHECK(scale_with(5000, 20, std::nan("")) == Catch::Approx(crowd).epsilon(0.05));
}

TEST_CASE("marks are painted in the order of their list", "[figure][marks]") {
  const Rule rule{false, 5, 0, false, "", kAccent};
  const Rule band{true, 2, 8, true, "", kWarm};
  const Points spots = points({5, 5});
  const auto kinds = [&](std::vector<Mark> marks) {
    const Drawing d = drawn(alone({"plane", "", plane(std::move(marks))}), 500, 400);
    std::string order;
    for (const Layer& layer : d.find("plane")->layers) {
      for (const FilledRect& box : layer.boxes) {
        if (box.fill == Theme().accent) order += "r";
        if (box.rect.w > 200 && box.rect.h > 200) order += "b";
      }
      if (!layer.capsules.empty()) order += "p";
    }
    return order;
  };
  CHECK(kinds({rule, band, spots}) == "rbp");
  CHECK(kinds({spots, rule, band}) == "prb");
  CHECK(kinds({band, spots, rule}) == "bpr");
}

TEST_CASE("points of a plot lie at their numbers and are pointed at there", "[figure][marks]") {
  Points spots = points({0, 0, 10, 10, 5, 5, 5.02, 5.02, 50, 50, std::nan(""), 1});
  spots.labels = {"corner", "", "middle", "beside the middle", "", ""};
  const Figure f = alone({"plane", "", plane({spots})});
  const Drawing d = drawn(f, 500, 400);
  check_sane(d);
  const Block& block = *d.find("plane");
  const auto discs = capsules(block);
  REQUIRE(discs.size() == 4);  // without points beyond the scale or with NaN
  CHECK(discs[2].a.x == Approx((discs[0].a.x + discs[1].a.x) / 2));
  CHECK(discs[0].a.y > discs[1].a.y);
  CHECK((has_label(block, "corner") && has_label(block, "middle") && has_label(block, "beside the middle")));
  check_labels(d);
  CHECK(picked(d, {discs[1].a.x + 2, discs[1].a.y}, 7) == Focus{{"token", 101}});
  CHECK(picked(d, {discs[0].a.x + 40, discs[0].a.y - 40}, 7).nothing());
  const auto held = rings(block_of(drawn(f, 500, 400, focused({{"token", 102}})), "plane"));
  REQUIRE(held.size() == 1);
  CHECK(held[0].centre.x == discs[2].a.x);
  CHECK(rings(block_of(drawn(f, 500, 400, focused({{"token", 104}})), "plane")).empty());
}

TEST_CASE("rules, arrows, areas and texts lie where they say", "[figure][marks]") {
  const auto block = [](std::vector<Mark> marks) {
    return block_of(drawn(alone({"plane", "", plane(std::move(marks))}), 500, 400), "plane");
  };
  const auto area = block({points({0, 0, 10, 10})});
  const Point foot = capsules(area)[0].a, top = capsules(area)[1].a;
  const auto x = [&](double v) { return foot.x + static_cast<float>(v / 10) * (top.x - foot.x); };
  const auto y = [&](double v) { return foot.y + static_cast<float>(v / 10) * (top.y - foot.y); };
  const std::size_t plain = boxes(area).size();

  const auto level = boxes(block({Rule{false, 2.5, 0, false, "", kAccent}}));
  REQUIRE(level.size() == plain + 1);
  CHECK(middle(level.back().rect).y == Approx(y(2.5)).margin(0.1));
  CHECK(level.back().rect.w == Approx(x(10) - x(0)).margin(0.1));
  CHECK(has_label(block({Rule{true, 2.5, 0, false, "layer 4"}}), "layer 4"));
  CHECK(boxes(block({Rule{false, 25}})).size() == plain);  // beyond the scale
  const auto band = boxes(block({Rule{true, 2, 40, true}})).back().rect;
  CHECK(band.x == Approx(x(2)).margin(0.1));
  CHECK(band.right() == Approx(x(10)).margin(0.1));

  const auto arrow = capsules(block({Arrow{{1, 1}, {8, 6}, "write"}}));
  REQUIRE(arrow.size() == 3);  // with its head
  CHECK(arrow[0].b.x == Approx(x(8)).margin(0.1));
  CHECK(arrow[0].b.y == Approx(y(6)).margin(0.1));
  CHECK(has_label(block({Arrow{{1, 1}, {8, 6}, "write"}}), "write"));
  CHECK(capsules(block({Arrow{{1}, {8, 6}}, Arrow{{1, std::nan("")}, {8, 6}}})).empty());

  const auto words = block({Text{{5, 5}, "here"}, Text{{5, 5.05}, "and here"}, Text{{5}, "nowhere"}});
  CHECK((has_label(words, "here") && !has_label(words, "and here") && !has_label(words, "nowhere")));

  Plot spread{over("layer", 0, 3), quantity("y")};
  spread.y.low = 0, spread.y.high = 10;
  spread.marks = {Area{"layer", 0, {2, std::nan(""), 4}, {4, 5, 9}, kAccent}};
  const Drawing d = drawn(alone({"area", "", spread}), 500, 400);
  const auto shown = boxes(*d.find("area"));
  const Hit* hit = hit_of(d, "area");
  REQUIRE((hit && shown.size() >= 2));
  CHECK(shown.back().rect.h == Approx(hit->rect.h / 2));
  CHECK(shown[shown.size() - 2].rect.h == Approx(hit->rect.h / 5));
}

TEST_CASE("a large cloud is one shape, and one picture in a document", "[figure][marks]") {
  Figure f = with_cloud(kMany);
  const Drawing d = drawn(f, 752, 500);
  check_sane(d);
  const Block& block = *d.find("tokens");
  REQUIRE(clouds(block).size() == 1);
  const Cloud cloud = clouds(block)[0];
  CHECK(cloud.points == mark<Points>(content<Space>(f, 0)).at);  // not copied
  REQUIRE(cloud.shades);
  CHECK(cloud.shades->size() == kMany);
  CHECK(capsules(block).size() < 100);
  // Each can be pointed at, at its projected position.
  const Hit::Spots* spots = spots_of(d, "tokens");
  REQUIRE((spots && spots->at.size() == kMany));
  const Coordinates& at = *cloud.points;
  const Point last = cloud.projection.at({at(kMany - 1, 0), at(kMany - 1, 1), at(kMany - 1, 2)});
  CHECK(spots->at.back().x == Approx(last.x).margin(0.01));
  CHECK(spots->at.back().y == Approx(last.y).margin(0.01));
  const std::string svg = to_svg(d, "T", "S.");
  CHECK(xml_problem(svg).empty());
  CHECK(count_of(svg, "data:image/png;base64,") == 1);
  CHECK(count_of(svg, "<circle") < 100);
  // The visitor chooses which of the axes are shown.
  ViewState view;
  view.axes = {4, 1, 3};
  CHECK(clouds(block_of(drawn(f, 752, 500, view), "tokens"))[0].axes == std::array<std::size_t, 3>{3, 0, 2});
  // A larger font enlarges it; a few points are drawn as discs, so that they can be told apart.
  const Cloud larger = clouds(block_of(drawn(f, 1128, 750, {}, 18), "tokens"))[0];
  CHECK(larger.projection.scale == Approx(1.5 * cloud.projection.scale));
  CHECK(larger.radius == Approx(1.5f * cloud.radius));
  const Block few = block_of(drawn(with_cloud(300), 752, 500), "tokens");
  CHECK(clouds(few).empty());
  CHECK(capsules(few).size() > 300);
}

TEST_CASE("the picture of a cloud has its points where they are, nearer ones in front", "[figure][marks]") {
  Cloud cloud;
  cloud.points = std::make_shared<const Coordinates>(Coordinates{3, {0, 0, 0, 0, 0, 5, 10, 0, 0, 1e9, 0, 0}});
  cloud.axes = {0, 1, 2};
  cloud.projection.centre = {100, 50};  // looks along the third axis
  cloud.radius = 1;
  cloud.palette = std::make_shared<const Palette>();
  cloud.shades = std::make_shared<const std::vector<std::uint8_t>>(std::vector<std::uint8_t>{7, 9, 0, 11});
  const Rect rect{40, 20, 120, 80};
  const Image image = picture_of(cloud, rect);
  REQUIRE(image.shades);
  const double x_fine = static_cast<double>(image.shades->cols) / rect.w;
  const auto at = [&](double x, double y) {
    return (*image.shades)(static_cast<std::size_t>((y - rect.y) * x_fine),
                           static_cast<std::size_t>((x - rect.x) * x_fine));
  };
  CHECK(at(100, 50) == 7);
  CHECK(at(110, 50) == 1);  // a point without a number is still drawn
  CHECK(at(104, 50) == 0);
  CHECK((*image.palette)[0].a == 0);
  CHECK(image.rect.w == rect.w);
  CHECK(image.cols == static_cast<float>(image.shades->cols));
  CHECK(picture_of(cloud, {0, 0, 0, 0}).shades == nullptr);
  CHECK(picture_of(Cloud(), rect).shades == nullptr);
}

TEST_CASE("a position in focus lights up in every panel that runs over positions", "[figure][marks]") {
  Figure f = sample(60, 20);
  f.panels.push_back({"other", "", space_of(helix_points(60), 20)});
  Plot list{quantity("p"), over("position", 20, 5)};
  Bars bars{"position", 20, {1, 2, 3, 4, 5}};
  bars.across = true;
  list.marks = {std::move(bars)};
  f.panels.push_back({"list", "", std::move(list)});
  Plot matrix{over("key", 20, 8), over("query", 20, 8)};
  Cells cells;
  cells.cells = pyramid_of(std::vector<double>(64, 0.5), 8, 8, {});
  cells.row_axis = "query", cells.col_axis = "key";
  matrix.marks = {std::move(cells)};
  f.panels.push_back({"matrix", "", std::move(matrix)});
  f.root = {Box::Kind::column};
  const auto differs = [&](const Focus& focus) {
    const Drawing before = drawn(f, 800, 3000), after = drawn(f, 800, 3000, focused(focus));
    std::string panels;
    for (std::size_t i = 0; i < before.blocks.size(); ++i) {
      Drawing a, b;
      a.blocks = {before.blocks[i]}, b.blocks = {after.blocks[i]};
      if (to_svg(a, "", "") != to_svg(b, "", "")) panels += after.blocks[i].panel + " ";
    }
    return panels;
  };
  CHECK(differs({{"position", 22}}) == "helix rows other list matrix ");
  CHECK(differs({{"query", 22}}) == "helix rows other list matrix ");  // queries and keys are positions
  CHECK(differs({{"query", 22}, {"key", 24}}) == "helix rows other list matrix ");
  CHECK(differs({{"component", 2}}) == "explained ");
  CHECK(differs({{"position", 5000}}).empty());
  CHECK(differs({{"dimension", 2}}).empty());
  const auto both = drawn(f, 800, 3000, focused({{"query", 22}, {"key", 24}}));
  CHECK(rings(*both.find("helix")).size() == 2);
}

TEST_CASE("what is pointed at is found wherever it is drawn", "[figure][marks]") {
  const Drawing d = drawn(sample(60, 20), 800, 700);
  for (const char* id : {"helix", "rows"}) CHECK(d.rect_of({{"position", 31}}, id).w > 0);
  CHECK(picked(d, middle(d.rect_of({{"position", 31}}, "rows"))) == Focus{{"position", 31}});
  CHECK(picked(d, middle(d.rect_of({{"component", 2}}))) == Focus{{"component", 2}});
  CHECK(d.rect_of({{"position", 31}}, "explained").w == 0);
  CHECK(d.rect_of({{"position", 31}, {"component", 2}}).w == 0);  // nothing has both axes
  CHECK(d.rect_of({}).w == 0);
  REQUIRE(d.spaces.size() == 1);
  CHECK(d.space_at(middle(d.find("helix")->rect)) == d.find("helix"));
  CHECK(d.space_at(middle(d.find("rows")->rect)) == nullptr);
}

TEST_CASE("spaces of one scale stand about their own middles", "[figure][marks]") {
  Figure f;
  f.panels = {{"near", "", space_of({0, 0, 0, 1, 0, 0}, 0)}, {"far", "", space_of({40, 0, 0, 44, 0, 0}, 0)}};
  for (Panel& p : f.panels) std::get<Space>(p.content).id = "positions";
  f.root = row({panel("near"), panel("far")});
  const Drawing d = drawn(f, 800, 400);
  for (const char* id : {"near", "far"})
    for (const Point p : spots_of(d, id)->at) CHECK(d.find(id)->rect.contains(p));
}

TEST_CASE("a space with a title grows from the middle of what lies below it", "[figure][marks]") {
  Figure f = alone({"titled", "Positions of a model", space_of(helix_points(20), 0)});
  ViewState view;
  const Drawing once = drawn(f, 400, 400);
  view.camera.zoom = 2;
  const Drawing twice = drawn(f, 400, 400, view);
  const Rect area = space_area(once.find("titled")->below_title);
  CHECK(middle(area).y > middle(once.find("titled")->rect).y + 5);
  for (std::size_t i = 0; i < 20; ++i) {
    const Point a = spots_of(once, "titled")->at[i], b = spots_of(twice, "titled")->at[i];
    CHECK(b.x - middle(area).x == Approx(2 * (a.x - middle(area).x)).margin(0.01));
    CHECK(b.y - middle(area).y == Approx(2 * (a.y - middle(area).y)).margin(0.01));
  }
}

TEST_CASE("a curve beside the one that is followed is faint, and spaces of one id have one scale", "[figure][marks]") {
  Figure f;
  f.panels = {{"small", "", space_of({0, 0, 0, 1, 0, 0}, 0)}, {"large", "", space_of({0, 0, 0, 4, 0, 0}, 0)}};
  f.root = row({panel("small"), panel("large")});
  const auto length = [&](const char* id) {
    const Drawing d = drawn(f, 800, 400);
    const auto& at = spots_of(d, id)->at;
    return std::hypot(at[1].x - at[0].x, at[1].y - at[0].y);
  };
  CHECK(length("small") == Approx(length("large")));
  for (Panel& p : f.panels) std::get<Space>(p.content).id = "positions";
  CHECK(4 * length("small") == Approx(length("large")));
  Space both = space_of({0, 0, 0, 1, 0, 0}, 5);
  Line other = mark<Line>(both);
  other.dots = false, other.ink = kMute, other.at.data = {9, 9, 9, 8, 8, 8, 7, 7, 7};
  both.marks.insert(both.marks.begin(), other);
  const auto curve = curve_of(both, {});
  REQUIRE(curve);
  CHECK(curve->first == 5);
  CHECK(curve->points == std::vector<Vec3>{{0, 0, 0}, {1, 0, 0}});
  const Drawing d = drawn(alone({"both", "", both}), 400, 400);
  REQUIRE(spots_of(d, "both"));
  CHECK(spots_of(d, "both")->at.size() == 2);  // the faint curve cannot be pointed at
  CHECK(!curve_of(Space(), {}));
}

TEST_CASE("arcs join the columns of a matrix, those of the row in question alone", "[figure][marks]") {
  Plot plot{over("key", 0, 6), over("query", 0, 6)};
  Cells cells;
  cells.row_axis = "query", cells.col_axis = "key";
  plot.colour = ColourScale{"attention", {0, 1, false}};
  cells.cells = pyramid_of(std::vector<double>(36, 0.5), 6, 6, plot.colour->range);
  plot.marks = {std::move(cells), Arcs{"query", {{5, 1, 0.9f}, {3, 2, 0.2f}, {4, 4, 1}}}};
  const Figure f = alone({"pattern", "layer 0, head 0", plot});
  const Drawing d = drawn(f, 600, 500);
  check_sane(d);
  check_labels(d);
  const auto all = capsules(block_of(d, "pattern"));
  REQUIRE(all.size() % 2 == 0);  // two arcs: none joins an entry to itself
  const Rect matrix = images(block_of(d, "pattern")).front().rect;
  float thick = 0, thin = 9;
  for (const Capsule& c : all) {
    CHECK(std::max(c.a.y, c.b.y) < matrix.y);
    thick = std::max(thick, c.radius), thin = std::min(thin, c.radius);
  }
  CHECK(thick > 2 * thin);
  const auto lit = capsules(block_of(drawn(f, 600, 500, focused({{"query", 5}, {"key", 1}})), "pattern"));
  const auto colour_of = [](const std::vector<Capsule>& some, float radius) {
    return std::ranges::find(some, radius, &Capsule::radius)->from;
  };
  CHECK(colour_of(lit, thick) == colour_of(all, thick));
  CHECK(colour_of(lit, thin) != colour_of(all, thin));
  CHECK(capsules(block_of(drawn(f, 40, 500), "pattern")).empty());  // too narrow for any arc
}

}  // namespace marks_test
