#include "checkpoint/emergence.h"

#include <limits>

#include "tests/checkpoint/emergence_file.h"
#include "tests/sentence_check.h"
#include "tests/support.h"

namespace emergence_test {

using namespace helix;
using namespace helix::checkpoint;
using helix::testing::EmergenceFile;
using helix::testing::planted_emergence;

TEST_CASE("a record of training is read as it was written", "[emergence]") {
  const EmergenceFile file = planted_emergence();
  const auto read = file.read();
  REQUIRE(read);
  CHECK(read->moments == 5);
  CHECK(read->positions == 12);
  CHECK(read->rank == 4);
  CHECK(read->d_model == 6);
  CHECK(read->components == 6);
  CHECK(read->scores == file.tensors.at("scores").second);
  CHECK(read->axes == file.tensors.at("axes").second);
  CHECK(read->tokens == std::vector<double>{0, 1000, 20'000, 300'000, 4'000'000});
  CHECK(read->held_out[2] == static_cast<double>(file.tensors.at("held_out").second[2]));
  CHECK(read->sha256.size() == 64);
}

TEST_CASE("a record that cannot be is refused with one sentence that names it", "[emergence]") {
  const auto refused = [](auto change) {
    EmergenceFile file = planted_emergence();
    change(file.tensors);
    const auto read = file.read();
    REQUIRE(!read);
    CHECK(read.error().sentence.find("planted") != std::string::npos);
    helix::testing::check_sentence(read.error().sentence);
  };
  refused([](auto& t) { t.erase("axes"); });
  refused([](auto& t) { t.erase("previous"); });
  refused([](auto& t) { t["axes"].first = {5, 6, 4}; });
  refused([](auto& t) { t["scores"].first = {60, 4}; });
  refused([](auto& t) { t["loss"] = {{4}, {1, 2, 3, 4}}; });
  refused([](auto& t) { t["scores"] = {{0, 12, 4}, {}}; });
  refused([](auto& t) { t["singular_values"] = {{5, 2}, std::vector<float>(10)}; });
  refused([](auto& t) { t["scores"].second[7] = std::numeric_limits<float>::quiet_NaN(); });
  refused([](auto& t) { t["tokens"].second[2] = 7; });
  refused([](auto& t) { t["tokens"].second[0] = -1; });
}

TEST_CASE("every beginning of a record is refused", "[emergence]") {
  const std::string whole = planted_emergence().bytes();
  for (std::size_t n = 0; n < whole.size(); ++n) {
    CAPTURE(n);
    REQUIRE(!Emergence::read(std::string_view(whole).substr(0, n), "cut"));
  }
  CHECK(!Emergence::read(whole + "x", "long"));
}

TEST_CASE("a record with any bytes changed is read or refused", "[emergence][fuzz]") {
  const std::string whole = planted_emergence().bytes();
  helix::testing::Dice dice(7);
  for (helix::testing::Fuzzing fuzzing(200); fuzzing.more();) {
    const std::string bytes = helix::testing::mutated(whole, dice);
    const auto read = Emergence::read(bytes, "fuzzed");
    if (read) CHECK(read->scores.size() == read->moments * read->positions * read->rank);
  }
}

}  // namespace emergence_test
