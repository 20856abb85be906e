#include "studies/sinusoid/sinusoid.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "geometry/positions.h"
#include "studies/registry_view.h"
#include "tests/planted.h"

namespace sinusoid_test {

using namespace helix;
using namespace helix::testing;
using Catch::Approx;

namespace {

protocol::Result run(const Given& values = {}) {
  auto result = run_study("sinusoid", studies::Inputs(), values);
  REQUIRE(result);
  return std::move(*result);
}

double value(const protocol::Result& r, const char* name) { return r.scalar(name)->value; }

}  // namespace

TEST_CASE("norm and cosine of neighbours are those of the formulas", "[sinusoid]") {
  for (const auto& [base, stated] : {std::pair("10000", 0.97336), std::pair("1000", 0.96468)}) {
    const auto r = run({{"base", base}});
    CHECK(value(r, "norm") == Approx(std::sqrt(384.0)));
    CHECK(value(r, "norm_spread") < 1e-12);
    CHECK(value(r, "neighbour_cosine") == Approx(stated).margin(5e-6));
    CHECK(value(r, "neighbour_spread") < 1e-12);
    CHECK(value(r, "shuffled_neighbour_cosine") < 0.8);
    CHECK(r.provenance.model.empty());
  }
}

TEST_CASE("the rotation leads from every position to the shifted one, and to no random one", "[sinusoid]") {
  for (const char* shift : {"0", "1", "100", "1023"}) {
    const auto r = run({{"shift", shift}});
    CHECK(value(r, "rotation_residual") < 1e-10);
    CHECK(value(r, "shuffled_residual") > 5);
    REQUIRE(r.array("residual")->data.size() == 1024);
    CHECK(std::ranges::max(r.array("residual")->data) == value(r, "rotation_residual"));
    REQUIRE(r.claims.size() == 2);
    CHECK(r.claims[0].id == "F6");
    CHECK(r.claims[0].holds == true);
    CHECK(r.claims[1].id == "P3");
    CHECK(r.claims[1].holds == true);
    CHECK(r.claims[1].here == value(r, "rotation_residual"));
  }
}

TEST_CASE("the encoding, its periods and its angles", "[sinusoid]") {
  const auto r = run({{"dimensions", "12"}, {"positions", "50"}, {"base", "100"}, {"shift", "3"}, {"pairs", "1,4"}});
  const Matrix<double> rows = geometry::sinusoidal_positions(50, 12, 100);
  REQUIRE(r.array("encoding")->shape == std::vector<std::size_t>{50, 12});
  for (std::size_t i = 0; i < rows.data.size(); ++i)
    CHECK(r.array("encoding")->data[i] == Approx(rows.data[i]).margin(1e-6));
  REQUIRE(r.array("curves")->shape == std::vector<std::size_t>{2, 50});
  CHECK(r.array("curves")->data[50 + 7] == Approx(rows(7, 8)));
  REQUIRE(r.array("period")->data.size() == 6);
  const double period = 2 * std::numbers::pi * std::pow(100.0, 8.0 / 12);
  CHECK(r.array("period")->data[4] == Approx(period));
  CHECK(r.array("angle")->data[4] == Approx(360 * 3 / period));
  CHECK(r.array("angle")->data[0] == Approx(3 * 180 / std::numbers::pi));
  CHECK(value(r, "shortest_period") == Approx(2 * std::numbers::pi));
  CHECK(value(r, "longest_period") == r.array("period")->data[5]);
  CHECK(value(r, "slow_pairs") ==
        static_cast<double>(std::ranges::count_if(r.array("period")->data, [](double x) { return x > 50; })));
  CHECK(r.claims.size() == 1);  // F6 is about 768 dimensions
}

TEST_CASE("an odd dimension has no partner, and pairs that do not exist are left out", "[sinusoid]") {
  const auto odd = run({{"dimensions", "7"}, {"positions", "40"}, {"base", "2"}});
  REQUIRE(odd.notes.size() == 2);
  check_sentence(odd.notes[0], "no cosine");
  check_sentence(odd.notes[1], "last pair is 2");
  CHECK(value(odd, "rotation_residual") < 1e-12);
  CHECK(value(odd, "norm_spread") > 0.01);
  CHECK(odd.array("shown_pairs")->data.size() == 3);
  const figure::Figure f = studies::find_view_study("sinusoid")->view(odd, odd.params);
  CHECK(f.title == "One rotation moves every pair of dimensions by 1 positions");
  CHECK(f.lead.lines[0] == "mean norm of the positions");
  CHECK(f.summary.find("The norms differ by up to ") != std::string::npos);
  CHECK(f.summary.ends_with(" on average."));
  for (const figure::Note& note : f.notes) CHECK(note.text.find("never repeats") == std::string::npos);  // base 2
  const auto some = run({{"dimensions", "16"}, {"pairs", "2,9"}});
  CHECK(some.array("shown_pairs")->data == std::vector<double>{2});
  check_sentence(some.notes[0], "last pair is 7");
  REQUIRE(run_study("sinusoid", studies::Inputs(), {{"dimensions", "2"}, {"positions", "2"}, {"pairs", ""}}));
}

TEST_CASE("the view of the encoding reads a cell, a position and a pair", "[sinusoid][view]") {
  const auto& views = studies::view_studies();
  const auto& s = *std::ranges::find(views, "sinusoid", [](const auto& one) { return one.schema.id; });
  const auto r = run({{"positions", "100"}});
  CHECK(s.view(r, r.params).title == "One rotation moves every position by 1");
  CHECK(s.view(r, r.params).panels.size() == 7);
  CHECK(s.view(protocol::Result(), {}).title == "The sinusoidal encoding");
  ViewState view;
  view.focus = {{"position", 4}, {"dimension", 9}};
  CHECK(s.reading(r, r.params, view).title == "position 4, dimension 9");
  view.focus = {{"position", 4}};
  CHECK(s.reading(r, r.params, view).lines.size() == 4);
  view.focus = {{"pair", 383}};
  CHECK(s.reading(r, r.params, view).lines.size() == 2);
  view.focus = {{"pair", 384}};
  CHECK(s.reading(r, r.params, view).title.empty());
}

}  // namespace sinusoid_test
