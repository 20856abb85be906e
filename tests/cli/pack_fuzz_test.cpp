// A whole pack with changes anywhere: manifest, tokenizer's files, shards. Reading it gives one error sentence, or the
// contents of the original pack. HELIXSCOPE_FUZZ_SECONDS sets the duration (2).
#include <map>
#include <string>

#include "base/sha256.h"
#include "cli/cli.h"
#include "protocol/json.h"
#include "tests/model/tiny_network.h"
#include "tests/support.h"
#include "tests/test_folder.h"
#include "tests/tokenizer/tiny_vocabulary.h"

namespace pack_fuzz_test {

using namespace helix;
using namespace helix::testing;
using cli::Outcome;
using cli::run;
using protocol::Json;

namespace {

using PackFiles = std::map<std::string, std::string>;

std::string as_text(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// A tiny pack of several shards, as written.
PackFiles written_in(const TestFolder& folder) {
  const auto files = files_of({{"t", "h"}, {"th", "e"}});
  folder.write("whole/model.safetensors", tiny_checkpoint({1, 12, 2, 16, 260}));
  folder.write("whole/config.json", bytes_of("{\"n_head\": 2}"));
  folder.write("whole/vocab.json", bytes_of(files.vocab_json));
  folder.write("whole/merges.txt", bytes_of(files.merges_txt));
  const Outcome made = run({"pack", "--model", (folder.path() / "whole").string(), "--out",
                            (folder.path() / "p").string(), "--precision", "f32", "--shard-bytes", "6000"});
  INFO(made.err);
  REQUIRE(made.status == 0);
  PackFiles pack;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path() / "p"))
    pack[entry.path().filename().string()] = as_text(folder.read(std::filesystem::path("p") / entry.path().filename()));
  return pack;
}

/// Nested lists and objects, deeper than any reader accepts.
std::string nested(Dice& dice) {
  const std::size_t depth = 1 + dice.below(dice.below(20) ? 200 : 100'000);
  std::string open, close;
  const bool list = dice.below(2) == 0;
  for (std::size_t i = 0; i < depth; ++i) open += list ? "[" : "{\"a\":", close += list ? "]" : "}";
  return open + "0" + (dice.below(3) ? close : "");
}

std::string changed(std::string bytes, Dice& dice) {
  switch (dice.below(6)) {
    case 0:
      return bytes.substr(0, dice.below(bytes.size() + 1));
    case 1:
      return bytes + bytes.substr(dice.below(bytes.size() + 1));
    case 2: {
      const std::size_t at = bytes.find_first_of("0123456789[{\"", dice.below(bytes.size() + 1));
      return at == std::string::npos ? nested(dice) : bytes.replace(at, dice.below(3), nested(dice));
    }
    default:
      return mutated(std::move(bytes), dice);
  }
}

/// Corrects the manifest's entry for a file, so that the file's contents are read.
void vouch_for(const std::string& name, PackFiles& pack) {
  auto manifest = protocol::parse_json(pack["manifest.json"]);
  if (!manifest || !manifest->is_object()) return;
  for (const char* list : {"shards", "files"}) {
    if (!manifest->contains(list) || !(*manifest)[list].is_array()) continue;
    for (Json& entry : (*manifest)[list])
      if (protocol::text_at(entry, "file") == name) {
        entry["bytes"] = pack[name].size();
        entry["sha256"] = Sha256::hex_of(std::as_bytes(std::span(pack[name])));
      }
  }
  pack["manifest.json"] = protocol::dump(*manifest);
}

PackFiles changed(PackFiles pack, Dice& dice) {
  std::vector<std::string> names;
  for (const auto& [name, bytes] : pack) names.push_back(name);
  names.insert(names.end(), 4, "manifest.json");
  for (std::size_t i = 0, n = 1 + dice.below(2); i < n; ++i) {
    const std::string name = dice.one_of(names);
    if (dice.below(12) == 0)
      pack.erase(name);
    else
      pack[name] = dice.below(12) == 0 ? pack[dice.one_of(names)] : changed(pack[name], dice);
    if (pack.contains(name) && pack.contains("manifest.json") && dice.below(3)) vouch_for(name, pack);
  }
  return pack;
}

}  // namespace

TEST_CASE("a pack that is changed anywhere is a sentence, or says what it said", "[cli][pack][fuzz]") {
  const TestFolder folder;
  const PackFiles pack = written_in(folder);
  REQUIRE(pack.size() > 5);
  const std::string at = (folder.path() / "p").string();
  const std::vector<std::vector<std::string>> readers{{"info", "--model", at, "--json"},
                                                      {"logits", "--model", at, "--prompt", "the t", "--json"},
                                                      {"tokenize", "--model", at, "--text", "the t", "--json"}};
  std::vector<std::string> said;
  for (const auto& reader : readers) said.push_back(run(reader).out);
  Dice dice(17);
  Fuzzing fuzzing(100);
  std::size_t rounds = 0, refused = 0, same = 0;
  for (; fuzzing.more(); ++rounds) {
    const PackFiles other = changed(pack, dice);
    std::filesystem::remove_all(folder.path() / "p");
    for (const auto& [name, bytes] : other) folder.write(std::filesystem::path("p") / name, bytes_of(bytes));
    for (std::size_t i = 0; i < readers.size(); ++i) {
      const Outcome outcome = run(readers[i]);
      CAPTURE(rounds, readers[i][0], outcome.err);
      same += outcome.out == said[i];
      if (outcome.status == 0) continue;
      ++refused;
      REQUIRE(outcome.status == 1);
      REQUIRE(outcome.out.empty());
      REQUIRE(outcome.err.ends_with(".\n"));
      REQUIRE(outcome.err.find('\n') == outcome.err.size() - 1);
    }
  }
  INFO(rounds << " packs, " << refused << " refusals, " << same << " answers as before");
  CHECK(refused > rounds / 2);
  CHECK(same > 0);
}

}  // namespace pack_fuzz_test
