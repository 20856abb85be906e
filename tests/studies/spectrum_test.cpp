#include "studies/spectrum/spectrum.h"

#include <cmath>
#include <numeric>

#include "studies/registry_view.h"
#include "tests/planted.h"

namespace spectrum_test {

using namespace helix;
using namespace helix::testing;
using Catch::Approx;

namespace {

Expected<protocol::Result> run(const Matrix<double>& rows, const Given& values = {}) {
  return run_on_positions("spectrum", rows, values);
}

/// Rows with the given singular values along the first axes.
Matrix<double> with_values(std::size_t rows, std::size_t cols, const std::vector<double>& values) {
  Matrix<double> m(rows, cols);
  for (std::size_t i = 0; i < values.size(); ++i) m(i, i) = values[i];
  return m;
}

}  // namespace

TEST_CASE("planted singular values are found, and what follows from them", "[spectrum]") {
  const std::vector<double> planted{8, 4, 2, 1};
  const auto r = run(with_values(12, 4, planted));
  REQUIRE(r);
  for (std::size_t i = 0; i < 4; ++i) CHECK(r->array("singular_values")->data[i] == Approx(planted[i]));
  double entropy = 0;
  for (const double x : planted) entropy -= x / 15 * std::log(x / 15);
  CHECK(r->scalar("entropy")->value == Approx(entropy));
  CHECK(r->scalar("effective_rank")->value == Approx(std::exp(entropy)));
  CHECK(r->scalar("condition")->value == Approx(8));
  CHECK(r->scalar("log_volume")->value == Approx(std::log(64)));
  CHECK(r->scalar("energy_top30")->value == 1);
  CHECK(r->array("energy")->data[0] == Approx(64.0 / 85));
}

TEST_CASE("few directions stand out against a random matrix, noise does not", "[spectrum]") {
  const auto curve = run(helix_rows(100, 40, 2, 0.001)), noise = run(noise_rows(100, 40));
  REQUIRE(curve);
  REQUIRE(noise);
  CHECK(curve->scalar("effective_rank")->value < 0.3 * curve->scalar("random_effective_rank")->value);
  CHECK(noise->scalar("effective_rank")->value == Approx(noise->scalar("random_effective_rank")->value).epsilon(0.05));
  const auto& own = curve->array("singular_values")->data;
  const auto& random = curve->array("random_values")->data;
  const auto energy = [](const std::vector<double>& v) {
    return std::inner_product(v.begin(), v.end(), v.begin(), 0.0);
  };
  CHECK(energy(random) == Approx(energy(own)));
  CHECK(random.size() == own.size());
}

TEST_CASE("a matrix that lacks a dimension has no condition and no volume, and says why", "[spectrum]") {
  const auto r = run(with_values(6, 3, {2, 1}));
  REQUIRE(r);
  CHECK(std::isinf(r->scalar("condition")->value));
  CHECK(std::isnan(r->scalar("log_volume")->value));
  CHECK(!r->scalar("log_volume")->note.empty());
  const figure::Figure f = studies::find_view_study("spectrum")->view(*r, r->params);
  CHECK(f.summary.ends_with("the condition number is ∞."));
  CHECK(r->scalar("effective_rank")->value < 3);
}

TEST_CASE("a matrix of zeros has no effective rank, and claims nothing", "[spectrum]") {
  Matrix<double> equal(12, 8);
  for (double& x : equal.data) x = 0.1;
  for (const auto& r : {run(Matrix<double>(12, 8)), run(equal, {{"centre", "true"}})}) {
    REQUIRE(r);
    for (const char* name : {"effective_rank", "condition", "energy_top30", "random_effective_rank"}) {
      CAPTURE(name);
      CHECK(std::isnan(r->scalar(name)->value));
      CHECK(!r->scalar(name)->note.empty());
    }
    REQUIRE(r->claims.size() == 1);
    CHECK(!r->claims[0].holds);
    CHECK(studies::find_view_study("spectrum")->view(*r, r->params).title == "All singular values are 0");
  }
}

TEST_CASE("a gain that no LayerNorm has is refused, not ignored", "[spectrum]") {
  for (const char* matrix : {"o", "wpe", "mlp"})
    check_sentence(run_study("spectrum", planted_inputs(), {{"matrix", matrix}, {"gain", "true"}}).error().sentence,
                   "no LayerNorm gain");
  CHECK(run_study("spectrum", planted_inputs(), {{"matrix", "q"}, {"gain", "true"}}));
}

TEST_CASE("weights of a layer, one head, and what is not there", "[spectrum]") {
  const studies::Inputs inputs = planted_inputs();
  const auto all = run_study("spectrum", inputs, {{"matrix", "q"}}),
             head = run_study("spectrum", inputs, {{"matrix", "q"}, {"head", "1"}});
  REQUIRE(all);
  REQUIRE(head);
  CHECK(all->array("singular_values")->data.size() == 10);
  CHECK(head->array("singular_values")->data.size() == 5);
  CHECK(run_study("spectrum", inputs, {{"matrix", "fc"}})->array("random_values")->data.size() == 10);
  check_sentence(run_study("spectrum", inputs, {{"matrix", "q"}, {"layer", "7"}}).error().sentence, "no layer 7");
  CHECK(!run(noise_rows(5, 4), {{"matrix", "q"}}));
  check_sentence(run_study("spectrum", studies::Inputs()).error().sentence, "No model is open");
}

TEST_CASE("the view reads a direction, and draws nothing as nothing", "[spectrum][view]") {
  const auto r = run(noise_rows(50, 8));
  const auto& views = studies::view_studies();
  const auto& s = *std::ranges::find(views, "spectrum", [](const auto& one) { return one.schema.id; });
  ViewState view;
  view.focus = {{"direction", 1}};
  CHECK(s.reading(*r, r->params, view).title == "direction 1");
  view.focus = {{"direction", 0}};
  CHECK(s.reading(*r, r->params, view).title.empty());
  CHECK(s.view(protocol::Result(), {}).title == "Singular values");
  CHECK(s.view(*r, r->params).title.starts_with("An effective rank of "));
}

}  // namespace spectrum_test
