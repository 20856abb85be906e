#include "base/divergence.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "base/pcg64.h"
#include "tests/support.h"

namespace divergence_test {

using namespace helix;
using Catch::Approx;

namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

/// The least over a fine grid of what is not known, for lists whose last entries are `p_last` and `q_last`.
double by_grid(double known, double in_p, double in_q, double p_rest, double q_rest, double most_p, double most_q) {
  const auto term = [](double p, double q) { return p > 0 ? p * std::log(p / q) : 0; };
  double least = 1e9;
  for (int i = 0; i <= 2000; ++i)
    for (int k = 0; k <= 2000; ++k) {
      const double p = most_p * i / 2000, q = most_q * k / 2000;
      if ((in_p > 0 && q == 0) || q_rest - q <= 0) continue;
      least = std::min(least, known + term(in_p, q) + term(p, in_q) + term(p_rest - p, q_rest - q));
    }
  return least;
}

}  // namespace

TEST_CASE("two lists without a common token are far apart", "[base][divergence]") {
  // p has 0.9 on a token that q gives at most 0.05.
  const std::vector<Probabilities> all{{0.9, kNone}, {kNone, 0.9}, {kNone, 0.05}, {0.05, kNone}};
  const double least = least_divergence(all);
  CHECK(least > 1.5);
  CHECK(least == Approx(by_grid(0, 0.95, 0.95, 0.05, 0.05, 0.05, 0.05)).epsilon(1e-3));
}

TEST_CASE("what is not known is chosen so that the divergence is least", "[base][divergence]") {
  const std::vector<Probabilities> all{{0.25, 0.2}, {0.1, kNone}, {kNone, 0.5}};
  CHECK(least_divergence(all) ==
        Approx(by_grid(0.25 * std::log(0.25 / 0.2), 0.1, 0.5, 0.65, 0.3, 0.1, 0.2)).epsilon(1e-4));
  CHECK(least_divergence(std::vector<Probabilities>{{0.5, 0.5}, {0.2, 0.2}}) == Approx(0).margin(1e-15));
  CHECK(least_divergence({}) == 0);
  CHECK(least_divergence(std::vector<Probabilities>{{1, kNone}, {kNone, 1}}) > 10);  // nothing in common
}

TEST_CASE("it is never more than over all entries, and nearly as much where the lists are long", "[base][divergence]") {
  Pcg64 random(5);
  for (int round = 0; round < 200; ++round) {
    std::vector<double> p(40), q(40);
    for (std::vector<double>* side : {&p, &q}) {
      double sum = 0;
      for (double& x : *side) x = std::exp(6 * random.random()), sum += x;
      for (double& x : *side) x /= sum;
    }
    double all = 0;
    for (std::size_t i = 0; i < p.size(); ++i) all += p[i] * std::log(p[i] / q[i]);
    double before = 0;
    for (const std::size_t listed : {1u, 3u, 10u, 40u}) {
      std::vector<double> sorted_p = p, sorted_q = q;
      std::ranges::sort(sorted_p, std::greater()), std::ranges::sort(sorted_q, std::greater());
      std::vector<Probabilities> known;
      for (std::size_t i = 0; i < p.size(); ++i) {
        const bool in_p = p[i] >= sorted_p[listed - 1], in_q = q[i] >= sorted_q[listed - 1];
        if (in_p || in_q) known.push_back({in_p ? p[i] : kNone, in_q ? q[i] : kNone});
      }
      const double least = least_divergence(known);
      CHECK(least <= all + 1e-12);
      before = least;
    }
    CHECK(before == Approx(all));  // all are listed
  }
}

}  // namespace divergence_test
