#include <cmath>
#include <filesystem>
#include <string>

#include "cli/cli.h"
#include "protocol/json.h"
#include "tests/model/tiny_network.h"
#include "tests/test_folder.h"
#include "tests/tokenizer/tiny_vocabulary.h"

namespace cli_pack_test {

using namespace helix;
using namespace helix::testing;
using cli::Outcome;
using cli::run;
using protocol::Json;

namespace {

struct Tiny : TestFolder {
  Tiny() {
    write("tiny/model.safetensors", tiny_checkpoint({}));
    write("tiny/config.json", bytes_of("{\"n_head\": 2}"));
  }
  std::string at(const char* name) const { return (path() / name).string(); }
};

Json json_of(const Outcome& outcome) {
  INFO(outcome.err);
  CHECK(outcome.status == 0);
  const auto json = protocol::parse_json(outcome.out);
  REQUIRE(json);
  return *json;
}

void check_refused(const Outcome& outcome, int status, const std::string& part) {
  CHECK(outcome.status == status);
  CHECK(outcome.out.empty());
  REQUIRE(outcome.err.ends_with("\n"));
  check_sentence(outcome.err.substr(0, outcome.err.size() - 1), part);
}

}  // namespace

TEST_CASE("a pack is made, looked at and run like the model it is of", "[cli][pack]") {
  const Tiny folder;
  const std::string source = folder.at("tiny"), pack = folder.at("packs/half");
  const Json made = json_of(run({"pack", "--model", source, "--out", pack, "--precision", "f16", "--json"}));
  CHECK(made["name"] == "half");
  CHECK(made["source"] == "tiny");
  CHECK(made["shards"] == 4);
  CHECK(made["missing"] == Json::array());
  CHECK(made["weights"]["max_difference"].get<double>() > 0);
  CHECK(made["predictions"]["max_logit_difference"].get<double>() > 0);
  CHECK(made["predictions"]["mean_kl_nats"].get<double>() < 1e-4);
  CHECK(made["predictions"]["top1_agreement"].get<double>() > 0.5);

  const Json info = json_of(run({"info", "--model", pack, "--json"}));
  CHECK(info["sha256"] == made["sha256"]);
  CHECK(info["bytes"] == made["bytes"]);
  CHECK(info["shards"] == 4);
  CHECK(info["everything"] == true);
  CHECK(run({"info", "--model", pack}).out.find("A pack in f16, 4 shards") != std::string::npos);
  for (const std::string& model : {pack, pack + "/manifest.json"}) {
    const Json logits = json_of(run({"logits", "--model", model, "--tokens", "1,2,3", "--json"}));
    CHECK(logits["top"].size() == 10);
  }
  const Json studied =
      json_of(run({"run", "position_helix", "--model", pack, "--set", "first=1", "--set", "last=11", "--json"}));
  CHECK(studied["provenance"]["model"] == "half");
  CHECK(studied["provenance"]["precision"] == "F16");
  CHECK(studied["provenance"]["sha256"] == made["sha256"].get<std::string>().substr(0, 12));
}

TEST_CASE("in f32 the predictions are the same, and it says so", "[cli][pack]") {
  const Tiny folder;
  const Outcome said = run({"pack", "--model", folder.at("tiny"), "--out", folder.at("p"), "--precision", "f32"});
  INFO(said.out << said.err);
  CHECK(said.status == 0);
  CHECK(said.out.find("4 shards") != std::string::npos);
  CHECK(said.out.find("weights |difference| max 0, mean 0; logits |difference| max 0, mean 0; KL mean 0") !=
        std::string::npos);
  CHECK(said.out.find("100.0 % of positions") != std::string::npos);
  CHECK(said.out.find("Left out") != std::string::npos);
}

TEST_CASE("a pack in q8 runs as the model does in q8, and says what it is", "[cli][pack]") {
  const Tiny folder;
  const std::string source = folder.at("tiny"), pack = folder.at("eight");
  const Json made = json_of(run({"pack", "--model", source, "--out", pack, "--precision", "q8", "--json"}));
  CHECK(made["precision"] == "q8");
  CHECK(made["weights"]["max_difference"].get<double>() > 0);
  CHECK(made["predictions"]["max_logit_difference"].get<double>() > 0);
  CHECK(made["predictions"]["p99_kl_nats"].get<double>() < 0.01);
  const std::vector<std::string> tokens = {"logits", "--tokens", "1,2,3,4,5,6,7", "--json", "--model"};
  const auto logits = [&](std::vector<std::string> more) {
    std::vector<std::string> all = tokens;
    all.insert(all.end(), more.begin(), more.end());
    return run(all);
  };
  const Json here = json_of(logits({pack})), there = json_of(logits({source, "--precision", "q8"}));
  CHECK(here["top"] == there["top"]);
  CHECK(here["entropy_nats"] == there["entropy_nats"]);
  CHECK(here["precision"] == "q8");
  CHECK(there["precision"] == "F32 as 8-bit integers");
  CHECK(json_of(logits({pack, "--precision", "q8"})) == here);
  check_refused(logits({pack, "--precision", "f32"}), 1, "stored as 8-bit integers");
  check_refused(run({"bench", "--model", pack, "--precision", "f32"}), 1, "stored as 8-bit integers");
  CHECK(run({"bench", "--model", pack, "--prefill", "4", "--decode", "2", "--json"}).out.find("\"precision\":\"q8\"") !=
        std::string::npos);
  const Json studied = json_of(run({"run", "predictions", "--model", pack, "--tokens", "1,2", "--json"}));
  CHECK(studied["provenance"]["precision"] == "q8");
  // Positions are not quantised.
  const std::vector<std::string> helix = {"run", "position_helix", "--json", "--set", "last=11", "--model"};
  const auto of = [&](const std::string& model) {
    auto all = helix;
    all.push_back(model);
    return json_of(run(all));
  };
  CHECK(of(pack)["arrays"] == of(source)["arrays"]);
  CHECK(of(pack)["provenance"]["precision"] == "F32");
  check_refused(run({"pack", "--model", pack, "--out", folder.at("x"), "--precision", "f16"}), 1, "--precision q8");
}

TEST_CASE("the perplexity of a text, before and after", "[cli][pack]") {
  const Tiny folder;
  const auto files = testing::files_of({{"t", "h"}, {"th", "e"}});
  folder.write("whole/model.safetensors", tiny_checkpoint({.n_vocab = 260}));
  folder.write("whole/config.json", bytes_of("{\"n_head\": 2}"));
  folder.write("whole/vocab.json", bytes_of(files.vocab_json));
  folder.write("whole/merges.txt", bytes_of(files.merges_txt));
  folder.write("text.txt", bytes_of("the cat sat on the mat and then on the other"));
  folder.write("short.txt", bytes_of("t"));
  const auto pack = [&](const char* precision, const char* text) {
    return run({"pack", "--model", folder.at("whole"), "--out", folder.at(precision), "--precision", precision,
                "--text-file", folder.at(text), "--json"});
  };
  const Json same = json_of(pack("f32", "text.txt")), near = json_of(pack("q8", "text.txt"));
  CHECK(same["perplexity"]["pack"] == same["perplexity"]["source"]);
  CHECK(near["perplexity"]["source"] == same["perplexity"]["source"]);
  const double before = near["perplexity"]["source"].get<double>(), after = near["perplexity"]["pack"].get<double>();
  CHECK(before > 1);
  CHECK(after != before);
  CHECK(std::abs(after / before - 1) < 0.05);
  check_refused(pack("q8", "short.txt"), 1, "fewer than two tokens");
  check_refused(pack("q8", "none.txt"), 1, "none.txt");
}

TEST_CASE("the files beside the shards count only as the manifest knows them", "[cli][pack]") {
  const Tiny folder;
  const auto files = testing::files_of({{"t", "h"}, {"th", "e"}});
  folder.write("whole/model.safetensors", tiny_checkpoint({.n_vocab = 260}));
  folder.write("whole/config.json", bytes_of("{\"n_head\": 2}"));
  folder.write("whole/vocab.json", bytes_of(files.vocab_json));
  folder.write("whole/merges.txt", bytes_of(files.merges_txt));
  const std::string pack = folder.at("p");
  REQUIRE(run({"pack", "--model", folder.at("whole"), "--out", pack, "--precision", "f16"}).status == 0);
  const std::vector<std::vector<std::string>> readers{
      {"generate", "--model", pack, "--prompt", "the", "-n", "1"},
      {"run", "predictions", "--model", pack, "--prompt", "the"},
      {"tokenize", "--model", pack, "--text", "the"},
      {"tokenize", "--model", pack + "/manifest.json", "--text", "the"},
      {"pack", "--model", pack, "--out", folder.at("again"), "--precision", "f16"},
      {"info", "--model", pack}};
  for (const auto& reader : readers) CHECK(run(reader).status == 0);

  std::string other = files.vocab_json;  // of the same size: two tokens are swapped
  std::swap(other[other.find("\"a\"") + 1], other[other.find("\"b\"") + 1]);
  REQUIRE(other != files.vocab_json);
  folder.write("p/vocab.json", bytes_of(other));
  for (const auto& reader : readers) check_refused(run(reader), 1, "“vocab.json”");
  folder.write("p/vocab.json", bytes_of(files.vocab_json.substr(1)));
  for (const auto& reader : readers) check_refused(run(reader), 1, "“vocab.json”");
  folder.write("p/vocab.json", bytes_of(files.vocab_json));

  folder.write("p/emergence.safetensors", bytes_of("anything"));  // a file that belongs to no pack
  check_refused(run({"run", "position_emergence", "--model", pack}), 1, "has no emergence.safetensors");
}

TEST_CASE("a name never commands the terminal", "[cli][pack]") {
  const Tiny folder;
  const std::string pack = folder.at("p");
  REQUIRE(run({"pack", "--model", folder.at("tiny"), "--out", pack, "--precision", "f32"}).status == 0);
  const auto bytes = folder.read("p/manifest.json");
  std::string manifest(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  manifest.replace(manifest.find("\"name\": \"p\""), 11, "\"name\": \"p\\u001b[31m\\u009b5m\"");
  folder.write("p/manifest.json", bytes_of(manifest));
  const Outcome said = run({"info", "--model", pack});
  CHECK(said.status == 0);
  CHECK(said.out.starts_with("p?[31m?5m: "));
}

TEST_CASE("a pack that cannot be made or read says why", "[cli][pack]") {
  const Tiny folder;
  const std::string source = folder.at("tiny"), out = folder.at("p");
  check_refused(run({"pack", "--model", source, "--out", out}), 2, "--precision");
  check_refused(run({"pack", "--model", source, "--precision", "f16"}), 2, "--out");
  check_refused(run({"pack", "--model", source, "--out", out, "--precision", "f8"}), 2, "f8");
  for (const char* bytes : {"0", "-1", "x", "16777217"})
    check_refused(run({"pack", "--model", source, "--out", out, "--precision", "f16", "--shard-bytes", bytes}), 2,
                  "--shard-bytes");
  folder.write("wider/model.safetensors", tiny_checkpoint({2, 24, 2, 40, 260}));
  folder.write("wider/config.json", bytes_of("{\"n_head\": 2}"));
  const auto wider = [&](const std::string& shard_bytes) {  // some 80,000 bytes
    return run(
        {"pack", "--model", folder.at("wider"), "--out", out, "--precision", "f32", "--shard-bytes", shard_bytes});
  };
  for (const char* bytes : {"1", "4"}) check_refused(wider(bytes), 1, "at most 10,000");  // no reader would accept it
  CHECK(!std::filesystem::exists(out));
  check_refused(run({"pack", "--model", folder.at("none"), "--out", out, "--precision", "f16"}), 1, "none");
  check_refused(run({"pack", "--model", source, "--out", source, "--precision", "f16"}), 1, "the model itself");
  CHECK(run({"pack", "--model", source, "--out", out, "--precision", "f16", "--shard-bytes", "500"}).status == 0);
  std::filesystem::remove(folder.path() / "p/weights-00003.bin");
  for (const char* verb : {"info", "logits"})
    check_refused(
        run(verb == std::string("info") ? std::vector<std::string>{"info", "--model", out}
                                        : std::vector<std::string>{"logits", "--model", out, "--tokens", "1"}),
        1, "weights-00003.bin");
}

}  // namespace cli_pack_test
