#include "studies/token_cloud/token_cloud.h"

#include <map>

#include "figure/table.h"
#include "state/fragment.h"
#include "studies/registry_view.h"
#include "tests/planted.h"

namespace token_cloud_test {

using namespace helix;
using namespace helix::testing;
using Catch::Approx;
using protocol::Result;

namespace {

using Named = std::map<std::string, Matrix<double>>;

/// Noise that is `large` times larger along axes first, first + 1 and first + 2, and is off-centre.
Matrix<double> rows_of(std::size_t n, std::size_t d, std::size_t first, double large, unsigned seed) {
  Matrix<double> rows = noise_rows(n, d, seed);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = first; j < first + 3; ++j) rows(i, j) *= large;
    rows(i, 1) += 5;
  }
  return rows;
}

Result cloud_of(const studies::Inputs& inputs, std::vector<std::pair<std::string, std::string>> values = {}) {
  auto result = run_study("token_cloud", inputs, values);
  REQUIRE(result);
  return *result;
}

double value(const Result& result, const char* name) { return result.scalar(name)->value; }

const studies::ViewStudy& view_of() { return *studies::find_view_study("token_cloud"); }

}  // namespace

TEST_CASE("tokens and positions that vary in different directions, or in the same ones", "[token_cloud]") {
  const Result apart =
      cloud_of(inputs_with({{"wte.weight", rows_of(300, 12, 0, 20, 1)}, {"wpe.weight", rows_of(50, 12, 6, 20, 2)}}));
  CHECK(value(apart, "explained_first3") > 0.98);
  CHECK(value(apart, "positions_explained") > 0.98);
  CHECK(value(apart, "positions_held") < 0.02);
  CHECK(value(apart, "tokens_held") < 0.02);
  CHECK(value(apart, "chance") == Approx(0.25));
  const Result same =
      cloud_of(inputs_with({{"wte.weight", rows_of(300, 12, 0, 20, 1)}, {"wpe.weight", rows_of(50, 12, 0, 20, 2)}}));
  CHECK(value(same, "positions_held") > 0.98);
  CHECK(value(same, "tokens_held") > 0.98);
  const Result noise =
      cloud_of(inputs_with({{"wte.weight", noise_rows(3000, 12, 1)}, {"wpe.weight", noise_rows(500, 12, 2)}}));
  for (const char* share : {"explained_first3", "positions_held", "tokens_held"})
    CHECK(value(noise, share) == Approx(value(noise, "chance")).margin(0.05));
}

TEST_CASE("points are the rows less their mean along orthonormal axes", "[token_cloud]") {
  const Matrix<double> rows = rows_of(300, 12, 0, 3, 1);
  for (const char* centre : {"true", "false"}) {
    CAPTURE(centre);
    const Result r =
        cloud_of(inputs_with({{"wte.weight", rows}, {"wpe.weight", rows_of(40, 12, 4, 2, 2)}}), {{"centre", centre}});
    const auto& points = *r.array("points");
    REQUIRE(points.shape == std::vector<std::size_t>{300, 3});
    double squares[3]{}, sums[3]{}, total = 0, mean[12]{}, norms = 0;
    for (std::size_t i = 0; i < 300; ++i) {
      double norm = 0;
      for (std::size_t j = 0; j < 12; ++j) mean[j] += rows(i, j) / 300, norm += rows(i, j) * rows(i, j);
      norms += std::sqrt(norm) / 300;
      CHECK(r.array("norm")->data[i] == Approx(std::sqrt(norm)).epsilon(1e-6));
      for (std::size_t c = 0; c < 3; ++c) {
        const double x = points.data[i * 3 + c];
        squares[c] += x * x / 300, sums[c] += x / 300;
      }
    }
    const bool centred = std::string_view(centre) == "true";
    for (std::size_t i = 0; i < 300; ++i)
      for (std::size_t j = 0; j < 12; ++j) {
        const double x = rows(i, j) - (centred ? mean[j] : 0);
        total += x * x / 300;
      }
    for (std::size_t c = 0; c < 3; ++c) {
      CHECK(r.array("explained")->data[c] == Approx(squares[c] / total).epsilon(1e-5));
      if (centred) CHECK(std::abs(sums[c]) < 1e-5);
    }
    CHECK(value(r, "mean_norm") == Approx(norms).epsilon(1e-6));
    CHECK(r.array("position_points")->shape == std::vector<std::size_t>{40, 3});
  }
}

TEST_CASE("a large table has a first picture from some of its tokens, and is computed once", "[token_cloud]") {
  studies::Inputs inputs =
      inputs_with({{"wte.weight", rows_of(9000, 8, 0, 4, 1)}, {"wpe.weight", rows_of(20, 8, 4, 4, 2)}});
  std::vector<Result> first;
  inputs.on_first_picture = [&](Result r) { first.push_back(std::move(r)); };
  const Result all = cloud_of(inputs);
  REQUIRE(first.size() == 1);
  CHECK(!first[0].complete);
  CHECK(all.complete);
  CHECK(first[0].array("points")->shape == all.array("points")->shape);
  CHECK(value(first[0], "explained_first3") == Approx(value(all, "explained_first3")).margin(0.02));
  CHECK(value(first[0], "explained_first3") != value(all, "explained_first3"));
  CHECK(first[0].provenance.convention.find("2048 of its rows") != std::string::npos);
  const Result again = cloud_of(inputs, {{"find", "the"}, {"colour", "found"}});
  CHECK(first.size() == 1);
  CHECK(again.array("points")->data == all.array("points")->data);
  CHECK(value(again, "found_count") == 1);
  cloud_of(inputs, {{"centre", "false"}});
  CHECK(first.size() == 2);
}

TEST_CASE("tokens are found by their text", "[token_cloud]") {
  const studies::Inputs inputs = inputs_with({{"wte.weight", noise_rows(261, 6)}});
  const Result r = cloud_of(inputs, {{"find", "he"}});
  const auto& found = r.array("found")->data;
  REQUIRE(found.size() == 2);  // "he" and " the"
  for (const double id : found) {
    CHECK(inputs.tokenizer->bytes(static_cast<std::int32_t>(id)).find("he") != std::string_view::npos);
    CHECK(r.words_of("text")->data[static_cast<std::size_t>(id)].find("he") != std::string::npos);
  }
  CHECK(value(cloud_of(inputs, {{"find", "HE"}}), "found_count") == 0);
  CHECK(value(cloud_of(inputs), "found_count") == 0);
  studies::Inputs silent = inputs;
  silent.tokenizer = nullptr, silent.no_tokenizer = "There is no vocab.json.";
  const Result without = cloud_of(silent, {{"find", "he"}});
  CHECK(std::isnan(value(without, "found_count")));
  CHECK(without.words_of("text")->data.empty());
  CHECK(without.notes.back().find("vocab.json") != std::string::npos);
}

TEST_CASE("the gain of the last LayerNorm is folded into the output head", "[token_cloud]") {
  Matrix<double> gain(1, 12);
  for (std::size_t j = 0; j < 12; ++j) gain(0, j) = j < 3 ? 0.01 : 1;
  const studies::Inputs inputs = inputs_with({{"wte.weight", rows_of(300, 12, 0, 20, 1)}, {"ln_f.weight", gain}});
  CHECK(value(cloud_of(inputs), "explained_first3") > 0.98);
  CHECK(value(cloud_of(inputs, {{"of", "head"}}), "explained_first3") < 0.6);
}

TEST_CASE("tokens or positions that do not vary have no shares", "[token_cloud]") {
  Matrix<double> equal(30, 12);
  for (double& x : equal.data) x = 0.1;
  const Matrix<double> noise = rows_of(300, 12, 2, 5, 3);
  const Result still = cloud_of(inputs_with({{"wte.weight", noise}, {"wpe.weight", equal}}));
  for (const char* name : {"positions_held", "positions_explained", "tokens_held"}) {
    CAPTURE(name);
    CHECK(std::isnan(value(still, name)));
    CHECK(!still.scalar(name)->note.empty());
  }
  CHECK(view_of().view(still, still.params).title.starts_with("Three axes hold "));
  const Result one = cloud_of(inputs_with({{"wte.weight", equal}, {"wpe.weight", noise}}));
  CHECK(std::isnan(value(one, "explained_first3")));
  CHECK(std::isnan(value(one, "positions_held")));
  CHECK(view_of().view(one, one.params).title == "All tokens lie at one point");
}

TEST_CASE("what is not there is said, and is no fault of the program", "[token_cloud]") {
  const Result alone = cloud_of(inputs_with({{"wte.weight", noise_rows(30, 6)}}));
  CHECK(std::isnan(value(alone, "positions_held")));
  CHECK(alone.notes.front().starts_with("The positions are not drawn"));
  CHECK(cloud_of(inputs_with({{"wte.weight", noise_rows(30, 6)}}), {{"positions", "false"}}).notes.empty());
  CHECK(cloud_of(inputs_with({{"wte.weight", noise_rows(30, 6)}, {"wpe.weight", noise_rows(9, 4)}}))
            .array("position_points")
            ->data.empty());
  CHECK(cloud_of(inputs_with({{"wte.weight", noise_rows(5, 2)}})).array("points")->shape[1] == 2);
  CHECK(std::isnan(value(cloud_of(inputs_with({{"wte.weight", Matrix<double>(5, 4)}})), "explained_first3")));
  check_sentence(run_study("token_cloud", studies::Inputs()).error().sentence, "No model is open");
  check_sentence(run_study("token_cloud", inputs_with({{"wpe.weight", noise_rows(9, 4)}})).error().sentence,
                 "wte.weight");
  Matrix<double> broken = noise_rows(30, 6);
  broken(7, 2) = std::nan("");
  check_sentence(run_study("token_cloud", inputs_with({{"wte.weight", broken}})).error().sentence, "wte.weight");
}

TEST_CASE("the view names the tokens and leads to them", "[token_cloud][view]") {
  const studies::Inputs inputs =
      inputs_with({{"wte.weight", rows_of(261, 12, 0, 20, 1)}, {"wpe.weight", rows_of(50, 12, 6, 20, 2)}});
  const Result r = cloud_of(inputs, {{"find", "the"}});
  const figure::Figure f = view_of().view(r, r.params);
  CHECK(f.title.starts_with("The tokens' three main axes hold "));
  const auto& space = std::get<figure::Space>(f.find("cloud")->content);
  CHECK(space.marks.size() == 4);  // tokens, found tokens, positions and their name
  ViewState view;
  view.focus = {{"token", 256}};
  CHECK(view_of().reading(r, r.params, view).title == "token 256 “ t”");
  view.focus = {{"item", 0}};
  CHECK(view_of().reading(r, r.params, view).title.find("the") != std::string::npos);
  view.focus = {{"position", 49}};
  CHECK(view_of().reading(r, r.params, view).title == "position 49");
  const auto schemas = studies::schemas_of(studies::view_studies());
  for (const figure::Table& table : f.tables)
    for (const std::string& go : table.go) {
      const auto there = state::apply_fragment(state::default_state(schemas), go, schemas);
      REQUIRE(there);
      CHECK(there->state.study == "tokens");
    }
  const Result plain = cloud_of(inputs, {{"positions", "false"}, {"colour", "found"}});
  CHECK(std::get<figure::Space>(view_of().view(plain, plain.params).find("cloud")->content).marks.size() == 1);
  CHECK(view_of().view(Result(), {}).title == "All tokens as a cloud");
}

}  // namespace token_cloud_test
