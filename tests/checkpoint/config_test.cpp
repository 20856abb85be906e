#include "checkpoint/config.h"

#include <algorithm>
#include <catch_amalgamated.hpp>
#include <string>

#include "tests/checkpoint/safetensors_bytes.h"
#include "tests/sentence_check.h"

namespace config_test {

using namespace helix;
using namespace helix::checkpoint;
using namespace helix::testing;

namespace {

constexpr std::string_view kSource = "tiny";

Header header_of(const std::vector<Entry>& entries) {
  auto header = parse_header(header_json(entries), std::nullopt, "file");
  REQUIRE(header);
  return *header;
}

Config config_of(const std::vector<Entry>& entries, std::optional<std::string_view> json = std::nullopt) {
  auto config = make_config(header_of(entries), json, kSource);
  if (!config) FAIL(config.error().sentence);
  return *config;
}

void check_refused(const std::vector<Entry>& entries, std::optional<std::string_view> json, std::string_view part) {
  INFO(json.value_or("no config.json"));
  const auto config = make_config(header_of(entries), json, kSource);
  REQUIRE(!config);
  check_sentence(config.error(), kSource, part);
}

std::vector<Entry> without(std::vector<Entry> entries, std::string_view part) {
  std::erase_if(entries, [&](const Entry& entry) { return entry.name.find(part) != std::string::npos; });
  return entries;
}

}  // namespace

TEST_CASE("sizes come from the tensors", "[model][config]") {
  const Config config = config_of(tiny_gpt2(3, 128, 8, 10));
  CHECK(config.n_layer == 3);
  CHECK(config.d_model == 128);
  CHECK(config.n_head == 2);
  CHECK(config.d_head == 64);
  CHECK(config.n_ctx == 8);
  CHECK(config.n_vocab == 10);
  CHECK(config.d_mlp == 512);
  CHECK(config.layer_norm_epsilon == 1e-5);
  CHECK(config.tied_head);
  CHECK(config.forward_obstacle.empty());
  CHECK(known_heads(config, kSource).value() == 2);

  auto prefixed = tiny_gpt2(3, 128);
  for (Entry& entry : prefixed) entry.name = "transformer." + entry.name;
  prefixed.push_back({"lm_head.weight", {10, 128}});
  CHECK(config_of(prefixed).n_layer == 3);
  CHECK(!config_of(prefixed).tied_head);
  CHECK(config_of(prefixed, "{}").tied_head);
  CHECK(!config_of(prefixed, R"({"tie_word_embeddings":false})").tied_head);
}

TEST_CASE("the number of heads is asked for only where it is needed", "[model][config]") {
  const Config config = config_of(tiny_gpt2(1, 100));
  CHECK(config.n_head == 0);
  CHECK(config.d_head == 0);
  check_sentence(known_heads(config, kSource).error(), kSource, "config.json");
  CHECK(known_heads(config_of(tiny_gpt2(1, 100), R"({"n_head":5})"), kSource).value() == 5);
}

TEST_CASE("config.json adds what tensors do not tell", "[model][config]") {
  const Config config = config_of({{"wpe.weight", {8, 12}}}, R"({"model_type":"gpt2","n_head":3,"n_layer":5,"n_embd":12,
    "n_positions":8,"n_ctx":8,"vocab_size":99,"n_inner":null,"layer_norm_epsilon":1e-6,"activation_function":"gelu_new",
    "task_specific_params":{"text-generation":{"do_sample":true,"n_head":77}},"architectures":["GPT2LMHeadModel"],
    "x":-1.5,"y":null})");
  CHECK(config.n_head == 3);
  CHECK(config.d_head == 4);
  CHECK(config.n_layer == 5);
  CHECK(config.n_vocab == 99);
  CHECK(config.d_mlp == 0);
  CHECK(config.layer_norm_epsilon == 1e-6);
  CHECK(config_of({{"wte.weight", {8, 12}}}, R"({"n_positions":64})").n_ctx == 64);
  CHECK(config_of({{"h.7.ln_1.weight", {128}}}).n_layer == 8);
}

TEST_CASE("contradictions are told, with both sides", "[model][config]") {
  const auto tiny = tiny_gpt2(2, 4, 8, 10);
  for (const char* json : {R"({"n_embd":5})", R"({"n_positions":9})", R"({"n_ctx":7})", R"({"vocab_size":11})",
                           R"({"n_inner":17})", R"({"n_layer":1})", R"({"n_head":3})"})
    check_refused(tiny, json, "contradict");
  CHECK(config_of(tiny, R"({"n_layer":3})").n_layer == 3);  // a partial checkpoint

  check_refused({{"wpe.weight", {8, 4}}, {"wte.weight", {10, 5}}}, std::nullopt, "“wte.weight”");
  check_refused({{"wpe.weight", {8, 4}}, {"h.1.attn.c_attn.weight", {4, 15}}}, std::nullopt,
                "“h.1.attn.c_attn.weight”");
  check_refused({{"wpe.weight", {8, 4}}, {"h.1.attn.c_attn.weight", {12, 4}}}, std::nullopt,
                "“h.1.attn.c_attn.weight”");
  check_refused({{"wpe.weight", {8, 4}}, {"h.1.attn.c_attn.bias", {13}}}, std::nullopt, "impossible");
  check_refused({{"wpe.weight", {8, 4}}, {"ln_f.bias", {4, 1}}}, std::nullopt, "dimensions");
  check_refused({{"wpe.weight", {8, 0}}}, std::nullopt, "impossible");
  check_refused({{"wpe.weight", {}}}, std::nullopt, "dimensions");
  check_refused({{"wpe.weight", {8, 4}}, {"h.1000.x", {1}}}, std::nullopt, "1001 layers");
  check_refused({}, std::nullopt, "GPT-2");
  check_refused({{"model.layers.0.self_attn.q_proj.weight", {4, 4}},
                 {"h.01.ln_1.weight", {4}},
                 {"h..a", {1}},
                 {"h.99999999999.a", {1}},
                 {"h.-1.a", {1}}},
                std::nullopt, "GPT-2");
}

TEST_CASE("a config.json that is none, or not of a GPT-2", "[model][config]") {
  const auto tiny = tiny_gpt2();
  std::string deep = R"({"a":)" + std::string(100'000, '[') + std::string(100'000, ']') + "}";
  for (const std::string json : {"",
                                 "[]",
                                 "1",
                                 "null",
                                 "\"a\"",
                                 "true",
                                 "{",
                                 "{}{}",
                                 "{\"n_head\":}",
                                 "<html>",
                                 R"({"n_head":-1})",
                                 R"({"n_head":0})",
                                 R"({"n_head":1.5})",
                                 R"({"n_head":"2"})",
                                 R"({"n_head":[2]})",
                                 R"({"n_head":{}})",
                                 R"({"n_head":true})",
                                 R"({"n_head":18446744073709551615})",
                                 R"({"n_embd":99999999999999999999999})",
                                 R"({"layer_norm_epsilon":0})",
                                 R"({"layer_norm_epsilon":-1e-5})",
                                 R"({"layer_norm_epsilon":"x"})",
                                 R"({"layer_norm_epsilon":1e999})",
                                 R"({"model_type":1})",
                                 R"({"tie_word_embeddings":1})",
                                 deep.c_str(),
                                 "{\"a\":\"\xff\"}"})
    check_refused(tiny, json, "config.json");
  check_refused(tiny, std::string_view("{}\0", 3), "config.json");
  check_refused(tiny, R"({"model_type":"llama"})", "llama");
  const std::string_view whole = R"({"n_head":2,"layer_norm_epsilon":1e-5,"model_type":"gpt2"})";
  REQUIRE(config_of(tiny, whole).n_head == 2);
  for (std::size_t n = 0; n < whole.size(); ++n) {
    const ExactBytes prefix(std::as_bytes(std::span(whole.substr(0, n))));
    REQUIRE(!make_config(header_of(tiny), prefix.text(), kSource));
  }
}

TEST_CASE("variants with GPT-2's tensors but other arithmetic are told", "[model][config]") {
  for (const char* json : {R"({"activation_function":"relu"})", R"({"scale_attn_by_inverse_layer_idx":true})",
                           R"({"scale_attn_weights":false})"})
    check_sentence({config_of(tiny_gpt2(), json).forward_obstacle}, kSource, "cannot be run");
}

TEST_CASE("what a checkpoint offers and what it lacks", "[model][config]") {
  const auto tiny = tiny_gpt2();
  const auto parts = [](const std::vector<Entry>& entries, std::optional<std::string_view> json = std::nullopt) {
    return parts_of(header_of(entries), config_of(entries, json));
  };
  const Parts all = parts(tiny);
  CHECK((all.positions && all.attention_weights && all.everything));
  CHECK(all.missing_text().empty());

  const auto partial = without(without(tiny, "wte"), "mlp.c_proj.weight");
  const Parts some = parts(without(partial, "mlp.c_fc.weight"));
  CHECK((some.positions && some.attention_weights && !some.everything));
  CHECK(some.missing_text() == "word embeddings (wte.weight) and the MLP matrices are missing");
  CHECK(some.missing_tensors.size() == 5);
  CHECK(std::ranges::count(some.missing_tensors, "h.1.mlp.c_proj.weight") == 1);

  CHECK(!parts(without(tiny, "h.1.attn.c_attn.bias")).attention_weights);
  CHECK(!parts(tiny, R"({"n_layer":3})").attention_weights);
  const Parts untied = parts(tiny, R"({"tie_word_embeddings":false})");
  CHECK(untied.missing_text() == "the output head (lm_head.weight) is missing");
  const Parts bare = parts({{"wpe.weight", {8, 4}}});
  CHECK((bare.positions && !bare.attention_weights && !bare.everything));
  CHECK(bare.missing_text().find("all layers") != std::string::npos);
}

TEST_CASE("each need names its tensors", "[model][config]") {
  const auto tiny = tiny_gpt2();
  const Config config = config_of(tiny);
  CHECK(tensors_for(Need::Positions, config) == std::vector<std::string>{"wpe.weight"});
  CHECK(tensors_for(Need::Attention, config).size() == 12);
  const auto everything = tensors_for(Need::Everything, config);
  CHECK(everything.size() == tiny.size() - 2);  // all but the two masks
  for (const std::string& name : everything) CHECK(header_of(tiny).find(name));
}

}  // namespace config_test
