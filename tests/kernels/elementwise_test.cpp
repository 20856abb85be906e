#include <catch_amalgamated.hpp>

#include "tests/kernels/samples.h"

namespace elementwise_test {

using namespace helix;
using namespace helix::kernels;
using namespace helix::kernels::samples;

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

double exact_gelu(double x) {
  const double u = std::sqrt(2 / std::acos(-1.0)) * (x + 0.044715 * x * x * x);
  return u < 0 ? x * (std::exp(2 * u) / (1 + std::exp(2 * u))) : x / (1 + std::exp(-2 * u));
}

/// exp(x) via softmax: next to a 0, whose exponential is 1, x ≤ 0 gives e^x/(1 + e^x).
std::vector<float> softmax(const Table& table, std::vector<float> x) {
  table.softmax(x.data(), x.size());
  return x;
}

}  // namespace

TEST_CASE("softmax of two is right to a few units of the last place, from 0 to the smallest", "[kernels][softmax]") {
  for (const Table& table : tables()) {
    CAPTURE(table.name);
    double worst = 0, at = 0;
    for (float x = 0; x > -87.3f; x -= 0.00037f) {
      const double e = std::exp(static_cast<double>(x)), exact = e / (1 + e);
      const double error = ulps(softmax(table, {0, x})[1], exact);
      if (error > worst) worst = error, at = x;
    }
    CAPTURE(at);
    // 2 ulps from the exponential, 1/2 from the sum, 1/2 from the quotient; an ulp of one may be two of the other.
    CHECK(worst < 4);
    // Below, results would be denormal: they are exactly zero. (The scalar reference gives the C library's results.)
    if (table.name == "scalar") continue;
    bool zero = true;
    for (float x = -87.34f; x > -120; x -= 0.01f) zero &= bits(softmax(table, {0, x})[1]) == 0;
    CHECK(zero);
  }
}

TEST_CASE("softmax at every length: sums to one, exact beside double", "[kernels][softmax]") {
  for (const Table& table : tables()) {
    for (std::size_t n :
         {1u, 2u, 3u, 4u, 5u, 7u, 8u, 15u, 16u, 17u, 31u, 32u, 33u, 63u, 64u, 65u, 100u, 1024u, 50257u}) {
      CAPTURE(table.name, n);
      std::vector<float> x = noise(n, 1);
      for (float& v : x) v *= 20;
      const double top = *std::max_element(x.begin(), x.end());
      double sum = 0, total = 0, worst = 0;
      for (float v : x) sum += std::exp(v - top);
      Guarded y(x, n % 4);
      table.softmax(y.data(), n);
      CHECK(y.untouched_around());
      for (std::size_t i = 0; i < n; ++i) {
        const double exact = std::exp(x[i] - top) / sum;
        total += y.data()[i];
        worst = std::max(worst, std::fabs(y.data()[i] - exact) / exact);
      }
      // x − max rounds by up to 40·2⁻²⁵, a relative error after the exponential; a sum rounds with each of its terms.
      const double summing = 0x1p-24 * static_cast<double>(n) / (table.name == "scalar" ? 1 : 16);
      CHECK(worst < 3e-6 + summing);
      CHECK(std::fabs(total - 1) < 1e-6 + summing);
    }
  }
}

TEST_CASE("softmax of infinities and NaN", "[kernels][softmax]") {
  for (const Table& table : tables())
    for (std::size_t n : {1u, 3u, 4u, 16u, 37u, 64u}) {
      CAPTURE(table.name, n);
      for (float v : softmax(table, std::vector<float>(n, -kInfinity))) CHECK(bits(v) == 0);  // attends to nothing
      for (float v : softmax(table, std::vector<float>(n, 3e38f))) CHECK(v == 1.0f / static_cast<float>(n));
      for (std::size_t at : {std::size_t(0), n / 2, n - 1}) {
        std::vector<float> x(n, -kInfinity);
        x[at] = -1e30f;
        const std::vector<float> one = softmax(table, x);
        for (std::size_t i = 0; i < n; ++i) CHECK(one[i] == (i == at ? 1.0f : 0.0f));
        for (float bad : {std::nanf(""), kInfinity}) {
          x[at] = bad;
          for (float v : softmax(table, x)) CHECK(std::isnan(v));
          std::vector<float> finite(n, 1.0f);
          finite[at] = bad;
          for (float v : softmax(table, finite)) CHECK(std::isnan(v));
        }
      }
      if (n < 3) continue;
      // Values too small for a normal number become exactly zero, and do not change their neighbours.
      std::vector<float> far(n, -100.0f);
      far[1] = 0;
      const std::vector<float> y = softmax(table, far);
      CHECK(y[1] == 1.0f);
      if (table.name != "scalar") CHECK(bits(y[0]) == 0);
    }
}

TEST_CASE("gelu is right on a wide range, its left tail too", "[kernels][gelu]") {
  std::vector<float> x;
  for (float v = -13; v < 13; v += 0.000731f) x.push_back(v);
  for (float v = 1e-30f; v < 1e30f; v *= 1.7f) x.insert(x.end(), {v, -v});
  for (const Table& table : tables()) {
    CAPTURE(table.name);
    std::vector<float> y(x.size());
    table.gelu(x.data(), y.data(), x.size());
    double worst = 0, worst_absolute = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double v = x[i], exact = exact_gelu(v), error = std::fabs(y[i] - exact);
      worst_absolute = std::max(worst_absolute, error / (1 + std::fabs(v)));
      // −2u has some rounding errors, which the exponential turns into relative ones.
      const double exponent = std::fabs(1.6 * v * (1 + 0.044715 * v * v));
      if (exponent < 80) worst = std::max(worst, error / std::fabs(exact) / (0x1p-24 * (6 + 5 * exponent)));
    }
    CHECK(worst_absolute < 2e-7);
    if (table.name != "scalar") CHECK(worst < 1);  // the reference cancels on the left: only absolutely accurate
  }
}

TEST_CASE("gelu of zeros, infinities and NaN", "[kernels][gelu]") {
  for (const Table& table : tables()) {
    CAPTURE(table.name);
    std::vector<float> y{0.0f, -0.0f, kInfinity, std::nanf(""), 3e38f, -3e38f, 1e-42f, -kInfinity, 1.0f};
    table.gelu(y.data(), y.data(), y.size());
    CHECK(bits(y[0]) == bits(0.0f));
    CHECK(bits(y[1]) == bits(-0.0f));
    CHECK(y[2] == kInfinity);
    CHECK(std::isnan(y[3]));
    CHECK(y[4] == 3e38f);
    CHECK(y[5] == 0);
    CHECK(std::fabs(y[6] - 5e-43f) < 3e-45f);
    CHECK(std::isnan(y[7]));  // −∞·0, as in the formula
    CHECK(std::fabs(y[8] - 0.841192f) < 1e-6f);
  }
}

TEST_CASE("layer_norm is right, in place too, and gives its scale", "[kernels][layer_norm]") {
  for (const Table& table : tables())
    for (std::size_t n : {1u, 2u, 3u, 7u, 8u, 9u, 15u, 16u, 17u, 31u, 33u, 48u, 768u, 1023u})
      for (float offset : {0.0f, 1000.0f}) {
        CAPTURE(table.name, n, offset);
        std::vector<float> x = noise(n, 1);
        for (float& v : x) v += offset;
        double mean = 0, variance = 0, worst = 0;
        for (float v : x) mean += v / static_cast<double>(n);
        for (float v : x) variance += (v - mean) * (v - mean) / static_cast<double>(n);
        const double scale = std::sqrt(variance + 1e-5);
        Guarded y(n, n % 4), same(x, 3 - n % 4);
        CHECK(ulps(table.layer_norm(x.data(), n, 1e-5, y.data()), scale) < 0.51);
        CHECK(ulps(table.layer_norm(same.data(), n, 1e-5, same.data()), scale) < 0.51);
        CHECK(y.untouched_around());
        CHECK(same.untouched_around());
        for (std::size_t i = 0; i < n; ++i) {
          worst = std::max(worst, std::fabs(y.data()[i] - (x[i] - mean) / scale));
          CHECK(bits(same.data()[i]) == bits(y.data()[i]));
        }
        CHECK(worst < 3e-7);
      }
}

TEST_CASE("layer_norm of a constant row is zero, and NaN spreads over its row", "[kernels][layer_norm]") {
  for (const Table& table : tables()) {
    CAPTURE(table.name);
    std::vector<float> x(37, 2.5f), y(37);
    CHECK(table.layer_norm(x.data(), x.size(), 1e-5, y.data()) == static_cast<float>(std::sqrt(1e-5)));
    for (float v : y) CHECK(v == 0);
    for (float bad : {std::nanf(""), kInfinity}) {
      x[20] = bad;
      CHECK(std::isnan(table.layer_norm(x.data(), x.size(), 1e-5, y.data())));
      for (float v : y) CHECK(std::isnan(v));
    }
  }
}

TEST_CASE("an element does not depend on its place, and all vector tables give the same bits",
          "[kernels][softmax][gelu][layer_norm]") {
  for (std::size_t n : {1u, 3u, 4u, 8u, 11u, 16u, 29u, 64u, 771u}) {
    std::vector<float> x = noise(n, 7);
    for (float& v : x) v *= 9;
    std::vector<std::vector<float>> gelu, softmax_of, norm;
    for (const Table& table : tables()) {
      if (table.name == "scalar") continue;
      CAPTURE(table.name, n);
      std::vector<float> y(n);
      table.gelu(x.data(), y.data(), n);
      gelu.push_back(y);
      for (std::size_t i = 0; i < n; ++i) {
        float one = 0;
        table.gelu(&x[i], &one, 1);
        CHECK(bits(one) == bits(y[i]));
      }
      softmax_of.push_back(softmax(table, x));
      const float scale = table.layer_norm(x.data(), n, 1e-5, y.data());
      y.push_back(scale);
      norm.push_back(y);
      CHECK(same_bits(gelu.back(), gelu.front()));
      CHECK(same_bits(softmax_of.back(), softmax_of.front()));
      CHECK(same_bits(norm.back(), norm.front()));
    }
  }
}

}  // namespace elementwise_test
