#include "studies/tokens/tokens.h"

#include <cmath>

#include "checkpoint/convert.h"
#include "studies/registry_view.h"
#include "tests/planted.h"

namespace tokens_test {

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
  for (std::size_t i = 1; i < result->tokens.size(); ++i) CHECK(result->tokens[i].id != bos);  // as text it is not BOS
  CHECK(result->scalar("count")->note == "with BOS");
  double bytes = 0;
  for (std::size_t i = 1; i < result->tokens.size(); ++i) bytes += static_cast<double>(result->tokens[i].bytes.size());
  CHECK(result->scalar("bytes_per_token")->value == bytes / static_cast<double>(result->tokens.size() - 1));
}

TEST_CASE("the mean length says over which tokens it is, and why where there is none", "[tokens][view]") {
  studies::Inputs inputs = planted_inputs();
  const auto& s = *studies::find_view_study("tokens");
  const auto subtitle = [&](const char* prompt, bool bos) {
    inputs.subject.prompt = prompt, inputs.subject.bos = bos;
    const auto r = run_study("tokens", inputs);
    REQUIRE(r);
    return s.view(*r, r->params).subtitle;
  };
  CHECK(subtitle("the", false) == "A token is a frequent piece of text: here 1.50 bytes each, on average.");
  CHECK(subtitle("the", true) ==
        "A token is a frequent piece of text: here 1.50 bytes each, on average over the 2 tokens of the text, BOS left "
        "out.");
  CHECK(subtitle("", true) ==
        "A token is a frequent piece of text: here their mean length is undefined: there is no text beside BOS.");
  inputs.subject.prompt = " the", inputs.subject.bos = true;
  const auto r = run_study("tokens", inputs);
  CHECK(s.view(*r, r->params).summary.ends_with("the longest is “ the” with 4 bytes."));  // not BOS
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

TEST_CASE("the text's prompt is judged by its list of tokens, other prompts are not", "[tokens]") {
  studies::Inputs inputs = planted_inputs();
  inputs.subject.prompt = "Hello my name is Adam";
  CHECK(run_study("tokens", inputs)->claims.empty());  // the text's first token is BOS
  inputs.subject.bos = true;
  const auto result = run_study("tokens", inputs);
  REQUIRE(result->claims.size() == 1);
  CHECK(result->claims[0].id == "H8");
  CHECK(result->claims[0].here == result->scalar("count")->value);
  CHECK(result->claims[0].holds == false);  // this vocabulary has no such words
  inputs.subject.prompt = "the cat";
  CHECK(run_study("tokens", inputs)->claims.empty());
}

TEST_CASE("an empty prompt is said", "[tokens]") {
  studies::Inputs inputs = planted_inputs();
  inputs.subject.prompt = "";
  CHECK(run_study("tokens", inputs).error().sentence == "The prompt is empty: type some text, or switch BOS on.");
  inputs.subject.bos = true;
  CHECK(run_study("tokens", inputs));
}

TEST_CASE("the rows of the chosen token and of its position, and their sum", "[tokens]") {
  studies::Inputs inputs = planted_inputs();
  inputs.subject.tokens = {5, 17, 9, 5};
  const auto whole = [&](const char* name) { return *checkpoint::to_f32(*inputs.weights->tensor(name)); };
  const Matrix<float> wte = whole("wte.weight"), wpe = whole("wpe.weight");
  const auto result = run_study("tokens", inputs, {{"position", "1"}});
  REQUIRE(result);
  const auto id = static_cast<std::size_t>(result->tokens[1].id);
  REQUIRE(id < wte.rows);
  double square = 0;
  for (std::size_t i = 0; i < wte.cols; ++i) {
    CHECK(result->array("wte")->data[i] == static_cast<double>(wte(id, i)));
    CHECK(result->array("wpe")->data[i] == static_cast<double>(wpe(1, i)));
    CHECK(result->array("sum")->data[i] == static_cast<double>(wte(id, i)) + static_cast<double>(wpe(1, i)));
    square += static_cast<double>(wpe(1, i)) * static_cast<double>(wpe(1, i));
  }
  CHECK(result->scalar("wpe_norm")->value == Catch::Approx(std::sqrt(square)).epsilon(1e-12));
  REQUIRE(result->provenance.tensors.size() == 2);
  CHECK(result->provenance.tensors[1].name == "wpe.weight[1]");

  CHECK(run_study("tokens", inputs)->scalar("position")->value == static_cast<double>(result->tokens.size() - 1));
  const auto beyond = run_study("tokens", inputs, {{"position", "30"}});
  CHECK(beyond->scalar("position")->value == static_cast<double>(result->tokens.size() - 1));
  CHECK(beyond->notes.back().starts_with("The prompt ends at position"));
}

TEST_CASE("without weights, or without a row for the token, there are tokens all the same", "[tokens]") {
  studies::Inputs inputs = planted_inputs();
  inputs.subject.tokens = {5, 100'000};
  auto result = run_study("tokens", inputs);
  REQUIRE(result);
  CHECK(result->array("sum")->data.empty());
  CHECK(std::isnan(result->scalar("cosine")->value));
  CHECK(result->scalar("wte_norm")->note == "this token has no row of wte here");
  CHECK(std::isfinite(result->scalar("wpe_norm")->value));
  inputs.models.clear();
  result = run_study("tokens", inputs, {{"position", "0"}});
  REQUIRE(result);
  CHECK(result->array("wte")->data.empty());
  CHECK(result->scalar("wpe_norm")->note == "its weights are not here");
}

TEST_CASE("the merges that made a token, in the order of their ranks", "[tokens]") {
  studies::Inputs inputs = planted_inputs();
  inputs.subject.prompt = " the";
  const auto result = run_study("tokens", inputs);
  REQUIRE(result);
  CHECK(result->words_of("merge")->data ==
        std::vector<std::string>{"“ ” + “t” → “ t”", "“h” + “e” → “he”", "“ t” + “he” → “ the”"});
  CHECK(result->array("rank")->data == std::vector<double>{0, 1, 2});
  inputs.subject.prompt = "x";
  CHECK(run_study("tokens", inputs)->words_of("merge")->data.empty());
}

TEST_CASE("of the weights only the two rows are asked for, once the tokens are known", "[tokens]") {
  const studies::ComputeStudy* study = studies::find_compute_study("tokens");
  const auto needs = [&](const studies::Known& known, const char* position) {
    ParamValues params = defaults(study->schema);
    REQUIRE(set_value(study->schema, params, "position", position, true));
    return studies::all_needs(*study, params, "m", known);
  };
  const studies::Known nothing{[](const std::string&) { return std::nullopt; }};
  const auto before = needs(nothing, "-1");
  REQUIRE(before.size() == 2);
  CHECK(!before[0].optional);
  CHECK(before[0].reads == Reads::tokens);
  CHECK(before[1].optional);
  CHECK(before[1].rows[0].rows.empty());
  const studies::Known known{[](const std::string&) { return std::optional(studies::ModelSize{1, 2, 10, 4, 64}); },
                             [] { return std::vector<std::int32_t>{7, 8, 9, 10, 70}; }};
  CHECK(needs(known, "2")[1].rows[0].rows == std::vector<std::size_t>{9});
  CHECK(needs(known, "2")[1].rows[1].rows == std::vector<std::size_t>{2});
  CHECK(needs(known, "-1")[1].rows[0].rows.empty());  // no such row in a vocabulary of 64
  CHECK(needs(known, "-1")[1].rows[1].rows.empty());  // nor such a position
}

}  // namespace tokens_test
