#include "geometry/products.h"

#include <catch_amalgamated.hpp>

#include "geometry/scaled_rows.h"
#include "tests/geometry/samples.h"

namespace products_test {

using namespace helix;
using namespace helix::geometry;
using namespace helix::geometry::samples;
using Catch::Matchers::WithinAbs;

TEST_CASE("products agree with Eigen at every remainder of their tiles", "[geometry][products]") {
  const std::size_t n = GENERATE(1u, 2u, 3u, 4u, 5u, 8u, 9u, 129u, 257u);
  const std::size_t d = GENERATE(1u, 2u, 3u, 4u, 5u, 6u, 7u, 8u, 9u, 131u);
  const std::size_t m = GENERATE(1u, 2u, 3u, 5u);
  CAPTURE(n, d, m);
  const auto rows = shared(noise(n, d, 1));
  const Matrix<double> directions = noise(m, d, 2), weights = noise(n, m, 3);
  const Dense x = dense(*rows), v = dense(directions), w = dense(weights);
  const double tolerance = 1e-14 * static_cast<double>(n + d) * 10;

  const Dense columns = dense(run_to_end(gram(rows, true))), across = dense(run_to_end(gram(rows, false)));
  REQUIRE(columns.rows() == x.cols());
  REQUIRE(across.rows() == x.rows());
  const Dense by_columns = columns - x.transpose() * x, by_rows = across - x * x.transpose();
  CHECK(Dense(by_columns.triangularView<Eigen::Upper>()).cwiseAbs().maxCoeff() < tolerance);
  CHECK(Dense(by_rows.triangularView<Eigen::Upper>()).cwiseAbs().maxCoeff() < tolerance);

  Matrix<double> out(n, m);
  inner_products(*rows, directions, out.view());
  CHECK((dense(out) - x * v.transpose()).cwiseAbs().maxCoeff() < tolerance);
  Matrix<double> sums = noise(m, d, 4);
  const Dense before = dense(sums);
  add_weighted_rows(*rows, weights, sums.view());
  CHECK((dense(sums) - before - w.transpose() * x).cwiseAbs().maxCoeff() < tolerance);
  CHECK((dense(run_to_end(through_covariance(rows, directions))) - v * x.transpose() * x).cwiseAbs().maxCoeff() <
        tolerance * static_cast<double>(d + n));
}

TEST_CASE("an inner product does not depend on its neighbours, to the last bit", "[geometry][products]") {
  const Matrix<double> rows = noise(7, 13, 1), directions = noise(5, 13, 2);
  Matrix<double> all(7, 5);
  inner_products(rows, directions, all.view());
  for (std::size_t i = 0; i < 7; ++i) {
    for (std::size_t m = 0; m < 5; ++m) {
      double one = 0;
      inner_products(rows.view().slice(i, 1), directions.view().slice(m, 1), {&one, 1, 1});
      CHECK(one == all(i, m));
    }
  }
}

TEST_CASE("scaled rows are the rows, less their mean, times a power of two", "[geometry][products]") {
  const Matrix<double> rows = noise(11, 6, 1, 1000);
  const ScaledRows s = run_to_end(scaled_rows(shared(rows), true));
  int exponent = 0;
  CHECK(std::frexp(s.scale, &exponent) == 0.5);
  const Dense x = dense(rows);
  const Dense expected = (x.rowwise() - x.colwise().mean()) * s.scale;
  CHECK((dense(*s.rows) - expected).cwiseAbs().maxCoeff() < 1e-15);
  for (std::size_t j = 0; j < 6; ++j)
    CHECK_THAT(s.mean[j], WithinAbs(x.col(static_cast<Eigen::Index>(j)).mean(), 1e-11));
  CHECK(s.unscaled(s.scale * s.scale) == 1);
  CHECK(s.finite);

  const ScaledRows plain = run_to_end(scaled_rows(shared(rows), false));
  CHECK(plain.mean == std::vector<double>(6, 0));
  CHECK(plain.rows->data[5] == rows.data[5] * plain.scale);
  Matrix<double> bad = rows;
  bad(10, 5) = std::nan("");
  CHECK(!run_to_end(scaled_rows(shared(bad), false)).finite);
}

}  // namespace products_test
