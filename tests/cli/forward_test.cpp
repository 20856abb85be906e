// The verbs that run text: on a tiny complete model in a temporary folder.
#include <cmath>
#include <cstring>
#include <fstream>
#include <set>

#include "base/text.h"
#include "checkpoint/weights.h"
#include "cli/cli.h"
#include "protocol/json.h"
#include "studies/registry_compute.h"
#include "tests/checkpoint/emergence_file.h"
#include "tests/cli/tiny_folder.h"

namespace cli_forward_test {

using namespace helix;
using namespace helix::testing;
using namespace helix::cli::testing;
using cli::Outcome;
using cli::run;

TEST_CASE("logits of a prompt and of its ids are the same, and what a study says", "[cli][forward]") {
  const TinyFolder folder;
  const Json text = json_of(run({"logits", "--model", folder.path(), "--prompt", "the he", "--json", "--top", "5"}));
  std::string ids;
  for (const Json& id : text["tokens"]) ids += (ids.empty() ? "" : ",") + std::to_string(id.get<int>());
  const Json same = json_of(run({"logits", "--model", folder.path(), "--tokens", ids, "--json", "--top", "5"}));
  CHECK(text["top"] == same["top"]);
  REQUIRE(text["top"].size() == 5);
  const Json study = json_of(run({"run", "predictions", "--model", folder.path(), "--prompt", "the he", "--json"}));
  CHECK(study["arrays"]["logit"]["data"][0] == text["top"][0]["logit"]);
  CHECK(study["words"]["text"]["data"][0] == text["top"][0]["text"]);
  CHECK(study["tokens"].size() == text["tokens"].size());
  const Json bos = json_of(run({"logits", "--model", folder.path(), "--prompt", "the he", "--bos", "--json"}));
  CHECK(bos["tokens"].size() == text["tokens"].size() + 1);
  std::string many = "1";
  for (int i = 1; i < 3000; ++i) many += ",1";
  const Outcome long_one = run({"logits", "--model", folder.path(), "--tokens", many});
  CHECK(long_one.status == 1);
  CHECK(long_one.err.ends_with("With --keep-last it reads the last of them.\n"));
  CHECK(run({"logits", "--model", folder.path(), "--tokens", many, "--keep-last"}).status == 0);
  const Json edited =
      json_of(run({"logits", "--model", folder.path(), "--tokens", ids, "--edit", "ablate_head:1.0", "--json"}));
  CHECK(edited["top"] != text["top"]);
  const Json eight = json_of(run({"logits", "--model", folder.path(), "--tokens", ids, "--precision", "q8", "--json"}));
  CHECK(eight["precision"] == "F32 as 8-bit integers");
  CHECK(eight["top"] != text["top"]);
}

TEST_CASE("logits and hooks are written for numpy", "[cli][forward]") {
  const TinyFolder folder;
  const Outcome done = run({"logits", "--model", folder.path(), "--tokens", "1,2,3", "--npy", folder.at("l.npy")});
  CHECK(done.status == 0);
  const std::string npy = folder.read("l.npy");
  CHECK(npy.find("'<f4', 'fortran_order': False, 'shape': (3,260,)") != std::string::npos);
  CHECK(npy.size() % 64 == (3 * 260 * 4) % 64);
  const Outcome captured = run({"capture", "--model", folder.path(), "--tokens", "1,2,3", "--hook",
                                "blocks.1.attn.hook_pattern", "--hook", "hook_embed", "--npz", folder.at("h.npz")});
  CHECK(captured.status == 0);
  CHECK(captured.out == "blocks.1.attn.hook_pattern  [head, query, key]\nhook_embed  [position, dimension]\n");
  const Outcome several =
      run({"capture", "--model", folder.path(), "--hook", "blocks.1.attn.hook_pattern", "hook_embed", "hook_embed",
           "--tokens", "1,2,3", "--hook", "hook_embed", "--npz", folder.at("several.npz")});
  CHECK(several.err.empty());
  CHECK(several.out == captured.out);  // one name after the other, each printed once
  CHECK(folder.read("several.npz") == folder.read("h.npz"));
  const std::string npz = folder.read("h.npz");
  CHECK(npz.find("blocks.1.attn.hook_pattern.npy") != std::string::npos);
  CHECK(npz.find("'shape': (2,3,3,)") != std::string::npos);
}

TEST_CASE("a text is continued: greedy is the study's, a seed repeats, the context ends", "[cli][forward]") {
  const TinyFolder folder;
  const auto tokens = [&](std::vector<std::string> more) {
    std::vector<std::string> words{"generate", "--model", folder.path(), "--prompt", "the", "--json"};
    words.insert(words.end(), more.begin(), more.end());
    return json_of(run(words))["tokens"];
  };
  const Json greedy = tokens({"-n", "6", "--greedy"});
  CHECK(greedy.size() == 6);
  const Json study =
      json_of(run({"run", "continuation", "--model", folder.path(), "--prompt", "the", "--set", "count=6", "--json"}));
  for (std::size_t i = 0; i < 6; ++i) CHECK(study["arrays"]["token"]["data"][i].get<int>() == greedy[i].get<int>());
  const Json drawn = tokens({"-n", "8", "--temperature", "4", "--seed", "3"});
  CHECK(drawn == tokens({"-n", "8", "--temperature", "4", "--seed", "3"}));
  CHECK(drawn != tokens({"-n", "8", "--temperature", "4", "--seed", "4"}));
  const Json all =
      json_of(run({"generate", "--model", folder.path(), "--prompt", "the", "-n", "500", "--greedy", "--json"}));
  CHECK(all["prompt"].size() + all["tokens"].size() == 41);  // the last token is generated but not read
  CHECK(all["notes"].size() == 1);
  const Outcome shifted = run({"generate", "--model", folder.path(), "--prompt", "the", "-n", "500", "--greedy",
                               "--edit", "shift_positions:30"});
  CHECK(shifted.status == 0);
  CHECK(shifted.out.ends_with("The edited table of positions has rows for 10 tokens, so generation stops here.\n"));
}

TEST_CASE("a model is verified and measured", "[cli][forward]") {
  const TinyFolder folder;
  const Outcome verified = run({"verify", "--model", folder.path()});
  CHECK(verified.status == 0);
  CHECK(verified.out.find("cache_difference  0 logits") != std::string::npos);
  CHECK(verified.out.find("GPT-2 small") != std::string::npos);
  const Outcome timed =
      run({"bench", "--model", folder.path(), "--prefill", "4", "--decode", "2", "--repeats", "1", "--json"});
  CHECK(timed.status == 0);
  const auto lines = split(timed.out, '\n');
  REQUIRE(lines.size() == 3);
  for (std::size_t i = 0; i < 2; ++i) {
    const auto row = protocol::parse_json(lines[i]);
    REQUIRE(row);
    CHECK((*row)["engine"] == "helixscope");
    CHECK((*row)["work"] == (i == 0 ? "prefill 4" : "decode 2"));
    CHECK((*row)["ms"].get<double>() > 0);
  }
}

TEST_CASE("8 bits are judged by a text, and their speed is told with that", "[cli][forward]") {
  const TinyFolder folder;
  std::ofstream(folder.at("text.txt")) << "the he the the he";
  const std::vector<std::string> asked{"bench", "--model",  folder.path(), "--precision", "q8", "--prefill",
                                       "2",     "--decode", "1",           "--repeats",   "1",  "--text-file"};
  const auto with = [&](std::string text, bool json) {
    auto all = asked;
    all.push_back(std::move(text));
    if (json) all.push_back("--json");
    return run(all);
  };
  const auto row = protocol::parse_json(split(with(folder.at("text.txt"), true).out, '\n')[0]);
  REQUIRE(row);
  CHECK((*row)["work"] == "quality against f32");
  CHECK((*row)["positions"].get<int>() > 5);
  CHECK((*row)["mean_kl_nats"].get<double>() > 0);
  const double floats = (*row)["perplexity"]["f32"].get<double>(), eight = (*row)["perplexity"]["q8"].get<double>();
  CHECK(floats > 1);
  CHECK(std::abs(eight / floats - 1) < 0.1);
  CHECK(with(folder.at("text.txt"), false).out.find("perplexity of the text") != std::string::npos);
  check_refused(with(folder.at("no such.txt"), true), 1, "no such.txt");
  std::ofstream(folder.at("short.txt")) << "t";
  check_refused(with(folder.at("short.txt"), true), 1, "fewer than two tokens");
}

TEST_CASE("every declared claim has a row, recomputed where it can be", "[cli][claims][large]") {
  const TinyFolder folder;
  const Json all = json_of(run({"claims", "--model", folder.path(), "--json", "--csv", folder.at("claims.csv")}));
  std::set<std::pair<std::string, std::string>> seen;
  std::set<std::string> ids, declared;
  for (const Json& claim : all) {
    CHECK(seen.insert({claim["id"].get<std::string>(), claim["convention"].get<std::string>()}).second);
    CHECK(!claim["text"].get<std::string>().empty());
    ids.insert(claim["id"].get<std::string>());
    if (claim["about"] != "") {  // about GPT-2 small, which this is not
      CHECK(claim["verdict"] == "about another model");
      CHECK(claim["holds"].is_null());
    }
  }
  for (const auto& study : studies::compute_studies())
    for (const ClaimSpec& claim : study.schema.claims) declared.insert(claim.id);
  CHECK(ids == declared);
  const Json one = json_of(run({"claims", "--model", folder.path(), "--id", "H1", "--json"}));
  REQUIRE(!one.empty());
  const Json study = json_of(run({"run", "position_helix", "--model", folder.path(), "--json"}));
  CHECK(one[0]["here"] == study["claims"][0]["here"]);
  CHECK(json_of(run({"claims", "--model", folder.path(), "--id", "F9", "--json"})).size() == 9);
  CHECK(folder.read("claims.csv")
            .starts_with("id,verdict,stated,here,unit,text,convention,needs,study,preset,about,fragment\r\nH1,"));
  CHECK(run({"claims", "--model", folder.path(), "--id", "H1"}).out.find("H1  ") == 0);
  check_refused(run({"claims", "--model", folder.path(), "--id", "Z9"}), 1, "Z9");
}

TEST_CASE("without a model every claim is listed, and what needs none is judged", "[cli][claims][large]") {
  const Json all = json_of(run({"claims", "--json"}));
  std::set<std::string> verdicts;
  for (const Json& claim : all) {
    if (claim["about"] == "" && claim["needs"].empty()) continue;  // claims that need no weights
    CHECK(claim["verdict"] == "not tested");
    CHECK(!claim["needs"].empty());
  }
  const Json sinusoid = json_of(run({"claims", "--id", "F11", "--json"}));
  CHECK(sinusoid[0]["verdict"] == "holds");
  CHECK(sinusoid[0]["here"] == 153);
  CHECK(sinusoid[0]["fragment"] == "source=sinusoidal&first=0&base=1000");
}

TEST_CASE("the record of a training is read beside the weights", "[cli][emergence]") {
  const TinyFolder folder;
  check_refused(run({"run", "position_emergence", "--model", folder.path()}), 1, "has no emergence.safetensors");
  const std::string record = testing::planted_emergence().bytes();
  std::ofstream(folder.at("emergence.safetensors"), std::ios::binary) << record;
  const Json found = json_of(run({"run", "position_emergence", "--model", folder.path(), "--set", "step=1", "--json"}));
  CHECK(found["scalars"]["tokens_read"]["value"] == 1000);
  CHECK(found["provenance"]["precision"] == "F32");
  CHECK(found["arrays"]["points"]["shape"] == Json({5, 12, 3}));
  std::ofstream(folder.at("emergence.safetensors"), std::ios::binary) << record.substr(0, record.size() / 2);
  check_refused(run({"run", "position_emergence", "--model", folder.path()}), 1, "emergence.safetensors");
  check_refused(run({"run", "position_emergence"}), 1, "--model");
}

TEST_CASE("numbers that are none are told with their tensor, and nothing is judged by them", "[cli][forward]") {
  const std::vector<std::pair<std::string, std::vector<std::vector<std::string>>>> readers{
      {"wpe.weight", {{"run", "position_helix"}, {"verify"}, {"run", "predictions", "--tokens", "1"}}},
      {"wte.weight", {{"verify"}, {"run", "predictions", "--tokens", "1"}, {"run", "attention", "--tokens", "7,3"}}},
      {"h.1.ln_2.bias", {{"generate", "--tokens", "1", "-n", "2"}, {"logits", "--tokens", "1", "--precision", "q8"}}},
      {"h.0.mlp.c_fc.weight", {{"logits", "--tokens", "1"}, {"capture", "--tokens", "1", "--hook", "hook_embed"}}}};
  for (const auto& [tensor, verbs] : readers)
    for (const float bad : {std::nanf(""), HUGE_VALF, -HUGE_VALF}) {
      const TinyFolder folder;
      std::string file = folder.read("model.safetensors");
      checkpoint::WeightFile weights("m", file.size());
      REQUIRE(weights.feed(0, std::as_bytes(std::span(file))));
      const checkpoint::TensorInfo* info = weights.header()->find(tensor);
      REQUIRE(info);
      const std::uint64_t row = info->shape.size() < 2 ? 1 : info->shape[1];
      std::memcpy(&file[static_cast<std::size_t>(info->begin + 3 * row * sizeof(float))], &bad, sizeof bad);
      std::ofstream(folder.at("model.safetensors"), std::ios::binary) << file;
      for (std::vector<std::string> words : verbs) {
        words.insert(words.end(), {"--model", folder.path()});
        if (words[0] == "capture") words.insert(words.end(), {"--npz", folder.at("x.npz")});
        const Outcome outcome = run(words);
        check_refused(outcome, 1, "“" + tensor + "”");
        CHECK(outcome.err.find("the first in row 3") != std::string::npos);
      }
      if (tensor != "wpe.weight") continue;
      const Json claims = json_of(run({"claims", "--model", folder.path(), "--id", "H1", "--json"}));
      REQUIRE(!claims.empty());
      for (const Json& claim : claims) CHECK((claim["here"].is_null() && claim["holds"].is_null()));
    }
}

TEST_CASE("what cannot run is one sentence", "[cli][forward]") {
  const TinyFolder folder, bare(false);
  check_refused(run({"logits", "--model", folder.path(), "--prompt", "a", "--tokens", "1"}), 1, "one of");
  check_refused(run({"logits", "--model", folder.path(), "--tokens", "1,x"}), 1, "x");
  check_refused(run({"logits", "--model", folder.path(), "--tokens", "1", "--precision", "f64"}), 1, "f64");
  check_refused(run({"logits", "--model", folder.path(), "--tokens", "260"}), 1, "260");
  check_refused(run({"logits", "--model", folder.path(), "--prompt", ""}), 1, "empty");
  check_refused(run({"logits", "--model", folder.path(), "--tokens", "1", "--edit", "dance"}), 1, "dance");
  check_refused(run({"logits", "--model", folder.path(), "--tokens", "1", "--npy", folder.at("no/such/l.npy")}), 1,
                "l.npy");
  check_refused(run({"logits", "--model", bare.path(), "--prompt", "a"}), 1, "vocab.json");
  check_refused(
      run({"capture", "--model", folder.path(), "--tokens", "1", "--hook", "nose", "--npz", folder.at("h.npz")}), 1,
      "nose");
  check_refused(run({"capture", "--model", folder.path(), "--tokens", "1"}), 2, "--hook");
  check_refused(run({"generate", "--model", folder.path(), "--prompt", "a"}), 2, "-n");
  check_refused(run({"generate", "--model", folder.path(), "--prompt", "a", "-n"}), 2, "-n");
  check_refused(run({"generate", "--model", folder.path(), "--prompt", "a", "-n", "3", "--top-p", "2"}), 2, "top_p");
  for (const char* count : {"0", "65", "-1", "two", "1.5"})
    check_refused(run({"bench", "--model", folder.path(), "--threads", count}), 2, "--threads");
  check_refused(run({"logits", "--model", folder.path(), "--tokens", "1", "--threads", "0"}), 1, "--threads");
  check_refused(run({"run", "predictions"}), 1, "--model");
  CHECK(run({"logits", "--model", bare.path(), "--tokens", "1,2"}).status == 0);  // ids need no vocabulary
}

}  // namespace cli_forward_test
