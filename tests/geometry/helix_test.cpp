#include "geometry/helix.h"

#include <catch_amalgamated.hpp>

#include "tests/geometry/samples.h"

namespace helix_test {

using namespace helix;
using namespace helix::geometry;
using namespace helix::geometry::samples;
using Catch::Matchers::WithinAbs;

TEST_CASE("turns of a planted helix, whichever way it runs", "[geometry][helix]") {
  const Matrix<double> points = helix_points(101, 101.0 / 100 * 3.25, 2, 5);  // 100 steps over 3.25 turns
  CHECK_THAT(turns(points, 0, 1).turns, WithinAbs(3.25, 1e-12));
  CHECK_THAT(turns(points, 1, 0).turns, WithinAbs(3.25, 1e-12));
  CHECK(turns(points, 0, 1).skipped == 0);
  CHECK(turns(points, 0, 2).turns < 0.5);  // a wave seen from its side has no turns
}

TEST_CASE("a point near the axis is left out and counted, not unwrapped", "[geometry][helix]") {
  Matrix<double> points = helix_points(101, 3.03, 2, 5);
  points(100, 0) *= -1e-3;
  points(100, 1) *= -1e-3;
  const Turns wound = turns(points, 0, 1);
  CHECK_THAT(wound.turns, WithinAbs(3 * 99.0 / 100, 1e-12));
  CHECK(wound.skipped == 1);
}

TEST_CASE("steps of more than 1 radian are too wide", "[geometry][helix]") {
  const auto quarter = [](double angle) {
    Matrix<double> two(2, 2);
    two(0, 0) = 1;
    two(1, 0) = std::cos(angle);
    two(1, 1) = std::sin(angle);
    return turns(two, 0, 1);
  };
  CHECK_THAT(quarter(0.999).turns, WithinAbs(0.999 / (2 * std::numbers::pi), 1e-15));
  CHECK(quarter(0.999).skipped == 0);
  CHECK(quarter(1.001).skipped == 1);
  CHECK(quarter(1.001).turns == 0);
  CHECK(quarter(-3).skipped == 1);
}

TEST_CASE("noise winds round nothing much, and nothing has no turns", "[geometry][helix]") {
  const Turns random = turns(noise(1000, 2, 1), 0, 1);
  CHECK(random.skipped > 500);
  CHECK(random.turns < 10);
  CHECK(turns(Matrix<double>(0, 2), 0, 1).turns == 0);
  CHECK(turns(Matrix<double>(1, 2), 0, 1).skipped == 0);
  CHECK(turns(Matrix<double>(3, 2), 0, 1).turns == 0);
  Matrix<double> bad = helix_points(5, 0.25, 1, 1);
  bad(2, 0) = std::nan("");
  CHECK(turns(bad, 0, 1).skipped == 2);
}

}  // namespace helix_test
