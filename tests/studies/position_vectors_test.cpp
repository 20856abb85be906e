#include "studies/position_vectors/position_vectors.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "studies/registry_view.h"
#include "tests/planted.h"

namespace position_vectors_test {

using namespace helix;
using namespace helix::testing;
using Catch::Approx;

namespace {

Expected<protocol::Result> run(const Matrix<double>& rows, const Given& values = {}) {
  return run_on_positions("position_vectors", rows, values);
}

double value(const protocol::Result& r, const char* name) { return r.scalar(name)->value; }

/// Five waves over positions, larger ones slower, each carried equally by `each` dimensions of its own, plus a little
/// noise.
Matrix<double> planted(std::size_t each, double noise = 1e-4) {
  Matrix<double> rows = noise_rows(400, 160);
  for (double& x : rows.data) x *= noise;
  for (std::size_t i = 0; i < rows.rows; ++i)
    for (std::size_t k = 0; k < 5; ++k)
      for (std::size_t j = 0; j < each; ++j)
        rows(i, 3 + k * each + j) +=
            static_cast<double>(6 - k) * std::cos(2 * std::numbers::pi * static_cast<double>((k + 1) * i) / 400);
  return rows;
}

}  // namespace

TEST_CASE("planted waves are found with the dimensions that carry them", "[position_vectors]") {
  const auto r = run(planted(4));
  REQUIRE(r);
  const auto& right = *r->array("right");
  REQUIRE(right.shape == std::vector<std::size_t>{5, 160});
  REQUIRE(r->array("left")->shape == std::vector<std::size_t>{5, 400});
  CHECK(right.first == 1);
  CHECK(right.data[3] == Approx(0.5).margin(1e-3));        // of four equal entries of a unit vector
  CHECK(right.data[160 + 7] == Approx(0.5).margin(1e-3));  // the second vector
  CHECK(value(*r, "participation_1") == Approx(4).margin(0.01));
  CHECK(value(*r, "participation_5") == Approx(4).margin(0.01));
  CHECK(value(*r, "over_threshold_1") == 4);
  CHECK(value(*r, "union_90") == 18);  // of 20 equally large ones
  for (std::size_t k = 0; k < 5; ++k) {
    CHECK(r->array("wave_r2")->data[k] == Approx(1).margin(1e-4));
    CHECK(r->array("wave_cycles")->data[k] == Approx(static_cast<double>(k + 1)).margin(1e-2));
    CHECK(r->array("shuffled_wave_r2")->data[k] < 0.1);
  }
}

TEST_CASE("left and right vectors with their values make up the table", "[position_vectors]") {
  const Matrix<double> rows = planted(4, 0);
  const auto r = run(rows);
  const auto &left = r->array("left")->data, &right = r->array("right")->data;
  for (const std::size_t i : {std::size_t{0}, std::size_t{37}, std::size_t{399}})
    for (std::size_t j = 0; j < 160; j += 5) {
      double sum = 0;
      for (std::size_t k = 0; k < 5; ++k)
        sum += r->array("singular_values")->data[k] * left[k * 400 + i] * right[k * 160 + j];
      CHECK(sum == Approx(rows(i, j)).margin(1e-5));
    }
}

TEST_CASE("noise is as spread out as a random direction, and no wave", "[position_vectors]") {
  const auto r = run(noise_rows(400, 160), {{"centre", "false"}});
  CHECK(value(*r, "participation_1") == Approx(value(*r, "random_participation")).epsilon(0.25));
  CHECK(value(*r, "random_participation") == Approx(160.0 / 3).epsilon(0.1));
  CHECK(value(*r, "union_90") == Approx(value(*r, "random_union_90")).epsilon(0.1));
  CHECK(r->array("wave_r2")->data[0] < 0.15);
  REQUIRE(r->claims.size() == 1);
  CHECK(r->claims[0].holds == false);
}

TEST_CASE("claim O6 holds for sparse waves of about 40 entries, not for few or spread ones",
          "[position_vectors][large]") {
  const auto judged = [](double each) {
    // Smooth decays over as many entries, like those of the real table; every wave has dimensions of its own.
    Matrix<double> rows(400, 760);
    for (std::size_t i = 0; i < rows.rows; ++i)
      for (std::size_t k = 0; k < 5; ++k)
        for (std::size_t j = 0; j < 150; ++j)
          rows(i, k * 150 + j) = static_cast<double>(6 - k) * std::exp(-static_cast<double>(j) / each) *
                                 std::cos(2 * std::numbers::pi * static_cast<double>((k + 1) * i) / 400);
    return *run(rows, {{"centre", "false"}});
  };
  const auto sparse = judged(21);
  REQUIRE(sparse.claims.size() == 1);
  CHECK(sparse.claims[0].id == "O6");
  CHECK(sparse.claims[0].holds == true);
  CHECK(sparse.claims[0].here == Approx(value(sparse, "over_threshold_3")).margin(1));
  CHECK(judged(3).claims[0].holds == false);
  CHECK(judged(300).claims[0].holds == false);
  CHECK(run(planted(4))->claims.empty());  // centred, unlike the text's table
  CHECK(run(planted(4), {{"centre", "false"}, {"threshold", "0.1"}})->claims.empty());
  CHECK(run(planted(4), {{"centre", "false"}, {"count", "6"}})->claims.empty());
}

TEST_CASE("fewer vectors leave the other numbers open, and the threshold counts", "[position_vectors]") {
  const auto two = run(planted(4), {{"count", "2"}, {"threshold", "0.6"}});
  CHECK(value(*two, "over_threshold_2") == 0);
  CHECK(std::isnan(value(*two, "participation_3")));
  CHECK(two->scalar("participation_3")->note == "only 2 shown");
  CHECK(value(*two, "union_90") == 8);
  const auto narrow = run(noise_rows(50, 3));
  REQUIRE(narrow);
  CHECK(narrow->array("right")->shape == std::vector<std::size_t>{3, 3});
  check_sentence(narrow->notes.front(), "only 3");
  const auto sinusoidal = run_study("position_vectors", studies::Inputs(), {{"source", "sinusoidal"}});
  REQUIRE(sinusoidal);
  CHECK(sinusoidal->claims.empty());
  check_sentence(run_study("position_vectors", studies::Inputs()).error().sentence, "No model is open");
  REQUIRE(run(Matrix<double>(30, 6)));
}

TEST_CASE("a table that does not vary has no singular vectors, a line has one", "[position_vectors]") {
  Matrix<double> equal(40, 16), line(40, 16);
  for (double& x : equal.data) x = 0.1;
  for (std::size_t i = 0; i < 40; ++i) line(i, 3) = static_cast<double>(i);
  for (const auto& r : {run(equal), run(Matrix<double>(40, 16)), run(Matrix<double>(40, 16), {{"centre", "false"}})}) {
    REQUIRE(r);
    CHECK(std::isnan(value(*r, "union_90")));
    CHECK(r->scalar("union_90")->note == "all singular values are 0: the rows do not vary");
    CHECK(std::isnan(value(*r, "participation_1")));
    for (const protocol::Claim& claim : r->claims) CHECK(!claim.holds);
    const figure::Figure f = studies::find_view_study("position_vectors")->view(*r, r->params);
    CHECK(f.title == "These positions do not vary: no singular vectors");
    CHECK(f.panels[0].title == "left 1: none, σ is 0");
  }
  const auto one = run(line);
  REQUIRE(one);
  CHECK(value(*one, "participation_1") == Approx(1));
  CHECK(std::isnan(value(*one, "participation_2")));
  CHECK(value(*one, "union_90") == 1);
  CHECK(studies::find_view_study("position_vectors")->view(*one, one->params).title ==
        "1 of 16 dimensions hold 90 % of the top 1 direction");
}

TEST_CASE("centring removes the mean, and kept vectors are those of the open table", "[position_vectors]") {
  Matrix<double> rows = planted(4);
  for (std::size_t i = 0; i < rows.rows; ++i) rows(i, 100) = 50;
  studies::Inputs inputs;
  inputs.weights = weights_of(checkpoint_of(rows));
  const Given plain{{"centre", "false"}};
  const auto raw = run_study("position_vectors", inputs, plain), centred = run_study("position_vectors", inputs),
             again = run_study("position_vectors", inputs, plain);
  CHECK(raw->array("right")->data[100] == Approx(1).margin(1e-3));
  CHECK(centred->array("right")->data[3] == Approx(0.5).margin(1e-3));
  CHECK(again->array("right")->data == raw->array("right")->data);
  inputs.weights = weights_of(checkpoint_of(noise_rows(400, 160)));
  CHECK(run_study("position_vectors", inputs, plain)->array("right")->data != raw->array("right")->data);
}

TEST_CASE("the view of singular vectors reads both sides", "[position_vectors][view]") {
  const auto& views = studies::view_studies();
  const auto& s = *std::ranges::find(views, "position_vectors", [](const auto& one) { return one.schema.id; });
  const auto r = run(planted(4)), sorted = run(planted(4), {{"sorted", "true"}});
  CHECK(s.view(*r, r->params).panels.size() == 10);
  CHECK(s.view(*sorted, sorted->params).panels.size() == 10);
  CHECK(s.view(*r, r->params).title == "18 of 160 dimensions hold 90 % of the top 5 directions");
  CHECK(s.view(protocol::Result(), {}).title == "Singular vectors");
  ViewState view;
  view.focus = {{"dimension", 3}};
  CHECK(s.reading(*r, r->params, view).lines.size() == 6);
  view.focus = {{"position", 3}, {"direction", 2}};
  CHECK(s.reading(*r, r->params, view).title == "position 3");
  CHECK(s.reading(*r, r->params, view).lines.size() == 1);
  view.focus = {{"position", 400}};
  CHECK(s.reading(*r, r->params, view).title.empty());
}

}  // namespace position_vectors_test
