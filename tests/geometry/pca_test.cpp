#include "geometry/pca.h"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <catch_amalgamated.hpp>
#include <limits>
#include <numeric>

#include "geometry/helix.h"
#include "geometry/positions.h"
#include "tests/geometry/samples.h"

namespace pca_test {

using namespace helix;
using namespace helix::geometry;
using namespace helix::geometry::samples;
using Catch::Matchers::WithinAbs;
using Catch::Matchers::WithinRel;

namespace {

Pca fit(Matrix<double> rows, bool centre, std::size_t k) { return run_to_end(pca(shared(std::move(rows)), centre, k)); }

Eigen::MatrixXd covariance_of(const Matrix<double>& rows, bool centre) {
  Eigen::MatrixXd x = dense(rows);
  if (centre) x.rowwise() -= x.colwise().mean().eval();
  return x.transpose() * x / static_cast<double>(x.rows());
}

/// Orthonormal eigenvectors, with the largest entry positive.
void check_directions(const Pca& p, const Matrix<double>& rows, bool centre) {
  const Dense v = dense(p.directions);
  const Eigen::MatrixXd c = covariance_of(rows, centre);
  const double largest = p.variances.empty() ? 0 : p.variances[0];
  CHECK((v * v.transpose() - Dense::Identity(v.rows(), v.rows())).cwiseAbs().maxCoeff() < 1e-12);
  for (Eigen::Index i = 0; i < v.rows(); ++i) {
    const Eigen::VectorXd direction = v.row(i);
    CHECK((c * direction - p.variances[static_cast<std::size_t>(i)] * direction).norm() <= 1e-12 * largest + 1e-30);
    Eigen::Index at = 0;
    direction.cwiseAbs().maxCoeff(&at);
    CHECK(direction(at) > 0);
  }
}

double sum_of(const std::vector<double>& values, std::size_t count) {
  return std::accumulate(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(count), 0.0);
}

bool all_nan(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [](double x) { return std::isnan(x); });
}

/// Runs `task` for at most `limit` pauses, then drops it; returns the number of pauses.
template <class T>
int pauses(Task<T> task, int limit) {
  Job<T> job(std::move(task));
  job.context().should_pause = [] { return true; };
  int count = 0;
  while (count < limit && !job.step()) ++count;
  return count;
}

}  // namespace

TEST_CASE("principal components agree with Eigen's solver on the covariance", "[geometry][pca]") {
  const auto [n, d] = GENERATE(table<std::size_t, std::size_t>(
      {{1, 1}, {1, 4}, {2, 5}, {5, 2}, {3, 3}, {8, 8}, {17, 9}, {9, 17}, {64, 48}, {99, 130}, {200, 64}, {131, 130}}));
  const bool centre = GENERATE(true, false);
  CAPTURE(n, d, centre);
  Matrix<double> rows = noise(n, d, static_cast<unsigned>(100 * n + d));
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < d; ++j) rows(i, j) = (rows(i, j) + 0.7) / static_cast<double>(1 + j);
  }
  const std::size_t rank = std::min(n, d);
  const Pca p = fit(rows, centre, rank + 3);
  REQUIRE(p.directions.rows == rank);
  REQUIRE(p.directions.cols == d);
  REQUIRE(p.variances.size() == rank);
  CHECK(p.converged);

  const Eigen::MatrixXd c = covariance_of(rows, centre);
  const Eigen::VectorXd expected = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(c).eigenvalues().reverse();
  for (std::size_t i = 0; i < rank; ++i)
    CHECK_THAT(p.variances[i], WithinAbs(expected(static_cast<Eigen::Index>(i)), 1e-12 * expected(0) + 1e-300));
  CHECK_THAT(p.total_variance, WithinAbs(c.trace(), 1e-12 * c.trace() + 1e-300));
  check_directions(p, rows, centre);
}

TEST_CASE("a planted helix is found with its variances, its plane and its turns", "[geometry][pca]") {
  const Matrix<double> rows = embedded(helix_points(300, 5, 2, 3), 40, 1);
  const Pca p = fit(rows, true, 3);
  // A circle of radius 2 has 2²/2 along each of its axes; the pitch 3 t, t uniform in [0, 1), 9/12. The two
  // overlap a little, because the line rises while the circle turns.
  CHECK_THAT(p.variances[0], WithinAbs(2, 0.1));
  CHECK_THAT(p.variances[1], WithinAbs(2, 0.1));
  CHECK_THAT(p.variances[2], WithinAbs(0.75, 0.1));
  CHECK_THAT(sum_of(explained(p), 3), WithinAbs(1, 1e-12));
  CHECK(p.variances[3] < 1e-12);
  const Turns wound = turns(project(rows, p, 3), 0, 1);
  CHECK_THAT(wound.turns, WithinAbs(5 * 299.0 / 300, 0.05));
  CHECK(wound.skipped == 0);
  for (const double far : residuals(rows, p, 3)) CHECK(far < 1e-12);
}

TEST_CASE("isotropic noise has no helix: no component stands out", "[geometry][pca]") {
  const Pca p = fit(noise(400, 50, 3), true, 3);
  // The largest eigenvalue of a sample covariance of unit noise is near (1 + √(d/n))² (Marchenko and Pastur).
  CHECK_THAT(p.variances[0], WithinRel(std::pow(1 + std::sqrt(50.0 / 400), 2), 0.1));
  CHECK(components_for(explained(p), 0.9) > 35);
}

TEST_CASE("a rotation and another order of the rows change no variance", "[geometry][pca]") {
  const Matrix<double> rows = noise(60, 20, 5);
  const Pca p = fit(rows, true, 4);
  const Dense turn = orthonormal_columns(20, 20, 6);
  const Pca turned = fit(matrix(dense(rows) * turn), true, 4);
  Matrix<double> reversed(60, 20);
  for (std::size_t i = 0; i < 60; ++i) std::copy_n(rows.row(59 - i).data(), 20, reversed.row(i).data());
  const Pca reordered = fit(reversed, true, 4);
  for (std::size_t i = 0; i < 20; ++i) {
    CHECK_THAT(turned.variances[i], WithinAbs(p.variances[i], 1e-12));
    CHECK_THAT(reordered.variances[i], WithinAbs(p.variances[i], 1e-12));
  }
  CHECK((dense(reordered.directions) - dense(p.directions)).cwiseAbs().maxCoeff() < 1e-11);
  const Dense agreement = (dense(turned.directions) * (dense(p.directions) * turn).transpose()).cwiseAbs();
  CHECK((agreement - Dense::Identity(4, 4)).cwiseAbs().maxCoeff() < 1e-11);
}

TEST_CASE("equal eigenvalues: the subspace is right and its basis orthonormal", "[geometry][pca]") {
  const auto [n, d] = GENERATE(table<std::size_t, std::size_t>({{60, 12}, {40, 90}}));
  CAPTURE(n, d);
  const std::vector<double> planted = {5, 5, 5, 2, 2 - 1e-13, 1, 1, 1, 1, 1};  // then zeros
  const Dense u = orthonormal_columns(n, planted.size(), 7), v = orthonormal_columns(d, planted.size(), 8);
  Eigen::VectorXd sigma(static_cast<Eigen::Index>(planted.size()));
  for (Eigen::Index i = 0; i < sigma.size(); ++i)
    sigma(i) = std::sqrt(planted[static_cast<std::size_t>(i)] * static_cast<double>(n));
  const Matrix<double> rows = matrix(u * sigma.asDiagonal() * v.transpose());
  const Pca p = fit(rows, false, 12);
  for (std::size_t i = 0; i < planted.size(); ++i) CHECK_THAT(p.variances[i], WithinAbs(planted[i], 1e-13));
  check_directions(p, rows, false);
  for (const auto& [first, count] : {std::pair{0, 3}, std::pair{3, 2}, std::pair{5, 5}}) {
    const Dense found = dense(p.directions).middleRows(first, count);
    const Dense expected = v.middleCols(first, count).transpose();
    CHECK((found.transpose() * found - expected.transpose() * expected).cwiseAbs().maxCoeff() < 1e-11);
  }
}

TEST_CASE("all eigenvalues equal", "[geometry][pca]") {
  Matrix<double> rows(8, 8);
  for (std::size_t i = 0; i < 8; ++i) rows(i, i) = 3;
  const Pca p = fit(rows, false, 8);
  for (const double variance : p.variances) CHECK_THAT(variance, WithinAbs(9.0 / 8, 1e-15));
  check_directions(p, rows, false);
  const Pca q = fit(matrix(dense(rows) * orthonormal_columns(8, 8, 2)), false, 8);
  for (const double variance : q.variances) CHECK_THAT(variance, WithinAbs(9.0 / 8, 1e-14));
}

TEST_CASE("rows of low rank have as many directions as asked for, all orthonormal", "[geometry][pca]") {
  const auto [n, d] = GENERATE(table<std::size_t, std::size_t>({{40, 30}, {30, 40}}));
  CAPTURE(n, d);
  const Matrix<double> rows = matrix(dense(noise(n, 3, 1)) * dense(noise(3, d, 2)));
  const Pca p = fit(rows, true, 10);
  CHECK(p.variances[2] > 1);
  CHECK(p.variances[3] < 1e-12);
  CHECK(std::all_of(p.variances.begin(), p.variances.end(), [](double x) { return x >= 0; }));
  CHECK(components_for(explained(p), 1) == 3);
  check_directions(p, rows, true);
}

TEST_CASE("rows without any spread", "[geometry][pca]") {
  const std::size_t n = GENERATE(1u, 2u, 7u), d = GENERATE(1u, 3u, 20u);
  CAPTURE(n, d);
  Matrix<double> rows(n, d);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < d; ++j) rows(i, j) = 0.1 + static_cast<double>(j) / 3;
  }
  const Pca p = fit(rows, true, 4);
  CHECK(p.total_variance == 0);
  for (std::size_t j = 0; j < d; ++j) CHECK(p.mean[j] == rows(0, j));
  for (const double share : explained(p)) CHECK(share == 0);
  CHECK(components_for(explained(p), 0.9) == 0);
  for (const double share : captured(rows, p, 4)) CHECK(share == 0);
  for (const double far : residuals(rows, p, 4)) CHECK(far == 0);
  check_directions(p, rows, true);
  check_directions(fit(Matrix<double>(n, d), false, 4), Matrix<double>(n, d), false);
}

TEST_CASE("no rows, no columns, no directions wanted", "[geometry][pca]") {
  CHECK(fit(Matrix<double>(0, 3), true, 2).mean.size() == 3);
  CHECK(fit(Matrix<double>(3, 0), true, 2).directions.rows == 0);
  const Pca p = fit(noise(6, 4, 1), true, 0);
  CHECK(p.variances.size() == 4);
  CHECK(project(noise(6, 4, 1), p, 2).cols == 0);
}

TEST_CASE("the size of the numbers does not matter", "[geometry][pca]") {
  const Matrix<double> rows = noise(30, 12, 9);
  const Pca p = fit(rows, true, 5);
  for (const int power : {-500, -30, 1, 480}) {
    CAPTURE(power);
    Matrix<double> scaled = rows;
    for (double& x : scaled.data) x = std::ldexp(x, power);
    const Pca q = fit(scaled, true, 5);
    CHECK(q.directions.data == p.directions.data);
    CHECK(explained(q) == explained(p));
    CHECK(q.variances[0] == std::ldexp(p.variances[0], 2 * power));
  }
  for (const int power : {-1060, 1018}) {  // variances are out of range there, directions are not
    CAPTURE(power);
    Matrix<double> scaled = rows;
    for (double& x : scaled.data) x = std::ldexp(x, power);
    const Pca q = fit(scaled, true, 1);
    CHECK((dense(q.directions).row(0) - dense(p.directions).row(0)).cwiseAbs().maxCoeff() < 1e-2);
  }
}

TEST_CASE("a small spread beside a large constant column is seen", "[geometry][pca]") {
  Matrix<double> rows = noise(30, 6, 4, 1e-90);
  const Pca p = fit(rows, true, 3);
  for (std::size_t i = 0; i < rows.rows; ++i) rows(i, 5) = 1e8;
  Matrix<double> without = rows;
  for (std::size_t i = 0; i < rows.rows; ++i) without(i, 5) = 0;
  const Pca q = fit(rows, true, 3), expected = fit(without, true, 3);
  for (std::size_t i = 0; i < 3; ++i) CHECK_THAT(q.variances[i], WithinRel(expected.variances[i], 1e-12));
  CHECK(q.variances[0] < p.total_variance);
}

TEST_CASE("input that is not finite ends, and gives nothing but NaN", "[geometry][pca]") {
  const double bad = GENERATE(std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(),
                              -std::numeric_limits<double>::infinity());
  Matrix<double> rows = noise(20, 9, 1);
  rows(11, 4) = bad;
  const Pca p = fit(rows, true, 3);
  CHECK(p.directions.rows == 3);
  CHECK(p.variances.size() == 9);
  CHECK((all_nan(p.variances) && all_nan(p.directions.data) && all_nan(p.mean) && std::isnan(p.total_variance)));
  CHECK(components_for(explained(p), 0.9) == 0);
  CHECK(all_nan(residuals(rows, p, 2)));
}

TEST_CASE("the same rows give the same bits", "[geometry][pca]") {
  const Pca p = fit(noise(50, 33, 2), true, 6), q = fit(noise(50, 33, 2), true, 6);
  CHECK(p.directions.data == q.directions.data);
  CHECK(p.variances == q.variances);
}

TEST_CASE("project, residuals and captured belong together", "[geometry][pca]") {
  const std::size_t n = GENERATE(1u, 6u, 23u);
  const Matrix<double> rows = noise(40, 11, 3), shown = noise(n, 11, 4);
  const Pca p = fit(rows, true, 5);
  const Dense centred = dense(shown).rowwise() - Eigen::Map<const Eigen::RowVectorXd>(p.mean.data(), 11);
  const Dense expected = centred * dense(p.directions).transpose();
  CHECK((dense(project(shown, p, 5)) - expected).cwiseAbs().maxCoeff() < 1e-13);
  CHECK((dense(project(shown, p, 2)) - expected.leftCols(2)).cwiseAbs().maxCoeff() < 1e-13);
  CHECK(project(shown, p, 9).cols == 5);

  const std::vector<double> far = residuals(shown, p, 3), share = captured(shown, p, 3);
  double left = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    const double square = centred.row(row).squaredNorm() - expected.row(row).head(3).squaredNorm();
    CHECK_THAT(far[i] * far[i], WithinAbs(square, 1e-12));
    left += far[i] * far[i];
  }
  CHECK_THAT(sum_of(share, 3), WithinAbs(1 - left / centred.squaredNorm(), 1e-12));
  const std::vector<double> own = captured(rows, p, 5), fractions = explained(p);
  for (std::size_t i = 0; i < 5; ++i) CHECK_THAT(own[i], WithinAbs(fractions[i], 1e-13));
}

TEST_CASE("the number of components for a share", "[geometry][pca]") {
  const std::vector<double> fractions = {0.5, 0.25, 0.125, 0.125};
  CHECK(components_for(fractions, 0.4) == 1);
  CHECK(components_for(fractions, 0.5) == 1);
  CHECK(components_for(fractions, 0.51) == 2);
  CHECK(components_for(fractions, 1) == 4);
  CHECK(components_for(fractions, 1.1) == 0);
  CHECK(components_for(std::vector<double>(10, 0.1), 1) == 10);
  CHECK(components_for({}, 0.9) == 0);
}

TEST_CASE("long work pauses often and can be dropped at any pause", "[geometry][pca]") {
  const auto rows = shared(noise(320, 300, 1));
  // 29 million operations for the products, 36 for the tridiagonal form: at least one pause per six million
  // operations.
  const int all = pauses(pca(rows, true, 4), 1'000'000);
  CHECK(all >= 11);
  for (int limit = 0; limit < all; ++limit) CHECK(pauses(pca(rows, true, 4), limit) == limit);
  CHECK(rows.use_count() == 1);
}

TEST_CASE("sinusoidal positions need 137 components for 90 %, 153 with base 1000", "[geometry][pca][large]") {
  const auto count = [](double base, bool centre) {
    return components_for(explained(fit(sinusoidal_positions(1024, 768, base), centre, 3)), 0.9);
  };
  CHECK(count(10000, true) == 137);
  CHECK(count(1000, true) == 153);
  CHECK(count(10000, false) == 113);
}

TEST_CASE("GPT-2 small's positions are a helix, with the published numbers", "[geometry][pca][weights][large]") {
  const std::optional<Matrix<double>> wpe = gpt2_positions();
  if (!wpe) SKIP("no GPT-2 weights: set HELIXSCOPE_GPT2 to the file or its folder");
  const auto first3 = [&](std::size_t first, std::size_t last) {
    return sum_of(explained(fit(rows_between(*wpe, first, last), true, 3)), 3);
  };
  CHECK_THAT(first3(0, 1023), WithinAbs(0.90388, 5e-6));
  CHECK_THAT(first3(1, 1022), WithinAbs(0.91061, 5e-6));
  CHECK_THAT(first3(100, 1023), WithinAbs(0.95109, 5e-6));
  CHECK_THAT(first3(1, 99), WithinAbs(0.96402, 5e-6));

  const Pca centred = fit(*wpe, true, 3), uncentred = fit(*wpe, false, 3);
  CHECK(components_for(explained(centred), 0.9) == 3);
  CHECK(components_for(explained(uncentred), 0.9) == 4);
  CHECK_THAT(sum_of(explained(uncentred), 3), WithinAbs(0.87729, 5e-6));

  const Matrix<double> all = rows_between(*wpe, 1, 1023), inner = rows_between(*wpe, 1, 1022);
  const Pca fitted = fit(all, true, 3);
  CHECK_THAT(sum_of(explained(fitted), 3), WithinAbs(0.91058, 5e-6));
  const Turns with = turns(project(all, fitted, 3), 0, 1),
              without = turns(project(inner, fit(inner, true, 3), 3), 0, 1);
  CHECK_THAT(with.turns, WithinAbs(3.0198, 5e-5));
  CHECK(with.skipped == 1);  // the step to row 1023, which is nearly zero
  CHECK_THAT(without.turns, WithinAbs(3.0198, 5e-5));
  CHECK(without.skipped == 0);
  // Axes of the first rows explain the rest only in part; on their own rows the shares are those of
  // the fit.
  const Matrix<double> early = rows_between(*wpe, 1, 99);
  const Pca axes = fit(early, true, 3);
  CHECK_THAT(sum_of(captured(early, axes, 3), 3), WithinAbs(0.96402, 5e-6));
  CHECK(sum_of(captured(all, axes, 3), 3) < 0.9);
}

}  // namespace pca_test
