#include "studies/position_cosine/position_cosine.h"

#include <cmath>

#include "figure/layout.h"
#include "geometry/positions.h"
#include "studies/registry_view.h"
#include "tests/noise_model.h"

namespace position_cosine_test {

using namespace helix;
using namespace helix::testing;
using Catch::Approx;

namespace {

Expected<protocol::Result> run(const Matrix<double>& rows, const Given& values = {}) {
  return run_on_positions("position_cosine", rows, values);
}

double cosine_of(const Matrix<double>& rows, std::size_t a, std::size_t b) {
  double ab = 0, aa = 0, bb = 0;
  for (std::size_t j = 0; j < rows.cols; ++j)
    ab += rows(a, j) * rows(b, j), aa += rows(a, j) * rows(a, j), bb += rows(b, j) * rows(b, j);
  return ab / std::sqrt(aa * bb);
}

}  // namespace

TEST_CASE("each pair has its cosine, each distance the mean of its pairs", "[position_cosine]") {
  const Matrix<double> rows = noise_rows(40, 12);
  const auto r = run(rows, {{"first", "3"}, {"last", "30"}});
  REQUIRE(r);
  const protocol::Array& c = *r->array("cosine");
  REQUIRE(c.shape == std::vector<std::size_t>{28, 28});
  CHECK(c.first == 3);
  double sum = 0;
  for (std::size_t i = 0; i < 28; ++i)
    for (std::size_t j = 0; j < 28; ++j) {
      // Both the checkpoint and the array hold 32-bit floats.
      CHECK(c.data[i * 28 + j] == Approx(cosine_of(rows, i + 3, j + 3)).margin(1e-6));
      if (j == i + 5) sum += c.data[i * 28 + j];
    }
  CHECK(r->array("by_lag")->data[0] == Approx(1));
  CHECK(r->array("by_lag")->data[5] == Approx(sum / 23).margin(1e-6));
  CHECK(r->scalar("adjacent_mean")->value == r->array("by_lag")->data[1]);
}

TEST_CASE("a curve that turns is alike again after a turn; noise and a straight line are not", "[position_cosine]") {
  Matrix<double> circle(600, 8);
  for (std::size_t i = 0; i < circle.rows; ++i) {
    const double angle = 2 * 3.14159265358979 * static_cast<double>(i) / 200;
    circle(i, 0) = std::cos(angle), circle(i, 1) = std::sin(angle), circle(i, 2) = 0.5;
  }
  const auto turning = run(circle);
  REQUIRE(turning);
  CHECK(turning->scalar("period")->value == Approx(200).margin(2));
  CHECK(turning->scalar("trough")->value == Approx(100).margin(2));
  REQUIRE(turning->claims.size() == 1);
  CHECK(turning->claims[0].id == "H7");
  CHECK(turning->claims[0].holds == true);
  Matrix<double> line(600, 8);
  for (std::size_t i = 0; i < line.rows; ++i) line(i, 0) = 1, line(i, 1) = static_cast<double>(i) / 300;
  for (const Matrix<double>& other : {noise_rows(600, 64), line}) {
    const auto r = run(other);
    CHECK(std::isnan(r->scalar("period")->value));
    CHECK(r->claims[0].holds == false);
    CHECK(!r->claims[0].here);
  }
  CHECK(!run(noise_rows(16, 8))->claims[0].holds);  // too few lags to tell
}

TEST_CASE("random walks with the same steps say what follows from small steps alone", "[position_cosine]") {
  Matrix<double> circle(600, 64);
  for (std::size_t i = 0; i < circle.rows; ++i) {
    const double angle = 2 * 3.14159265358979 * static_cast<double>(i) / 200;
    circle(i, 0) = std::cos(angle), circle(i, 1) = std::sin(angle);
  }
  const auto r = run(circle);
  REQUIRE(r);
  REQUIRE(r->array("walk_adjacent")->data.size() == 20);
  for (const double cosine : r->array("walk_adjacent")->data)
    CHECK(cosine > 0.99);  // as of the circle: steps are small
  CHECK(r->scalar("walks_rising")->value == 0);
  const auto &lag = r->array("walk_lag")->data, &least = r->array("walk_least")->data,
             &most = r->array("walk_most")->data;
  REQUIRE(lag.size() == least.size());
  CHECK(lag[1] == 5);
  CHECK(least[0] == Approx(1));
  for (std::size_t k = 0; k < lag.size(); ++k) CHECK(least[k] <= most[k]);
  CHECK(r->claims[0].convention.find("so do 0 of 20 random walks") != std::string::npos);
  const figure::Figure f = studies::find_view_study("position_cosine")->view(*r, r->params);
  CHECK(f.lead.lines.back().ends_with("in random walks with these steps"));
  // Sinusoids and tokens are no learned curve; two rows are none.
  CHECK(std::isnan(run(circle, {{"source", "sinusoidal"}})->scalar("walks_rising")->value));
  CHECK(std::isnan(run(circle, {{"first", "3"}, {"last", "4"}})->scalar("walks_rising")->value));
}

TEST_CASE("a row without a direction has no cosines, and the others keep theirs", "[position_cosine]") {
  Matrix<double> rows = noise_rows(12, 8);
  std::ranges::fill(rows.row(5), 0.0);
  const auto r = run(rows);
  REQUIRE(r);
  const auto& cosine = r->array("cosine")->data;
  double sum = 0;
  for (std::size_t i = 0; i + 1 < 12; ++i) {
    CHECK(std::isnan(cosine[i * 12 + i + 1]) == (i == 4 || i == 5));
    if (i != 4 && i != 5) sum += cosine_of(rows, i, i + 1);
  }
  CHECK(r->scalar("adjacent_mean")->value == Approx(sum / 9).margin(1e-6));
  Matrix<double> equal(12, 8);  // of which centring leaves rounding
  for (double& x : equal.data) x = 0.1;
  CHECK(std::isnan(run(equal, {{"centre", "true"}})->scalar("adjacent_mean")->value));
  CHECK(run(equal)->scalar("adjacent_mean")->value == Approx(1));
}

TEST_CASE("the title says what the neighbours' cosine says", "[position_cosine][view]") {
  const auto title = [](const Matrix<double>& rows, const Given& values = {}) {
    const auto r = run(rows, values);
    REQUIRE(r);
    return studies::find_view_study("position_cosine")->view(*r, r->params).title;
  };
  Matrix<double> turning(60, 8), opposite(2, 8);
  for (std::size_t i = 0; i < turning.rows; ++i)
    turning(i, 0) = std::cos(0.05 * static_cast<double>(i)), turning(i, 1) = std::sin(0.05 * static_cast<double>(i));
  opposite(0, 3) = 1, opposite(1, 3) = -2;
  CHECK(title(turning) == "Nearby positions point the same way");
  CHECK(title(opposite) == "Neighbouring positions point opposite ways");
  CHECK(title(noise_rows(300, 64)) == "Neighbours are no more alike than any two positions");
  CHECK(title(Matrix<double>(6, 4)) == "No two neighbouring positions have a cosine");
  Matrix<double> shifted = noise_rows(300, 64);
  for (double& x : shifted.data) x += 20;
  CHECK(title(shifted) == "All positions point much the same way");
}

TEST_CASE("neighbours on the sinusoidal encoding are equally alike everywhere", "[position_cosine]") {
  for (const auto& [base, stated] : {std::pair("10000", 0.97336), std::pair("1000", 0.96468)}) {
    const auto r = run_study("position_cosine", studies::Inputs(), {{"source", "sinusoidal"}, {"base", base}});
    REQUIRE(r);
    CHECK(r->scalar("adjacent_mean")->value == Approx(stated).margin(5e-6));
    CHECK(r->scalar("adjacent_spread")->value < 1e-12);
    REQUIRE(r->claims.size() == 1);
    CHECK(r->claims[0].id == "F7");
    CHECK(r->claims[0].holds == true);
  }
}

TEST_CASE("the order of the rows is what the profile is about: shuffled rows have its mean", "[position_cosine]") {
  const Matrix<double> rows = helix_rows(60, 10, 2, 0.01);
  Matrix<double> reversed = rows;
  for (std::size_t i = 0; i < rows.rows; ++i) std::ranges::copy(rows.row(rows.rows - 1 - i), reversed.row(i).begin());
  const auto a = run(rows), b = run(reversed);
  CHECK(a->scalar("shuffled_mean")->value == Approx(b->scalar("shuffled_mean")->value));
  CHECK(a->array("by_lag")->data[7] == Approx(b->array("by_lag")->data[7]));
  const auto centred = run(rows, {{"centre", "true"}});
  CHECK(centred->scalar("shuffled_mean")->value < a->scalar("shuffled_mean")->value);
  CHECK(centred->provenance.convention == "rows 0..59, centred");
}

TEST_CASE("positions that vary slowly push far tokens apart, noise does not", "[position_cosine]") {
  const auto judged = [](double size) {
    const TinySizes sizes{1, 24, 3, 60, 200};
    return run_study("position_cosine",
                     noise_model(sizes,
                                 [&](Tensors& t) {
                                   std::vector<float>& wpe = t.at("wpe.weight");
                                   for (std::size_t i = 0; i < sizes.n_ctx; ++i)
                                     for (std::size_t j = 0; j < sizes.d_model; ++j)
                                       wpe[i * sizes.d_model + j] = static_cast<float>(
                                           size * std::sin(0.05 * static_cast<double>(i) + static_cast<double>(j)));
                                 }),
                     {{"of", "sum"}, {"token", "3"}});
  };
  const auto waves = judged(1), none = judged(0);
  REQUIRE(waves);
  REQUIRE(none);
  CHECK(waves->scalar("near_minus_far")->value > 0.2);
  CHECK(none->scalar("near_minus_far")->value == none->scalar("near_minus_far_tokens")->value);
  REQUIRE(waves->claims.size() == 1);
  CHECK(waves->claims[0].id == "F10");
  CHECK(waves->claims[0].holds == true);
  CHECK(none->claims[0].holds == false);
  CHECK(waves->provenance.tensors.back().name == "wte.weight[3..62]");
}

TEST_CASE("a model without words, or with too few, says so", "[position_cosine]") {
  check_sentence(run(noise_rows(20, 8), {{"of", "sum"}}).error().sentence, "does not hold the word embeddings");
  check_sentence(run_study("position_cosine", noise_model({1, 24, 3, 60, 30}), {{"of", "tokens"}}).error().sentence,
                 "more positions than tokens");
}

TEST_CASE("one row, rows of zeros and no model are no fault of the program", "[position_cosine]") {
  const auto one = run(noise_rows(5, 4), {{"first", "2"}, {"last", "2"}});
  REQUIRE(one);
  CHECK(std::isnan(one->scalar("adjacent_mean")->value));
  const auto zeros = run(Matrix<double>(6, 4));
  REQUIRE(zeros);
  CHECK(std::isnan(zeros->array("cosine")->data[0]));
  CHECK(std::isnan(zeros->scalar("adjacent_mean")->value));
  CHECK(zeros->scalar("adjacent_mean")->note == "no two neighbours have a direction");
  CHECK(zeros->notes.back() == "6 rows are zero, and so without a direction and cosines.");
  REQUIRE(zeros->claims.size() == 1);
  CHECK(!zeros->claims[0].here);
  CHECK(!zeros->claims[0].holds);
  check_sentence(run_study("position_cosine", studies::Inputs()).error().sentence, "No model is open");
  CHECK(!run(noise_rows(5, 4), {{"first", "4"}, {"last", "2"}}));
}

TEST_CASE("the view reads a pair, a distance and a row", "[position_cosine][view]") {
  const auto r = run(helix_rows(60, 10, 2, 0.01));
  const auto& studies = studies::view_studies();
  const auto& s = *std::ranges::find(studies, "position_cosine", [](const auto& one) { return one.schema.id; });
  ViewState view;
  view.focus = {{"position", 4}, {"other", 9}};
  CHECK(s.reading(*r, r->params, view).title == "positions 4 and 9");
  view.focus = {{"lag", 3}};
  CHECK(s.reading(*r, r->params, view).title == "3 positions apart");
  view.focus = {{"position", 0}};
  CHECK(s.reading(*r, r->params, view).lines.size() == 1);
  const figure::Figure f = s.view(*r, r->params);
  CHECK(f.panels.size() == 2);
  CHECK(s.view(protocol::Result(), {}).title == "Similarity of positions");
}

}  // namespace position_cosine_test
