#include "geometry/singular.h"

#include <Eigen/Eigenvalues>
#include <catch_amalgamated.hpp>

#include "tests/geometry/samples.h"

namespace singular_test {

using namespace helix;
using namespace helix::geometry;
using namespace helix::geometry::samples;
using Catch::Matchers::WithinAbs;

namespace {

Singular singular_of(const Matrix<double>& m, bool centre, std::size_t k) {
  auto found = run_to_end(right_singular(row_blocks(shared(m)), centre, k));
  REQUIRE(found);
  return std::move(*found);
}

/// Checks values and directions against Eigen's own decomposition; directions up to their sign.
void check_singular(const Matrix<double>& m, bool centre) {
  CAPTURE(m.rows, m.cols, centre);
  Dense x = dense(m);
  if (centre) x.rowwise() -= x.colwise().mean().eval();
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solved(x.transpose() * x);
  const Eigen::VectorXd values = solved.eigenvalues().reverse().cwiseMax(0).cwiseSqrt();
  const Eigen::MatrixXd directions = solved.eigenvectors().rowwise().reverse();  // columns
  const std::size_t rank = std::min(m.rows, m.cols);
  const Singular s = singular_of(m, centre, 10'000);
  REQUIRE(s.values.size() == rank);
  REQUIRE(s.directions.rows == rank);
  const double largest = values(0);
  for (std::size_t i = 0; i < rank; ++i)
    CHECK_THAT(s.values[i], WithinAbs(values(static_cast<Eigen::Index>(i)), 1e-7 * largest));
  const Dense v = dense(s.directions);
  CHECK((v * v.transpose() - Dense::Identity(v.rows(), v.rows())).cwiseAbs().maxCoeff() < 1e-12);
  const auto clear = static_cast<Eigen::Index>(rank / 2);  // the larger half: far from rounding
  for (Eigen::Index i = 0; i < clear; ++i) CHECK(std::abs(v.row(i).dot(directions.col(i))) > 1 - 1e-9);
  for (std::size_t i = 0; i < rank; ++i) {
    const auto row = s.directions.row(i);
    CHECK(*std::max_element(row.begin(), row.end(), [](double a, double b) { return std::fabs(a) < std::fabs(b); }) >
          0);
  }
}

}  // namespace

TEST_CASE("singular directions of wide, square and tall matrices", "[geometry][singular]") {
  for (const auto& [n, d] : {std::pair{5u, 40u}, {33u, 33u}, {200u, 24u}, {2500u, 24u}, {3072u, 17u}}) {
    Matrix<double> m = noise(n, d, n + d);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < d; ++j) m(i, j) = m(i, j) * std::pow(0.8, static_cast<double>(j)) + 0.5;
    check_singular(m, false);
    check_singular(m, true);
  }
}

TEST_CASE("blocks give what the whole matrix gives", "[geometry][singular]") {
  const Matrix<double> m = noise(4000, 12, 3);
  const Singular s = singular_of(m, false, 12);
  Dense x = dense(m);
  const Dense values = dense(s.directions) * x.transpose() * x * dense(s.directions).transpose();
  for (std::size_t i = 0; i < 12; ++i)
    for (std::size_t j = 0; j < 12; ++j)
      CHECK_THAT(values(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)),
                 WithinAbs(i == j ? s.values[i] * s.values[i] : 0, 1e-9 * 4000));
}

TEST_CASE("planted directions are found in their order, however large or small the numbers", "[geometry][singular]") {
  for (const double size : {1e-30, 1.0, 1e30}) {
    CAPTURE(size);
    const Dense v = orthonormal_columns(20, 20, 5), u = orthonormal_columns(2100, 20, 6);
    Dense scales = Dense::Zero(20, 20);
    for (Eigen::Index i = 0; i < 20; ++i) scales(i, i) = size * static_cast<double>(20 - i);
    const Singular s = singular_of(matrix(u * scales * v.transpose()), false, 3);
    REQUIRE(s.directions.rows == 3);
    for (Eigen::Index i = 0; i < 3; ++i) {
      CHECK(std::abs(dense(s.directions).row(i).dot(v.col(i))) > 1 - 1e-12);
      CHECK_THAT(s.values[static_cast<std::size_t>(i)] / size, WithinAbs(static_cast<double>(20 - i), 1e-9));
    }
  }
}

TEST_CASE("a matrix that is not finite has no singular directions", "[geometry][singular]") {
  for (const std::size_t n : {10u, 3000u})
    for (const double bad : {std::nan(""), HUGE_VAL}) {
      Matrix<double> m = noise(n, 6, 1);
      m(n - 1, 3) = bad;
      const Singular s = singular_of(m, n > 100, 2);
      CHECK(s.values.size() == 6);
      CHECK(std::isnan(s.values[0]));
      CHECK(std::isnan(s.directions(0, 0)));
    }
  CHECK(singular_of(Matrix<double>(3000, 4), false, 4).values == std::vector<double>(4, 0));
  CHECK(singular_of(Matrix<double>(0, 4), false, 4).directions.rows == 0);
}

TEST_CASE("a row that cannot be read is an error, and long work pauses", "[geometry][singular]") {
  for (const std::size_t n : {8u, 5000u}) {
    RowBlocks broken{n, 4, [=](std::size_t first, MatrixView<double> into) -> Expected<void> {
                       if (first + into.rows == n) return Error{"The last rows are gone."};
                       return {};
                     }};
    const auto failed = run_to_end(right_singular(broken, n > 100, 4));
    REQUIRE(!failed);
    CHECK(failed.error().sentence == "The last rows are gone.");
  }
  Job<Expected<Singular>> job(right_singular(row_blocks(shared(noise(5000, 40, 2))), true, 40));
  int pauses = 0;
  job.context().should_pause = [&] { return ++pauses, true; };
  while (!job.step()) {
  }
  CHECK(pauses > 8);
  CHECK(job.take());
}

}  // namespace singular_test
