// Controls: what stands in the place of a model's tensors. tests/reference/controls_test.py repeats the numbers in numpy.
#include "checkpoint/control.h"

#include <algorithm>
#include <catch_amalgamated.hpp>
#include <cmath>
#include <cstring>

#include "base/random_rows.h"
#include "checkpoint/convert.h"
#include "checkpoint/open_file.h"
#include "tests/checkpoint/quantised_checkpoint.h"
#include "tests/sentence_check.h"
#include "tests/test_folder.h"

namespace checkpoint_control_test {

using namespace helix;
using namespace helix::checkpoint;
using namespace helix::testing;
using Catch::Approx;

namespace {

/// A complete tiny GPT-2 with finite numbers; the mask buffers stay as they are.
Bytes tiny_file() {
  const auto entries = tiny_gpt2(1, 8, 30, 40);
  Bytes file = length_bytes(header_json(entries).size());
  for (const std::byte b : bytes_of(header_json(entries))) file.push_back(b);
  std::vector<float> numbers;
  Pcg64 rng(99);
  for (const Entry& entry : entries) {
    std::vector<float> some(static_cast<std::size_t>(entry_bytes(entry) / 4));
    rng.normal(std::span(some));
    for (float& x : some) x = x * 0.5f + 0.25f;
    numbers.insert(numbers.end(), some.begin(), some.end());
  }
  const Bytes data = raw(numbers.data(), 4 * numbers.size());
  file.insert(file.end(), data.begin(), data.end());
  return file;
}

WeightFile opened(const Bytes& file, const std::string& control, const std::vector<std::string>& names) {
  WeightFile weights("tiny", file.size());
  if (!control.empty()) weights.become(Control(*parse_control(control)));
  REQUIRE(weights.feed(0, std::span(file).first(std::min<std::size_t>(file.size(), 100))));
  weights.want(names);
  REQUIRE(weights.feed(0, file));
  return weights;
}

Matrix<float> read(const WeightFile& weights, const std::string& name) {
  const auto tensor = weights.tensor(name);
  REQUIRE(tensor);
  auto matrix = to_f32(*tensor);
  REQUIRE(matrix);
  return std::move(*matrix);
}

Matrix<float> tensor_of(const Bytes& file, const std::string& control, const std::string& name) {
  return read(opened(file, control, {name}), name);
}

Matrix<double> wide(const Matrix<float>& rows) {
  Matrix<double> out(rows.rows, rows.cols);
  std::ranges::copy(rows.data, out.data.begin());
  return out;
}

void check_close(const std::vector<double>& a, const std::vector<double>& b) {
  REQUIRE(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); ++i) CHECK(a[i] == Approx(b[i]).epsilon(1e-5));
}

const char* const kPositions = "wpe.weight";

}  // namespace

TEST_CASE("a walk has the learned steps' norms, and goes elsewhere", "[model][control]") {
  const Bytes file = tiny_file();
  const auto learned = wide(tensor_of(file, "", kPositions)),
             walk = wide(tensor_of(file, "control:walk:3", kPositions));
  check_close(step_norms(walk.view()), step_norms(learned.view()));
  CHECK(std::ranges::equal(walk.row(0), learned.row(0)));
  CHECK(!std::ranges::equal(walk.row(1), learned.row(1)));
  CHECK(walk.data != wide(tensor_of(file, "control:walk:4", kPositions)).data);
  CHECK(walk.data == wide(tensor_of(file, "control:walk:3", kPositions)).data);
}

TEST_CASE("noise has the learned rows' norms", "[model][control]") {
  const Bytes file = tiny_file();
  const auto learned = wide(tensor_of(file, "", kPositions)),
             noise = wide(tensor_of(file, "control:noise:3", kPositions));
  check_close(row_norms(noise.view()), row_norms(learned.view()));
  CHECK(noise.data != learned.data);
}

TEST_CASE("rows are the learned rows in another order", "[model][control]") {
  const Bytes file = tiny_file();
  const auto learned = tensor_of(file, "", kPositions), rows = tensor_of(file, "control:rows:3", kPositions);
  const auto order = Pcg64(3).order(rows.rows);
  for (std::size_t i = 0; i < rows.rows; ++i) CHECK(std::ranges::equal(rows.row(i), learned.row(order[i])));
  CHECK(rows.data != learned.data);
}

TEST_CASE("only the positions change, but for random weights", "[model][control]") {
  const Bytes file = tiny_file();
  for (const char* kind : {"control:walk:3", "control:rows:3", "control:noise:3"})
    CHECK(tensor_of(file, kind, "wte.weight").data == tensor_of(file, "", "wte.weight").data);
  for (const char* name : {"wte.weight", kPositions, "h.0.ln_1.weight", "h.0.attn.c_attn.weight", "ln_f.bias"})
    CHECK(tensor_of(file, "control:weights:3", name).data != tensor_of(file, "", name).data);
}

TEST_CASE("random weights: each tensor's mean and deviation, from a stream of its name", "[model][control]") {
  const Bytes file = tiny_file();
  const auto learned = tensor_of(file, "", "h.0.mlp.c_fc.weight").data;
  const auto made = tensor_of(file, "control:weights:3", "h.0.mlp.c_fc.weight").data;
  double mean = 0, square = 0;
  const auto n = static_cast<double>(learned.size());
  for (const float x : learned) mean += static_cast<double>(x) / n;
  for (const float x : learned) square += (static_cast<double>(x) - mean) * (static_cast<double>(x) - mean) / n;
  std::vector<double> normal(made.size());
  Pcg64(3, "h.0.mlp.c_fc.weight").normal(std::span(normal));
  for (std::size_t i = 0; i < made.size(); ++i)
    CHECK(made[i] == Approx(mean + std::sqrt(square) * normal[i]).epsilon(1e-5));
  // Neither what else is read nor its order matters.
  const auto all = opened(file, "control:weights:3", {"wte.weight", "h.0.mlp.c_fc.weight"});
  static_cast<void>(read(all, "wte.weight"));
  CHECK(read(all, "h.0.mlp.c_fc.weight").data == made);
}

TEST_CASE("a row of a control is a row of its whole tensor", "[model][control]") {
  const Bytes file = tiny_file();
  WeightFile weights("tiny", file.size());
  weights.become(Control(*parse_control("control:walk:3")));
  REQUIRE(weights.feed(0, std::span(file).first(5000)));
  REQUIRE(weights.header());
  const std::vector<std::size_t> wanted{7};
  weights.want_rows(kPositions, wanted);
  REQUIRE(weights.feed(0, file));
  REQUIRE(weights.has_row(kPositions, 7));
  const auto row = weights.row(kPositions, 7);
  REQUIRE(row);
  const auto floats = to_f32(*row);
  REQUIRE(floats);
  const auto whole = tensor_of(file, "control:walk:3", kPositions);
  CHECK(std::ranges::equal(floats->data, whole.row(7)));
}

TEST_CASE("a control is read as 32-bit floats, however its base is stored", "[model][control]") {
  const Bytes file = tiny_file();
  const Bytes q8 = quantised_checkpoint(file), bf16 = bf16_checkpoint(file);
  for (const Bytes& stored : {q8, bf16}) {
    const auto weights = opened(stored, "control:weights:3", {"wte.weight"});
    CHECK(weights.header()->find("wte.weight")->dtype_name == "F32");
    const auto tensor = weights.tensor("wte.weight");
    REQUIRE(tensor);
    CHECK(precision_of(*tensor) == "F32");
    CHECK(tensor->bytes.size() == 40 * 8 * 4);
    CHECK(sha256(*tensor) != sha256(*opened(stored, "", {"wte.weight"}).tensor("wte.weight")));
    // The mean and the deviation are those of the rounded numbers: nearly the same.
    const auto from_floats = tensor_of(file, "control:weights:3", "wte.weight");
    const auto numbers = read(weights, "wte.weight");
    for (std::size_t i = 0; i < numbers.data.size(); ++i)
      CHECK(std::abs(numbers.data[i] - from_floats.data[i]) < 0.02f);
  }
  CHECK(opened(bf16, "control:walk:3", {"wte.weight"}).header()->find("wte.weight")->dtype_name == "BF16");
}

TEST_CASE("a tensor that holds no numbers is an error, also in a control", "[model][control]") {
  Bytes file = tiny_file();
  const float bad = std::nanf("");
  const auto plain = opened(file, "", {kPositions});
  std::memcpy(file.data() + plain.header()->find(kPositions)->begin, &bad, 4);
  const auto weights = opened(file, "control:walk:1", {kPositions});
  const auto tensor = weights.tensor(kPositions);
  REQUIRE(!tensor);
  check_sentence(tensor.error(), kPositions);
}

TEST_CASE("a control is opened from disk by the path of its base", "[model][control]") {
  const TestFolder folder;
  const Bytes file = tiny_file();
  const std::string path = folder.write("tiny/model.safetensors", file).parent_path().string();
  auto model = ModelFile::open("control:walk:3@" + path);
  REQUIRE(model);
  CHECK(model->name() == "control:walk:3@tiny");
  CHECK(model->base_name() == "tiny");
  REQUIRE(ModelFile::open(model->address()));
  CHECK(ModelFile::open(model->address())->name() == model->name());
  REQUIRE(model->load(std::vector<std::string>{kPositions}));
  CHECK(read(model->weights(), kPositions).data == tensor_of(file, "control:walk:3", kPositions).data);
  const auto nowhere = ModelFile::open("control:walk:3");
  REQUIRE(!nowhere);
  check_sentence(nowhere.error(), "control:walk:3@FOLDER");
  CHECK(!ModelFile::open("control:stroll:3@" + path));
}

}  // namespace checkpoint_control_test
