#include "geometry/symmetric.h"

#include <Eigen/Eigenvalues>
#include <catch_amalgamated.hpp>

#include "tests/geometry/samples.h"

namespace symmetric_test {

using namespace helix;
using namespace helix::geometry;
using namespace helix::geometry::samples;
using Catch::Matchers::WithinAbs;

namespace {

/// Checks all values and vectors against the matrix itself and against Eigen.
void check_spectrum(const Dense& a) {
  const auto n = static_cast<std::size_t>(a.rows());
  const Spectrum s = run_to_end(symmetric_spectrum(matrix(a), n));
  const Eigen::VectorXd expected =
      Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(a, Eigen::EigenvaluesOnly).eigenvalues().reverse();
  const double norm = expected.cwiseAbs().maxCoeff();
  const Dense v = dense(s.vectors);
  Dense scaled = v;
  for (std::size_t i = 0; i < n; ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    CHECK_THAT(s.values[i], WithinAbs(expected(row), 1e-13 * norm));
    scaled.row(row) *= s.values[i];
  }
  CHECK((v * v.transpose() - Dense::Identity(a.rows(), a.rows())).cwiseAbs().maxCoeff() < 1e-13);
  CHECK((v * a - scaled).cwiseAbs().maxCoeff() <= 1e-13 * norm);
}

Dense tridiagonal(const std::vector<double>& diagonal, double off) {
  const auto n = static_cast<Eigen::Index>(diagonal.size());
  Dense a = Dense::Zero(n, n);
  for (Eigen::Index i = 0; i < n; ++i) a(i, i) = diagonal[static_cast<std::size_t>(i)];
  for (Eigen::Index i = 0; i + 1 < n; ++i) a(i, i + 1) = a(i + 1, i) = off;
  return a;
}

}  // namespace

TEST_CASE("random symmetric matrices of many sizes", "[geometry][symmetric]") {
  const std::size_t n = GENERATE(1u, 2u, 3u, 4u, 5u, 6u, 7u, 8u, 9u, 16u, 31u, 64u, 97u, 150u);
  CAPTURE(n);
  const Dense x = dense(noise(n, n, static_cast<unsigned>(n)));
  check_spectrum(x + x.transpose());
  check_spectrum(x * x.transpose());
}

TEST_CASE("matrices that are hard on eigenvectors", "[geometry][symmetric]") {
  std::vector<double> wilkinson;  // W21+: pairs of eigenvalues that agree to 14 digits
  for (int i = -10; i <= 10; ++i) wilkinson.push_back(std::abs(i));
  check_spectrum(tridiagonal(wilkinson, 1));
  check_spectrum(tridiagonal(std::vector<double>(40, 2), -1));
  check_spectrum(tridiagonal({3, 1, 2, 1, 3}, 0));
  check_spectrum(Dense::Identity(12, 12));
  check_spectrum(Dense::Ones(12, 12));
  check_spectrum(Dense::Zero(5, 5));
  check_spectrum(-Dense::Ones(7, 7));
  Dense blocks = Dense::Zero(30, 30);  // three equal blocks: every eigenvalue three times
  const Dense x = dense(noise(10, 10, 4));
  for (const int at : {0, 10, 20}) blocks.block(at, at, 10, 10) = x + x.transpose();
  check_spectrum(blocks);
  Dense graded = Dense::Zero(40, 40);
  for (int i = 0; i < 40; ++i) graded(i, i) = std::pow(10.0, -i);
  const Dense q = orthonormal_columns(40, 40, 5);
  check_spectrum(graded);
  check_spectrum(graded.reverse());
  const Dense turned = q * graded * q.transpose();
  check_spectrum((turned + turned.transpose()) / 2);
}

TEST_CASE("a string's eigenvalues are 2 - 2 cos(π i / (n + 1))", "[geometry][symmetric]") {
  const Spectrum s = run_to_end(symmetric_spectrum(matrix(tridiagonal(std::vector<double>(100, 2), -1)), 2));
  for (std::size_t i = 0; i < 100; ++i)
    CHECK_THAT(s.values[i], WithinAbs(2 - 2 * std::cos(std::numbers::pi * static_cast<double>(100 - i) / 101), 1e-13));
  CHECK(s.vectors.rows == 2);
}

TEST_CASE("only the upper triangle is read", "[geometry][symmetric]") {
  const Dense x = dense(noise(9, 9, 1));
  Matrix<double> a = matrix(x + x.transpose());
  const Spectrum expected = run_to_end(symmetric_spectrum(a, 3));
  for (std::size_t i = 0; i < 9; ++i) {
    for (std::size_t j = 0; j < i; ++j) a(i, j) = std::nan("");
  }
  const Spectrum s = run_to_end(symmetric_spectrum(a, 3));
  CHECK(s.values == expected.values);
  CHECK(s.vectors.data == expected.vectors.data);
}

TEST_CASE("values that are not numbers end", "[geometry][symmetric]") {
  const std::size_t k = GENERATE(3u, 120u);
  Matrix<double> a = matrix(Dense::Ones(120, 120));
  a(3, 5) = std::nan("");
  const Spectrum s = run_to_end(symmetric_spectrum(a, k));
  CHECK(s.values.size() == 120);
  CHECK(std::isnan(s.values[7]));
  CHECK(s.vectors.rows == k);
  CHECK(std::isnan(s.vectors(2, 2)));
}

TEST_CASE("few vectors are those that all have, and the values are the same bits", "[geometry][symmetric]") {
  const Dense x = dense(noise(120, 120, 3));
  const Matrix<double> a = matrix(x + x.transpose());
  const Spectrum none = run_to_end(symmetric_spectrum(a, 0)), few = run_to_end(symmetric_spectrum(a, 5)),
                 all = run_to_end(symmetric_spectrum(a, 120));
  CHECK(none.values == few.values);
  CHECK(all.values == few.values);
  for (Eigen::Index i = 0; i < 5; ++i)
    CHECK(std::abs(dense(few.vectors).row(i).dot(dense(all.vectors).row(i))) > 1 - 1e-12);
}

TEST_CASE("all vectors pause as often as few, and can be dropped at any pause", "[geometry][symmetric]") {
  const std::size_t k = GENERATE(0u, 8u, 256u);
  const Dense x = dense(noise(256, 256, 4));
  const Matrix<double> a = matrix(x + x.transpose());
  const auto pauses = [&](int limit) {
    Job<Spectrum> job(symmetric_spectrum(a, k));
    job.context().should_pause = [] { return true; };
    int count = 0;
    while (count < limit && !job.step()) ++count;
    return count;
  };
  const int all = pauses(1'000'000);
  // 22 million operations for the tridiagonal form; all vectors add 22 for reflectors and about 90 for rotations.
  CHECK(all >= (k == 256 ? 22 : 4));
  for (int limit = 0; limit < all; ++limit) CHECK(pauses(limit) == limit);
}

}  // namespace symmetric_test
