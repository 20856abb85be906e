#include "studies/position_norms/position_norms.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "geometry/positions.h"
#include "studies/position_norms/internet.h"
#include "studies/registry_view.h"
#include "tests/planted.h"

namespace position_norms_test {

using namespace helix;
using namespace helix::testing;
using Catch::Approx;

namespace {

Expected<protocol::Result> run(const Matrix<double>& rows, const Given& values = {}) {
  return run_on_positions("position_norms", rows, values);
}

double value(const protocol::Result& r, const char* name) { return r.scalar(name)->value; }

/// Rows of noise, each scaled to the requested norm.
Matrix<double> with_norms(const std::vector<double>& norms, std::size_t cols) {
  Matrix<double> rows = noise_rows(norms.size(), cols);
  for (std::size_t i = 0; i < rows.rows; ++i) {
    double square = 0;
    for (const double x : rows.row(i)) square += x * x;
    for (double& x : rows.row(i)) x *= norms[i] / std::sqrt(square);
  }
  return rows;
}

std::vector<double> noise(std::size_t n) {
  const Matrix<double> rows = noise_rows(1, n);
  return {rows.row(0).begin(), rows.row(0).end()};
}

/// An embedding of the slides' norm that has their ten norms with this base: eleven conditions on e, ten of them linear.
std::vector<double> internet_on(double base) {
  using studies::position_norms::kInternet, studies::position_norms::kInternetPlus;
  const Matrix<double> table = geometry::sinusoidal_positions(1001, 768, base);
  std::vector<std::vector<double>> made;  // orthonormal, of the ten encodings
  std::vector<double> e(768, 0);
  const auto dot = [](std::span<const double> a, std::span<const double> b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
  };
  const auto less = [&](std::vector<double> v) {
    for (const auto& q : made) {
      const double c = dot(v, q);
      for (std::size_t j = 0; j < v.size(); ++j) v[j] -= c * q[j];
    }
    return v;
  };
  for (std::size_t k = 1; k <= 10; ++k) {
    const auto p = table.row(100 * k);
    std::vector<double> q = less({p.begin(), p.end()});
    const double wanted = (kInternetPlus[k - 1] * kInternetPlus[k - 1] - kInternet * kInternet - dot(p, p)) / 2;
    const double step = (wanted - dot(e, p)) / dot(q, p), length = std::sqrt(dot(q, q));
    for (std::size_t j = 0; j < e.size(); ++j) e[j] += step * q[j], q[j] /= length;
    made.push_back(std::move(q));
  }
  const std::vector<double> free = less(noise(768));
  const double rest = kInternet * kInternet - dot(e, e);
  REQUIRE(rest > 0);
  for (std::size_t j = 0; j < e.size(); ++j) e[j] += free[j] * std::sqrt(rest / dot(free, free));
  return e;
}

}  // namespace

TEST_CASE("each row has its norm, and the four numbers follow", "[position_norms]") {
  const auto r = run(with_norms({3, 4, 5, 8}, 6));
  REQUIRE(r);
  const auto& norm = r->array("norm")->data;
  REQUIRE(norm.size() == 4);
  CHECK(norm[3] == Approx(8));
  CHECK(value(*r, "mean") == Approx(5));
  CHECK(value(*r, "std") == Approx(std::sqrt(3.5)));  // divided by n
  CHECK(value(*r, "max") == Approx(8));
  CHECK(value(*r, "max_row") == 3);
  CHECK(value(*r, "min") == Approx(3));
  const auto inner = run(with_norms({3, 4, 5, 8}, 6), {{"first", "1"}, {"last", "2"}});
  CHECK(inner->array("norm")->first == 1);
  CHECK(value(*inner, "mean") == Approx(4.5));
  CHECK(value(*inner, "max_row") == 2);
}

TEST_CASE("a planted outlier stands out, and shuffling the columns dissolves it", "[position_norms]") {
  std::vector<double> norms(400, 5);
  norms[7] = 60;
  const auto r = run(with_norms(norms, 64));
  REQUIRE(r);
  CHECK(value(*r, "outliers") == 1);
  CHECK(value(*r, "max_row") == 7);
  CHECK(value(*r, "shuffled_max") < 0.5 * value(*r, "max"));
}

TEST_CASE("independent noise has the norms of its shuffled columns", "[position_norms]") {
  const auto r = run(noise_rows(600, 128));
  REQUIRE(r);
  CHECK(value(*r, "std") == Approx(value(*r, "shuffled_std")).epsilon(0.15));
  CHECK(value(*r, "mean") == Approx(value(*r, "shuffled_mean")).epsilon(0.01));
  CHECK(value(*r, "std") == Approx(std::sqrt(0.5)).epsilon(0.15));  // for Gaussian rows, at any width
  double all = 0, shuffled = 0;
  for (const double x : r->array("histogram")->data) all += x;
  for (const double x : r->array("shuffled_histogram")->data) shuffled += x;
  CHECK(all == Approx(1));
  CHECK(shuffled == Approx(1));
}

TEST_CASE("sinusoidal positions are equally long and need no weights", "[position_norms]") {
  const auto r = run_study("position_norms", studies::Inputs(), {{"source", "sinusoidal"}});
  REQUIRE(r);
  CHECK(value(*r, "mean") == Approx(std::sqrt(384.0)));
  CHECK(value(*r, "std") < 1e-12);
  CHECK(value(*r, "outliers") == 0);
  CHECK(value(*r, "shuffled_std") > 0.1);  // the equal norms come from pairs of columns, not from single columns
  CHECK(std::ranges::count(r->array("histogram")->data, 1) == 1);
  CHECK(r->claims.empty());
}

TEST_CASE("claim F9 is judged on all learned rows alone, and not on others' numbers", "[position_norms]") {
  const Matrix<double> rows = noise_rows(50, 8);
  const auto all = run(rows);
  REQUIRE(all->claims.size() == 1);
  CHECK(all->claims[0].id == "F9");
  CHECK(all->claims[0].here == value(*all, "mean"));
  CHECK(all->claims[0].holds == false);
  CHECK(run(rows, {{"last", "20"}})->claims.empty());
}

TEST_CASE("tokens, and one token on every position", "[position_norms]") {
  const studies::Inputs inputs = planted_inputs();
  const auto tokens = run_study("position_norms", inputs, {{"of", "wte"}}),
             positions = run_study("position_norms", inputs),
             sum = run_study("position_norms", inputs, {{"of", "sum"}, {"token", "3"}}),
             fixed = run_study("position_norms", inputs, {{"of", "sum"}, {"token", "3"}, {"source", "sinusoidal"}});
  REQUIRE(tokens);
  REQUIRE(sum);
  REQUIRE(fixed);
  CHECK(tokens->array("norm")->data.size() == 64);
  CHECK(value(*sum, "token_norm") == Approx(tokens->array("norm")->data[3]));
  REQUIRE(sum->array("orthogonal")->data.size() == 40);
  for (const std::size_t i : {std::size_t{0}, std::size_t{17}}) {
    const double e = value(*sum, "token_norm"), p = positions->array("norm")->data[i];
    CHECK(sum->array("orthogonal")->data[i] == Approx(std::hypot(e, p)));
    CHECK(sum->array("norm")->data[i] <= e + p + 1e-9);
    CHECK(sum->array("norm")->data[i] >= std::abs(e - p) - 1e-9);
  }
  CHECK(fixed->array("norm")->data.size() == 1024);
  CHECK(fixed->array("orthogonal")->data[5] == Approx(std::hypot(value(*fixed, "token_norm"), std::sqrt(5.0))));
}

TEST_CASE("the slides' norms of “internet” hold for a token that has them, with the base that gives them",
          "[position_norms]") {
  using namespace studies::position_norms;
  const std::vector<double> planted = internet_on(1000);
  const std::vector<Candidate> both{{37675, noise(768)}, {5230, planted}};
  const auto all = internet_claims(both);
  REQUIRE(all.size() == 2);
  CHECK(all[0].id == "F8");
  CHECK(all[0].holds == true);
  CHECK(*all[0].here == Approx(kInternet).epsilon(1e-9));
  CHECK(all[1].holds == true);
  CHECK(*all[1].here == Approx(kInternetPlus[0]).epsilon(1e-9));
  CHECK(all[1].convention.starts_with("token 5230 and base 1000, the closest"));
  std::vector<Candidate> wrong{{37675, noise(768)}, {5230, planted}};
  wrong[1].embedding[7] += 0.05;
  for (const protocol::Claim& claim : internet_claims(wrong)) CHECK(claim.holds == false);
  CHECK(internet_claims({}).empty());
  const auto small = run_study("position_norms", planted_inputs(), {{"of", "sum"}, {"source", "sinusoidal"}});
  REQUIRE(small);
  CHECK(small->claims.empty());  // it has neither token
}

TEST_CASE("what is not there is said in a sentence", "[position_norms]") {
  check_sentence(run_study("position_norms", studies::Inputs()).error().sentence, "No model is open");
  check_sentence(run_study("position_norms", studies::Inputs(), {{"of", "wte"}}).error().sentence, "No model is open");
  const auto last = run_study("position_norms", planted_inputs(), {{"of", "sum"}, {"token", "999"}});
  REQUIRE(last);
  check_sentence(last->notes.front(), "no token 999");
  CHECK(last->array("norm")->data ==
        run_study("position_norms", planted_inputs(), {{"of", "sum"}, {"token", "63"}})->array("norm")->data);
  check_sentence(run(noise_rows(5, 4), {{"of", "wte"}}).error().sentence);
  check_sentence(run(noise_rows(5, 4), {{"first", "4"}, {"last", "2"}}).error().sentence);
  const auto zeros = run(Matrix<double>(6, 4));
  REQUIRE(zeros);
  CHECK(value(*zeros, "mean") == 0);
  CHECK(zeros->array("histogram")->data == std::vector<double>{1});
  REQUIRE(run(noise_rows(1, 4)));
}

TEST_CASE("equal norms have no outliers, and small ones keep their digits", "[position_norms][view]") {
  const auto figure_of = [](const Matrix<double>& rows) {
    const auto r = run(rows);
    REQUIRE(r);
    return studies::find_view_study("position_norms")->view(*r, r->params);
  };
  CHECK(figure_of(Matrix<double>(16, 8)).title == "Every position has the norm 0.0000");
  const figure::Figure same = figure_of(with_norms(std::vector<double>(60, 2), 40));
  CHECK(same.title == "Every position has the norm 2.0000");
  for (const double away : same.tables[0].columns[2].values) CHECK(std::isnan(away));
  for (const figure::Note& note : same.notes) CHECK(note.text.find("sin²") == std::string::npos);
  CHECK(figure_of(with_norms({3}, 8)).title == "One position, of norm 3.0000");
  std::vector<double> small(60, 2e-4);
  small[7] = 9e-4;
  CHECK(figure_of(with_norms(small, 40)).title ==
        "1 of 60 positions stands out from a mean norm of 0.0002117, no more than with shuffled columns (1)");
  // Bins five apart can be told from each other, whatever the norms' size, in no more decimals than that takes.
  for (const double scale : {1e-4, 1.0, 1e3}) {
    std::vector<double> norms(60, 2 * scale);
    norms[7] = 9 * scale;
    const figure::Figure f = figure_of(with_norms(norms, 40));
    const auto& names = std::get<figure::Plot>(f.find("histogram")->content).x.names;
    REQUIRE(names.size() > 10);
    for (std::size_t i = 5; i < names.size(); ++i) CHECK(names[i] != names[i - 5]);
    CHECK(names[0].size() <= (scale < 1 ? 8 : 6));
  }
}

TEST_CASE("of outliers beside each other the farthest is named", "[position_norms][view]") {
  std::vector<double> norms(400, 5);
  norms[0] = 40, norms[1] = 30, norms[2] = 25, norms[399] = 45;
  const auto r = run(with_norms(norms, 64));
  REQUIRE(r);
  const std::string said = figure::spoken_summary(studies::find_view_study("position_norms")->view(*r, r->params));
  for (const char* named : {"row 0: ", "row 399: "}) CHECK(said.find(named) != std::string::npos);
  for (const char* beside : {"row 1: ", "row 2: "}) CHECK(said.find(beside) == std::string::npos);
}

TEST_CASE("the view of norms reads a row and a bin", "[position_norms][view]") {
  const auto& views = studies::view_studies();
  const auto& s = *std::ranges::find(views, "position_norms", [](const auto& one) { return one.schema.id; });
  const auto r = run(noise_rows(60, 10));
  ViewState view;
  view.focus = {{"position", 59}};
  CHECK(s.reading(*r, r->params, view).title == "position 59");
  CHECK(s.reading(*r, r->params, view).lines.size() == 2);
  view.focus = {{"position", 60}};
  CHECK(s.reading(*r, r->params, view).title.empty());
  view.focus = {{"bin", 0}};
  CHECK(s.reading(*r, r->params, view).title.starts_with("norms from "));
  CHECK(s.view(*r, r->params).title.find("of 60 positions") != std::string::npos);
  CHECK(s.view(protocol::Result(), {}).title == "Norms");
  const auto tokens = run_study("position_norms", planted_inputs(), {{"of", "wte"}});
  view.focus = {{"token", 63}};
  CHECK(s.reading(*tokens, tokens->params, view).title == "token 63");
  const auto sinusoidal = run_study("position_norms", studies::Inputs(), {{"source", "sinusoidal"}});
  CHECK(s.view(*sinusoidal, sinusoidal->params).title == "Every position has the norm 19.5959");
}

}  // namespace position_norms_test
