#include "cli/cli.h"

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "base/edit_forms.h"
#include "protocol/json.h"
#include "studies/registry_compute.h"
#include "tests/figure/xml_check.h"
#include "tests/support.h"
#include "tests/tokenizer/tiny_vocabulary.h"

namespace cli_test {

using namespace helix;
using namespace helix::testing;
using cli::Outcome;
using cli::run;
using protocol::Json;

namespace {

Json json_of(const Outcome& outcome) {
  CHECK(outcome.err.empty());
  CHECK(outcome.status == 0);
  CHECK(outcome.out.ends_with("\n"));
  auto json = protocol::parse_json(outcome.out);
  REQUIRE(json);
  return *json;
}

void check_refused(const Outcome& outcome, int status, const std::string& part) {
  CHECK(outcome.status == status);
  CHECK(outcome.out.empty());
  REQUIRE(outcome.err.ends_with("\n"));
  check_sentence(outcome.err.substr(0, outcome.err.size() - 1), part);
}

/// A temporary folder with a small planted model.
struct Folder {
  std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("helixscope_cli_" + std::to_string(std::random_device()()));
  Folder() {
    std::filesystem::create_directories(path);
    const Bytes file = checkpoint_of(helix_rows(64, 12, 2, 0.01));
    std::ofstream(model(), std::ios::binary)
        .write(reinterpret_cast<const char*>(file.data()), static_cast<std::streamsize>(file.size()));
  }
  ~Folder() {
    std::error_code error;
    std::filesystem::remove_all(path, error);
  }
  std::string model() const { return (path / "planted.safetensors").string(); }
  std::string at(const char* name) const { return (path / name).string(); }
  std::string read(const char* name) const {
    std::ifstream file(at(name), std::ios::binary);
    REQUIRE(file);
    return {std::istreambuf_iterator<char>(file), {}};
  }
};

const std::vector<std::string> kSinusoid{"run",   "position_helix", "--set", "source=sinusoidal",
                                         "--set", "first=0",        "--set", "last=5"};

std::vector<std::string> with(std::vector<std::string> words, const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

}  // namespace

TEST_CASE("wrong usage ends with status 2 and a sentence", "[cli]") {
  CHECK(run({}).status == 2);
  CHECK(run({}).err.find("helixscope run") != std::string::npos);
  check_refused(run({"dance"}), 2, "dance");
  check_refused(run({"studies", "--loud"}), 2, "--loud");
  check_refused(run({"info", "--model"}), 2, "--model");
  check_refused(run({"info"}), 2, "--model");
  check_refused(run({"run"}), 2, "study");
  check_refused(run({"run", "no_such_study"}), 2, "no_such_study");
  check_refused(run({"run", "position_helix", "--set", "first"}), 2, "key=value");
  check_refused(run({"run", "position_helix", "--set", "frist=1"}), 2, "frist");
  check_refused(run({"run", "position_helix", "--set", "first=-1"}), 2, "0 to 65535");
  check_refused(run({"link"}), 2, "link");
  check_refused(run({"link", "a", "b"}), 2, "link");
  check_refused(run({"link", "--set", "first"}), 2, "key=value");
  check_refused(run({"link", "--study", "nothing"}), 2, "nothing");
  check_refused(run({"tokenize", "--text", "a"}), 2, "--model");
  check_refused(run({"tokenize", "--model", "."}), 2, "--text");
  check_refused(run({"tokenize", "--model", ".", "--text", "a", "--decode", "1"}), 2, "one of");
  check_refused(run({"tokenize", "--model", ".", "--decode", "1,x"}), 2, "“x”");
  check_refused(run({"tokenize", "--model", ".", "--decode="}), 2, "ids");
}

TEST_CASE("a word that no verb takes is never ignored", "[cli]") {
  for (const char* verb :
       {"info", "studies", "tokenize", "generate", "logits", "capture", "verify", "claims", "bench", "pack"})
    check_refused(run({verb, "--model=.", "cat"}), 2, verb == std::string("studies") ? "--model" : "“cat”");
  check_refused(run({"studies", "cat"}), 2, "“cat”");
  check_refused(run({"generate", "--model", ".", "--prompt", "The", "cat", "-n", "2"}), 2, "“cat”");
  check_refused(run({"run", "position_helix", "cat"}), 2, "“cat”");
  check_refused(run({"link", "#v=1", "cat"}), 2, "“cat”");
}

TEST_CASE("what cannot be done ends with status 1 and a sentence", "[cli]") {
  check_refused(run({"run", "position_helix"}), 1, "--model PATH");
  check_refused(run({"run", "position_helix", "--model", "/nowhere/at/all.safetensors"}), 1, "all.safetensors");
  check_refused(run({"info", "--model", "/nowhere/at/all.safetensors"}), 1, "all.safetensors");
  check_refused(run({"link", "#v=99"}), 1, "newer");
  const Folder folder;
  check_refused(run({"run", "position_helix", "--model", folder.model(), "--set", "first=100"}), 1, "position 100");
  check_refused(run(with(kSinusoid, {"--npz", folder.at("no/such/folder/x.npz")})), 1, "x.npz");
}

TEST_CASE("help and version go to stdout", "[cli]") {
  for (const char* word : {"--help", "help"}) {
    const Outcome all = run({word});
    CHECK(all.status == 0);
    CHECK(all.err.empty());
    for (const char* verb : {"info", "studies", "run", "link", "tokenize"}) {
      CHECK(all.out.find(std::string("helixscope ") + verb) != std::string::npos);
      const Outcome one = run({verb, "--help"});
      CHECK(one.status == 0);
      CHECK(one.out.starts_with(std::string("helixscope ") + verb));
    }
  }
  CHECK(run({"--version"}).out == std::string(HELIXSCOPE_VERSION) + "\n");
}

TEST_CASE("the studies are listed with their parameters", "[cli]") {
  const Json json = json_of(run({"studies", "--json"}));
  REQUIRE(json.size() == studies::compute_studies().size());
  for (std::size_t i = 0; i < json.size(); ++i) {
    const StudySchema& schema = studies::compute_studies()[i].schema;
    CHECK(json[i]["id"] == schema.id);
    REQUIRE(json[i]["params"].size() == schema.params.size());
    for (std::size_t k = 0; k < schema.params.size(); ++k) {
      CHECK(json[i]["params"][k]["key"] == schema.params[k].key);
      CHECK(json[i]["params"][k]["default"] == schema.params[k].default_text);
    }
    CHECK(json[i]["outputs"].size() == schema.outputs.size());
  }
  CHECK(json[0]["needs"] == Json::array({"wpe.weight"}));
  const Outcome text = run({"studies"});
  CHECK(text.status == 0);
  CHECK(text.out.find("first = 1  [0..65535]") != std::string::npos);
  CHECK(text.out.find("learned|sinusoidal") != std::string::npos);
}

TEST_CASE("edits and hooks are listed", "[cli]") {
  const Outcome edits = run({"edits"});
  CHECK(edits.status == 0);
  CHECK(edits.out.find("\n  scale_head:layer.head:factor  Scale a head. Multiplies ") != std::string::npos);
  const Json all = json_of(run({"edits", "--json"}));
  CHECK(all.size() == edit_forms().size());
  CHECK(all[0]["form"] == "ablate_head:layer.head[:mean]");
  CHECK(all[0]["label"] == "Switch a head off");
  for (const char* key : {"name", "group", "help"}) CHECK(all[0].contains(key));
  const Outcome hooks = run({"hooks"});
  CHECK(hooks.status == 0);
  CHECK(hooks.out.starts_with("hook_embed  [position, dimension]\n"));
  CHECK(hooks.out.find("\nblocks.L.attn.hook_pattern  [head, query, key]\n") != std::string::npos);
  CHECK(hooks.out.find("\nblocks.L.ln1.hook_scale  [position, scale]\n") != std::string::npos);
  CHECK(json_of(run({"hooks", "--json"})).size() == 23);
}

TEST_CASE("a run as JSON has the contract's keys", "[cli]") {
  const Json json = json_of(run(with(kSinusoid, {"--json"})));
  CHECK(json["study"] == "position_helix");
  CHECK(json["params"].size() == studies::find_compute_study("position_helix")->schema.params.size());
  CHECK(json["params"]["last"] == 5);
  CHECK(json["params"]["source"] == "sinusoidal");
  CHECK(json["params"]["centre"] == true);
  CHECK(json["params"]["plane"] == Json::array({1, 2}));
  for (const char* key : {"model", "sha256", "precision", "kernels", "version"})
    CHECK(json["provenance"].contains(key));
  for (const char* name : {"explained_first3", "components_for_90", "turns", "turns_skipped"})
    for (const char* key : {"value", "unit", "note"}) CHECK(json["scalars"][name].contains(key));
  CHECK(json["arrays"]["points"]["shape"][0] == 6);
  CHECK(json["arrays"]["points"]["axes"] == Json::array({"position", "component"}));
  CHECK(json["arrays"]["points"]["data"].size() == 6 * json["arrays"]["points"]["shape"][1].get<std::size_t>());
  CHECK(json["claims"].is_array());
}

TEST_CASE("a run on a model file prints numbers and writes its files", "[cli]") {
  const Folder folder;
  const std::vector<std::string> words{"run", "position_helix", "--model", folder.model(), "--set=last=63"};
  const Outcome text =
      run(with(words, {"--npz", folder.at("x.npz"), "--csv", folder.at("tables"), "--svg", folder.at("x.svg")}));
  CHECK(text.err.empty());
  CHECK(text.status == 0);
  CHECK(text.out.find("explained_first3  0.99") != std::string::npos);
  INFO(text.out);
  CHECK(text.out.find("H1  about another model (GPT-2 small): A three") != std::string::npos);
  CHECK(text.out.find("H3  about another model") != std::string::npos);
  CHECK(text.out.find("planted, sha256 ") != std::string::npos);
  CHECK(folder.read("x.npz").starts_with("PK\x03\x04"));
  const std::string svg = folder.read("x.svg");
  CHECK(xml_problem(svg) == "");
  CHECK(svg.find("position_helix.last=63") != std::string::npos);
  CHECK(folder.read("tables/points.csv").starts_with("position,component 1,"));
  CHECK(folder.read("tables/residual.csv").find("\r\n63,") != std::string::npos);

  const Json json = json_of(run(with(words, {"--json"})));
  CHECK(json["provenance"]["model"] == "planted");
  CHECK(json["provenance"]["sha256"].get<std::string>().size() == 12);
  CHECK(json["claims"][0]["id"] == "H1");
  CHECK(json["claims"][0]["holds"].is_null());
  CHECK(json["claims"][0]["verdict"] == "about another model");
  CHECK(json["claims"][0]["here"].get<double>() > 0.9);
}

TEST_CASE("edits that a study does not run are said, and leave its output as it is", "[cli]") {
  const Outcome plain = run(with(kSinusoid, {"--json"}));
  const Outcome edited = run(with(kSinusoid, {"--json", "--edit", "zero_positions"}));
  CHECK(edited.status == 0);
  CHECK(protocol::parse_json(edited.out).value()["scalars"] == protocol::parse_json(plain.out).value()["scalars"]);
  REQUIRE(edited.err.ends_with("\n"));
  check_sentence(edited.err.substr(0, edited.err.size() - 1), "edits do not act on it");
  CHECK(edited.err.find("helixscope run predictions shows what they do") != std::string::npos);
}

TEST_CASE("an edit that cannot be read is refused, also by a study that runs no prompt", "[cli]") {
  const Outcome outcome = run(with(kSinusoid, {"--edit", "zero_position"}));
  CHECK(outcome.status == 2);
  CHECK(outcome.out.empty());
  CHECK(outcome.err.find("zero_position") != std::string::npos);
}

TEST_CASE("a study of several models reads all that are given, and says which", "[cli]") {
  const Folder folder;
  const Bytes other = checkpoint_of(helix_rows(40, 10, 1, 0.01));
  std::ofstream(folder.at("other.safetensors"), std::ios::binary)
      .write(reinterpret_cast<const char*>(other.data()), static_cast<std::streamsize>(other.size()));
  const std::vector<std::string> both{
      "run", "position_models", "--model", folder.model(), "--model", folder.at("other.safetensors"), "--json"};
  const Json json = json_of(run(both));
  CHECK(protocol::dump(json["params"]["models"]) == R"(["planted","other"])");
  CHECK(protocol::dump(json["words"]["name"]["data"]) == R"(["planted","other"])");
  CHECK(protocol::dump(json["arrays"]["positions"]["data"]) == "[64.0,40.0]");
  CHECK(json["provenance"]["model"] == "planted");
  CHECK(json["provenance"]["others"][0]["model"] == "other");
  CHECK(json["provenance"]["others"][0]["sha256"].get<std::string>().size() == 12);
  const Json turned = json_of(run(with(both, {"--set", "models=other,gone"})));
  CHECK(turned["provenance"]["model"] == "other");
  CHECK(turned["scalars"]["models_shown"]["value"] == 1);
  CHECK(turned["words"]["why_not"]["data"][1].get<std::string>().find("gone") != std::string::npos);
  const Json one = json_of(run({"run", "position_models", "--model", folder.model(), "--json"}));
  CHECK(protocol::dump(one["words"]["name"]["data"]) == R"(["planted"])");
  check_refused(run({"run", "position_models", "--model", folder.model(), "--model", folder.model()}), 1, "planted");
  check_refused(run({"run", "position_helix", "--model", folder.model(), "--model", folder.at("other.safetensors")}), 1,
                "one model");
  check_refused(run({"info", "--model", "a", "--model", "b"}), 2, "one --model");
}

TEST_CASE("a model file is described", "[cli]") {
  const Folder folder;
  const Json json = json_of(run({"info", "--model", folder.model(), "--json"}));
  CHECK(json["n_ctx"] == 64);
  CHECK(json["d_model"] == 12);
  CHECK(json["positions"] == true);
  CHECK(json["everything"] == false);
  CHECK(json["sha256"].get<std::string>().size() == 64);
  CHECK(json["tensors"][0]["name"] == "wpe.weight");
  const Outcome text = run({"info", "--model", folder.path.string()});
  CHECK(text.status == 0);
  CHECK(text.out.find("positions 64") != std::string::npos);
}

TEST_CASE("links are read and written", "[cli]") {
  const std::string link = "#v=1&model=gpt2&study=position_helix&position_helix.first=100&view.map=cividis";
  const Json json = json_of(run({"link", link}));
  CHECK(json["link"] == link);
  CHECK(json["model"] == "gpt2");
  CHECK(json["params"]["first"] == "100");
  CHECK(json["notices"].empty());
  CHECK(json_of(run({"link", json["link"].get<std::string>()})) == json);
  CHECK(json_of(run({"link", "--model", "gpt2", "--set", "first=100"}))["link"] ==
        "#v=1&model=gpt2&study=position_helix&position_helix.first=100");
  CHECK(json_of(run({"link", link, "--set", "first=1"}))["link"] ==
        "#v=1&model=gpt2&study=position_helix&view.map=cividis");
  const Json odd = json_of(run({"link", "#v=1&study=position_helix&later=1&position_helix.first=99999"}));
  CHECK(odd["unknown"]["later"] == "1");
  CHECK(odd["notices"].size() == 2);
}

TEST_CASE("a text is tokenized with the vocabulary beside the weights", "[cli][tokenizer]") {
  const Folder folder;
  const auto write = [&](const char* name, const std::string& text) {
    std::ofstream(folder.at(name), std::ios::binary) << text;
  };
  check_refused(run({"tokenize", "--model", folder.model(), "--text", "a"}), 1, "vocab.json");
  const auto files = testing::files_of({{" ", "t"}, {"h", "e"}, {" t", "he"}, {"\n", "\n"}});
  write("vocab.json", files.vocab_json);
  check_refused(run({"tokenize", "--model", folder.model(), "--text", "a"}), 1, "merges.txt");
  write("merges.txt", files.merges_txt);

  for (const std::string& path : {folder.path.string(), folder.path.string() + "/", folder.model()}) {
    const Json json = json_of(run({"tokenize", "--model", path, "--text", "a the é", "--json"}));
    CHECK(json["count"] == 5);
    CHECK(json["tokens"][0] == Json{{"id", 64}, {"position", 0}, {"text", "a"}, {"bytes", "61"}});
    CHECK(json["tokens"][1] == Json{{"id", 258}, {"position", 1}, {"text", " the"}, {"bytes", "20746865"}});
    CHECK(json["tokens"][3]["text"] == nullptr);
    CHECK(json["tokens"][3]["bytes"] == "c3");
  }
  const std::string path = folder.path.string();
  write("text", "a the\xC3\n\n");
  CHECK(run({"tokenize", "--model", path, "--text-file", folder.at("text")}).out ==
        "     64  “a”\n    258  “ the”\n    127  “\\xC3”\n    259  “\\n\\n”\n4 tokens\n");
  CHECK(run({"tokenize", "--model", path, "--text", ""}).out == "0 tokens\n");
  CHECK(run({"tokenize", "--model", path, "--decode", "64,258"}).out == "a the\n");
  CHECK(json_of(run({"tokenize", "--model", path, "--decode", "260", "--json"}))["tokens"][0]["text"] ==
        "<|endoftext|>");
  check_refused(run({"tokenize", "--model", path, "--decode", "64,261"}), 1, "0 to 260");
  check_refused(run({"tokenize", "--model", path, "--decode", "-1"}), 1, "no token -1");
  check_refused(run({"tokenize", "--model", path, "--text-file", folder.at("none")}), 1, "none");
  check_refused(run({"tokenize", "--model", folder.at("nowhere"), "--text", "a"}), 1, "nowhere");
}

TEST_CASE("options are taken apart", "[cli]") {
  const auto got = cli::parse_options({"verb", "a", "--model", "m", "--set=x=1", "--set", "y=2", "b", "--json"}, 1,
                                      {"model", "set"}, {"json"});
  REQUIRE(got);
  CHECK(got->words == std::vector<std::string>{"a", "b"});
  CHECK(got->get("model") == "m");
  CHECK(got->all("set") == std::vector<std::string>{"x=1", "y=2"});
  CHECK(got->get("set") == "y=2");
  CHECK(got->get("other").empty());
  CHECK(got->has("json"));
  CHECK(!got->has("model"));
  CHECK(!cli::parse_options({"--json=1"}, 0, {}, {"json"}));
  CHECK(!cli::parse_options({"--x"}, 0, {"xy"}, {}));
}

}  // namespace cli_test
