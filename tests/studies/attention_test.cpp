#include "studies/attention/attention.h"

#include "studies/registry_view.h"
#include "tests/planted.h"

using namespace helix;
using namespace helix::testing;

namespace {

studies::Inputs with_tokens(std::size_t n) {
  studies::Inputs inputs = planted_inputs();
  for (std::size_t i = 0; i < n; ++i) inputs.subject.tokens.push_back(static_cast<std::int32_t>((i * 13) % 200));
  return inputs;
}

}  // namespace

TEST_CASE("rows of a pattern are probabilities of what came before", "[attention]") {
  const auto result = run_study("attention", with_tokens(30), {{"layer", "2"}, {"head", "1"}});
  REQUIRE(result);
  const protocol::Array& pattern = *result->array("pattern");
  REQUIRE(pattern.shape == std::vector<std::size_t>{30, 30});
  double previous = 0, self = 0, first = 0;
  for (std::size_t i = 0; i < 30; ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < 30; ++j) {
      sum += pattern.data[i * 30 + j];
      if (j > i) CHECK(pattern.data[i * 30 + j] == 0);
    }
    CHECK(std::abs(sum - 1) < 1e-5);
    if (i > 0) previous += pattern.data[i * 30 + i - 1] / 29;
    if (i > 0) self += pattern.data[i * 30 + i] / 29;  // row 0 can only attend to itself
    if (i > 1) first += pattern.data[i * 30] / 29;     // for row 1 it is the previous token
  }
  CHECK(std::abs(result->scalar("self")->value - self) < 1e-12);
  CHECK(std::abs(result->scalar("first")->value - first) < 1e-12);
  CHECK(std::abs(result->scalar("previous")->value - previous) < 1e-12);
  CHECK(result->array("previous_by_head")->data[2 * 2 + 1] == result->scalar("previous")->value);
}

TEST_CASE("stages follow from each other", "[attention]") {
  const auto stage = [](const char* name) {
    return *run_study("attention", with_tokens(9), {{"layer", "1"}, {"stage", name}})->array("pattern");
  };
  const auto raw = stage("scores"), masked = stage("masked"), pattern = stage("pattern");
  for (std::size_t i = 0; i < 9; ++i) {
    double sum = 0;
    for (std::size_t j = 0; j <= i; ++j) sum += std::exp(raw.data[i * 9 + j]);
    for (std::size_t j = 0; j < 9; ++j) {
      CHECK(masked.data[i * 9 + j] == (j > i ? -HUGE_VAL : raw.data[i * 9 + j]));
      CHECK(std::isfinite(raw.data[i * 9 + j]));
      const double expected = j > i ? 0 : std::exp(raw.data[i * 9 + j]) / sum;
      CHECK(std::abs(pattern.data[i * 9 + j] - expected) < 1e-6);
    }
  }
}

TEST_CASE("the glance at all heads holds the largest entry of each cell, whichever head is chosen", "[attention]") {
  const std::size_t n = 60;  // pooled by three
  studies::Inputs inputs = with_tokens(n);
  std::vector<std::vector<double>> patterns;
  for (const char* layer : {"2", "0", "1"})
    for (const char* head : {"0", "1"}) {
      const auto result = run_study("attention", inputs, {{"layer", layer}, {"head", head}});
      REQUIRE(result);
      CHECK(result->scalar("pooled")->value == 3);
      const protocol::Array &heads = *result->array("heads"), &pattern = *result->array("pattern");
      REQUIRE(heads.shape == std::vector<std::size_t>{3, 2, 20, 20});
      const std::size_t at = static_cast<std::size_t>(layer[0] - '0') * 2 + static_cast<std::size_t>(head[0] - '0');
      for (std::size_t i = 0; i < 20; ++i)
        for (std::size_t j = 0; j < 20; ++j) {
          double most = 0;
          for (std::size_t a = 0; a < 9; ++a) most = std::max(most, pattern.data[(i * 3 + a / 3) * n + j * 3 + a % 3]);
          CHECK(heads.data[(at * 20 + i) * 20 + j] == most);
        }
      // Cached patterns equal those of a new run.
      const auto alone = run_study("attention", with_tokens(n), {{"layer", layer}, {"head", head}});
      CHECK(alone->array("heads")->data == heads.data);
      CHECK(alone->array("pattern")->data == pattern.data);
    }
  inputs.subject.edits.push_back({"ablate_head:0.0", true});
  const auto edited = run_study("attention", inputs, {{"layer", "1"}});
  CHECK(edited->array("heads")->data != run_study("attention", with_tokens(n))->array("heads")->data);
}

TEST_CASE("one token looks at itself", "[attention]") {
  const auto result = run_study("attention", with_tokens(1));
  REQUIRE(result);
  CHECK(result->array("pattern")->data == std::vector<double>{1});
  CHECK(std::isnan(result->scalar("previous")->value));
  CHECK(result->scalar("previous")->note == "needs two tokens");
  CHECK(std::isnan(result->scalar("self")->value));  // its only key is itself
  CHECK(result->scalar("induction")->note == "needs a token that occurs again");
}

TEST_CASE("induction is the attention to what followed the same token earlier", "[attention]") {
  studies::Inputs inputs = planted_inputs();
  inputs.subject.tokens = {5, 6, 7, 5, 6, 9, 9, 5, 8, 5};
  const auto result = run_study("attention", inputs, {{"layer", "1"}, {"head", "1"}});
  REQUIRE(result);
  const auto a = [&](std::size_t q, std::size_t k) { return result->array("pattern")->data[q * 10 + k]; };
  // The second 9 follows the first at once, and the key after the 5 in “5, 8, 5” is the previous token: neither counts.
  const double sum = a(3, 1) + a(4, 2) + (a(7, 1) + a(7, 4)) + (a(9, 1) + a(9, 4));
  CHECK(std::abs(result->scalar("induction")->value - sum / 4) < 1e-12);
  CHECK(result->scalar("repeats")->value == 4);
  CHECK(result->edits.empty());
  inputs.subject.edits = {{"ablate_head:0.0", true}, {"zero_positions", false}};
  CHECK(run_study("attention", inputs)->edits == std::vector<std::string>{"ablate_head:0.0"});
}

TEST_CASE("heads that are not there are said", "[attention]") {
  CHECK(run_study("attention", with_tokens(3), {{"layer", "3"}}).error().sentence ==
        "There is no layer 3; the last one is 2.");
  CHECK(run_study("attention", with_tokens(3), {{"head", "2"}}).error().sentence ==
        "There is no head 2; the last one is 1.");
}

TEST_CASE("of a prompt with more tokens than the matrix may have cells, each cell is the largest of a block",
          "[attention]") {
  constexpr std::size_t n = 2101;
  studies::Inputs inputs = planted_inputs();
  inputs.network = tiny_network({1, 8, 1, n, planted_tokenizer()->size()});
  inputs.session = std::make_shared<model::Sessions>();
  for (std::size_t i = 0; i < n; ++i) inputs.subject.tokens.push_back(static_cast<std::int32_t>((i * 13) % 200));
  for (const char* stage : {"pattern", "scores"}) {
    const auto all = run_study("attention", inputs, {{"stage", stage}});
    REQUIRE(all);
    const protocol::Array& blocks = *all->array("pattern");
    REQUIRE(blocks.shape == std::vector<std::size_t>{1051, 1051});
    CHECK(all->scalar("pattern_pooled")->value == 2);
    studies::Inputs part = inputs;  // attention does not depend on later tokens
    part.subject.tokens.resize(40);
    const auto exact = run_study("attention", part, {{"stage", stage}});
    REQUIRE(exact);
    const protocol::Array& cells = *exact->array("pattern");
    for (std::size_t i = 0; i < 20; ++i)
      for (std::size_t j = 0; j < i; ++j) {
        double most = -HUGE_VAL;
        for (std::size_t k = 0; k < 4; ++k) most = std::max(most, cells.data[(2 * i + k / 2) * 40 + 2 * j + k % 2]);
        CHECK(blocks.data[i * 1051 + j] == Catch::Approx(most).margin(1e-6));
      }
    const auto& views = studies::view_studies();
    const auto& s = *std::ranges::find(views, "attention", [](const auto& one) { return one.schema.id; });
    CHECK(s.view(*all, all->params).subtitle.ends_with("over 2,101 tokens; a cell is the largest of 2 × 2."));
    ViewState view;
    view.focus = {{"query_block", 1050}, {"key_block", 3}};
    CHECK(s.reading(*all, all->params, view).lines[0] == "queries 2100 to 2100 → keys 6 to 7");
  }
}
