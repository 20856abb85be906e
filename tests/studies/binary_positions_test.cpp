#include "studies/binary_positions/binary_positions.h"
#include "base/text.h"

#include "figure/table.h"
#include "studies/binary_positions/counter.h"
#include "studies/registry_view.h"
#include "tests/figure/drawings.h"
#include "tests/planted.h"

namespace binary_positions_test {

using namespace helix;
using namespace helix::testing;
using namespace helix::studies::binary_positions;
using Catch::Approx;

namespace {

Expected<protocol::Result> run(const char* bits) {
  return run_study("binary_positions", studies::Inputs(), {{"bits", bits}});
}

}  // namespace

TEST_CASE("bits are those of the number", "[binary_positions]") {
  for (std::size_t p = 0; p < 300; ++p) {
    std::size_t sum = 0;
    for (std::size_t b = 0; b < 9; ++b) sum += static_cast<std::size_t>(bit_of(p, b)) * (std::size_t{1} << b);
    CHECK(sum == p);
  }
}

TEST_CASE("a planted period is found, and none where there is none", "[binary_positions]") {
  CHECK(period_of([](std::size_t p) { return static_cast<int>(p % 7 == 2); }, 100) == 7);
  CHECK(period_of([](std::size_t p) { return static_cast<int>(p); }, 100) == 0);
  CHECK(period_of([](std::size_t) { return 1; }, 100) == 1);
}

TEST_CASE("signs agree with the sinusoid of the same period, and with no other", "[binary_positions]") {
  for (std::size_t b = 0; b < 8; ++b) {
    const double period = std::exp2(b + 1);
    CHECK(sign_agreement(b, period, 1024) == 1);
    CHECK(sign_agreement(b, 2 * period, 1024) == 0.5);
    if (b) CHECK(sign_agreement(b, period / 2, 1024) == 0.5);
    CHECK(sign_agreement(b, 1.37 * period, 1024) < 0.75);
    // A square wave's correlation with its first harmonic is 2√2/π if it has many samples.
    CHECK(correlation(b, period, 1024) == Approx(b < 2 ? 1 : 2 * std::sqrt(2.0) / 3.14159265).epsilon(0.03));
    CHECK(correlation(b, 2 * period, 1024) == Approx(0).margin(1e-12));
  }
}

TEST_CASE("the result holds the waves, their periods and how the codes step", "[binary_positions]") {
  for (const char* bits : {"1", "4", "8"}) {
    const auto r = run(bits);
    REQUIRE(r);
    const auto n = static_cast<std::size_t>(*parse_int(bits));
    CHECK(r->array("bit")->shape == std::vector<std::size_t>{n, std::size_t{1} << std::max<std::size_t>(n, 4)});
    for (std::size_t b = 0; b < n; ++b) CHECK(r->array("period")->data[b] == std::exp2(b + 1));
    CHECK(r->scalar("agreement")->value == 1);
    CHECK(r->scalar("chance")->value == 0.5);
    REQUIRE(r->claims.size() == 1);
    CHECK(r->claims[0].id == "P2");
    CHECK(r->claims[0].holds == true);
    CHECK(r->provenance.model.empty());
  }
  const auto r = run("4");
  CHECK(r->array("flips")->data[8] == 4);  // 0111 becomes 1000
  CHECK(r->array("flips")->data[9] == 1);
  CHECK(std::isnan(r->array("flips")->data[0]));
  CHECK(r->scalar("largest_jump")->value == 4);
  // The distance of two neighbours: a sine and a cosine for each period.
  for (const double p : {0.0, 5.0, 12.0}) {
    double square = 0;
    for (const double period : {2.0, 4.0, 8.0, 16.0}) {
      const double a = 2 * std::numbers::pi * p / period, b = 2 * std::numbers::pi * (p + 1) / period;
      square += std::pow(std::sin(a) - std::sin(b), 2) + std::pow(std::cos(a) - std::cos(b), 2);
    }
    CHECK(r->scalar("sinusoid_step")->value == Approx(std::sqrt(square)));
  }
}

TEST_CASE("a number of bits out of range is refused", "[binary_positions]") {
  ParamValues values = defaults(describe());
  CHECK(!set_value(describe(), values, "bits", "0", true));
  CHECK(!set_value(describe(), values, "bits", "9", true));
}

TEST_CASE("the view reads a position in binary", "[binary_positions][view]") {
  const auto r = run("5");
  const auto& s = *studies::find_view_study("binary_positions");
  ViewState view;
  view.focus = {{"position", 13}};
  const figure::Reading reading = s.reading(*r, r->params, view);
  CHECK(reading.title == "position 13");
  CHECK(reading.lines.front() == "binary 01101");
  CHECK(reading.lines.size() == 6);
  const figure::Figure f = s.view(*r, r->params);
  CHECK(f.title == "Each bit of a counter is a square wave");
  CHECK(f.panels.front().title == "bit 4, period 32");
  CHECK(f.panels.size() == 6);
  const figure::Table& bits = over(f, {"bit", "position"});  // a row for each bit of each position
  const std::size_t positions = figure::row_count(bits) / 5;
  std::string binary;
  for (std::size_t b = 5; b-- > 0;) binary += figure::cell(bits.columns[2], b * positions + 13).substr(0, 1);
  CHECK(binary == "01101");
  CHECK(s.view(protocol::Result(), {}).panels.size() == 1);
}

}  // namespace binary_positions_test
