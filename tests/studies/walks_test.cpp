// Chance levels of curves: random walks with a table's steps. tests/reference/controls_test.py repeats them in numpy.
#include "studies/walks_compute.h"

#include "base/random_rows.h"
#include "studies/null_range.h"
#include "studies/registry_view.h"
#include "tests/planted.h"

namespace walks_test {

using namespace helix;
using namespace helix::testing;
using namespace helix::studies;
using Catch::Approx;

namespace {

/// A walk with steps of one length; unlike walk_like, from a stream of its own.
Matrix<double> some_walk(std::size_t rows, std::size_t cols) {
  const std::vector<double> start(cols, 0), steps(rows - 1, 1);
  Pcg64 rng(12345);
  return random_walk(start, steps, rng);
}

std::vector<double> of_seeds(const protocol::Result& result, const char* name) {
  REQUIRE(result.array(name));
  return result.array(name)->data;
}

}  // namespace

TEST_CASE("random walks have the shares that Antognini and Sohl-Dickstein derive", "[studies][walks]") {
  const auto rows = std::make_shared<const Matrix<double>>(some_walk(300, 200));
  const auto walks = run_to_end(walk_numbers(rows, true, 0, 1));
  REQUIRE(walks);
  REQUIRE(walks->explained_first3.size() == kNullSeeds);
  const NullRange share = range_of(walks->explained_first3), turns = range_of(walks->turns),
                  along = range_of(walks->along);
  CHECK(share.mean == Approx(6 / 9.8696 * (1 + 1.0 / 4 + 1.0 / 9)).epsilon(0.02));  // (6 / π²) (1 + 1/4 + 1/9)
  CHECK(turns.least > 0.5);
  CHECK(turns.most < 0.8);
  CHECK(along.most < 0.3);
  CHECK(walk_key(*rows, true, 0, 1) == walk_key(Matrix<double>(*rows), true, 0, 1));
  CHECK(walk_key(*rows, true, 0, 1) != walk_key(*rows, true, 1, 2));
}

TEST_CASE("the search that starts at cosines finds the exact components", "[studies][walks]") {
  const auto walk = std::make_shared<const Matrix<double>>(some_walk(80, 50));
  const auto exact = run_to_end(geometry::pca(walk, true, 3)), found = run_to_end(walk_components(walk, true, 3));
  for (std::size_t k = 0; k < 3; ++k) CHECK(found.variances[k] == Approx(exact.variances[k]).epsilon(1e-9));
  CHECK(found.total_variance == Approx(exact.total_variance));
}

TEST_CASE("a planted helix turns more than any walk, a walk does not", "[studies][walks]") {
  const auto helix = run_on_positions("position_helix", helix_rows(200, 40, 3, 0.01), {{"last", "199"}});
  const auto walk = run_on_positions("position_helix", some_walk(200, 40), {{"last", "199"}});
  REQUIRE(helix);
  REQUIRE(walk);
  CHECK(helix->scalar("turns")->value > range_of(of_seeds(*helix, "walk_turns")).most);
  CHECK(std::abs(helix->scalar("along")->value) > range_of(of_seeds(*helix, "walk_along")).most);
  const NullRange turns = range_of(of_seeds(*walk, "walk_turns"));
  CHECK(walk->scalar("turns")->value < turns.most + (turns.most - turns.least));
  const auto words = [](const protocol::Result& result) {
    const figure::Figure figure = find_view_study("position_helix")->view(result, result.params);
    std::string all = figure.title + " " + figure.summary;
    for (const figure::Note& note : figure.notes) all += " " + note.text;
    return all;
  };
  CHECK(words(*helix).find("on a helix") != std::string::npos);
  CHECK(words(*helix).find("fewer than the") != std::string::npos);
  CHECK(words(*walk).find("turns like a random walk") != std::string::npos);
  CHECK(words(*walk).find("here are those of a walk") != std::string::npos);
}

TEST_CASE("a helix is claimed in the plane of the first two components only", "[studies][walks]") {
  const auto other =
      run_on_positions("position_helix", helix_rows(200, 40, 3, 0.01), {{"last", "199"}, {"plane", "8,7"}});
  REQUIRE(other);
  for (const protocol::Claim& claim : other->claims) CHECK((claim.id != "H2" || !claim.holds));
  CHECK(find_view_study("position_helix")->view(*other, other->params).title.find("on a helix") == std::string::npos);
}

TEST_CASE("few rows and axes of other rows have no walks", "[studies][walks]") {
  const Matrix<double> rows = helix_rows(60, 12, 2, 0.01);
  for (const Given& given : std::vector<Given>{{{"first", "5"}, {"last", "9"}}, {{"last", "40"}, {"fit_last", "59"}}}) {
    const auto result = run_on_positions("position_helix", rows, given);
    REQUIRE(result);
    CHECK(of_seeds(*result, "walk_turns").empty());
  }
}

TEST_CASE("the rank of a table that was cut", "[studies][walks]") {
  CHECK(rank_of({5, 4, 3, 0.001, 0.0009, 0.0008, 0.0007, 0.0006}) == 3);
  CHECK(rank_of({5, 4, 3, 2, 1.5, 1}) == 6);
  CHECK(rank_of({5, 4, 3, 2, 1.5, 1e-9}) == 6);  // one small direction is not a cut
  CHECK(rank_of({}) == 0);
  const auto cut = run_on_positions("position_helix", helix_rows(60, 12, 2, 0), {{"last", "59"}});
  REQUIRE(cut);
  CHECK(cut->scalar("rank")->value == 3);
  const figure::Figure figure = find_view_study("position_helix")->view(*cut, cut->params);
  CHECK(figure.summary.find("only 3 components") != std::string::npos);
  const auto whole = run_on_positions("position_helix", noise_rows(60, 12), {{"last", "59"}});
  REQUIRE(whole);
  CHECK(whole->scalar("rank")->value == 12);
}

TEST_CASE("one sinusoid for each dimension explains as much of a walk", "[studies][walks]") {
  const auto walk = run_on_positions("position_dimension", some_walk(200, 40), {{"last", "199"}});
  REQUIRE(walk);
  const NullRange range = range_of(of_seeds(*walk, "walk_explained"));
  REQUIRE(range.known());
  CHECK(walk->scalar("explained")->value > range.least - 0.05);
  CHECK(walk->scalar("explained")->value < range.most + 0.05);
  CHECK(walk->scalar("shuffled_explained")->value < 0.3);
}

TEST_CASE("left vectors of a walk are near to sinusoids", "[studies][walks]") {
  const auto walk = run_on_positions("position_vectors", some_walk(200, 40));
  REQUIRE(walk);
  CHECK(range_of(of_seeds(*walk, "walk_wave_r2")).mean > 0.8);
}

TEST_CASE("a range as text", "[studies][walks]") {
  CHECK(null_text(range_of({0.6412, 0.6701}), 2) == "0.64–0.67 over 2 seeds");
  CHECK(span_text(range_of({0.824, 0.8269}), 1, true) == "82.4–82.7 %");
  CHECK(span_text(range_of({0.5, 0.5}), 1) == "0.5");
  CHECK(null_text(range_of({}), 1).empty());
  CHECK(!range_of({1, std::nan("")}).known());
}

}  // namespace walks_test
