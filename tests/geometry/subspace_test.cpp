#include <algorithm>
#include <catch_amalgamated.hpp>
#include <limits>

#include "geometry/pca.h"
#include "geometry/positions.h"
#include "tests/geometry/samples.h"

namespace subspace_test {

using namespace helix;
using namespace helix::geometry;
using namespace helix::geometry::samples;
using Catch::Matchers::WithinAbs;

namespace {

Pca top(const Matrix<double>& rows, bool centre, std::size_t k, Matrix<double> start = {}) {
  return run_to_end(top_components(shared(rows), centre, k, std::move(start)));
}

Pca exact(const Matrix<double>& rows, bool centre, std::size_t k) { return run_to_end(pca(shared(rows), centre, k)); }

/// ‖C v - λ v‖ of the worst direction, relative to the largest λ.
double worst_error(const Pca& p, const Matrix<double>& rows, bool centre) {
  Dense x = dense(rows);
  if (centre) x.rowwise() -= x.colwise().mean().eval();
  double worst = 0;
  for (std::size_t i = 0; i < p.directions.rows; ++i) {
    const Eigen::VectorXd v = dense(p.directions).row(static_cast<Eigen::Index>(i));
    const Eigen::VectorXd cv = x.transpose() * (x * v) / static_cast<double>(rows.rows);
    worst = std::max(worst, (cv - p.variances[i] * v).norm() / p.variances[0]);
  }
  return worst;
}

void check_same(const Pca& found, const Pca& expected, double tolerance) {
  REQUIRE(found.directions.rows == found.variances.size());
  CHECK(found.converged);
  CHECK_THAT(found.total_variance, WithinAbs(expected.total_variance, 1e-12 * expected.total_variance));
  for (std::size_t i = 0; i < found.variances.size(); ++i)
    CHECK_THAT(found.variances[i], WithinAbs(expected.variances[i], 1e-12 * expected.variances[0]));
  const Dense v = dense(found.directions);
  CHECK((v * v.transpose() - Dense::Identity(v.rows(), v.rows())).cwiseAbs().maxCoeff() < 1e-12);
  CHECK((v - dense(expected.directions)).cwiseAbs().maxCoeff() < tolerance);
}

/// Noise whose columns shrink, so that the components are well separated.
Matrix<double> falling(std::size_t n, std::size_t d, unsigned seed) {
  Matrix<double> out = noise(n, d, seed);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < d; ++j) out(i, j) = 0.3 + out(i, j) / static_cast<double>(1 + j);
  }
  return out;
}

int steps_of(Task<Pca> task) {
  Job<Pca> job(std::move(task));
  int steps = 0;
  job.context().on_progress = [&](Progress p) { steps += p.phase == "directions" && p.total == 60; };
  while (!job.step()) {
  }
  return steps;
}

}  // namespace

TEST_CASE("the fast way finds what the exact one does", "[geometry][subspace]") {
  const auto [n, d] = GENERATE(table<std::size_t, std::size_t>(
      {{2, 5}, {5, 2}, {3, 3}, {17, 9}, {9, 17}, {64, 48}, {99, 130}, {200, 64}, {1000, 7}}));
  const bool centre = GENERATE(true, false);
  const std::size_t k = std::min({GENERATE(std::size_t{1}, std::size_t{3}, std::size_t{8}), n, d});
  CAPTURE(n, d, centre, k);
  const Matrix<double> rows = falling(n, d, static_cast<unsigned>(n + d));
  // With fewer rows than columns a centred matrix loses one rank: its last direction is arbitrary.
  const std::size_t wanted = centre && n <= d ? std::min(k, n - 1) : k;
  check_same(top(rows, centre, wanted), exact(rows, centre, wanted), 1e-6);
}

TEST_CASE("more directions than there are, or none", "[geometry][subspace]") {
  const Matrix<double> rows = falling(6, 4, 1);
  check_same(top(rows, true, 99), exact(rows, true, 4), 1e-6);
  CHECK(top(rows, true, 0).directions.rows == 0);
  CHECK(top(Matrix<double>(0, 4), true, 2).variances.empty());
  CHECK(top(Matrix<double>(4, 0), true, 2).variances.empty());
}

TEST_CASE("a start that is right saves steps, and a wrong one costs no correctness", "[geometry][subspace]") {
  const Matrix<double> rows = falling(300, 80, 3);
  const Pca expected = exact(rows, true, 4);
  const int cold = steps_of(top_components(shared(rows), true, 4, {}));
  const Pca moved = top(rows_between(rows, 0, 298), true, 4);
  CHECK(steps_of(top_components(shared(rows), true, 4, moved.directions)) < cold);
  check_same(top(rows, true, 4, moved.directions), expected, 1e-6);
  check_same(top(rows, true, 4, noise(4, 80, 1)), expected, 1e-6);
  check_same(top(rows, true, 4, noise(2, 80, 1)), expected, 1e-6);
  check_same(top(rows, true, 4, noise(50, 80, 1)), expected, 1e-6);
  check_same(top(rows, true, 4, noise(4, 79, 1)), expected, 1e-6);        // of another width: ignored
  check_same(top(rows, true, 4, Matrix<double>(4, 80)), expected, 1e-6);  // zeros
  Matrix<double> bad = moved.directions;
  bad(1, 7) = std::numeric_limits<double>::quiet_NaN();
  check_same(top(rows, true, 4, bad), expected, 1e-6);
}

TEST_CASE("a start inside the wrong eigenspace does not hide a larger component", "[geometry][subspace]") {
  Matrix<double> rows(40, 20);  // C is exactly diagonal: axis j has variance (20 - j)² / 20
  for (std::size_t i = 0; i < 20; ++i) {
    rows(i, i) = 20 - static_cast<double>(i);
    rows(i + 20, i) = -rows(i, i);
  }
  Matrix<double> start(3, 20);
  for (std::size_t i = 0; i < 3; ++i) start(i, i + 4) = 1;  // eigenvectors 5 to 7
  check_same(top(rows, true, 3, start), exact(rows, true, 3), 1e-6);
}

TEST_CASE("equal eigenvalues and low rank in the fast way", "[geometry][subspace]") {
  const Matrix<double> circle = embedded(helix_points(200, 4, 2, 0), 60, 1);
  const Pca p = top(circle, true, 5);
  CHECK(p.converged);
  CHECK_THAT(p.variances[0], WithinAbs(2, 1e-12));
  CHECK_THAT(p.variances[1], WithinAbs(2, 1e-12));
  CHECK(p.variances[2] < 1e-12);
  CHECK(worst_error(p, circle, true) < 1e-9);
  for (const double far : residuals(circle, p, 2)) CHECK(far < 1e-8);
  const Pca flat = top(Matrix<double>(9, 5), true, 3);
  CHECK((flat.converged && flat.variances == std::vector<double>(3, 0)));
}

TEST_CASE("converged is said only when it is so", "[geometry][subspace]") {
  const Matrix<double> rows = noise(500, 400, 1);
  const Pca p = top(rows, true, 3);
  CHECK(p.converged == (worst_error(p, rows, true) <= 2e-9));
  CHECK_THAT(p.variances[0], WithinAbs(exact(rows, true, 3).variances[0], 1e-6));
}

TEST_CASE("input that is not finite ends in the fast way too", "[geometry][subspace]") {
  Matrix<double> rows = noise(20, 9, 1);
  rows(3, 3) = std::numeric_limits<double>::infinity();
  const Pca p = top(rows, true, 3);
  CHECK(!p.converged);
  CHECK(std::isnan(p.variances[0]));
  CHECK(std::isnan(p.directions(2, 8)));
}

TEST_CASE("the fast way can be dropped at any pause", "[geometry][subspace]") {
  const auto rows = shared(falling(400, 300, 2));
  for (int limit = 0; limit < 12; ++limit) {
    Job<Pca> job(top_components(rows, true, 6, {}));
    job.context().should_pause = [] { return true; };
    for (int i = 0; i < limit && !job.step(); ++i) {
    }
  }
  CHECK(rows.use_count() == 1);
}

TEST_CASE("GPT-2 small's first picture equals the exact one", "[geometry][subspace][weights]") {
  const std::optional<Matrix<double>> wpe = gpt2_positions();
  if (!wpe) SKIP("no GPT-2 weights: set HELIXSCOPE_GPT2 to the file or its folder");
  const Matrix<double> rows = rows_between(*wpe, 1, 1023);
  const Pca expected = exact(rows, true, 8), cold = top(rows, true, 8);
  check_same(cold, expected, 1e-6);
  CHECK(worst_error(cold, rows, true) < 1e-9);
  const Matrix<double> moved = rows_between(*wpe, 2, 1023);
  const Pca warm = top(moved, true, 8, cold.directions);
  CHECK(warm.converged);
  CHECK(worst_error(warm, moved, true) < 1e-9);
}

}  // namespace subspace_test
