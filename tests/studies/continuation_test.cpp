#include "studies/continuation/continuation.h"

#include <cmath>
#include <set>

#include "base/text.h"
#include "model/sampling.h"
#include "studies/registry_view.h"
#include "tests/planted.h"

namespace continuation_test {

using namespace helix;
using namespace helix::testing;

namespace {

studies::Inputs with_prompt(const std::string& prompt) {
  studies::Inputs inputs = planted_inputs();
  inputs.subject.prompt = prompt;
  return inputs;
}

std::vector<double> written(const Given& values) {
  const auto result = run_study("continuation", with_prompt("the cat"), values);
  REQUIRE(result);
  return result->array("token")->data;
}

}  // namespace

TEST_CASE("the most likely token is what a prediction says, again and again", "[continuation]") {
  studies::Inputs inputs = with_prompt("the cat");
  std::vector<protocol::Result> pictures;
  inputs.on_first_picture = [&](protocol::Result r) { pictures.push_back(std::move(r)); };
  const auto result = run_study("continuation", inputs, {{"count", "6"}});
  REQUIRE(result);
  REQUIRE(result->array("token")->data.size() == 6);
  CHECK(pictures.size() == 5);  // shown as it is generated
  for (std::size_t i = 0; i < pictures.size(); ++i) {
    CHECK(!pictures[i].complete);
    CHECK(pictures[i].array("token")->data.size() == i + 1);
  }
  studies::Inputs by_hand = with_prompt("the cat");
  by_hand.subject.tokens = by_hand.tokenizer->encode("the cat");
  for (std::size_t i = 0; i < 6; ++i) {
    by_hand.session = std::make_shared<model::Sessions>();  // without a cache
    const auto next = run_study("predictions", by_hand);
    REQUIRE(next);
    CHECK(result->array("token")->data[i] == next->array("token")->data[0]);
    CHECK(result->array("probability")->data[i] == next->array("probability")->data[0]);
    CHECK(std::abs(result->array("entropy")->data[i] - next->scalar("entropy_nats")->value) < 1e-12);
    by_hand.subject.tokens.push_back(static_cast<std::int32_t>(next->array("token")->data[0]));
  }
  CHECK(result->tokens.size() == by_hand.subject.tokens.size());
}

TEST_CASE("generation ends where the shifted positions do", "[continuation]") {
  studies::Inputs inputs = with_prompt("the cat");  // four tokens, 100 positions
  inputs.subject.edits = {{"shift_positions:94"}};
  const auto result = run_study("continuation", inputs, {{"count", "10"}});
  REQUIRE(result);
  REQUIRE(result->array("token")->data.size() == 3);  // the last of them is not read
  REQUIRE(result->notes.size() == 1);
  CHECK(result->notes[0] == "The edited table of positions has rows for 6 tokens, so generation stops here.");
  // Each is what a prediction after the tokens before it says.
  for (std::size_t i = 0; i < 3; ++i) {
    studies::Inputs by_hand = with_prompt("the cat");
    by_hand.subject.edits = inputs.subject.edits;
    for (std::size_t t = 0; t < 4 + i; ++t) by_hand.subject.tokens.push_back(result->tokens[t].id);
    CHECK(run_study("predictions", by_hand)->array("token")->data[0] == result->array("token")->data[i]);
  }
}

TEST_CASE("generation ends where values are frozen for the prompt alone", "[continuation]") {
  studies::Inputs inputs = with_prompt("the cat");
  inputs.subject.edits = {{"freeze_norms"}};
  const auto result = run_study("continuation", inputs, {{"count", "10"}});
  REQUIRE(result);
  CHECK(result->array("token")->data.size() == 1);
  REQUIRE(result->notes.size() == 1);
  CHECK(result->notes[0] == "The frozen values are those of the prompt's 4 tokens, so generation stops here.");
}

TEST_CASE("the same seed writes the same text, another one another", "[continuation]") {
  const auto drawn = [](const char* seed) {
    return written({{"choice", "sampled"}, {"seed", seed}, {"temperature", "3"}, {"count", "12"}});
  };
  CHECK(drawn("1") == drawn("1"));
  CHECK(drawn("1") != drawn("2"));
  CHECK(written({{"choice", "sampled"}, {"top_k", "1"}, {"count", "5"}}) == written({{"count", "5"}}));
  CHECK(written({{"choice", "sampled"}, {"top_p", "0.01"}, {"count", "5"}}) == written({{"count", "5"}}));
}

TEST_CASE("the mean surprise is at temperature 1, and its probability a geometric mean", "[continuation][view]") {
  const auto result = run_study("continuation", with_prompt("the"), {{"choice", "sampled"}, {"temperature", "3"}});
  REQUIRE(result);
  double product = 1;
  for (const double p : result->array("probability")->data) product *= p;
  const double mean = std::pow(product, 1 / static_cast<double>(result->array("probability")->data.size()));
  CHECK(std::exp(-result->scalar("surprise")->value) == Catch::Approx(mean));
  CHECK(result->scalar("surprise")->note.find("temperature 1") != std::string::npos);
  const auto& s = *studies::find_view_study("continuation");
  const figure::Figure f = s.view(*result, result->params);
  const auto& number = f.lead;
  CHECK(number.lines[1] == share_text(mean, 1) + ", geometric mean probability");
  protocol::Result none = *result;
  none.scalars.back() = {"surprise", std::nan(""), "nats", "a generated token has the probability 0"};
  CHECK(s.view(none, none.params)
            .summary.ends_with("its mean surprise is undefined: a generated token has the probability 0."));
}

TEST_CASE("it stops where the context ends", "[continuation]") {
  studies::Inputs inputs = with_prompt("");
  inputs.subject.tokens.assign(98, 5);
  const auto result = run_study("continuation", inputs, {{"count", "50"}});
  REQUIRE(result);
  CHECK(result->array("token")->data.size() == 3);  // after the 98th, 99th and 100th token
  REQUIRE(result->notes.size() == 1);
  CHECK(result->notes[0] == "The model's context of 100 tokens is full, so generation stops here.");
  inputs.subject.edits = {{"no_mask", true}};
  CHECK(run_study("continuation", inputs).error().sentence.find("no_mask") != std::string::npos);
}

TEST_CASE("draws follow the probabilities", "[continuation][sampling]") {
  const std::vector<float> logits{1, 3, 2, -1, 0.5f};
  const auto p = model::probabilities(logits);
  CHECK(std::abs(p[0] + p[1] + p[2] + p[3] + p[4] - 1) < 1e-12);
  CHECK(model::top_ids(logits, 3) == std::vector<std::int32_t>{1, 2, 0});
  CHECK(model::top_ids(std::vector<float>{1, 2, 2, std::nanf("")}, 9) == std::vector<std::int32_t>{1, 2, 0, 3});
  const auto shares = [&](model::Sampling how) {
    how.greedy = false, how.seed = 7;
    model::Sampler sampler(how);
    std::vector<double> share(5);
    for (int i = 0; i < 40'000; ++i) share[static_cast<std::size_t>(sampler.choose(logits))] += 1.0 / 40'000;
    return share;
  };
  const auto all = shares({});
  for (std::size_t i = 0; i < 5; ++i) CHECK(std::abs(all[i] - p[i]) < 0.01);
  const auto two = shares({.top_k = 2});
  CHECK(std::abs(two[1] - p[1] / (p[1] + p[2])) < 0.01);
  CHECK(two[0] + two[3] + two[4] == 0);
  const auto most = shares({.top_p = p[1] + p[2] + 1e-9});  // the third is needed to reach the sum
  CHECK(most[0] > 0);
  CHECK(most[3] + most[4] == 0);
  const auto hot = shares({.temperature = 100});
  for (const double share : hot) CHECK(std::abs(share - 0.2) < 0.02);
  CHECK(std::abs(model::entropy_nats(std::vector<double>{0.5, 0.5, 0}) - std::numbers::ln2) < 1e-12);
}

}  // namespace continuation_test
