// Matrices stored as 8-bit integers: the numbers they represent, and the errors for invalid ones.
#include "checkpoint/quantised.h"

#include <algorithm>
#include <limits>

#include "checkpoint/convert.h"
#include "model/forward.h"
#include "model/session.h"
#include "tests/checkpoint/quantised_checkpoint.h"
#include "tests/model/tiny_network.h"
#include "tests/sentence_check.h"

namespace quantised_test {

using namespace helix;
using namespace helix::checkpoint;
using namespace helix::model;
using namespace helix::testing;

namespace {

const std::string kMatrix = "h.0.mlp.c_proj.weight", kWords = "wte.weight";

// Widths that are not multiples of 64: 35, and 140 in the MLP.
Bytes odd() { return tiny_checkpoint({.n_layer = 1, .d_model = 35, .n_head = 5, .n_ctx = 12, .n_vocab = 70}); }

Bytes changed(const std::function<void(Stored&)>& change, const char* metadata = kQ8Metadata) {
  auto tensors = quantised_tensors(odd());
  for (Stored& t : tensors) change(t);
  return stored_file(tensors, metadata);
}

void drop(std::vector<Stored>& tensors, const std::string& name) {
  std::erase_if(tensors, [&](const Stored& t) { return t.name == name; });
}

// Reads a file and returns the error sentence about a tensor.
std::string said_of(const Bytes& file, const std::string& name) {
  WeightFile weights("odd", file.size());
  weights.want(std::span(&name, 1));
  if (const auto fed = weights.feed(0, file); !fed) return fed.error().sentence;
  const auto tensor = weights.tensor(name);
  if (!tensor) return tensor.error().sentence;
  const auto floats = to_f32(*tensor);
  return floats ? "" : floats.error().sentence;
}

std::shared_ptr<WeightFile> opened(const Bytes& file) {
  auto weights = std::make_shared<WeightFile>("odd", file.size());
  REQUIRE(weights->feed(0, file));
  return weights;
}

Expected<Matrix<float>> logits_of(const Bytes& file, Precision precision) {
  const auto weights = opened(file);
  const auto config = make_config(*weights->header(), R"({"n_head": 5})", "odd");
  REQUIRE(config);
  const auto network = Network::make(weights, *config, "odd", precision);
  REQUIRE(network);
  weights->want((*network)->unread());
  REQUIRE(weights->feed(0, file));
  if (const auto ready = run_to_end((*network)->prepare()); !ready) return ready.error();
  Asked asked;
  asked.tokens = {3, 1, 4, 1, 5, 9, 69};
  asked.logits_at = {0, 1, 2, 3, 4, 5, 6};
  return run_to_end(forward(*network, std::make_shared<Session>(), asked));
}

}  // namespace

TEST_CASE("8-bit integers are the numbers that they stand for, also some rows of them", "[model][quantised]") {
  const Bytes plain = odd(), file = quantised_checkpoint(plain);
  const auto weights = opened(file), exact = opened(plain);
  CHECK(holds_q8(*weights->header()));
  CHECK(!holds_q8(*exact->header()));
  for (const std::string& name : {kMatrix, kWords}) {
    weights->want(std::span(&name, 1)), exact->want(std::span(&name, 1));
    REQUIRE(weights->feed(0, file));
    REQUIRE(exact->feed(0, plain));
    CHECK(weights->has(name));
    const auto tensor = weights->tensor(name);
    REQUIRE(tensor);
    CHECK(precision_of(*tensor) == "q8");
    const auto numbers = to_f32(*tensor), before = to_f32(*exact->tensor(name));
    REQUIRE((numbers && before));
    const auto whole = read_quantised(*tensor);
    REQUIRE(whole);
    for (std::size_t i = 0; i < numbers->rows; ++i)
      for (std::size_t j = 0; j < numbers->cols; ++j) {
        const float off = std::abs((*numbers)(i, j) - (*before)(i, j));
        if (off > whole->scale(i, j) * 0.5001F) FAIL(name << " " << i << " " << j << " is off by " << off);
      }
    for (const auto& [first, count] : {std::pair<std::size_t, std::size_t>(0, 1), {5, 60}, {60, 9}, {64, 5}, {69, 1}}) {
      std::vector<float> some(count * numbers->cols);
      REQUIRE(to_f32(rows_of(*tensor, first, count), some));
      CHECK(std::equal(some.begin(), some.end(),
                       numbers->data.begin() + static_cast<std::ptrdiff_t>(first * numbers->cols)));
    }
    // The hash includes the scales.
    TensorView bare = *tensor;
    bare.scales = {};
    CHECK(sha256(*tensor) != sha256(bare));
    weights->release(name);
    CHECK(weights->kept_bytes() <= WeightFile::kFirstBytes);
  }
}

TEST_CASE("integers are there once their scales are", "[model][quantised]") {
  const Bytes file =
      quantised_checkpoint(tiny_checkpoint({.n_layer = 1, .d_model = 35, .n_head = 5, .n_ctx = 12, .n_vocab = 3000}));
  WeightFile weights("odd", file.size());
  weights.want(std::span(&kWords, 1));
  REQUIRE(weights.feed(0, std::span(file).first(WeightFile::kFirstBytes)));
  const TensorInfo *integers = weights.header()->find(kWords), *scales = weights.header()->find(kWords + ".scales");
  REQUIRE((integers && scales && scales->end > WeightFile::kFirstBytes));
  CHECK(weights.arrived().needed == weights.header()->data_begin + 3000 * 35 + 3000 * 4);
  const auto feed = [&](const TensorInfo& t) {
    const auto begin = static_cast<std::size_t>(t.begin), size = static_cast<std::size_t>(t.end - t.begin);
    REQUIRE(weights.feed(t.begin, std::span(file).subspan(begin, size)));
  };
  feed(*integers);
  CHECK(!weights.has(kWords));
  check_sentence(weights.tensor(kWords).error(), kWords, "not loaded");
  feed(*scales);
  CHECK(weights.has(kWords));
  CHECK(weights.missing().empty());
  CHECK(weights.tensor(kWords));
}

TEST_CASE("what is quantised here is what the format says", "[model][quantised]") {
  const Bytes plain = odd();
  for (const Stored& t : tensors_of(plain)) {
    CHECK(input_dimension(t.name).has_value() == is_matrix(t.name));
    CHECK(input_dimension("transformer." + t.name) == input_dimension(t.name));
    if (!is_matrix(t.name)) continue;
    Matrix<float> numbers(static_cast<std::size_t>(t.shape[0]), static_cast<std::size_t>(t.shape[1]));
    std::memcpy(numbers.data.data(), t.bytes.data(), t.bytes.size());
    const auto [integers, scales] = quantised(t);
    const std::size_t along = *input_dimension(t.name);
    CHECK(scales_shape(t.shape, along) == scales.shape);
    std::vector<std::int8_t> memory;
    std::vector<float> made_scales;
    testing::Bytes made_integers;
    for (std::size_t at = 0; at < numbers.rows; at += 64) {  // as a pack is written
      const auto made = quantise(numbers.view().slice(at, std::min<std::size_t>(64, numbers.rows - at)), along, memory);
      REQUIRE(made);
      made_scales.insert(made_scales.end(), made->scales.begin(), made->scales.end());
      const auto bytes = raw(memory.data(), memory.size());
      made_integers.insert(made_integers.end(), bytes.begin(), bytes.end());
    }
    CHECK(made_integers == integers.bytes);
    CHECK(raw(made_scales.data(), made_scales.size() * sizeof(float)) == scales.bytes);
  }
}

TEST_CASE("a model of 8-bit integers computes what its floats do in q8, to the last bit", "[model][quantised]") {
  const auto floats = logits_of(odd(), Precision::q8);
  REQUIRE(floats);
  for (const Precision asked : {Precision::q8, Precision::f32}) {
    const auto here = logits_of(quantised_checkpoint(odd()), asked);
    if (!here) FAIL(here.error().sentence);
    CHECK(here->data == floats->data);
  }
  // Only some of the matrices are stored as integers: the others are quantised when they are read.
  auto some = tensors_of(odd());
  auto [integers, scales] = quantised(some[0]);
  REQUIRE(integers.name == kWords);
  some[0] = integers;
  some.push_back(scales);
  const auto mixed = logits_of(stored_file(some, kQ8Metadata), Precision::f32);
  REQUIRE(mixed);
  CHECK(mixed->data == floats->data);
}

TEST_CASE("8-bit integers that are none are refused in one sentence", "[model][quantised]") {
  const auto refused = [](const Bytes& file, const std::string& name, std::string_view part) {
    check_sentence(Error{said_of(file, name)}, name, part);
    const auto logits = logits_of(file, Precision::q8);
    REQUIRE(!logits);
    check_sentence(logits.error(), name, part);
  };
  for (const std::string& name : {kMatrix, kWords}) {
    const std::string beside = name + ".scales";
    const auto change = [&](const std::string& which, const std::function<void(Stored&)>& act) {
      return changed([&](Stored& t) {
        if (t.name == which) act(t);
      });
    };
    auto without = quantised_tensors(odd());
    drop(without, beside);
    refused(stored_file(without, kQ8Metadata), name, "are missing");
    refused(change(beside, [](Stored& t) { t.shape = {t.shape[1], t.shape[0]}; }), name, "instead of [");
    refused(change(beside, [](Stored& t) { t.shape = {t.shape[0] * t.shape[1]}; }), name, "instead of [");
    refused(change(beside,
                   [](Stored& t) {
                     t.shape[0] += 1, t.bytes.resize(t.bytes.size() + static_cast<std::size_t>(t.shape[1]) * 4);
                   }),
            name, "instead of [");
    refused(change(beside, [](Stored& t) { t.dtype = "I32"; }), name, "instead of F32");
    refused(change(beside, [](Stored& t) { t.dtype = "F16", t.bytes.resize(t.bytes.size() / 2); }), name, "F16");
    for (const float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(), -1.0F})
      refused(change(beside, [&](Stored& t) { std::memcpy(t.bytes.data() + t.bytes.size() - 4, &bad, 4); }), name,
              "not finite");
    refused(change(name, [](Stored& t) { t.bytes.back() = std::byte{0x80}; }), name, "−128");
    for (const auto& [metadata, part] : {std::pair("\"format\":\"pt\"", "does not say how many"),
                                         {"\"q8_group\":\"0\"", "“0”"},
                                         {"\"q8_group\":\"32\"", "“32”"},
                                         {"\"q8_group\":\"99999999999999999999999999\"", "“9999"}})
      check_sentence(Error{said_of(changed([](Stored&) {}, metadata), name)}, name, part);
  }
  // Only matrices of products may be 8-bit integers.
  const auto positions = changed([](Stored& t) {
    if (t.name == "wpe.weight") t.dtype = "I8", t.bytes.resize(t.bytes.size() / 4);
  });
  check_sentence(Error{said_of(positions, "wpe.weight")}, "wpe.weight", "I8");
  check_sentence(Error{said_of(changed([](Stored& t) {
                                 if (t.name == "h.0.mlp.c_proj.weight") t.shape = {t.shape[0] * t.shape[1]};
                               }),
                               kMatrix)},
                 kMatrix, "only the matrices");
}

TEST_CASE("mutated files of 8-bit integers", "[model][quantised][fuzz]") {
  const Bytes whole = quantised_checkpoint(odd());
  const std::string text(reinterpret_cast<const char*>(whole.data()), whole.size());
  Dice dice(3);
  std::size_t accepted = 0, refused = 0;
  for (Fuzzing fuzzing(300); fuzzing.more();) {
    // Errors in the header, in the numbers, or by truncation.
    std::size_t json = 0;
    for (std::size_t i = 0; i < 4; ++i) json |= std::to_integer<std::size_t>(whole[i]) << (8 * i);
    std::string header = text.substr(8, json), data = text.substr(8 + json);
    if (dice.below(2)) header = mutated(header, dice);
    for (std::size_t i = dice.below(4); i > 0; --i) data[dice.below(data.size())] = static_cast<char>(dice.below(256));
    if (dice.below(8) == 0) data.resize(dice.below(data.size()));
    Bytes file = testing::length_bytes(header.size());
    for (const std::byte b : testing::bytes_of(header + data)) file.push_back(b);
    bool good = true;
    for (const std::string& name : {kMatrix, kWords}) {
      const std::string said = said_of(file, name);
      good &= said.empty();
      if (!said.empty() && !said.ends_with('.')) FAIL(said);
    }
    ++(good ? accepted : refused);
  }
  CHECK(accepted > 0);
  CHECK(refused > 0);
}

}  // namespace quantised_test
