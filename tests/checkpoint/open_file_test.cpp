#include "checkpoint/open_file.h"

#include <algorithm>
#include <catch_amalgamated.hpp>
#include <cmath>
#include <cstdlib>
#include <string>

#include "base/sha256.h"
#include "checkpoint/convert.h"
#include "checkpoint/pack_writer.h"
#include "tests/checkpoint/safetensors_bytes.h"
#include "tests/sentence_check.h"
#include "tests/test_folder.h"

namespace open_file_test {

using namespace helix;
using namespace helix::checkpoint;
using namespace helix::testing;
namespace fs = std::filesystem;

namespace {

void check_refused(const fs::path& path, std::string_view source, std::string_view part) {
  const auto model = ModelFile::open(path);
  REQUIRE(!model);
  check_sentence(model.error(), source, part);
}

fs::path real_checkpoint() {
  if (const char* named = std::getenv("HELIXSCOPE_GPT2")) return named;
  const fs::path root = fs::path(__FILE__).parent_path().parent_path().parent_path();
  return root / ".." / "shared" / "gpt2" / "gpt2-small-partial.safetensors";
}

}  // namespace

TEST_CASE("a file, and the folder that holds it", "[model][open_file]") {
  const TestFolder folder;
  const Bytes bytes = file_of(tiny_gpt2());
  const fs::path file = folder.write("tiny-one/gpt-tiny.safetensors", bytes);
  for (const fs::path& path : {file, file.parent_path(), file.parent_path() / "", file.parent_path() / "."}) {
    auto model = ModelFile::open(path);
    REQUIRE(model);
    CHECK(model->name() == "gpt-tiny");
    CHECK(fs::equivalent(model->folder(), file.parent_path()));
    CHECK(model->file_bytes() == bytes.size());
    CHECK(model->config().n_layer == 2);
    CHECK(!model->config_json());
    CHECK(model->sha256().value() == Sha256::hex_of(bytes));
    CHECK(!model->weights().has("wpe.weight"));
    const std::vector<std::string> names = {"wpe.weight", "h.1.mlp.c_fc.weight"};
    REQUIRE(model->load(names));
    for (const std::string& name : names) {
      const auto tensor = model->weights().tensor(name);
      REQUIRE(tensor);
      CHECK(std::equal(tensor->bytes.begin(), tensor->bytes.end(),
                       bytes.begin() + static_cast<std::ptrdiff_t>(tensor->info->begin)));
    }
  }
}

TEST_CASE("model.safetensors is named for its folder and preferred to others", "[model][open_file]") {
  const TestFolder folder;
  folder.write("gpt-named/model.safetensors", file_of(tiny_gpt2()));
  const fs::path other = folder.write("gpt-named/other.safetensors", file_of(tiny_gpt2(3)));
  const std::string json = R"({"n_head":2,"n_layer":2})";
  folder.write("gpt-named/config.json", bytes_of(json));
  const auto model = ModelFile::open(folder.path() / "gpt-named");
  REQUIRE(model);
  CHECK(model->name() == "gpt-named");
  CHECK(model->config_json() == json);
  CHECK(model->config().n_head == 2);
  CHECK(ModelFile::open(folder.path() / "gpt-named" / "model.safetensors")->config().n_head == 2);
  // config.json belongs to model.safetensors and contradicts the other file.
  CHECK(ModelFile::open(other)->config().n_layer == 3);
}

TEST_CASE("a record of training is no weights file, and goes along into a pack", "[model][open_file][pack]") {
  const TestFolder folder;
  folder.write("one/some-name.safetensors", file_of(tiny_gpt2()));
  folder.write("one/emergence.safetensors", bytes_of("whatever"));
  folder.write("one/config.json", bytes_of(R"({"n_head":2})"));
  auto model = ModelFile::open(folder.path() / "one");
  REQUIRE(model);
  CHECK(model->name() == "some-name");
  const auto report = write_pack(*model, folder.path() / "packed", PackPrecision::F32);
  REQUIRE(report);
  CHECK(std::ranges::any_of(report->manifest.files, [](const auto& f) { return f.file == "emergence.safetensors"; }));
  const auto packed = ModelFile::open(folder.path() / "packed");
  REQUIRE(packed);
  CHECK(packed->manifest() != nullptr);
}

TEST_CASE("what cannot be opened says why", "[model][open_file]") {
  const TestFolder folder;
  const std::string root = folder.path().string();
  check_refused(folder.path() / "none", root, "no file or folder");
  check_refused("", "“”", "no file or folder");
  check_refused(folder.path(), root, "no .safetensors file");
  check_refused(folder.write("page.safetensors", bytes_of("<!DOCTYPE html><html></html>")), "page.safetensors",
                "web page");
  check_refused(folder.write("empty.safetensors", {}), "empty.safetensors", "empty");
  check_refused(folder.path(), root, "“empty.safetensors” and “page.safetensors”");
  const Bytes bytes = file_of(tiny_gpt2());
  check_refused(folder.write("cut.safetensors", std::span(bytes).first(bytes.size() - 5)), "cut.safetensors",
                "5 bytes");
  check_refused(folder.write("tiny.safetensors", std::span(bytes).first(5)), "tiny.safetensors", "5 bytes");
  check_refused(folder.path(), root, "1 more");
  folder.write("bad/model.safetensors", bytes);
  folder.write("bad/config.json", bytes_of("{"));
  check_refused(folder.path() / "bad", "bad", "config.json");
  folder.write("bad/config.json", Bytes(1'000'001));
  check_refused(folder.path() / "bad", "bad", "config.json");
}

TEST_CASE("a file that shrinks while it is open", "[model][open_file]") {
  const TestFolder folder;
  const Bytes bytes = file_of({{"wpe.weight", {100, 400}}});
  const fs::path file = folder.write("a.safetensors", bytes);
  auto model = ModelFile::open(file);
  REQUIRE(model);
  folder.write("a.safetensors", std::span(bytes).first(100'000));
  const auto loaded = model->load(std::vector<std::string>{"wpe.weight"});
  REQUIRE(!loaded);
  check_sentence(loaded.error(), "a.safetensors", "changed");
  CHECK(!model->sha256());
}

TEST_CASE("the real GPT-2 small, in part", "[model][open_file][weights]") {
  const fs::path path = real_checkpoint();
  if (!fs::exists(path))
    SKIP("GPT-2's weights are not here; set HELIXSCOPE_GPT2 to a .safetensors file to test with them.");
  auto model = ModelFile::open(path);
  if (!model) FAIL(model.error().sentence);
  CHECK(model->config().n_layer == 12);
  CHECK(model->config().n_head == 12);
  CHECK(model->config().d_model == 768);
  CHECK(model->config().n_ctx == 1024);
  CHECK(model->config().d_mlp == 3072);
  const Parts parts = parts_of(model->header(), model->config());
  CHECK((parts.positions && parts.attention_weights));
  if (!parts.everything && model->header().tensors.size() == 123)
    CHECK(parts.missing_text() == "word embeddings (wte.weight) and the MLP matrices are missing");

  REQUIRE(model->load(tensors_for(Need::Positions, model->config())));
  CHECK(model->weights().kept_bytes() < 3'300'000);
  const auto wpe = to_f32(model->weights().tensor("wpe.weight").value());
  REQUIRE(wpe);
  REQUIRE((wpe->rows == 1024 && wpe->cols == 768));
  std::vector<double> norms;
  for (std::size_t i = 0; i < wpe->rows; ++i) {
    double sum = 0;
    for (const float x : wpe->row(i)) sum += static_cast<double>(x) * static_cast<double>(x);
    norms.push_back(std::sqrt(sum));
  }
  CHECK_THAT(norms.front(), Catch::Matchers::WithinAbs(9.8756, 5e-5));
  CHECK_THAT(norms.back(), Catch::Matchers::WithinAbs(0.1179, 5e-5));
}

}  // namespace open_file_test
