#include "studies/qk_symmetry/qk_symmetry.h"

#include "figure/table.h"
#include "state/fragment.h"
#include "studies/qk_symmetry/products.h"
#include "studies/registry_view.h"
#include "tests/figure/drawings.h"
#include "tests/noise_model.h"

namespace qk_symmetry_test {

using namespace helix;
using namespace helix::testing;
using Catch::Approx;
using protocol::Result;

namespace {

constexpr std::size_t kWidth = 24, kHeads = 3, kPart = 8, kWords = 60;
constexpr TinySizes kSizes{2, kWidth, kHeads, 40, kWords};

studies::Inputs inputs_of(const std::function<void(Tensors&)>& change = {}, const std::string& without = {}) {
  return noise_model(kSizes, change, without);
}

/// Entry (i, j) of W_Q (part 0) or W_K (part 1) of a head of layer 1.
float& entry(Tensors& t, std::size_t part, std::size_t head, std::size_t i, std::size_t j) {
  return t.at("h.1.attn.c_attn.weight")[i * 3 * kWidth + part * kWidth + head * kPart + j];
}

/// Layer 1: head 0 has W_K = W_Q, head 1 has W_K = W_Q J with J antisymmetric, head 2 is noise.
void plant_symmetry(Tensors& t) {
  for (std::size_t i = 0; i < kWidth; ++i)
    for (std::size_t j = 0; j < kPart; ++j) {
      entry(t, 1, 0, i, j) = entry(t, 0, 0, i, j);
      entry(t, 1, 1, i, j) = (j % 2 ? -1.0f : 1.0f) * entry(t, 0, 1, i, j ^ 1);
    }
}

Result run_on(const studies::Inputs& inputs, std::vector<std::pair<std::string, std::string>> values = {}) {
  auto result = run_study("qk_symmetry", inputs, values);
  REQUIRE(result);
  return *result;
}

double value(const Result& result, const char* name) { return result.scalar(name)->value; }

double norm(const Matrix<double>& m) {
  double square = 0;
  for (const double x : m.data) square += x * x;
  return std::sqrt(square);
}

/// The definition, on matrices that are actually formed.
double distance(const Matrix<double>& a, const Matrix<double>& b, double c = 1) {
  Matrix<double> less = a, scaled = b;
  for (std::size_t i = 0; i < a.data.size(); ++i) scaled.data[i] *= c, less.data[i] -= scaled.data[i];
  return norm(less) / (norm(a) + norm(scaled) + norm(less));
}

/// a bᵀ
Matrix<double> times_transposed(const Matrix<double>& a, const Matrix<double>& b) {
  Matrix<double> out(a.rows, b.rows);
  for (std::size_t i = 0; i < a.rows; ++i)
    for (std::size_t j = 0; j < b.rows; ++j)
      for (std::size_t k = 0; k < a.cols; ++k) out(i, j) += a(i, k) * b(j, k);
  return out;
}

Matrix<double> transposed(const Matrix<double>& m) {
  Matrix<double> out(m.cols, m.rows);
  for (std::size_t i = 0; i < m.rows; ++i)
    for (std::size_t j = 0; j < m.cols; ++j) out(j, i) = m(i, j);
  return out;
}

}  // namespace

TEST_CASE("symmetric, antisymmetric and random heads are told apart", "[qk_symmetry]") {
  const Result r = run_on(inputs_of(plant_symmetry), {{"layer", "1"}, {"head", "1"}});
  const auto& d = r.array("by_head")->data;
  REQUIRE(r.array("by_head")->shape == std::vector<std::size_t>{2, 3});
  CHECK(d[3] == Approx(0).margin(1e-7));
  CHECK(d[4] == Approx(0.5));
  for (const std::size_t noise : {0, 1, 2, 5}) CHECK(d[noise] == Approx(std::sqrt(2) - 1).margin(0.05));
  CHECK(value(r, "distance_transpose") == d[4]);
  CHECK(value(r, "cosine_transpose") == Approx(-1));
  CHECK(value(r, "random_transpose") == Approx(std::sqrt(2) - 1).margin(0.02));
  CHECK(value(r, "close_heads") == 1);
  CHECK(value(r, "heads") == 6);
  CHECK(value(r, "mean_transpose") == Approx((d[0] + d[1] + d[2] + d[3] + d[4] + d[5]) / 6));
  CHECK(r.claims.empty());
  CHECK(r.scalar("distance_identity")->note == "not asked for");
}

TEST_CASE("both distances are those of the matrices themselves", "[qk_symmetry]") {
  Tensors kept;
  const studies::Inputs inputs = inputs_of([&](Tensors& t) {
    for (std::size_t i = 0; i < kWords * kWidth; ++i) t.at("wte.weight")[i] += i % kWidth == 4 ? 1.0f : 0.0f;
    kept = t;
  });
  for (const char* centre : {"0", "1"}) {
    const Result r = run_on(inputs, {{"identity", "1"}, {"centre", centre}, {"layer", "1"}});
    Matrix<double> x(kWords, kWidth);
    std::ranges::copy(kept.at("wte.weight"), x.data.begin());
    for (std::size_t j = 0; j < kWidth && *centre == '1'; ++j) {
      double mean = 0;
      for (std::size_t i = 0; i < kWords; ++i) mean += x(i, j) / kWords;
      for (std::size_t i = 0; i < kWords; ++i) x(i, j) -= mean;
    }
    const Matrix<double> plain = times_transposed(x, x);
    for (std::size_t h = 0; h < kHeads; ++h) {
      CAPTURE(centre, h);
      Matrix<double> q(kWidth, kPart), k(kWidth, kPart);
      for (std::size_t i = 0; i < kWidth; ++i)
        for (std::size_t j = 0; j < kPart; ++j) q(i, j) = entry(kept, 0, h, i, j), k(i, j) = entry(kept, 1, h, i, j);
      const Matrix<double> m = times_transposed(q, k);
      CHECK(r.array("by_head")->data[kHeads + h] == Approx(distance(m, transposed(m))));
      const Matrix<double> scores = times_transposed(times_transposed(x, transposed(m)), x);
      double least = 1;
      for (double c = 1e-3; c < 1e3; c *= 1.01) least = std::min(least, distance(plain, scores, c));
      CHECK(r.array("by_head_identity")->data[kHeads + h] == Approx(least).margin(1e-4));
      CHECK(r.array("by_head_identity")->data[kHeads + h] < least + 1e-9);
      CHECK(r.array("by_head_identity")->data[kHeads + h] > value(r, "bound_identity"));
    }
  }
}

TEST_CASE("a head that is the identity on what tokens use comes as near as its rank allows", "[qk_symmetry]") {
  // Tokens use the first eight dimensions, and head 0 reads only these.
  const studies::Inputs inputs = inputs_of([](Tensors& t) {
    for (std::size_t i = 0; i < kWords * kWidth; ++i) t.at("wte.weight")[i] *= i % kWidth < kPart ? 1.0f : 0.0f;
    for (std::size_t i = 0; i < kWidth; ++i)
      for (std::size_t j = 0; j < kPart; ++j) entry(t, 0, 0, i, j) = entry(t, 1, 0, i, j) = i == j ? 3.0f : 0.0f;
  });
  const Result r = run_on(inputs, {{"identity", "1"}, {"layer", "1"}});
  CHECK(value(r, "distance_identity") == Approx(0).margin(1e-6));
  CHECK(value(r, "cosine_identity") == Approx(1));
  CHECK(value(r, "bound_identity") == Approx(0).margin(1e-6));
  CHECK(r.array("by_head_identity")->data[5] > 0.3);
  CHECK(value(r, "random_identity") > 0.3);
}

TEST_CASE("F4 is judged against the identity, and says what is missing", "[qk_symmetry]") {
  const Result noise = run_on(inputs_of(), {{"identity", "1"}});
  REQUIRE(noise.claims.size() == 1);
  CHECK(noise.claims[0].id == "F4");
  CHECK(noise.claims[0].holds == false);
  CHECK(noise.claims[0].here == value(noise, "mean_transpose"));
  const studies::Inputs no_tokens = inputs_of({}, "wte.weight");
  const Result without = run_on(no_tokens, {{"identity", "1"}});
  CHECK(!without.claims[0].holds);
  CHECK(without.claims[0].needs == std::vector<std::string>{"wte.weight"});
  CHECK(without.scalar("distance_identity")->note == "needs wte.weight");
  CHECK(std::isnan(value(without, "distance_identity")));
  const auto symmetric = [](Tensors& t) {
    for (const char* name : {"h.0.attn.c_attn.weight", "h.1.attn.c_attn.weight"})
      for (std::size_t i = 0; i < kWidth; ++i)
        for (std::size_t j = 0; j < kWidth; ++j)
          t.at(name)[i * 3 * kWidth + kWidth + j] = t.at(name)[i * 3 * kWidth + j];
  };
  CHECK(run_on(inputs_of(symmetric), {{"identity", "1"}}).claims[0].holds == true);
  CHECK(run_on(inputs_of(), {{"identity", "1"}, {"gain", "1"}}).claims.empty());
}

TEST_CASE("another head costs nothing, and the tokens come after a first picture", "[qk_symmetry]") {
  studies::Inputs inputs = inputs_of();
  std::vector<Result> first;
  inputs.on_first_picture = [&](Result r) { first.push_back(std::move(r)); };
  const Result r = run_on(inputs, {{"identity", "1"}});
  REQUIRE(first.size() == 1);
  CHECK(!first[0].complete);
  CHECK(first[0].array("by_head")->data == r.array("by_head")->data);
  const Result other = run_on(inputs, {{"identity", "1"}, {"head", "2"}});
  CHECK(first.size() == 1);
  CHECK(value(other, "distance_identity") == r.array("by_head_identity")->data[2]);
}

TEST_CASE("the gain is folded in, a missing layer is left out, and what is not there is said", "[qk_symmetry]") {
  // With a gain that keeps only dimension 0, M has one entry, and is symmetric.
  const studies::Inputs one = inputs_of([](Tensors& t) {
    for (std::size_t i = 1; i < kWidth; ++i) t.at("h.0.ln_1.weight")[i] = 0;
  });
  CHECK(value(run_on(one), "distance_transpose") > 0.3);
  CHECK(value(run_on(one, {{"gain", "1"}}), "distance_transpose") == Approx(0).margin(1e-7));
  const Result partial = run_on(inputs_of({}, "h.1.attn.c_attn.weight"));
  CHECK(value(partial, "heads") == 3);
  CHECK(std::isnan(partial.array("by_head")->data[4]));
  CHECK(partial.notes.front().starts_with("Layer 1 is left out"));
  const Result zero = run_on(inputs_of([](Tensors& t) {
    for (float& x : t.at("h.0.attn.c_attn.weight")) x = 0;
  }));
  CHECK(std::isnan(value(zero, "distance_transpose")));
  CHECK(zero.scalar("distance_transpose")->note == "W_Q W_Kᵀ is zero, or its weights are not there");
  CHECK(value(zero, "heads") == 3);
  const Result nothing = run_on(inputs_of([](Tensors& t) {
    for (const char* name : {"h.0.attn.c_attn.weight", "h.1.attn.c_attn.weight"})
      for (float& x : t.at(name)) x = 0;
  }));
  CHECK(std::isnan(value(nothing, "close_heads")));  // none was compared, so it is not 0
  const figure::Figure f = studies::find_view_study("qk_symmetry")->view(nothing, nothing.params);
  CHECK(f.title == "No head has a W_Q W_Kᵀ that can be compared");
  check_sentence(f.summary);
  const auto fails = [](const studies::Inputs& inputs, const std::vector<std::pair<std::string, std::string>>& values,
                        const char* part) {
    const auto failed = run_study("qk_symmetry", inputs, values);
    REQUIRE(!failed);
    check_sentence(failed.error().sentence, part);
  };
  fails(inputs_of(), {{"layer", "2"}}, "no layer 2");
  fails(inputs_of(), {{"head", "3"}}, "no head 3");
  fails(inputs_of({}, "h.0.attn.c_attn.weight"), {}, "h.0.attn.c_attn.weight");
  fails(studies::Inputs(), {}, "No model is open");
}

TEST_CASE("the map follows the head that is asked for, and leads to its attention", "[qk_symmetry][view]") {
  const Result r = run_on(inputs_of(plant_symmetry), {{"identity", "1"}});
  const auto& s = *studies::find_view_study("qk_symmetry");
  ParamValues asked = r.params;
  REQUIRE(set_value(s.schema, asked, "layer", "1", true));
  const figure::Figure f = s.view(r, asked);
  CHECK(f.title == "1 of 6 heads has a W_Q W_Kᵀ close to symmetric");
  CHECK(f.lead.lines.front() == "d(M, Mᵀ) of head 1.0");
  CHECK(f.find("identity"));
  CHECK(!s.view(run_on(inputs_of()), {}).find("identity"));
  ViewState view;
  view.focus = {{"layer", 1}, {"head", 2}};
  CHECK(s.reading(r, asked, view).title == "head 1.2");
  view.focus = {{"item", 1}};
  CHECK(s.reading(r, asked, view).title == "rank 1");
  const auto schemas = studies::schemas_of(studies::view_studies());
  for (const std::string& go : f.tables[0].go)
    REQUIRE(state::apply_fragment(state::default_state(schemas), go, schemas));
  CHECK(s.view(Result(), {}).title == "Symmetry of W_Q W_Kᵀ");
}

TEST_CASE("beside the number stands why there is no comparison with the identity, where one was asked for",
          "[qk_symmetry][view]") {
  const auto& s = *studies::find_view_study("qk_symmetry");
  const auto last_line = [&](const std::string& without, const char* identity) {
    const Result r = run_on(inputs_of({}, without), {{"identity", identity}});
    return s.view(r, r.params).lead.lines.back();
  };
  CHECK(last_line("wte.weight", "1") == "from the identity: needs wte.weight");
  CHECK(last_line("wte.weight", "0").ends_with("is symmetric"));
  CHECK(last_line("", "1").starts_with("random matrices, identity: 0."));
}

TEST_CASE("strips of a layer or two leave no room empty beside them", "[qk_symmetry][view]") {
  const auto& s = *studies::find_view_study("qk_symmetry");
  for (const char* identity : {"0", "1"}) {
    const Result r = run_on(inputs_of(), {{"identity", identity}});
    const figure::Drawing d = drawn(s.view(r, r.params), 900, 620);
    const figure::Rect order = block_of(d, "order").rect, map = block_of(d, "transpose").rect;
    CHECK(order.y > map.bottom());
    CHECK(order.w > 800);
    CHECK(order.h > 200);
    CHECK(map.h < 200);
  }
}

}  // namespace qk_symmetry_test
