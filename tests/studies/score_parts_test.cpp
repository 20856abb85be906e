#include "studies/score_parts/score_parts.h"

#include <algorithm>
#include <cmath>

#include "studies/registry_view.h"
#include "tests/noise_model.h"

namespace score_parts_test {

using namespace helix;
using namespace helix::testing;
using protocol::Result;
using studies::score_parts::kParts;

namespace {

constexpr TinySizes kSizes{2, 32, 4, 24, 40};
const std::vector<std::int32_t> kTokens{5, 30, 12, 7, 33, 21, 5, 30, 12, 7, 33, 21};

studies::Inputs runnable(const std::function<void(Tensors&)>& change = {}, std::vector<Edit> edits = {}) {
  studies::Inputs inputs = runnable_model(kSizes, change);
  inputs.subject.tokens = kTokens, inputs.subject.edits = std::move(edits);
  return inputs;
}

Result parts_of(const studies::Inputs& inputs, Given given) {
  auto result = run_study("score_parts", inputs, given);
  if (!result) FAIL(result.error().sentence);
  return *result;
}

double number(const Result& result, const char* name) { return result.scalar(name)->value; }
const std::vector<double>& data(const Result& result, const char* name) { return result.array(name)->data; }

/// Positions are long and tokens short, or the other way round.
std::function<void(Tensors&)> louder(const char* table) {
  return [table](Tensors& t) {
    for (float& x : t.at(table)) x *= 30;
  };
}

figure::Figure figure_of(const Result& result) {
  return studies::find_view_study("score_parts")->view(result, result.params);
}

void set(Result& result, const char* name, double x) {
  std::ranges::find(result.scalars, name, &protocol::Scalar::name)->value = x;
}

}  // namespace

TEST_CASE("the parts of every score add up to it, and the shares to one", "[score_parts]") {
  for (const char* layer : {"0", "1"})
    for (const std::vector<Edit>& edits : {std::vector<Edit>{}, std::vector<Edit>{{"zero_positions", true}}}) {
      const Result result = parts_of(runnable({}, edits), {{"layer", layer}, {"head", "2"}});
      CHECK(number(result, "residual_error") < 1e-4);
      double sum = 0;
      for (const double x : data(result, "share")) sum += x;
      CHECK(std::abs(sum - 1) < 1e-9);
      const std::size_t n = kTokens.size();
      const auto& parts = data(result, "parts");
      const auto& score = data(result, "score");
      REQUIRE(parts.size() == kParts * n * n);
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j) {
          double cell = 0;
          for (std::size_t p = 0; p < kParts; ++p) cell += parts[(p * n + i) * n + j];
          CHECK((j > i || j == 0 || i < 2 ? std::isnan(cell) : std::abs(cell - score[i * n + j]) < 1e-4));
        }
      CHECK(result.notes.empty());
    }
}

TEST_CASE("where positions are long they make the scores, where tokens are long tokens do", "[score_parts]") {
  const Result places = parts_of(runnable(louder("wpe.weight")), {{"layer", "0"}, {"head", "1"}});
  CHECK(number(places, "position_share") > 0.9);
  CHECK(figure_of(places).title.starts_with("Positions alone make "));
  const Result words = parts_of(runnable(louder("wte.weight")), {{"layer", "0"}, {"head", "1"}});
  CHECK(number(words, "token_share") > 0.9);
  CHECK(figure_of(words).title.starts_with("Tokens alone make "));
  const Result none = parts_of(runnable({}, {{"zero_positions", true}}), {{"layer", "0"}, {"head", "1"}});
  CHECK(std::abs(number(none, "position_share")) < 1e-12);
  CHECK(std::abs(number(none, "mixed_share")) < 1e-12);
  CHECK(none.scalar("peak_lag")->note == "no token knows where it is");
  CHECK(figure_of(none).subtitle.find("Positions alone favour no key; the head gives") != std::string::npos);
}

TEST_CASE("random heads of the same sizes give the level that the parts' lengths alone make", "[score_parts]") {
  const Result noise = parts_of(runnable(), {{"layer", "0"}, {"head", "1"}});
  const auto& random = data(noise, "random_share");
  REQUIRE(random.size() == 20 * kParts);
  for (std::size_t p = 0; p < kParts; ++p) {
    double least = 1, most = -1;
    for (std::size_t s = 0; s < 20; ++s) {
      least = std::min(least, random[s * kParts + p]), most = std::max(most, random[s * kParts + p]);
    }
    CHECK(least < most);
    const double width = most - least, share = data(noise, "share")[p];  // this head is noise itself
    CHECK((share > least - width && share < most + width));
  }
}

TEST_CASE("without a choice the head that looks back one token most is taken apart", "[score_parts]") {
  const studies::Inputs inputs = runnable();
  const Result chosen = parts_of(inputs, {});
  const auto attention = [&](int layer, int head) {
    return number(parts_of(inputs, {{"layer", std::to_string(layer)}, {"head", std::to_string(head)}}), "previous");
  };
  double most = 0;
  for (int l = 0; l < 2; ++l)
    for (int h = 0; h < 4; ++h) most = std::max(most, attention(l, h));
  CHECK(number(chosen, "previous") == most);
  const Result layer = parts_of(inputs, {{"layer", "1"}});
  CHECK(number(layer, "layer") == 1);
  for (int h = 0; h < 4; ++h) CHECK(attention(1, h) <= number(layer, "previous"));
}

TEST_CASE("what cannot be taken apart is said in a sentence", "[score_parts]") {
  studies::Inputs inputs = runnable();
  const auto refused = [&](Given given) {
    const auto result = run_study("score_parts", inputs, given);
    return result ? std::string() : result.error().sentence;
  };
  CHECK(refused({{"layer", "7"}, {"head", "0"}}) == "There is no layer 7; the last one is 1.");
  CHECK(refused({{"layer", "0"}, {"head", "9"}}) == "There is no head 9; the last one is 3.");
  inputs.subject.tokens = {1, 2};
  CHECK(refused({}).find("The first token is left out") != std::string::npos);
  const Result edited = parts_of(runnable({}, {{"zero_bias:q:0", true}}), {{"layer", "0"}, {"head", "1"}});
  CHECK(edited.notes.size() == 1);
}

TEST_CASE("the sentences follow the numbers", "[score_parts]") {
  Result result = parts_of(runnable(), {{"layer", "0"}, {"head", "1"}});
  set(result, "position_share", 0.3), set(result, "token_share", 0.5);
  CHECK(figure_of(result).title == "Tokens alone make 50 % of what head 0.1's scores differ by, positions alone 30 %");
  const auto said = [&](int query, int key) {
    ViewState view;
    view.focus = {{"query", query}, {"key", key}};
    return studies::find_view_study("score_parts")->reading(result, result.params, view).lines.front();
  };
  CHECK(said(5, 0) == "the first token, which is left out");
  CHECK(said(5, 6) == "a later token, which the mask hides");
  CHECK(said(1, 1) == "the only key besides the first, so there is none to compare it with");
  CHECK(said(5, 4).starts_with("score  "));
  set(result, "peak_lag", 0);
  CHECK(figure_of(result).subtitle.find("favour the token itself") != std::string::npos);
  set(result, "peak_lag", 1);
  CHECK(figure_of(result).subtitle.find("favour the key 1 token back") != std::string::npos);
  set(result, "position_share", std::nan(""));
  CHECK(figure_of(result).title == "All keys have the same score in head 0.1");
  CHECK(figure_of(Result{}).title == "Position and token in a score");
  const auto silent = [](Tensors& t) { std::ranges::fill(t.at("h.0.attn.c_attn.weight"), 0.0f); };
  const Result flat = parts_of(runnable(silent), {{"layer", "0"}, {"head", "1"}});
  CHECK(std::isnan(number(flat, "position_share")));
  CHECK(flat.scalar("position_share")->note == "all keys have the same score");
  CHECK(figure_of(flat).subtitle == "There is nothing to take apart.");
}

}  // namespace score_parts_test
