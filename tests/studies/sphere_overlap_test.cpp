#include "studies/sphere_overlap/sphere_overlap.h"

#include "studies/registry_view.h"
#include "studies/sphere_overlap/incomplete_beta.h"
#include "tests/figure/drawings.h"
#include "tests/planted.h"

namespace sphere_overlap_test {

using namespace helix;
using namespace helix::testing;
using namespace helix::studies::sphere_overlap;
using Catch::Approx;

namespace {

Expected<protocol::Result> run(const Given& values = {}) {
  return run_study("sphere_overlap", studies::Inputs(), values);
}

/// ln of the shared volume by Simpson's rule: two caps over a whole ball, whose slices are balls of n − 1 dimensions.
/// The largest slice is factored out of the sums, so that none underflows.
double integrated(double n, double d, double r) {
  const auto log_slice = [&](double t) { return (n - 1) / 2 * std::log((1 - t) * (1 + t)); };
  const auto integral = [&](double from) {  // over t from `from` to 1, in units of r
    const int steps = 40'000;
    const double h = (1 - from) / steps, top = log_slice(from);
    double sum = 0;
    for (int i = 0; i < steps; ++i) {  // the last slice is empty
      const double weight = i == 0 ? 1 : i % 2 ? 4 : 2;
      sum += weight * std::exp(log_slice(from + i * h) - top);
    }
    return top + std::log(sum * h / 3);
  };
  return integral(d / (2 * r)) - integral(0);
}

/// ln I_x(a, b) by its power series, in logarithms; for b ≤ 1 all terms have the same sign.
double by_series(double a, double b, double x) {
  double term = 1, sum = 1 / a;
  for (int k = 1; k < 200'000; ++k) {
    term *= (k - b) / k * x;
    sum += term / (a + k);
  }
  return a * std::log(x) + std::log(sum) - (std::lgamma(a) + std::lgamma(b) - std::lgamma(a + b));
}

}  // namespace

TEST_CASE("the logarithm of the incomplete beta function is that of its series", "[sphere_overlap]") {
  for (const double a : {0.7, 2.0, 40.5, 384.5, 2000.0})
    for (const double b : {0.5, 0.8, 1.0})
      for (const double x : {1e-6, 0.01, 0.3, 0.9, 0.999})
        CHECK(LogIncompleteBeta(a, b)(x, 1 - x) == Approx(by_series(a, b, x)).epsilon(1e-10).margin(1e-11));
  // Calculated with 40 digits.
  CHECK(LogIncompleteBeta(2000, 0.5)(0.999, 0.001) == Approx(-3.090927774301407).epsilon(1e-12));
  CHECK(LogOverlap(768, 3.39)(5) / std::log(10.0) == Approx(-132.48315529965836).epsilon(1e-12));
  CHECK(LogOverlap(768, 3.39)(3.5) / std::log(10.0) == Approx(-53.006328638404509).epsilon(1e-12));
  CHECK(LogOverlap(4096, 3.39)(6.5) / std::log(10.0) == Approx(-2239.0595842740215).epsilon(1e-12));
  CHECK(LogIncompleteBeta(2, 3)(0, 1) == -HUGE_VAL);
  CHECK(LogIncompleteBeta(2, 3)(1, 0) == 0);
}

TEST_CASE("balls share what elementary geometry says", "[sphere_overlap]") {
  for (const double t : {0.1, 0.5, 0.9}) {  // d = 2 r t, with r = 3
    CHECK(std::exp(LogOverlap(1, 3)(6 * t)) == Approx(1 - t));
    CHECK(std::exp(LogOverlap(2, 3)(6 * t)) ==
          Approx(2 / std::numbers::pi * (std::acos(t) - t * std::sqrt(1 - t * t))));
    CHECK(std::exp(LogOverlap(3, 3)(6 * t)) == Approx(1 - 1.5 * t + 0.5 * t * t * t));
  }
  CHECK(LogOverlap(768, 3)(0) == 0);
  CHECK(LogOverlap(768, 3)(6) == -HUGE_VAL);
  CHECK(LogOverlap(768, 3)(7) == -HUGE_VAL);
}

TEST_CASE("nothing is lost to underflow", "[sphere_overlap]") {
  for (const double n : {20.0, 768.0, 4096.0})
    for (const double d : {0.5, 3.5, 5.0, 6.0})
      CHECK(LogOverlap(n, 3.39)(d) == Approx(integrated(n, d, 3.39)).epsilon(1e-7));
  CHECK(LogOverlap(4096, 3.39)(6.5) < -4000);
}

TEST_CASE("a shell of one per cent holds nearly all of a ball in 768 dimensions", "[sphere_overlap]") {
  CHECK(shell_fraction(1, 0.25) == Approx(0.25));
  CHECK(shell_fraction(3, 0.1) == Approx(1 - 0.729));
  CHECK(shell_fraction(768, 0.01) == Approx(0.99956).margin(5e-6));
}

TEST_CASE("in 768 dimensions all balls overlap, and only the diagonal comes near the stated mean", "[sphere_overlap]") {
  const auto r = run();
  REQUIRE(r);
  CHECK(r->scalar("pairs_overlapping")->value == 1);
  CHECK(r->scalar("mean_distance")->value == Approx(kLength * std::sqrt(2.0)).epsilon(0.01));
  CHECK(r->scalar("log10_mean_fraction")->value < -100);
  CHECK(r->scalar("mean_with_self")->value == Approx(0.001));
  CHECK(r->scalar("stated_distance")->value == Approx(0.80).margin(0.01));
  double pairs = 0;
  for (const double n : r->array("histogram")->data) pairs += n;
  CHECK(pairs == 499'500);
  REQUIRE(r->claims.size() == 2);
  CHECK(r->claims[0].id == "F18");
  CHECK(r->claims[0].holds == true);
  CHECK(r->claims[1].id == "F19");
  CHECK(r->claims[1].holds == false);
  CHECK(r->provenance.model.empty());
}

TEST_CASE("balls planted close together share much, balls planted apart nothing", "[sphere_overlap]") {
  const auto close = run({{"count", "60"}, {"dimension", "3"}, {"length", "0.01"}, {"radius", "3"}});
  CHECK(std::pow(10, close->scalar("log10_mean_fraction")->value) == Approx(1).margin(0.01));
  CHECK(close->claims.empty());
  const auto apart = run({{"count", "60"}, {"dimension", "768"}, {"radius", "2"}});
  CHECK(apart->scalar("pairs_overlapping")->value == 0);
  CHECK(apart->scalar("log10_mean_fraction")->value == -HUGE_VAL);
  CHECK(apart->scalar("mean_with_self")->value == Approx(1.0 / 60));
}

TEST_CASE("the mean is that of the pairs, whichever is the largest", "[sphere_overlap]") {
  // Two balls are one pair: the mean is its shared fraction, and its distance lies in the only filled bin.
  for (const char* seed : {"1", "2", "3"}) {
    const auto r = run({{"count", "2"}, {"dimension", "5"}, {"seed", seed}});
    const double d = r->scalar("mean_distance")->value;
    CHECK(r->scalar("log10_mean_fraction")->value == Approx(LogOverlap(5, kRadius)(d) / std::log(10.0)));
    const auto& bins = *r->array("histogram");
    const double width = r->array("distance")->data[1] - r->array("distance")->data[0];
    for (std::size_t i = 0; i < bins.data.size(); ++i)
      CHECK(bins.data[i] == (std::abs(r->array("distance")->data[i] - d) <= width / 2 ? 1 : 0));
  }
}

TEST_CASE("a value out of range is refused", "[sphere_overlap]") {
  ParamValues values = defaults(describe());
  CHECK(!set_value(describe(), values, "count", "1", true));
  CHECK(!set_value(describe(), values, "dimension", "0", true));
  CHECK(!set_value(describe(), values, "epsilon", "1", true));
}

TEST_CASE("the view writes powers that no number holds", "[sphere_overlap][view]") {
  const auto r = run({{"count", "50"}, {"dimension", "4096"}});
  const auto& s = *studies::find_view_study("sphere_overlap");
  CHECK(r->scalar("log10_mean_fraction")->value < -400);
  const figure::Figure f = s.view(*r, r->params);
  CHECK(f.title.starts_with("All balls overlap, by 10⁻"));
  CHECK(f.panels.size() == 3);
  ViewState view;
  view.focus = {{"bin", 3}};
  CHECK(s.reading(*r, r->params, view).title == "centres 0.3 to 0.4 apart");
  view.focus = {{"dimensions", 1}};
  CHECK(s.reading(*r, r->params, view).lines[0] == "in the shell  0.01000");
  const auto apart = run({{"count", "60"}, {"radius", "2"}});
  CHECK(s.view(*apart, apart->params).title == "No two balls overlap");
  protocol::Result nearly = *r;  // all but one pair of a hundred thousand
  std::ranges::find(nearly.scalars, "pairs_overlapping", &protocol::Scalar::name)->value = 0.99999;
  CHECK(s.view(nearly, r->params).title.starts_with("More than 99.9 % of the pairs overlap"));
  CHECK(s.view(protocol::Result(), {}).title == "Balls in many dimensions");
}

}  // namespace sphere_overlap_test
