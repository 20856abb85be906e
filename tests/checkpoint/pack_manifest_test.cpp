#include "checkpoint/pack_manifest.h"

#include <catch_amalgamated.hpp>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/sentence_check.h"
#include "tests/support.h"

namespace pack_manifest_test {

using namespace helix;
using namespace helix::checkpoint;
using helix::testing::check_sentence;
using Json = nlohmann::ordered_json;

namespace {

PackManifest manifest() {
  const std::string hash(64, 'a');
  PackManifest m;
  m.name = "tiny", m.precision = PackPrecision::F16, m.bytes = 350, m.sha256 = std::string(64, 'b');
  m.source_name = "gpt-“tiny”", m.source_sha256 = std::string(64, 'c');
  m.config_json = R"({"n_head":2,"n_layer":2})";
  m.missing = {"word embeddings (wte.weight)"};
  m.shards = {{"weights-00001.bin", 0, 100, hash}, {"weights-00002.bin", 100, 200, hash}, {"last.bin", 300, 50, hash}};
  m.files = {{"vocab.json", 12, hash}, {"merges.txt", 0, hash}};
  return m;
}

void check_refused(const std::string& json, std::string_view part) {
  const auto read = read_manifest(json, "folder/tiny");
  REQUIRE(!read);
  check_sentence(read.error(), "folder/tiny", part);
}

void check_refused(const std::function<void(Json&)>& change, std::string_view part) {
  Json json = Json::parse(to_json(manifest()));
  change(json);
  check_refused(json.dump(), part);
}

// The guarantees of a parsed manifest.
void check_promises(const PackManifest& m) {
  std::uint64_t at = 0;
  for (const auto& shard : m.shards) {
    REQUIRE(shard.offset == at);
    REQUIRE((shard.bytes > 0 && shard.bytes <= kMaxShardBytes));
    REQUIRE(shard.file.find_first_of("/\\:") == std::string::npos);
    REQUIRE(shard.file.front() != '.');
    at += shard.bytes;
  }
  REQUIRE(at == m.bytes);
  REQUIRE(!m.name.empty());
  REQUIRE(m.config_json.front() == '{');
  REQUIRE(m.quantised.has_value() == (m.precision == PackPrecision::Q8));
  REQUIRE((!m.quantised || m.quantised->group == 64));
}

}  // namespace

TEST_CASE("a manifest that is nested without end is refused, not walked", "[model][pack]") {
  for (const auto& [open, close] : {std::pair("[", "]"), std::pair("{\"a\":", "}")}) {
    std::string deep, ends;
    for (int i = 0; i < 200'000; ++i) deep += open, ends += close;
    const std::string json = to_json(manifest());
    const std::string config = json.substr(0, json.find("\"config\": {") + 11) + "{\"x\": ";
    check_refused(config + deep + "1" + ends + json.substr(json.find("\"config\": {") + 11), "nested too deeply");
    check_refused(deep, "nested too deeply");
  }
  check_refused([](Json& json) { json["name"] = std::string(1000, '['); }, "name");  // brackets in a string do not nest
}

TEST_CASE("a manifest comes back as it was written", "[model][pack]") {
  const PackManifest m = manifest();
  const std::string json = to_json(m);
  const auto read = read_manifest(json, "tiny");
  if (!read) FAIL(read.error().sentence);
  CHECK(to_json(*read) == json);
  CHECK(read->name == m.name);
  CHECK(read->precision == m.precision);
  CHECK(read->source_name == m.source_name);
  CHECK(read->missing == m.missing);
  CHECK(Json::parse(read->config_json) == Json::parse(m.config_json));
  REQUIRE(read->shards.size() == 3);
  CHECK(read->shards[2].file == "last.bin");
  CHECK(read->shards[2].offset == 300);
  CHECK(read->files[1].bytes == 0);
  CHECK(json.find("\n \"precision\": \"f16\"") != std::string::npos);
  CHECK(shard_name(0) == "weights-00001.bin");
  CHECK(shard_name(9999) == "weights-10000.bin");
}

TEST_CASE("every manifest that is cut short is refused", "[model][pack]") {
  const std::string json = to_json(manifest());
  for (std::size_t size = 0; size + 1 < json.size(); ++size) {
    const testing::ExactBytes cut(std::as_bytes(std::span(json).first(size)));
    const auto read = read_manifest(cut.text(), "tiny");
    if (read || !read.error().sentence.ends_with('.')) FAIL("cut after " << size << " bytes");
  }
}

TEST_CASE("a manifest that is wrong in one place says in which", "[model][pack]") {
  check_refused("[]", "not a JSON object");
  check_refused("7", "not a JSON object");
  check_refused(std::string("{}\0", 3), "not valid JSON");
  check_refused(std::string(5'000'000, ' '), "5.0 MB");
  check_refused(std::string(64, '['), "not valid JSON");
  check_refused([](Json& j) { j["format"] = "web-app"; }, "does not say that it is a pack");
  check_refused([](Json& j) { j["version"] = 2; }, "newer");
  check_refused([](Json& j) { j["version"] = "1"; }, "version");
  check_refused([](Json& j) { j["name"] = ""; }, "name");
  check_refused([](Json& j) { j["name"] = std::string(201, 'x'); }, "name");
  check_refused([](Json& j) { j["precision"] = "f64"; }, "precision");
  check_refused([](Json& j) { j["sha256"] = std::string(64, 'A'); }, "sha256");
  check_refused([](Json& j) { j["sha256"] = "ab"; }, "sha256");
  check_refused([](Json& j) { j.erase("source"); }, "source");
  check_refused([](Json& j) { j["source"]["sha256"] = 1; }, "of the source");
  check_refused([](Json& j) { j["config"] = "none"; }, "config");
  check_refused([](Json& j) { j["missing"] = Json::array({1}); }, "missing");
  for (const Json& bytes : {Json(0), Json(-350), Json(350.5), Json(1e300), Json("350"), Json(18446744073709551615U)})
    check_refused([&](Json& j) { j["bytes"] = bytes; }, "bytes");
  check_refused([](Json& j) { j["bytes"] = 351; }, "350 bytes together");
}

TEST_CASE("a manifest in q8 tells which tensors are integers", "[model][pack]") {
  PackManifest m = manifest();
  m.precision = PackPrecision::Q8;
  m.quantised = {64, "F32", {"wte.weight", "h.0.attn.c_attn.weight"}, {"F32", "F16"}};
  const std::string json = to_json(m);
  const auto read = read_manifest(json, "tiny");
  if (!read) FAIL(read.error().sentence);
  REQUIRE(read->quantised);
  CHECK(read->quantised->tensors == m.quantised->tensors);
  CHECK(to_json(*read) == json);
  const auto refused = [&](const std::function<void(Json&)>& change, std::string_view part) {
    Json changed = Json::parse(json);
    change(changed);
    check_refused(changed.dump(), part);
  };
  refused([](Json& j) { j.erase("quantised"); }, "quantised");
  refused([](Json& j) { j["quantised"] = 3; }, "quantised");
  refused([](Json& j) { j["quantised"].erase("group"); }, "group");
  for (const Json& group : {Json(0), Json(-64), Json(32), Json("64"), Json(64.5), Json(18446744073709551615U)})
    refused([&](Json& j) { j["quantised"]["group"] = group; }, "group");
  refused([](Json& j) { j["quantised"]["scales"] = "F16"; }, "scales");
  refused([](Json& j) { j["quantised"]["tensors"] = "all"; }, "tensors");
  refused([](Json& j) { j["quantised"]["tensors"][0] = 1; }, "tensors");
  refused([](Json& j) { j["quantised"]["others"][0] = std::string(300, 'x'); }, "others");
  for (std::size_t size = 0; size + 1 < json.size(); ++size)
    if (read_manifest(std::string_view(json).substr(0, size), "tiny")) FAIL("cut after " << size << " bytes");
}

TEST_CASE("shards must follow one another and stay in their folder", "[model][pack]") {
  check_refused([](Json& j) { j["shards"] = Json::array(); }, "0 bytes together");
  check_refused([](Json& j) { j["shards"] = Json::object(); }, "shards");
  check_refused([](Json& j) { j["shards"][1] = 3; }, "shard 2");
  check_refused([](Json& j) { j["shards"][1]["offset"] = 99; }, "weights-00002.bin");   // an overlap
  check_refused([](Json& j) { j["shards"][1]["offset"] = 101; }, "weights-00002.bin");  // a hole
  check_refused([](Json& j) { j["shards"][1]["offset"] = -100; }, "offset");
  check_refused([](Json& j) { j["shards"][1].erase("offset"); }, "offset");
  check_refused([](Json& j) { std::swap(j["shards"][0], j["shards"][1]); }, "begins at byte 100");
  check_refused([](Json& j) { j["shards"].erase(2); }, "300 bytes together");
  check_refused([](Json& j) { j["shards"][2]["bytes"] = 0; }, "shard 3");
  check_refused([](Json& j) { j["shards"][2]["bytes"] = kMaxShardBytes + 1; }, "16777216");
  check_refused([](Json& j) { j["shards"][2]["bytes"] = 18446744073709551615U; }, "shard 3");
  check_refused([](Json& j) { j["shards"][0]["sha256"] = std::string(63, 'a') + "g"; }, "of shard 1");
  check_refused([](Json& j) { j["shards"][1]["file"] = "weights-00001.bin"; }, "twice");
  check_refused([](Json& j) { j["files"][0]["file"] = "last.bin"; }, "twice");
  check_refused([](Json& j) { j["files"][0]["file"] = "manifest.json"; }, "twice");
  check_refused([](Json& j) { j["files"][0]["bytes"] = -1; }, "of file 1");
  check_refused([](Json& j) { j.erase("files"); }, "files");
  for (const char* name :
       {"", ".", "..", "../x", "a/b", "/etc/passwd", "a\\b", "C:x", ".hidden", "-rf", "a b", "%2e%2e", "ü", "a\n"})
    check_refused([&](Json& j) { j["shards"][0]["file"] = name; }, "plain file name");
  check_refused([](Json& j) { j["shards"][0]["file"] = std::string(101, 'x'); }, "plain file name");
  check_refused(
      [](Json& j) {
        for (int i = 0; i < 10'000; ++i) j["shards"].push_back(j["shards"][0]);
      },
      "at most 10000");
}

TEST_CASE("mutated manifests", "[model][pack][fuzz]") {
  PackManifest eight = manifest();
  eight.precision = PackPrecision::Q8;
  eight.quantised = {64, "F32", {"wte.weight"}, {"F32"}};
  const std::string plain = to_json(manifest()), quantised = to_json(eight);
  helix::testing::Dice dice(1);
  std::size_t accepted = 0, refused = 0;
  for (helix::testing::Fuzzing fuzzing(2000); fuzzing.more();) {
    const std::string text = helix::testing::mutated(dice.below(2) ? plain : quantised, dice);
    CAPTURE(text);
    const auto read = read_manifest(text, "tiny");
    if (read) {
      ++accepted;
      check_promises(*read);
      REQUIRE(read_manifest(to_json(*read), "tiny"));
    } else {
      ++refused;
      REQUIRE(read.error().sentence.ends_with('.'));
    }
  }
  CHECK(accepted > 0);
  CHECK(refused > 0);
}

}  // namespace pack_manifest_test
