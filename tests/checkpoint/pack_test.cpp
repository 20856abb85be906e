// Packs written and read back; changes to their shards are detected.
#include <algorithm>
#include <catch_amalgamated.hpp>
#include <limits>
#include <numeric>
#include <span>
#include <string>

#include "base/sha256.h"
#include "base/task.h"
#include "checkpoint/convert.h"
#include "checkpoint/numbers.h"
#include "checkpoint/pack_writer.h"
#include "model/forward.h"
#include "model/pack_quality.h"
#include "tests/checkpoint/quantised_checkpoint.h"
#include "tests/model/tiny_network.h"
#include "tests/sentence_check.h"
#include "tests/test_folder.h"
#include "tokenizer/open_tokenizer.h"

namespace checkpoint_pack_test {

using namespace helix;
using namespace helix::checkpoint;
using namespace helix::model;
using namespace helix::testing;
namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kSmall = 2000;  // bytes per shard, so that there are many

// A folder with a complete tiny model and its config.json.
struct Models : TestFolder {
  explicit Models(const TinySizes& sizes = {}) {
    write("tiny/model.safetensors", tiny_checkpoint(sizes));
    write("tiny/config.json",
          bytes_of("{\"n_head\": 2, \"tie_word_embeddings\": " + std::string(sizes.tied ? "true" : "false") + "}"));
    write("tiny/vocab.json", bytes_of("{}"));
  }
  ModelFile open(const fs::path& name) const {
    auto file = ModelFile::open(path() / name);
    if (!file) FAIL(file.error().sentence);
    return std::move(*file);
  }
  PackReport pack(PackPrecision precision, const fs::path& out, std::uint64_t shard_bytes = kSmall,
                  const fs::path& from = "tiny") const {
    ModelFile source = open(from);
    auto report = write_pack(source, path() / out, precision, shard_bytes);
    if (!report) FAIL(report.error().sentence);
    return std::move(*report);
  }
  void check_refused(const fs::path& from, const fs::path& out, std::string_view part,
                     PackPrecision precision = PackPrecision::F16) const {
    ModelFile source = open(from);
    const auto report = write_pack(source, path() / out, precision, kSmall);
    REQUIRE(!report);
    check_sentence(report.error(), part, part);
  }
  Bytes joined(const PackManifest& manifest, const fs::path& pack) const {
    Bytes whole;
    for (const auto& shard : manifest.shards) {
      const Bytes part = read(pack / shard.file);
      CHECK(part.size() == shard.bytes);
      CHECK(whole.size() == shard.offset);
      CHECK(Sha256::hex_of(part) == shard.sha256);
      whole.insert(whole.end(), part.begin(), part.end());
    }
    return whole;
  }
};

std::vector<float> numbers_of(ModelFile& file, const std::string& name) {
  REQUIRE(file.load(std::span(&name, 1)));
  const auto tensor = file.weights().tensor(name);
  REQUIRE(tensor);
  const auto matrix = to_f32(*tensor);
  REQUIRE(matrix);
  return matrix->data;
}

Matrix<float> logits_of(ModelFile&& opened, Precision precision = Precision::f32) {
  const auto file = std::make_shared<ModelFile>(std::move(opened));
  const auto weights = std::shared_ptr<WeightFile>(file, &file->weights());
  const auto network = Network::make(weights, file->config(), file->name(), precision);
  REQUIRE(network);
  REQUIRE(file->load((*network)->unread()));
  REQUIRE(run_to_end((*network)->prepare()));
  Asked asked;
  asked.tokens = {3, 1, 4, 1, 5, 9};
  asked.logits_at = {0, 1, 2, 3, 4, 5};
  const auto logits = run_to_end(forward(*network, std::make_shared<Session>(), asked));
  REQUIRE(logits);
  return *logits;
}

std::string error_of(const fs::path& pack) {
  auto file = ModelFile::open(pack);
  if (!file) return file.error().sentence;
  const auto whole = file->check();
  return whole ? "" : whole.error().sentence;
}

}  // namespace

TEST_CASE("a pack in f32 is the checkpoint, bit by bit", "[model][pack]") {
  for (const bool tied : {true, false}) {
    const Models models({.tied = tied});
    const PackReport report = models.pack(PackPrecision::F32, "out/tiny-f32");
    ModelFile source = models.open("tiny"), pack = models.open("out/tiny-f32");
    CHECK(report.weights.max == 0);
    CHECK(report.manifest.shards.size() > 4);
    CHECK(report.manifest.source_sha256 == source.sha256().value());
    CHECK(report.left_out.size() == 2);  // the masks
    CHECK(pack.name() == "tiny-f32");
    CHECK(report.manifest.source_name == "tiny");
    CHECK(pack.config().n_head == 2);
    CHECK(pack.config().tied_head == tied);
    CHECK(pack.sha256().value() == report.manifest.sha256);
    CHECK(pack.check());
    CHECK(pack.header().tensors.size() == source.header().tensors.size() - 2);
    for (const TensorInfo& tensor : source.header().tensors)
      if (!tensor.name.ends_with("attn.bias")) CHECK(numbers_of(pack, tensor.name) == numbers_of(source, tensor.name));
    CHECK(logits_of(models.open("out/tiny-f32")).data == logits_of(models.open("tiny")).data);
    CHECK(models.read("out/tiny-f32/vocab.json") == bytes_of("{}"));
    CHECK(!fs::exists(models.path() / "out/tiny-f32.part"));
    CHECK(models.open("out/tiny-f32/manifest.json").name() == "tiny-f32");
  }
}

TEST_CASE("the shards one after the other are a safetensors file in the order of need", "[model][pack]") {
  const Models models({.tied = false});
  const PackReport report = models.pack(PackPrecision::F16, "packed", 3000);
  const Bytes whole = models.joined(report.manifest, "packed");
  CHECK(Sha256::hex_of(whole) == report.manifest.sha256);
  CHECK(whole.size() == report.manifest.bytes);
  models.write("joined/model.safetensors", whole);
  ModelFile joined = models.open("joined"), pack = models.open("packed");
  CHECK(joined.header().data_begin % 64 == 0);
  CHECK(joined.header().metadata.at("format") == "pt");
  std::vector<std::string> names;
  for (const TensorInfo& tensor : joined.header().tensors) names.push_back(tensor.name);
  CHECK(names.front() == "wpe.weight");
  CHECK(names.back() == "lm_head.weight");
  CHECK(*(names.end() - 2) == "wte.weight");
  const auto at = [&](const char* name) { return std::find(names.begin(), names.end(), name) - names.begin(); };
  CHECK(at("h.1.attn.c_proj.bias") < at("h.0.mlp.c_fc.weight"));
  CHECK(at("h.1.ln_2.weight") < at("h.0.mlp.c_fc.weight"));
  CHECK(at("ln_f.bias") < at("h.0.mlp.c_fc.weight"));
  CHECK(at("h.0.mlp.c_fc.weight") < at("h.1.mlp.c_proj.bias"));
  // Shards end at the boundaries of positions, attention and MLPs.
  for (const char* last : {"wpe.weight", "h.1.mlp.c_proj.bias"}) {
    const std::uint64_t end = joined.header().find(last)->end;
    CHECK(std::ranges::any_of(report.manifest.shards, [&](const auto& s) { return s.offset + s.bytes == end; }));
  }
  CHECK(numbers_of(joined, "wte.weight") == numbers_of(pack, "wte.weight"));
}

TEST_CASE("the first shard holds the header and the positions, and no more", "[model][pack]") {
  const Models models;
  const PackReport report = models.pack(PackPrecision::F32, "packed", kMaxShardBytes);
  REQUIRE(report.manifest.shards.size() == 4);
  const ModelFile pack = models.open("packed");
  CHECK(report.manifest.shards[0].bytes == pack.header().find("wpe.weight")->end);
}

TEST_CASE("f16 rounds every weight, and says how far", "[model][pack]") {
  const Models models;
  const PackReport report = models.pack(PackPrecision::F16, "half");
  ModelFile source = models.open("tiny"), pack = models.open("half");
  double worst = 0;
  for (const TensorInfo& tensor : pack.header().tensors) {
    CHECK(tensor.dtype == DType::F16);
    const auto exact = numbers_of(source, tensor.name), half = numbers_of(pack, tensor.name);
    REQUIRE(exact.size() == half.size());
    for (std::size_t i = 0; i < exact.size(); ++i) {
      CHECK(half[i] == f16_to_f32(f32_to_f16(exact[i])));
      worst = std::max(worst, std::abs(static_cast<double>(exact[i]) - static_cast<double>(half[i])));
    }
  }
  CHECK(report.weights.max == worst);
  CHECK((report.weights.mean() > 0 && report.weights.mean() < worst));
  const auto exact = logits_of(models.open("tiny")), half = logits_of(models.open("half"));
  const PredictionDifference found = compare_predictions(exact.view(), half.view());
  CHECK((found.max_logit > 0 && found.max_logit < 0.02));
  CHECK((found.mean_kl > 0 && found.mean_kl < 1e-5));
  // Packed from a pack: tensors that are already F16 are copied.
  const PackReport again = models.pack(PackPrecision::F16, "again", kMaxShardBytes, "half");
  CHECK(again.weights.max == 0);
  CHECK(again.manifest.sha256 == report.manifest.sha256);
  CHECK(again.manifest.source_sha256 == report.manifest.sha256);
}

TEST_CASE("a pack in q8 computes what the model does in q8, to the last bit", "[model][pack][quantised]") {
  for (const TinySizes& sizes : {TinySizes{.tied = false}, TinySizes{2, 70, 2, 12, 130}, TinySizes{1, 64, 2, 12, 20},
                                 TinySizes{1, 130, 2, 12, 65, false}}) {
    const Models models;
    const std::string config =
        "{\"n_head\": 2, \"tie_word_embeddings\": " + std::string(sizes.tied ? "true" : "false") + "}";
    for (const char* name : {"tiny", "bf16"}) models.write(fs::path(name) / "config.json", bytes_of(config));
    const Bytes file = tiny_checkpoint(sizes);
    models.write("tiny/model.safetensors", file);
    models.write("bf16/model.safetensors", helix::testing::bf16_checkpoint(file));
    models.pack(PackPrecision::F16, "f16");
    for (const char* name : {"tiny", "bf16", "f16"}) {
      CAPTURE(name, sizes.d_model);
      const fs::path out = std::string("q8-of-") + name;
      const PackReport report = models.pack(PackPrecision::Q8, out, kSmall, name);
      ModelFile pack = models.open(out), source = models.open(name);
      CHECK(report.manifest.shards.size() > 4);
      CHECK(pack.check());
      CHECK(logits_of(models.open(out)).data == logits_of(models.open(name), Precision::q8).data);
      CHECK(logits_of(models.open(out), Precision::q8).data == logits_of(models.open(name), Precision::q8).data);
      for (const TensorInfo& tensor : pack.header().tensors) {
        if (tensor.name.ends_with(".scales")) continue;
        const bool matrix = helix::testing::is_matrix(tensor.name);
        CHECK(tensor.dtype_name == (matrix ? "I8" : std::string(name) == "f16" ? "F16" : "F32"));
        if (!matrix) CHECK(numbers_of(pack, tensor.name) == numbers_of(source, tensor.name));
      }
    }
  }
}

TEST_CASE("the manifest and the report of a pack in q8", "[model][pack][quantised]") {
  const Models models({.tied = false});
  const PackReport report = models.pack(PackPrecision::Q8, "eight", kMaxShardBytes);
  ModelFile pack = models.open("eight"), source = models.open("tiny");
  REQUIRE(pack.manifest()->quantised);
  const auto& quantised = *pack.manifest()->quantised;
  CHECK(quantised.group == 64);
  CHECK(quantised.others == std::vector<std::string>{"F32"});
  CHECK(quantised.tensors.size() == 2 * 4 + 2);
  CHECK(report.left_out.size() == 2);  // the masks
  CHECK(pack.header().metadata.at("q8_group") == "64");
  REQUIRE(report.manifest.shards.size() == 4);
  CHECK(report.manifest.shards[0].bytes == pack.header().find("wpe.weight")->end);
  double worst = 0;
  std::uint64_t count = 0;
  for (const TensorInfo& tensor : pack.header().tensors) {
    if (tensor.name.ends_with(".scales")) continue;
    const auto exact = numbers_of(source, tensor.name), stored = numbers_of(pack, tensor.name);
    REQUIRE(exact.size() == stored.size());
    count += exact.size();
    for (std::size_t i = 0; i < exact.size(); ++i)
      worst = std::max(worst, std::abs(static_cast<double>(exact[i]) - static_cast<double>(stored[i])));
  }
  CHECK(report.weights.max == worst);
  CHECK(report.weights.count == count);
  CHECK((worst > 0 && worst < 0.01));
  const auto difference =
      compare_predictions(logits_of(models.open("tiny")).view(), logits_of(models.open("eight")).view());
  CHECK((difference.mean_kl > 0 && difference.mean_kl < 0.005));
  // A manifest whose tensors differ from the header's.
  PackManifest other = report.manifest;
  other.quantised->tensors.pop_back();
  models.write("eight/manifest.json", bytes_of(to_json(other)));
  check_sentence(Error{error_of(models.path() / "eight")}, "eight", "contradicts itself");
  other.quantised.reset(), other.precision = PackPrecision::F32;
  models.write("eight/manifest.json", bytes_of(to_json(other)));
  check_sentence(Error{error_of(models.path() / "eight")}, "eight", "contradicts itself");
}

TEST_CASE("8-bit integers are packed again as they are, and never as floats", "[model][pack][quantised]") {
  const Models models({.n_layer = 1, .d_model = 70, .n_ctx = 12, .n_vocab = 90});
  const PackReport first = models.pack(PackPrecision::Q8, "eight");
  const PackReport again = models.pack(PackPrecision::Q8, "again", kMaxShardBytes, "eight");
  CHECK(again.weights.max == 0);
  CHECK(again.weights.count == first.weights.count);
  CHECK(again.manifest.sha256 == first.manifest.sha256);
  CHECK(again.left_out.empty());
  for (const PackPrecision floats : {PackPrecision::F32, PackPrecision::F16})
    models.check_refused("eight", "floats", "--precision q8", floats);
  // Joined into one file that any reader of safetensors can open.
  models.write("joined/model.safetensors", models.joined(first.manifest, "eight"));
  models.write("joined/config.json", bytes_of("{\"n_head\": 2}"));
  CHECK(logits_of(models.open("joined")).data == logits_of(models.open("eight")).data);

  Bytes bad = models.read("tiny/model.safetensors");
  const ModelFile tiny = models.open("tiny");
  const auto at = static_cast<std::size_t>(tiny.header().find("h.0.mlp.c_fc.weight")->end);
  for (const float number : {std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::infinity()}) {
    std::memcpy(&bad[at - 4], &number, 4);
    models.write("bad/model.safetensors", bad);
    models.write("bad/config.json", bytes_of("{\"n_head\": 2}"));
    models.check_refused("bad", "x", "h.0.mlp.c_fc.weight", PackPrecision::Q8);
    CHECK(!fs::exists(models.path() / "x.part"));
  }
}

TEST_CASE("what cannot be stored is said and leaves nothing behind", "[model][pack]") {
  const Models models;
  models.write("large/model.safetensors", helix::testing::checkpoint_of(helix::testing::noise_rows(4, 4)));
  Bytes file = models.read("large/model.safetensors");
  const float large = 70'000;
  std::memcpy(&file[file.size() - 4], &large, 4);
  models.write("large/model.safetensors", file);
  models.check_refused("large", "x", "wpe.weight");
  models.check_refused("large", "x", "70000");
  CHECK(!fs::exists(models.path() / "x"));
  CHECK(!fs::exists(models.path() / "x.part"));
  CHECK(models.pack(PackPrecision::F32, "x", kSmall, "large").manifest.missing.size() == 3);
  models.check_refused("large", "x", "none of the matrices", PackPrecision::Q8);
  models.write("ints/model.safetensors", file_of({{"wpe.weight", {4, 4}, "I32"}}));
  models.check_refused("ints", "y", "I32");
}

TEST_CASE("names with transformer., BF16 and partial checkpoints", "[model][pack]") {
  const Models models;
  models.write("part/model.safetensors", file_of({{"transformer.h.0.attn.c_attn.weight", {4, 12}, "BF16", 2},
                                                  {"transformer.wpe.weight", {8, 4}}}));
  const PackReport report = models.pack(PackPrecision::F32, "packed", kSmall, "part");
  CHECK(report.manifest.missing.size() > 3);
  ModelFile source = models.open("part"), pack = models.open("packed");
  CHECK(pack.header().tensors[0].name == "wpe.weight");
  CHECK(pack.header().tensors[1].name == "h.0.attn.c_attn.weight");
  const auto exact = numbers_of(source, "h.0.attn.c_attn.weight"), stored = numbers_of(pack, "h.0.attn.c_attn.weight");
  CHECK(std::memcmp(exact.data(), stored.data(), exact.size() * sizeof(float)) == 0);
  CHECK(report.manifest.files.empty());
}

TEST_CASE("a folder with anything else in it is left alone", "[model][pack]") {
  const Models models;
  models.write("full/letter.txt", bytes_of("dear"));
  models.check_refused("tiny", "full", "not empty");
  models.check_refused("tiny", "full/letter.txt", "not a folder");
  models.check_refused("tiny", "tiny", "the model itself");
  models.write("blocked.part/letter.txt", bytes_of("dear"));
  models.check_refused("tiny", "blocked", "already exists");
  CHECK(models.read("full/letter.txt") == bytes_of("dear"));

  models.pack(PackPrecision::F16, "half", 500);
  models.write("half/notes.txt", bytes_of("mine"));
  models.check_refused("tiny", "half", "f16", PackPrecision::F32);
  models.write("other/model.safetensors", models.read("tiny/model.safetensors"));
  models.check_refused("other", "half", "pack of “tiny”");
  models.write("cut.part/weights-00001.bin", bytes_of("broken off"));
  models.pack(PackPrecision::F16, "cut");
  const PackReport again = models.pack(PackPrecision::F16, "half", kMaxShardBytes);  // the same tensors in fewer shards
  CHECK(again.manifest.shards.size() == 4);
  CHECK(!fs::exists(models.path() / "half/weights-00005.bin"));
  CHECK(models.read("half/notes.txt") == bytes_of("mine"));
  CHECK(error_of(models.path() / "half").empty());
  models.write("half/manifest.json", bytes_of("{}"));
  models.check_refused("tiny", "half", "readable pack");
}

TEST_CASE("a shard that is not what the manifest says is named", "[model][pack]") {
  const Models models;
  const PackReport report = models.pack(PackPrecision::F32, "p");
  const fs::path pack = models.path() / "p";
  REQUIRE(error_of(pack).empty());
  for (const auto& shard : report.manifest.shards) {
    const Bytes good = models.read("p" / fs::path(shard.file));
    const auto refused = [&](const std::string& part) {
      const std::string said = error_of(pack);
      check_sentence(Error{said}, shard.file, part);
      models.write("p" / fs::path(shard.file), good);
      CHECK(error_of(pack).empty());
    };
    models.write("p" / fs::path(shard.file), std::span(good).first(good.size() - 1));
    refused("cut short");
    models.write("p" / fs::path(shard.file), {});
    refused("cut short");
    Bytes bad = good;
    bad.push_back(std::byte{0});
    models.write("p" / fs::path(shard.file), bad);
    refused("too long");
    bad = good;
    bad[bad.size() / 2] ^= std::byte{1};
    models.write("p" / fs::path(shard.file), bad);
    refused("SHA-256");
    fs::remove(pack / shard.file);
    refused("missing");
    fs::remove(pack / shard.file);
    fs::create_directory(pack / shard.file);
    check_sentence(Error{error_of(pack)}, shard.file, "missing");
    fs::remove(pack / shard.file);
    models.write("p" / fs::path(shard.file), good);
  }
  // Two files of the same size, swapped.
  const auto& shards = report.manifest.shards;
  const auto one = std::ranges::find_if(shards, [](const auto& s) { return s.bytes == kSmall; });
  REQUIRE(one != shards.end());
  const auto two = std::find_if(one + 1, shards.end(), [](const auto& s) { return s.bytes == kSmall; });
  REQUIRE(two != shards.end());
  fs::rename(pack / one->file, pack / "x"), fs::rename(pack / two->file, pack / one->file);
  fs::rename(pack / "x", pack / two->file);
  check_sentence(Error{error_of(pack)}, one->file, "SHA-256");
}

TEST_CASE("only the shards that are read are looked at", "[model][pack]") {
  const Models models({.n_ctx = 2100});  // more positions than the first request brings
  const PackReport report = models.pack(PackPrecision::F32, "p", kMaxShardBytes);
  fs::remove(models.path() / "p" / report.manifest.shards.back().file);
  ModelFile pack = models.open("p");
  REQUIRE(pack.load(std::vector<std::string>{"wpe.weight", "h.0.attn.c_attn.weight"}));
  CHECK(pack.weights().has("wpe.weight"));
  const auto loaded = pack.load(std::vector<std::string>{"wte.weight"});
  REQUIRE(!loaded);
  check_sentence(loaded.error(), report.manifest.shards.back().file, "missing");
}

TEST_CASE("the files beside the shards, and the whole, are held to the manifest", "[model][pack]") {
  const Models models;
  PackReport report = models.pack(PackPrecision::F32, "p");
  REQUIRE(report.manifest.files.size() == 2);
  models.write("p/vocab.json", bytes_of("[]"));
  check_sentence(Error{error_of(models.path() / "p")}, "vocab.json", "SHA-256");
  models.write("p/vocab.json", bytes_of("{}"));
  report.manifest.sha256 = std::string(64, '0');
  models.write("p/manifest.json", bytes_of(to_json(report.manifest)));
  check_sentence(Error{error_of(models.path() / "p")}, "p”", "inconsistent");
}

TEST_CASE("shards as their manifest says, but of no safetensors file", "[model][pack]") {
  const TestFolder folder;
  Bytes cut = file_of(tiny_gpt2());
  cut.pop_back();
  for (const Bytes& content : {bytes_of("x"), bytes_of("1234567"), bytes_of("12345678"), bytes_of("<!DOCTYPE html>"),
                               length_bytes(1), length_bytes(1'000'000), file_of("{}"), file_of("{}", 3), cut}) {
    PackManifest manifest;
    manifest.name = "p", manifest.bytes = content.size(), manifest.sha256 = Sha256::hex_of(content);
    manifest.source_name = "p", manifest.source_sha256 = manifest.sha256, manifest.config_json = "{}";
    for (std::size_t at = 0; at < content.size(); at += 5) {
      const auto part = std::span(content).subspan(at, std::min<std::size_t>(5, content.size() - at));
      manifest.shards.push_back({shard_name(at / 5), at, part.size(), Sha256::hex_of(part)});
      folder.write("p" / fs::path(manifest.shards.back().file), part);
    }
    folder.write("p/manifest.json", bytes_of(to_json(manifest)));
    const auto file = ModelFile::open(folder.path() / "p");
    REQUIRE(!file);
    check_sentence(file.error(), "“p”");
  }
}

TEST_CASE("two predictions compared", "[model][pack]") {
  Matrix<float> exact(2, 3), stored(2, 3);
  exact.data = {1, 2, 3, 3, 2, 1};
  stored.data = {1, 2, 3, 2, 3, 1};
  const PredictionDifference found = compare_predictions(exact.view(), stored.view());
  CHECK(found.max_logit == 1);
  CHECK(found.mean_logit == Catch::Approx(2.0 / 6));
  CHECK(found.top1 == 0.5);
  // Σ p·Δ with the same normaliser: (e³ − e²)/(e³ + e² + e), at the second position only.
  const double e = std::exp(1.0), kl = (e * e * e - e * e) / (e * e * e + e * e + e);
  CHECK(found.p99_kl == Catch::Approx(kl));
  CHECK(found.mean_kl == Catch::Approx(kl / 2));
  PredictionComparison pieces;  // one position at a time
  for (std::size_t i = 0; i < 2; ++i) pieces.add(exact.view().slice(i, 1), stored.view().slice(i, 1));
  CHECK(pieces.positions() == 2);
  CHECK(pieces.difference().mean_kl == found.mean_kl);
  CHECK(pieces.difference().p99_kl == found.p99_kl);
  CHECK(pieces.difference().max_logit == 1);
  CHECK(pieces.difference().mean_logit == found.mean_logit);
  CHECK(pieces.difference().top1 == 0.5);
  CHECK(quality_tokens(50257, 1024).size() == 128);
  CHECK(quality_tokens(50257, 1024)[7] == 5176);
  CHECK(quality_tokens(10, 8) == std::vector<std::int32_t>{0, 9, 8, 7, 6, 5, 4, 3});
}

TEST_CASE("a text is judged in pieces that the model can read", "[model][pack]") {
  std::vector<std::int32_t> tokens(1025);
  std::iota(tokens.begin(), tokens.end(), 0);
  const auto sizes = [&](std::size_t length, std::size_t n_ctx) {
    std::vector<std::size_t> found;
    for (const auto piece : windows_of(std::span(tokens).first(length), n_ctx)) found.push_back(piece.size());
    return found;
  };
  CHECK(sizes(0, 8).empty());
  CHECK(sizes(1, 8).empty());
  CHECK(sizes(2, 8) == std::vector<std::size_t>{2});
  CHECK(sizes(17, 8) == std::vector<std::size_t>{8, 8});  // the last position has no next token
  CHECK(sizes(18, 8) == std::vector<std::size_t>{8, 8, 2});
  CHECK(sizes(1025, 1024) == std::vector<std::size_t>{512, 512});
  CHECK(windows_of(tokens, 8)[1][0] == 8);
}

}  // namespace checkpoint_pack_test
