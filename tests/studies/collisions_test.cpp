#include "studies/collisions/collisions.h"

#include "state/fragment.h"
#include "studies/collisions/search.h"
#include "studies/registry_view.h"
#include "tests/planted.h"

namespace collisions_test {

using namespace helix;
using namespace helix::testing;
using Catch::Approx;
using protocol::Result;

namespace {

studies::Inputs inputs_of(const Matrix<double>& tokens, const Matrix<double>& positions) {
  return inputs_with({{"wpe.weight", positions}, {"wte.weight", tokens}});
}

Result run_on(const studies::Inputs& inputs, std::vector<std::pair<std::string, std::string>> values) {
  auto result = run_study("collisions", inputs, values);
  REQUIRE(result);
  return *result;
}

double value(const Result& result, const char* name) { return result.scalar(name)->value; }

double apart(const Matrix<double>& e, const Matrix<double>& p, std::size_t t, std::size_t i, std::size_t u,
             std::size_t j) {
  double sum = 0;
  for (std::size_t k = 0; k < e.cols; ++k) {
    const double x = e(u, k) + p(j, k) - e(t, k) - p(i, k);
    sum += x * x;
  }
  return std::sqrt(sum);
}

Matrix<double> scaled(Matrix<double> m, double by) {
  for (double& x : m.data) x *= by;
  return m;
}

}  // namespace

TEST_CASE("the nearest sums are those that every pair would show", "[collisions]") {
  // Positions small, as large as tokens, and large; with many directions and with few.
  struct Case {
    Matrix<double> tokens, positions;
  };
  std::vector<Case> cases;
  for (const double size : {0.1, 1.0, 5.0})
    cases.push_back({noise_rows(300, 12, 1), scaled(noise_rows(40, 12, 2), size)});
  cases.push_back({noise_rows(700, 60, 3), scaled(helix_rows(50, 60, 2, 0.01), 0.5)});
  for (const auto& [tokens, positions] : cases) {
    const Result r = run_on(inputs_of(tokens, positions), {{"token", "17"}, {"position", "5"}, {"count", "30"}});
    std::vector<double> all;
    double squares = 0, same_position = HUGE_VAL, same_token = HUGE_VAL;
    for (std::size_t u = 0; u < tokens.rows; ++u)
      for (std::size_t j = 0; j < positions.rows; ++j) {
        const double d = apart(tokens, positions, 17, 5, u, j);
        if (u != 17 && j != 5) all.push_back(d), squares += d * d;
        if (u != 17 && j == 5) same_position = std::min(same_position, d);
        if (u == 17 && j != 5) same_token = std::min(same_token, d);
      }
    const auto count = static_cast<double>(all.size());
    std::ranges::sort(all);
    const auto& found = r.array("distance")->data;
    REQUIRE(found.size() == 30);
    for (std::size_t i = 0; i < 30; ++i) {
      CHECK(found[i] == Approx(all[i]).epsilon(1e-5));
      const auto token = static_cast<std::size_t>(r.array("nearest_token")->data[i]),
                 position = static_cast<std::size_t>(r.array("nearest_position")->data[i]);
      CHECK(token != 17);
      CHECK(position != 5);
      CHECK(found[i] == Approx(apart(tokens, positions, 17, 5, token, position)).epsilon(1e-5));
    }
    CHECK(value(r, "nearest") == found[0]);
    CHECK(value(r, "same_position") == Approx(same_position).epsilon(1e-5));
    CHECK(value(r, "same_token") == Approx(same_token).epsilon(1e-5));
    CHECK(value(r, "typical") == Approx(std::sqrt(squares / count)).epsilon(1e-5));
  }
}

TEST_CASE("a planted collision is found, and orthogonal tables have none", "[collisions]") {
  Matrix<double> tokens = noise_rows(3800, 40, 1), positions = noise_rows(30, 40, 2);
  for (std::size_t j = 0; j < 40; ++j)  // e(100) + p(6) = e(3797) + p(3)
    tokens(100, j) = tokens(3797, j) + positions(3, j) - positions(6, j) + 0.01 * (j == 0);
  const Result met = run_on(inputs_of(tokens, positions), {});
  CHECK(met.array("nearest_token")->data[0] == 100);
  CHECK(met.array("nearest_position")->data[0] == 6);
  CHECK(value(met, "nearest") == Approx(0.01).margin(1e-5));
  REQUIRE(met.claims.size() == 1);
  CHECK(met.claims[0].id == "O7");
  CHECK(met.claims[0].holds == false);
  for (std::size_t i = 0; i < tokens.rows; ++i)
    for (std::size_t j = 0; j < 40; ++j) (j < 20 ? tokens(i, j) : positions(i % 30, j)) = 0;
  const Result apart_from = run_on(inputs_of(tokens, positions), {});
  CHECK(apart_from.claims[0].holds == true);
  CHECK(value(apart_from, "nearest") > value(apart_from, "same_position"));
  CHECK(value(apart_from, "orthogonal") == Approx(value(apart_from, "nearest")));
  CHECK(run_on(inputs_of(tokens, positions), {{"position", "4"}}).claims.empty());
}

TEST_CASE("tokens far from all positions' differences are left out, and the list stays exact", "[collisions]") {
  // Positions differ along three axes only, tokens along all: the bound excludes most tokens.
  Matrix<double> positions = noise_rows(40, 50, 2);
  for (std::size_t i = 0; i < positions.rows; ++i)
    for (std::size_t j = 3; j < 50; ++j) positions(i, j) = 0;
  Matrix<double> tokens = noise_rows(2000, 50, 1);
  for (std::size_t i = 0; i < tokens.rows; ++i)
    for (double& x : tokens.row(i)) x *= 0.2 + static_cast<double>(i) / 500;
  const Result r = run_on(inputs_of(tokens, positions), {{"token", "3"}, {"count", "5"}});
  CHECK(value(r, "compared") < 0.3);
  double best = HUGE_VAL;
  for (std::size_t u = 0; u < tokens.rows; ++u)
    for (std::size_t j = 0; j < positions.rows && u != 3; ++j)
      if (j != 3) best = std::min(best, apart(tokens, positions, 3, 3, u, j));
  CHECK(value(r, "nearest") == Approx(best).epsilon(1e-5));
}

TEST_CASE("a token is named by its text, and what is not there is said", "[collisions]") {
  const studies::Inputs inputs = inputs_of(noise_rows(261, 8, 1), noise_rows(20, 8, 2));
  const Result r = run_on(inputs, {{"word", " the"}, {"position", "4"}});
  CHECK(r.words_of("names")->data[0] == " the");
  CHECK(inputs.tokenizer->bytes(static_cast<std::int32_t>(value(r, "token"))) == " the");
  CHECK(r.words_of("text")->data.size() == 20);
  const Result moved = run_on(inputs, {{"position", "99"}});
  CHECK(value(moved, "token") == 260);
  CHECK(value(moved, "position") == 19);
  CHECK(moved.notes.size() == 2);
  const auto fails = [](const studies::Inputs& from, const Given& values, const char* part) {
    const auto failed = run_study("collisions", from, values);
    REQUIRE(!failed);
    check_sentence(failed.error().sentence, part);
  };
  fails(inputs, {{"word", "cat"}}, "one is needed");
  fails(inputs_of(noise_rows(30, 8), noise_rows(20, 6)), {}, "cannot be added");
  fails(inputs_of(noise_rows(1, 8), noise_rows(20, 8)), {}, "wte.weight");
  fails(studies::Inputs(), {}, "No model is open");
  studies::Inputs silent = inputs;
  silent.tokenizer = nullptr, silent.no_tokenizer = "There is no vocab.json.";
  CHECK(run_on(silent, {}).notes.back().find("vocab.json") != std::string::npos);
  fails(silent, {{"word", " the"}}, "vocab.json");
  CHECK(run_on(inputs_of(noise_rows(2, 8), noise_rows(2, 8, 2)), {}).array("distance")->data.size() == 1);
}

TEST_CASE("the view names the nearest, and a row asks for its own", "[collisions][view]") {
  const Result r = run_on(inputs_of(noise_rows(261, 8, 1), noise_rows(20, 8, 2)), {{"word", " the"}});
  const auto& s = *studies::find_view_study("collisions");
  const figure::Figure f = s.view(r, r.params);
  // The title says which is nearer, the token itself elsewhere or another one, and of a difference neither.
  const auto titled = [&](double own, double other, double there, bool difference) {
    protocol::Result made = r;
    made.difference = difference;
    for (protocol::Scalar& scalar : made.scalars) {
      if (scalar.name == "same_token") scalar.value = own;
      if (scalar.name == "nearest") scalar.value = other;
      if (scalar.name == "same_position") scalar.value = there;
    }
    return s.view(made, made.params).title;
  };
  const std::string own = "“ the” at position 3 is nearer to itself elsewhere than to any other token",
                    nearest = "Nearest to “ the” at position 3: ";
  CHECK(titled(0.3, 1.1, 1.0, false) == own);
  CHECK(titled(0.3, 0.2, 1.0, false).starts_with(nearest));
  CHECK(titled(0.3, 1.1, 0.2, false).starts_with(nearest));
  CHECK(titled(0.3, 0.3, 1.0, false).starts_with(nearest));
  CHECK(titled(0.3, 1.1, 1.0, true).starts_with(nearest));
  ViewState view;
  view.focus = {{"item", 1}};
  CHECK(s.reading(r, r.params, view).lines.size() == 3);
  view.focus = {{"item", 21}};
  CHECK(s.reading(r, r.params, view).title.empty());
  const auto schemas = studies::schemas_of(studies::view_studies());
  state::AppState app = state::default_state(schemas);
  app.study = "collisions", app.params = r.params;
  REQUIRE(f.tables[0].go.size() == 20);
  const auto there = state::apply_fragment(app, f.tables[0].go[0], schemas);
  REQUIRE(there);
  CHECK(find_value(there->state.params, "word")->empty());
  CHECK(s.view(Result(), {}).title == "Nearly equal sums");
}

TEST_CASE("title and evidence name the same token, whatever the vocabulary", "[collisions][view]") {
  const Result r = run_on(inputs_of(noise_rows(3800, 8, 1), noise_rows(20, 8, 2)), {});
  const auto& s = *studies::find_view_study("collisions");
  const std::string name = r.words_of("names")->data[0];
  CHECK(name != " cat");  // token 3797 of this vocabulary is another
  REQUIRE(r.claims.size() == 1);
  CHECK(r.claims[0].convention.starts_with("“" + name + "” at position 3; "));
  CHECK(s.view(r, r.params).title.starts_with("Nearest to “" + name + "” at position 3: "));
}

TEST_CASE("small distances are not rounded to nothing", "[collisions][view]") {
  const Result r =
      run_on(inputs_of(scaled(noise_rows(261, 8, 1), 1e-4), scaled(noise_rows(20, 8, 2), 1e-4)), {{"word", " the"}});
  const auto& s = *studies::find_view_study("collisions");
  const figure::Figure f = s.view(r, r.params);
  for (const std::string& text : {f.subtitle, f.summary, f.lead.number}) {
    CHECK(text.find("·10⁻") != std::string::npos);
    CHECK(text.find("0.000") == std::string::npos);
  }
}

}  // namespace collisions_test
