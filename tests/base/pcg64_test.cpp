#include "base/pcg64.h"

#include <algorithm>
#include <array>
#include <catch_amalgamated.hpp>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

#include "base/box_muller.h"

namespace pcg64_test {

using helix::Pcg64;

namespace {

std::vector<std::uint64_t> draws(Pcg64 rng, std::size_t count) {
  std::vector<std::uint64_t> out;
  while (out.size() < count) out.push_back(rng.next());
  return out;
}

}  // namespace

// Recorded from numpy 1.24: np.random.default_rng(SEED).bit_generator.random_raw(4).
TEST_CASE("pcg64: the numbers of numpy's default_rng", "[base][pcg64]") {
  using Raw = std::vector<std::uint64_t>;
  CHECK(draws(Pcg64(0), 4) ==
        Raw{11749869230777074271u, 4976686463289251617u, 755828109848996024u, 304881062738325533u});
  CHECK(draws(Pcg64(3), 4) ==
        Raw{1579948266424812280u, 4368382809143759861u, 14780904992460893238u, 10738994088709064484u});
  CHECK(draws(Pcg64(4294967295u), 4) ==
        Raw{4647538520743280031u, 4041050679407036418u, 5299467714154781845u, 11418189674231792917u});
}

TEST_CASE("pcg64: a name picks a stream, as default_rng([seed, *name.encode()]) does", "[base][pcg64]") {
  CHECK(draws(Pcg64(3, "wte.weight"), 4) == std::vector<std::uint64_t>{14750361959969914737u, 9446141788274310066u,
                                                                       14407812715889875912u, 15983185155457393445u});
  CHECK(draws(Pcg64(3, ""), 2) == draws(Pcg64(3), 2));
}

TEST_CASE("pcg64: numbers between 0 and 1 are numpy's", "[base][pcg64]") {
  Pcg64 rng(3);
  CHECK(rng.random() == 0.08564916714362436);
  CHECK(rng.random() == 0.2368105065960997);
  CHECK(rng.random() == 0.8012744652063969);
}

// The three lines at the top of base/pcg64.h, in numpy.
TEST_CASE("pcg64: normal numbers come in pairs, cosine first", "[base][pcg64]") {
  std::vector<double> five(5);
  Pcg64(3).normal(std::span(five));
  const std::array expected{0.03502971311955828, 0.42172834239276713, -1.563411225485304, -0.8873593391810569,
                            -0.405975495717894};
  for (std::size_t i = 0; i < five.size(); ++i) CHECK(five[i] == Catch::Approx(expected[i]).epsilon(1e-14));
}

// Every exponent of 1 − u and every eighth of a turn, the ends among them.
TEST_CASE("pcg64: normal numbers are those of the library's logarithm, cosine and sine", "[base][pcg64]") {
  constexpr double kOne = 0x1p-53;
  std::vector<double> us, vs;
  Pcg64 rng(5);
  for (int power = 0; power <= 53; ++power)
    for (const double rest : {std::ldexp(1, -power), std::ldexp(1.4142135, -power), std::ldexp(1.9999, -power)})
      for (int eighth = 0; eighth < 8; ++eighth)
        for (const double v : {eighth / 8.0, eighth / 8.0 + kOne, (eighth + 1) / 8.0 - kOne, rng.random()})
          us.push_back(1 - std::clamp(rest, kOne, 1.0)), vs.push_back(v);
  std::vector<double> cosines = us, sines = vs;
  helix::box_muller(cosines, sines);
  for (std::size_t i = 0; i < us.size(); ++i) {
    CAPTURE(us[i], vs[i]);
    const double radius = std::sqrt(-2 * std::log(1 - us[i])), angle = 2 * std::numbers::pi * vs[i];
    CHECK(std::abs(cosines[i] - radius * std::cos(angle)) <= 1e-15 * radius);
    CHECK(std::abs(sines[i] - radius * std::sin(angle)) <= 1e-15 * radius);
  }
}

TEST_CASE("pcg64: an order is Fisher and Yates'", "[base][pcg64]") {
  CHECK(Pcg64(3).order(10) == std::vector<std::size_t>{7, 3, 5, 1, 8, 9, 4, 6, 2, 0});
  CHECK(Pcg64(3).order(0).empty());
  CHECK(Pcg64(3).order(1) == std::vector<std::size_t>{0});
}

TEST_CASE("pcg64: a million normal numbers have mean 0, variance 1 and no skew", "[base][pcg64]") {
  std::vector<double> many(1'000'000);
  Pcg64(1).normal(std::span(many));
  double mean = 0, square = 0, cube = 0;
  for (const double x : many) mean += x, square += x * x, cube += x * x * x;
  const auto n = static_cast<double>(many.size());
  CHECK(std::abs(mean / n) < 0.005);
  CHECK(square / n == Catch::Approx(1).epsilon(0.01));
  CHECK(std::abs(cube / n) < 0.02);
}

}  // namespace pcg64_test
