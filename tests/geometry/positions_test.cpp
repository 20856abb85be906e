#include "geometry/positions.h"

#include <catch_amalgamated.hpp>

#include "tests/geometry/samples.h"

namespace positions_test {

using namespace helix;
using namespace helix::geometry;
using namespace helix::geometry::samples;
using Catch::Matchers::WithinAbs;

TEST_CASE("sinusoidal positions follow the paper", "[geometry][positions]") {
  const Matrix<double> p = sinusoidal_positions(50, 6, 10000);
  for (std::size_t j = 0; j < 6; ++j) CHECK(p(0, j) == (j % 2 == 0 ? 0.0 : 1.0));
  CHECK_THAT(p(7, 0), WithinAbs(std::sin(7.0), 1e-15));
  CHECK_THAT(p(7, 1), WithinAbs(std::cos(7.0), 1e-15));
  CHECK_THAT(p(49, 2), WithinAbs(std::sin(49 / std::cbrt(10000.0)), 1e-14));
  CHECK_THAT(p(49, 5), WithinAbs(std::cos(49 / std::pow(10000.0, 4.0 / 6)), 1e-14));
  for (std::size_t i = 0; i < 50; ++i)
    CHECK_THAT(dense(p).row(static_cast<Eigen::Index>(i)).squaredNorm(), WithinAbs(3, 1e-14));
}

TEST_CASE("a shift of position is a rotation of each pair", "[geometry][positions]") {
  const Matrix<double> p = sinusoidal_positions(40, 8, 1000);
  for (std::size_t j = 0; j < 8; j += 2) {
    for (std::size_t i = 0; i + 9 < 40; ++i)
      CHECK_THAT(p(i + 9, j), WithinAbs(p(i, j) * p(9, j + 1) + p(i, j + 1) * p(9, j), 1e-13));
  }
}

TEST_CASE("an odd width ends in a sine, no width in nothing", "[geometry][positions]") {
  const Matrix<double> p = sinusoidal_positions(3, 5, 100);
  CHECK_THAT(p(2, 4), WithinAbs(std::sin(2 / std::pow(100.0, 4.0 / 5)), 1e-15));
  CHECK(sinusoidal_positions(0, 4, 100).data.empty());
  CHECK(sinusoidal_positions(4, 0, 100).data.empty());
}

TEST_CASE("groups keep row 0 and average from row 1", "[geometry][positions]") {
  Matrix<double> rows(6, 2);
  for (std::size_t i = 0; i < 6; ++i) {
    rows(i, 0) = static_cast<double>(i * i);
    rows(i, 1) = static_cast<double>(i);
  }
  Matrix<double> pairs = rows, threes = rows, ones = rows, zero = rows, many = rows;
  average_groups(pairs, 2);
  CHECK(pairs.data == std::vector<double>{0, 0, 2.5, 1.5, 2.5, 1.5, 12.5, 3.5, 12.5, 3.5, 25, 5});
  average_groups(threes, 3);
  CHECK(threes.data == std::vector<double>{0, 0, 14.0 / 3, 2, 14.0 / 3, 2, 14.0 / 3, 2, 20.5, 4.5, 20.5, 4.5});
  average_groups(ones, 1);
  average_groups(zero, 0);
  CHECK((ones.data == rows.data && zero.data == rows.data));
  average_groups(many, 100);
  CHECK(many(0, 0) == 0);
  CHECK((many(1, 0) == 11 && many(5, 0) == 11));
}

TEST_CASE("averaging groups keeps the mean of rows 1 and on", "[geometry][positions]") {
  const std::size_t g = GENERATE(2u, 3u, 7u, 12u, 30u);
  const Matrix<double> rows = noise(23, 4, 1);
  Matrix<double> averaged = rows;
  average_groups(averaged, g);
  const Dense before = dense(rows).bottomRows(22).colwise().mean(),
              after = dense(averaged).bottomRows(22).colwise().mean();
  CHECK((after - before).cwiseAbs().maxCoeff() < 1e-14);
  CHECK(dense(averaged).row(0) == dense(rows).row(0));
  Matrix<double> none;
  average_groups(none, g);
  CHECK(none.data.empty());
}

}  // namespace positions_test
