#include "figure/between.h"

#include <cmath>
#include <string>

#include "figure/shades.h"
#include "tests/figure/samples.h"
#include "tests/support.h"

namespace between_test {

using Catch::Approx;
using namespace helix;
using namespace helix::figure;

namespace {

Figure with(Plot plot) {
  Figure f;
  f.panels = {{"plot", "", std::move(plot)}};
  return f;
}

Plot curve(int first, std::vector<double> y) {
  Plot plot{over("position", 0, 10), quantity("loss", "nats")};
  plot.marks = {Line{"position", first, over_index(std::move(y))}};
  return plot;
}

const Plot& plot_in(const Figure& f) { return std::get<Plot>(f.panels.front().content); }

template <class Kind>
const Kind& mark_in(const Figure& f, std::size_t i = 0) {
  return std::get<Kind>(plot_in(f).marks[i]);
}

std::vector<double> halfway(const Plot& from, const Plot& to) {
  return mark_in<Line>(between(with(from), with(to), 0.5, {})).at.data;
}

}  // namespace

TEST_CASE("Values travel by their index, and what is new stands where it belongs", "[figure][between]") {
  CHECK(halfway(curve(0, {0, 2, 4}), curve(0, {4, 2, 0})) == std::vector<double>{2, 2, 2});
  CHECK(halfway(curve(1, {10, 20, 30}), curve(2, {0, 0, 7})) == std::vector<double>{10, 15, 7});
  CHECK(halfway(curve(0, {std::nan("")}), curve(0, {3})) == std::vector<double>{3});
}

TEST_CASE("The ends of the way are the two figures", "[figure][between]") {
  const Figure from = with(curve(0, {1, 5})), to = with(curve(0, {3, 0}));
  CHECK(mark_in<Line>(between(from, to, 0, {})).at.data == mark_in<Line>(from).at.data);
  CHECK(mark_in<Line>(between(from, to, 1, {})).at.data == mark_in<Line>(to).at.data);
}

TEST_CASE("Along a logarithmic side values travel by their logarithms", "[figure][between]") {
  Plot from = curve(0, {1e-6}), to = curve(0, {1e-2});
  from.y.kind = to.y.kind = ScaleKind::log;
  CHECK(halfway(from, to).front() == Approx(1e-4));
}

TEST_CASE("Another quantity along a side is another picture", "[figure][between]") {
  Plot bits = curve(0, {9});
  bits.y.unit = "bits";
  CHECK(halfway(curve(0, {1}), bits) == std::vector<double>{9});
}

TEST_CASE("Domains, bars, areas, rules and matrices are on their way too; what is written is not",
          "[figure][between]") {
  const auto make = [](double x, std::uint8_t shade) {
    Plot plot = curve(0, {x});
    plot.y.low = 0, plot.y.high = x;
    Bars bars{"position", 0, {x}};
    bars.texts = {std::to_string(static_cast<int>(x))};
    Cells cells;
    cells.cells = {std::make_shared<const Shades>(Shades{1, 2, 1, 1, 1, {shade, 0}})};
    cells.numbers = {static_cast<float>(x)};
    plot.marks = {std::move(bars), Area{"position", 0, {x}, {2 * x}}, Rule{false, x}, std::move(cells)};
    return with(std::move(plot));
  };
  const Figure now = between(make(2, 100), make(6, 200), 0.5, {});
  CHECK(*plot_in(now).y.high == 4);
  CHECK(mark_in<Bars>(now, 0).values.front() == 4);
  CHECK(mark_in<Bars>(now, 0).texts.front() == "6");
  CHECK(mark_in<Area>(now, 1).high.front() == 8);
  CHECK(mark_in<Rule>(now, 2).at == 4);
  CHECK(mark_in<Cells>(now, 3).cells.front()->data == std::vector<std::uint8_t>{150, 0});
  CHECK(mark_in<Cells>(now, 3).numbers.front() == 6);
}

TEST_CASE("A curve in a space travels as it is drawn, whatever the signs of its axes", "[figure][between]") {
  // The same curve with its first two axes turned by a right angle, and a frame that turns it back.
  const auto make = [](bool turned) {
    std::vector<double> at = testing::helix_points(20);
    Space space;
    if (turned) {
      for (std::size_t i = 0; i < at.size(); i += 3) {
        const double x = at[i];
        at[i] = at[i + 1], at[i + 1] = -x;
      }
      space.frame = {{{0, -1, 0}, {1, 0, 0}, {0, 0, 1}}};
    }
    const Mat3 frame = space.frame;
    space = testing::space_of(std::move(at), 0);
    space.frame = frame;
    Figure f;
    f.panels = {{"helix", "", std::move(space)}};
    return f;
  };
  const auto points = [](const Figure& f) {
    return std::get<Line>(std::get<Space>(f.panels.front().content).marks.front()).at.data;
  };
  const auto now = points(between(make(false), make(true), 0.3, {})), there = points(make(true));
  for (std::size_t i = 0; i < now.size(); ++i) CHECK(std::abs(now[i] - there[i]) < 1e-12);
}

TEST_CASE("A figure of other panels is there at once", "[figure][between]") {
  const Figure sample = testing::sample(), now = between(with(curve(0, {1})), sample, 0.5, {});
  REQUIRE(now.panels.size() == sample.panels.size());
  CHECK(std::get<Line>(std::get<Space>(now.panels.front().content).marks.front()).at.data ==
        std::get<Line>(std::get<Space>(sample.panels.front().content).marks.front()).at.data);
  CHECK(now.title == sample.title);
}

}  // namespace between_test
