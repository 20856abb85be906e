// Seeded mutations of valid headers, by bytes and by structure: reading the result gives either a consistent
// header or an error sentence. HELIXSCOPE_FUZZ_SECONDS sets the duration (2).
#include <catch_amalgamated.hpp>
#include <chrono>
#include <cstdlib>
#include <random>
#include <string>

#include "checkpoint/config.h"
#include "checkpoint/convert.h"
#include "checkpoint/weights.h"
#include "tests/checkpoint/safetensors_bytes.h"

namespace fuzz_test {

using namespace helix;
using namespace helix::checkpoint;
using namespace helix::testing;

namespace {

using Random = std::mt19937;

std::size_t below(Random& random, std::size_t n) { return n == 0 ? 0 : random() % n; }

// Pieces of headers, well-formed or not, to insert anywhere.
const std::vector<std::string> kPieces = {"{",
                                          "}",
                                          "[",
                                          "]",
                                          ",",
                                          ":",
                                          "\"",
                                          "\\",
                                          "0",
                                          "-1",
                                          "1.5",
                                          "1e9",
                                          "18446744073709551615",
                                          "9223372036854775808",
                                          "null",
                                          "true",
                                          "\"F32\"",
                                          "\"F16\"",
                                          "\"F7\"",
                                          "\"dtype\":",
                                          "\"shape\":[]",
                                          "\"data_offsets\":[0,0]",
                                          "\"__metadata__\":{\"a\":\"b\"},",
                                          ",\"a\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[0,4]}",
                                          "\xff",
                                          "\xc3",
                                          std::string(1, '\0'),
                                          "\\u0000",
                                          "\\ud800",
                                          " ",
                                          "\n",
                                          "h.0.",
                                          "transformer.",
                                          "4294967296"};

void mutate_text(std::string& text, Random& random) {
  const std::size_t at = below(random, text.size());
  const std::size_t from = below(random, text.size());
  const std::size_t count = below(random, 40);
  switch (below(random, 7)) {
    case 0:
      text[at] = static_cast<char>(random() & 0xff);
      break;
    case 1:
      text[at] = static_cast<char>(text[at] ^ (1 << below(random, 8)));
      break;
    case 2:
      text.erase(at, count);
      break;
    case 3:
      text.insert(at, text.substr(from, count));
      break;
    case 4:
      text.insert(at, kPieces[below(random, kPieces.size())]);
      break;
    case 5:
      text.replace(at, count, kPieces[below(random, kPieces.size())]);
      break;
    default: {  // another number, so that offsets and shapes stay well-formed but are wrong
      const std::size_t digit = text.find_first_of("0123456789", at);
      if (digit != std::string::npos) text[digit] = static_cast<char>('0' + below(random, 10));
    }
  }
  if (text.empty()) text = "{";
}

std::string mutated_header(Random& random) {
  auto entries = tiny_gpt2(1);
  while (below(random, 3) == 0) {  // structure: still valid JSON, other tensors
    const std::size_t at = below(random, entries.size());
    const std::size_t other = below(random, entries.size());
    switch (below(random, 4)) {
      case 0:
        entries[at].name = entries[other].name;
        break;
      case 1:
        entries[at].shape = entries[other].shape;
        break;
      case 2:
        entries[at].dtype = "F" + std::to_string(below(random, 64));
        break;
      default:
        std::swap(entries[at], entries[other]);
    }
  }
  std::string json = header_json(entries);
  for (std::size_t i = below(random, 5); i > 0; --i) mutate_text(json, random);
  return json;
}

void check_promises(const Header& header, std::uint64_t file_bytes) {
  std::uint64_t at = header.data_begin;
  for (const TensorInfo& tensor : header.tensors) {
    REQUIRE(tensor.begin == at);
    REQUIRE(tensor.end >= tensor.begin);
    REQUIRE(header.find(tensor.name) == &tensor);
    at = tensor.end;
  }
  REQUIRE(at == file_bytes);
}

// Returns whether the file was accepted.
bool read_everything(const Bytes& file, Random& random) {
  WeightFile weights("fuzz", below(random, 2) ? std::optional<std::uint64_t>(file.size()) : std::nullopt);
  weights.want(std::vector<std::string>{"wte.weight", "h.0.attn.c_attn.weight"});
  const std::size_t piece = 1 + below(random, file.size());
  for (std::size_t at = 0; at < file.size(); at += piece) {
    const auto fed =
        weights.feed(at, ExactBytes(std::span(file).subspan(at, std::min(piece, file.size() - at))).span());
    if (!fed) {
      REQUIRE(fed.error().sentence.ends_with('.'));
      return false;
    }
  }
  if (const auto finished = weights.finish(file.size()); !finished) {
    REQUIRE(finished.error().sentence.ends_with('.'));
    return false;
  }
  check_promises(*weights.header(), file.size());
  for (const TensorInfo& info : weights.header()->tensors) {
    weights.want(std::vector<std::string>{info.name});
    const auto tensor = weights.tensor(info.name);
    if (tensor) static_cast<void>(to_f32(*tensor).ok());
  }
  const auto config = make_config(*weights.header(), std::nullopt, "fuzz");
  if (config) static_cast<void>(parts_of(*weights.header(), *config).missing_text());
  return true;
}

}  // namespace

TEST_CASE("mutated headers", "[model][fuzz]") {
  const char* seconds = std::getenv("HELIXSCOPE_FUZZ_SECONDS");
  const auto end =
      std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds ? std::strtod(seconds, nullptr) : 2.0);
  std::size_t accepted = 0;
  std::size_t refused = 0;
  for (unsigned seed = 1; seed < 100 || std::chrono::steady_clock::now() < end; ++seed) {
    CAPTURE(seed);
    Random random(seed);
    const std::size_t honest = file_of(tiny_gpt2(1)).size() - header_json(tiny_gpt2(1)).size() - 8;
    Bytes file = file_of(mutated_header(random), honest);
    if (below(random, 20) == 0) file[below(random, 8)] = static_cast<std::byte>(random() & 0xff);
    if (below(random, 20) == 0) file.resize(below(random, file.size()));
    ++(read_everything(file, random) ? accepted : refused);
  }
  INFO(accepted << " accepted, " << refused << " refused");
  CHECK(accepted > 0);  // otherwise the mutations are too strong to get past the first check
  CHECK(refused > 0);
}

}  // namespace fuzz_test
