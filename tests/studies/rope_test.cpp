#include "studies/rope/rope.h"

#include <complex>

#include "figure/svg.h"
#include "geometry/positions.h"
#include "studies/registry_view.h"
#include "studies/rope/rotary.h"
#include "tests/figure/drawings.h"
#include "tests/planted.h"

namespace rope_test {

using namespace helix;
using namespace helix::testing;
using namespace helix::studies::rope;
using Catch::Approx;

namespace {

Expected<protocol::Result> run(const Given& values = {}) { return run_study("rope", studies::Inputs(), values); }

std::pair<Vector, Vector> planted_pair() {
  std::uint64_t state = 7;
  Vector query = gaussian(state), key = gaussian(state);
  return {query, key};
}

/// The score as Su et al. derive it: pairs as complex numbers, one rotation by the distance.
double by_distance(const Vector& q, const Vector& k, double distance, double base, bool half) {
  double sum = 0;
  for (std::size_t i = 0; i < kDimensions / 2; ++i) {
    const std::size_t a = half ? i : 2 * i, b = half ? i + kDimensions / 2 : 2 * i + 1;
    const auto turn = std::polar(1.0, distance / std::pow(base, static_cast<double>(2 * i) / kDimensions));
    sum += (std::complex(q[a], q[b]) * turn * std::conj(std::complex(k[a], k[b]))).real();
  }
  return sum / 8;
}

const studies::ViewStudy& view_study() { return *studies::find_view_study("rope"); }

}  // namespace

TEST_CASE("turned vectors have a score of their distance, in both pairings", "[rope]") {
  const auto [q, k] = planted_pair();
  for (const Pairing pairing : {Pairing::interleaved, Pairing::half})
    for (const double m : {0.0, 5.0, 90.0, 4000.0})
      for (const double n : {0.0, 3.0, 700.0})
        CHECK(score(rotated(q, m, 10000, pairing), rotated(k, n, 10000, pairing)) ==
              Approx(by_distance(q, k, m - n, 10000, pairing == Pairing::half)).margin(1e-11));
}

TEST_CASE("vectors turned in different pairings have no score of their distance alone", "[rope]") {
  const auto [q, k] = planted_pair();
  const auto mixed = [&](double m, double n) {
    return score(rotated(q, m, 10000, Pairing::interleaved), rotated(k, n, 10000, Pairing::half));
  };
  CHECK(std::abs(mixed(5, 0) - mixed(505, 500)) > 0.01);
}

TEST_CASE("a turn keeps lengths, and turns add up", "[rope]") {
  const Vector v = planted_pair().first;
  for (const Pairing pairing : {Pairing::interleaved, Pairing::half}) {
    CHECK(score(rotated(v, 311, 500, pairing), rotated(v, 311, 500, pairing)) == Approx(score(v, v)));
    CHECK(rotated(v, 0, 500, pairing) == v);
    const Vector twice = rotated(rotated(v, 3, 500, pairing), 4, 500, pairing), once = rotated(v, 7, 500, pairing);
    for (std::size_t j = 0; j < v.size(); ++j) CHECK(twice[j] == Approx(once[j]).margin(1e-12));
  }
}

TEST_CASE("what is added is the sinusoidal encoding", "[rope]") {
  const Matrix<double> table = geometry::sinusoidal_positions(40, kDimensions, 1000);
  const Vector zero(kDimensions, 0.0), row = with_added(zero, 37, 1000);
  for (std::size_t j = 0; j < kDimensions; ++j) CHECK(row[j] == Approx(table(37, j)).margin(1e-12));
}

TEST_CASE("numbers are standard normal, and follow the seed", "[rope]") {
  std::uint64_t state = 3;
  double sum = 0, squares = 0;
  for (int i = 0; i < 200; ++i)
    for (const double x : gaussian(state)) sum += x, squares += x * x;
  CHECK(sum / 12800 == Approx(0).margin(0.03));
  CHECK(squares / 12800 == Approx(1).margin(0.04));
  CHECK(run({{"seed", "1"}})->array("rotary")->data != run({{"seed", "2"}})->array("rotary")->data);
}

TEST_CASE("the rotary curves of all places are one, those with added positions are not", "[rope]") {
  for (const char* pairing : {"interleaved", "half"}) {
    for (const char* shift : {"1", "3", "100"}) {
      const auto r = run({{"pairing", pairing}, {"shift", shift}});
      REQUIRE(r);
      CHECK(r->scalar("score_residual")->value < 1e-11);
      CHECK(r->scalar("score_residual")->value > 0);
      CHECK(r->scalar("added_spread")->value > 0.2);
      CHECK(r->scalar("pairing_difference")->value > 0.1);
      CHECK(r->array("rotary")->shape == std::vector<std::size_t>{4, 128});
      REQUIRE(r->claims.size() == 1);
      CHECK(r->claims[0].id == "P4");
      CHECK(r->claims[0].holds == true);
      CHECK(r->claims[0].here == r->scalar("score_residual")->value);
      CHECK(r->provenance.model.empty());
    }
  }
}

TEST_CASE("the spread of a column is its largest minus its smallest", "[rope]") {
  CHECK(largest_spread({1, 5, 2, 4, 1, 4.5}, 2) == 1);
  CHECK(largest_spread({}, 3) == 0);
}

TEST_CASE("blue dog keeps its dot product when turned, and loses it when positions are added", "[rope]") {
  const auto r = run();
  REQUIRE(r);
  CHECK(r->array("angle")->data == std::vector<double>{10, 20, 40, 50});
  const double ten = std::cos(10 * std::numbers::pi / 180);
  CHECK(r->scalar("dot_before")->value == Approx(ten));
  CHECK(r->scalar("dot_after")->value == Approx(ten));
  CHECK(std::abs(r->scalar("added_before")->value - r->scalar("added_after")->value) > 0.1);
  CHECK(r->array("wavelength")->data[0] == Approx(2 * std::numbers::pi));
  CHECK(r->array("start")->data == std::vector<double>{0, 3, 30, 300});
}

TEST_CASE("a value out of range is refused", "[rope]") {
  ParamValues values = defaults(describe());
  CHECK(!set_value(describe(), values, "shift", "0", true));
  CHECK(!set_value(describe(), values, "base", "1", true));
  CHECK(!set_value(describe(), values, "pairing", "both", true));
}

TEST_CASE("the view reads a distance and says what was found", "[rope][view]") {
  const auto r = run();
  const auto& s = view_study();
  const figure::Figure f = s.view(*r, r->params);
  CHECK(f.title == "Rotary scores depend on the distance alone");
  CHECK(f.panels.size() == 3);
  ViewState view;
  view.focus = {{"lag", 5}};
  const figure::Reading reading = s.reading(*r, r->params, view);
  CHECK(reading.title == "5 positions apart");
  CHECK(reading.lines.size() == 4);
  const std::string svg = figure::to_svg(drawn(f, 1280, 700), f.title, f.summary);
  for (const char* label : {"blue 10°", "dog 20°", "blue 40°", "dog 50°", "key at 300"})
    CHECK(svg.find(label) != std::string::npos);
  protocol::Result parted = *r;  // a residual that is more than rounding
  std::ranges::find(parted.scalars, "score_residual", &protocol::Scalar::name)->value = 0.1;
  CHECK(s.view(parted, r->params).title == "Rotary positions");
  CHECK(s.view(protocol::Result(), {}).title == "Rotary positions");
}

}  // namespace rope_test
