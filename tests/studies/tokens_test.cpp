#include "studies/tokens/tokens.h"

#include "tests/planted.h"

using namespace helix;
using namespace helix::testing;

TEST_CASE("a prompt is shown token by token", "[tokens]") {
  studies::Inputs inputs = planted_inputs();
  inputs.subject.prompt = "the cat\xE2";
  const auto result = run_study("tokens", inputs);
  REQUIRE(result);
  CHECK(result->words_of("text")->data == std::vector<std::string>{"t", "he", " c", "at", "\\xE2"});
  CHECK(result->words_of("bytes")->data == std::vector<std::string>{"74", "6865", "2063", "6174", "e2"});
  CHECK(result->scalar("count")->value == 5);
  CHECK(result->scalar("bytes_per_token")->value == 8.0 / 5);
  REQUIRE(result->tokens.size() == 5);
  for (std::size_t i = 0; i < 5; ++i) CHECK(result->array("id")->data[i] == result->tokens[i].id);
  CHECK(result->tokens[4].bytes == "\xE2");
}

TEST_CASE("BOS is counted, and is no text", "[tokens]") {
  studies::Inputs inputs = planted_inputs();
  inputs.subject.prompt = "the the<|endoftext|>", inputs.subject.bos = true;
  const auto result = run_study("tokens", inputs);
  REQUIRE(result);
  const std::int32_t bos = *inputs.tokenizer->end_of_text();
  CHECK(result->tokens.front().id == bos);
  for (std::size_t i = 1; i < result->tokens.size(); ++i) CHECK(result->tokens[i].id != bos);  // typed, it is text
  CHECK(result->scalar("count")->note == "with BOS");
  double bytes = 0;
  for (std::size_t i = 1; i < result->tokens.size(); ++i) bytes += static_cast<double>(result->tokens[i].bytes.size());
  CHECK(result->scalar("bytes_per_token")->value == bytes / static_cast<double>(result->tokens.size() - 1));
}

TEST_CASE("ids are taken as they are, also without a vocabulary", "[tokens]") {
  studies::Inputs inputs = planted_inputs();
  inputs.subject.tokens = {5, 0, 5};
  CHECK(run_study("tokens", inputs)->array("id")->data == std::vector<double>{5, 0, 5});
  inputs.tokenizer = nullptr, inputs.no_tokenizer = "The model x has no vocab.json beside its weights.";
  const auto bare = run_study("tokens", inputs);
  REQUIRE(bare);
  CHECK(bare->words_of("text")->data[0] == "token 5");
  inputs.subject.tokens.clear();
  CHECK(run_study("tokens", inputs).error().sentence == inputs.no_tokenizer);
}

TEST_CASE("an empty prompt is said", "[tokens]") {
  studies::Inputs inputs = planted_inputs();
  inputs.subject.prompt = "";
  CHECK(run_study("tokens", inputs).error().sentence == "The prompt is empty: type some text, or switch BOS on.");
  inputs.subject.bos = true;
  CHECK(run_study("tokens", inputs));
}
