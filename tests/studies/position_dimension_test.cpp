#include "studies/position_dimension/position_dimension.h"
#include "protocol/difference.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "studies/registry_view.h"
#include "tests/planted.h"

namespace position_dimension_test {

using namespace helix;
using namespace helix::testing;
using Catch::Approx;

namespace {

Expected<protocol::Result> run(const Matrix<double>& rows, const Given& values = {}) {
  return run_on_positions("position_dimension", rows, values);
}

double value(const protocol::Result& r, const char* name) { return r.scalar(name)->value; }

/// Noise, and a sinusoid of 3.5 cycles in column 2.
Matrix<double> planted() {
  Matrix<double> rows = noise_rows(400, 8);
  for (std::size_t i = 0; i < rows.rows; ++i)
    rows(i, 2) = -1 + 4 * std::sin(2 * std::numbers::pi * 3.5 * static_cast<double>(i) / 400 + 0.7);
  return rows;
}

}  // namespace

TEST_CASE("a planted sinusoid is found in its dimension and in no other", "[position_dimension]") {
  const auto r = run(planted(), {{"dimensions", "2,5"}});
  REQUIRE(r);
  CHECK(r->array("chosen")->data == std::vector<double>{2, 5});
  CHECK(r->array("values")->shape == std::vector<std::size_t>{2, 400});
  CHECK(r->array("values")->data[7] == Approx(planted()(7, 2)).margin(1e-6));
  CHECK(r->array("r2")->data[0] == Approx(1).margin(1e-6));
  CHECK(r->array("cycles")->data[0] == Approx(3.5).margin(1e-3));
  CHECK(r->array("amplitude")->data[0] == Approx(4).margin(1e-3));
  CHECK(r->array("phase")->data[0] == Approx(0.7).margin(1e-2));
  CHECK(r->array("offset")->data[0] == Approx(-1).margin(1e-3));
  CHECK(r->array("fitted")->data[7] == Approx(planted()(7, 2)).margin(1e-3));
  CHECK(r->array("r2")->data[1] < 0.1);
  CHECK(r->array("shuffled_r2")->data[0] < 0.1);
  CHECK(value(*r, "over_half") == 1);
  CHECK(value(*r, "shuffled_over_half") == 0);
}

TEST_CASE("what is explained weighs dimensions by their variance, the median does not", "[position_dimension]") {
  const auto r = run(planted());
  const auto &r2 = r->array("all_r2")->data, &std = r->array("all_std")->data;
  double part = 0, all = 0;
  for (std::size_t j = 0; j < 8; ++j) part += r2[j] * std[j] * std[j], all += std[j] * std[j];
  CHECK(value(*r, "explained") == Approx(part / all));
  CHECK(value(*r, "explained") > 0.4);
  CHECK(value(*r, "shuffled_explained") < 0.1);
  CHECK(value(*r, "median_r2") < 0.1);
  std::vector<double> sorted = r2;
  std::ranges::sort(sorted);
  CHECK(value(*r, "median_r2") == sorted[3]);
}

TEST_CASE("noise is explained no better than when it is shuffled", "[position_dimension]") {
  const auto r = run(noise_rows(400, 30));
  CHECK(value(*r, "explained") == Approx(value(*r, "shuffled_explained")).epsilon(0.3));
  CHECK(value(*r, "over_half") == 0);
}

TEST_CASE("a dimension of the sinusoidal encoding has the frequency of its formula", "[position_dimension]") {
  const auto r =
      run_study("position_dimension", studies::Inputs(), {{"source", "sinusoidal"}, {"dimensions", "100,101,300"}});
  REQUIRE(r);
  for (const std::size_t i : {std::size_t{0}, std::size_t{1}, std::size_t{2}}) {
    const double column = r->array("chosen")->data[i], pair = std::floor(column / 2);
    const double cycles = 1024 / (2 * std::numbers::pi * std::pow(10000, 2 * pair / 768));
    CHECK(r->array("r2")->data[i] == Approx(1).margin(1e-9));
    CHECK(r->array("cycles")->data[i] == Approx(cycles).epsilon(1e-4));
  }
}

TEST_CASE("the largest dimensions stand in for those that do not exist, and for none at all", "[position_dimension]") {
  const auto some = run(planted(), {{"dimensions", "99,5"}});
  CHECK(some->array("chosen")->data == std::vector<double>{5, 2});
  REQUIRE(some->notes.size() == 2);  // one for the shortened range, one for dimension 99
  check_sentence(some->notes[1], "no dimension 99");
  const auto none = run(planted(), {{"dimensions", ""}});
  REQUIRE(none->array("chosen")->data.size() == 6);
  CHECK(none->array("chosen")->data[0] == 2);
  CHECK(run(planted())->array("chosen")->data == none->array("chosen")->data);
  const auto part = run(planted(), {{"first", "100"}, {"last", "299"}, {"dimensions", "2"}});
  CHECK(part->array("cycles")->data[0] == Approx(1.75).margin(1e-3));
  check_sentence(run_study("position_dimension", studies::Inputs()).error().sentence, "No model is open");
  CHECK(!run(planted(), {{"first", "9"}, {"last", "3"}}));
  const auto flat = run(Matrix<double>(30, 3), {{"dimensions", "0"}});
  REQUIRE(flat);
  CHECK(std::isnan(flat->array("r2")->data[0]));
  CHECK(std::isnan(value(*flat, "explained")));
  REQUIRE(run(noise_rows(1, 3)));
}

TEST_CASE("dimensions that do not vary have no sinusoid, and are not counted", "[position_dimension]") {
  Matrix<double> equal(40, 8);
  for (double& x : equal.data) x = 0.1;
  const auto r = run(equal);
  REQUIRE(r);
  for (const char* name : {"explained", "median_r2", "over_half"}) {
    CAPTURE(name);
    CHECK(std::isnan(r->scalar(name)->value));
    CHECK(!r->scalar(name)->note.empty());
  }
  CHECK(studies::find_view_study("position_dimension")->view(*r, r->params).title ==
        "No dimension has a sinusoid here");
}

TEST_CASE("kept fits are those of the open table and range", "[position_dimension]") {
  studies::Inputs inputs;
  inputs.weights = weights_of(checkpoint_of(planted()));
  const auto whole = run_study("position_dimension", inputs, {{"dimensions", "2"}}),
             part = run_study("position_dimension", inputs, {{"dimensions", "2"}, {"last", "199"}}),
             again = run_study("position_dimension", inputs, {{"dimensions", "3"}});
  CHECK(part->array("cycles")->data[0] == Approx(1.75).margin(1e-3));
  CHECK(again->array("all_r2")->data == whole->array("all_r2")->data);
  inputs.weights = weights_of(checkpoint_of(noise_rows(400, 8, 9)));
  CHECK(run_study("position_dimension", inputs)->array("all_r2")->data != whole->array("all_r2")->data);
}

TEST_CASE("the view of dimensions reads a position and a dimension", "[position_dimension][view]") {
  const auto& views = studies::view_studies();
  const auto& s = *std::ranges::find(views, "position_dimension", [](const auto& one) { return one.schema.id; });
  const auto r = run(planted(), {{"dimensions", "2,5"}});
  const figure::Figure f = s.view(*r, r->params);
  CHECK(f.panels.size() == 3);
  CHECK(f.panels[0].title == "dimension 2: R² 1.00, 3.5 cycles");
  CHECK(s.view(protocol::Result(), {}).title == "Single dimensions");
  ViewState view;
  view.focus = {{"position", 8}};
  CHECK(s.reading(*r, r->params, view).lines.size() == 2);
  view.focus = {{"position", 8}, {"dimension", 5}};
  CHECK(s.reading(*r, r->params, view).lines.size() == 1);
  view.focus = {{"dimension", 7}};
  CHECK(s.reading(*r, r->params, view).title == "dimension 7");
  const auto changed = protocol::difference(s.schema, *r, *run(noise_rows(400, 8, 3), {{"dimensions", "2,5"}}));
  REQUIRE(changed);
  CHECK(s.view(*changed, changed->params).panels[1].title.starts_with("dimension 5"));
}

}  // namespace position_dimension_test
