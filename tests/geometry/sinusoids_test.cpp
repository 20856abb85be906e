#include "geometry/sinusoids.h"

#include <catch_amalgamated.hpp>
#include <cmath>

#include "base/random.h"

namespace sinusoids_test {

using namespace helix::geometry;
using Catch::Matchers::WithinAbs;

namespace {

std::vector<double> noise(std::size_t n, std::uint64_t seed) {
  std::vector<double> out(n);
  for (double& x : out) x = helix::random_unit(seed) - 0.5;
  return out;
}

}  // namespace

TEST_CASE("a planted sinusoid comes back, slow or fast", "[geometry][sinusoids]") {
  for (const std::size_t n : {std::size_t{100}, std::size_t{1024}})
    for (const double cycles : {0.6, 1.0, 1.75, 3.3, 17.21, 49.0}) {
      CAPTURE(n, cycles);
      const Sinusoid planted{cycles, 0.3, 1.1, -2, 1};
      const std::vector<double> y = sinusoid_values(planted, n);
      const Sinusoid found = fit_sinusoid(y);
      CHECK_THAT(found.r2, WithinAbs(1, 1e-9));
      CHECK_THAT(found.cycles, WithinAbs(cycles, 1e-4));
      CHECK_THAT(found.amplitude, WithinAbs(0.3, 1e-3));
      CHECK_THAT(found.phase, WithinAbs(1.1, 1e-2));
      CHECK_THAT(found.offset, WithinAbs(-2, 1e-3));
      const std::vector<double> fitted = sinusoid_values(found, n);
      for (std::size_t t = 0; t < n; t += 9) CHECK_THAT(fitted[t], WithinAbs(y[t], 1e-4));
    }
}

TEST_CASE("noise is no sinusoid, and with noise the share that is one is told", "[geometry][sinusoids]") {
  const std::vector<double> random = noise(1024, 5);
  CHECK(fit_sinusoid(random).r2 < 0.03);
  std::vector<double> mixed = sinusoid_values({5.5, 1, 0, 0, 1}, 1024);                   // variance 1/2
  for (std::size_t t = 0; t < mixed.size(); ++t) mixed[t] += random[t] * std::sqrt(6.0);  // variance 1/2
  const Sinusoid found = fit_sinusoid(mixed);
  CHECK_THAT(found.r2, WithinAbs(0.5, 0.05));
  CHECK_THAT(found.cycles, WithinAbs(5.5, 0.1));
}

TEST_CASE("the r2 is what the residuals say", "[geometry][sinusoids]") {
  std::vector<double> y(300);
  for (std::size_t t = 0; t < y.size(); ++t) y[t] = static_cast<double>(t % 90) - 20;  // a saw
  const Sinusoid found = fit_sinusoid(y);
  const std::vector<double> fitted = sinusoid_values(found, y.size());
  double mean = 0, all = 0, left = 0;
  for (const double v : y) mean += v / 300;
  for (std::size_t t = 0; t < y.size(); ++t)
    all += (y[t] - mean) * (y[t] - mean), left += std::pow(y[t] - fitted[t], 2);
  CHECK_THAT(found.r2, WithinAbs(1 - left / all, 1e-9));
  CHECK_THAT(found.cycles, WithinAbs(300.0 / 90, 0.1));
}

TEST_CASE("what has no sinusoid says so", "[geometry][sinusoids]") {
  CHECK(std::isnan(fit_sinusoid({}).r2));
  CHECK(std::isnan(fit_sinusoid(std::vector<double>(50, 3.0)).r2));
  CHECK(std::isnan(fit_sinusoid(std::vector<double>{1, 2, 3, 4}).r2));
  std::vector<double> broken = noise(64, 1);
  broken[7] = std::nan("");
  CHECK(std::isnan(fit_sinusoid(broken).r2));
  const std::vector<double> alternating = sinusoid_values({32, 1, 1.5707963267948966, 0, 1}, 64);
  CHECK_THAT(fit_sinusoid(alternating).r2, WithinAbs(1, 1e-9));
}

}  // namespace sinusoids_test
