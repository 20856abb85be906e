#include "checkpoint/safetensors.h"

#include <catch_amalgamated.hpp>
#include <string>

#include "tests/checkpoint/safetensors_bytes.h"
#include "tests/sentence_check.h"

namespace safetensors_test {

using namespace helix;
using namespace helix::checkpoint;
using namespace helix::testing;

namespace {

constexpr std::string_view kSource = "x.safetensors";

// Parses a header text that ends exactly where its memory ends.
Expected<Header> parse(std::string_view json, std::optional<std::uint64_t> data_bytes = std::nullopt) {
  const ExactBytes exact(std::as_bytes(std::span(json)));
  std::optional<std::uint64_t> file_bytes;
  if (data_bytes) file_bytes = 8 + json.size() + *data_bytes;
  return parse_header(exact.text(), file_bytes, kSource);
}

void check_refused(std::string_view json, std::string_view part, std::optional<std::uint64_t> data = std::nullopt) {
  INFO(json.substr(0, 300));
  const auto header = parse(json, data);
  REQUIRE(!header);
  check_sentence(header.error(), kSource, part);
}

// One F32 tensor "a" with these values as its dtype, shape and offsets.
std::string one(std::string_view dtype, std::string_view shape, std::string_view offsets) {
  return "{\"a\":{\"dtype\":" + std::string(dtype) + ",\"shape\":" + std::string(shape) +
         ",\"data_offsets\":" + std::string(offsets) + "}}";
}

std::string two(std::string_view offsets_a, std::string_view offsets_b) {
  return "{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":" + std::string(offsets_a) +
         "},\"b\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":" + std::string(offsets_b) + "}}";
}

}  // namespace

TEST_CASE("a header tells every tensor and where its bytes are", "[model][safetensors]") {
  const std::string json = header_json({{"wpe.weight", {8, 4}}, {"half", {3}, "BF16", 2}, {"scalar", {}, "F64", 8}});
  const auto header = parse(json, 128 + 6 + 8);
  REQUIRE(header);
  CHECK(header->metadata.at("format") == "pt");
  CHECK(header->data_begin == 8 + json.size());
  CHECK(header->file_bytes == header->data_begin + 142);
  REQUIRE(header->tensors.size() == 3);
  const TensorInfo* half = header->find("half");
  REQUIRE(half);
  CHECK(half->dtype == DType::BF16);
  CHECK(half->shape == std::vector<std::uint64_t>{3});
  CHECK(half->begin == header->data_begin + 128);
  CHECK(half->end == half->begin + 6);
  CHECK(header->find("scalar")->shape.empty());
  CHECK(header->find("none") == nullptr);
  CHECK(header->find("__metadata__") == nullptr);
}

TEST_CASE("the transformer. prefix may be there or not", "[model][safetensors]") {
  const auto with = parse(header_json({{"transformer.wpe.weight", {2}}}));
  const auto without = parse(header_json({{"wpe.weight", {2}}}));
  const auto both = parse(header_json({{"wpe.weight", {1}}, {"transformer.wpe.weight", {2}}}));
  for (const char* name : {"wpe.weight", "transformer.wpe.weight"}) {
    CHECK(with->find(name)->name == "transformer.wpe.weight");
    CHECK(without->find(name)->name == "wpe.weight");
    CHECK(both->find(name)->name == name);
  }
  CHECK(without->find("transformer.transformer.wpe.weight") == nullptr);
  CHECK(with->find("") == nullptr);
}

TEST_CASE("tensors may be listed in any order, be empty, and be followed by spaces", "[model][safetensors]") {
  CHECK(parse(two("[8,16]", "[0,8]"), 16));
  CHECK(parse(two("[8,16]", "[0,8]") + "     ", 16));
  CHECK(parse("{}", 0));
  CHECK(parse("{ \n\t}", 0));
  CHECK(parse(header_json({{"empty", {0, 7}}, {"a", {2}}, {"void", {0}}}), 8));
  CHECK(parse(one("\"F32\"", "[0,18446744073709551615,18446744073709551615]", "[0,0]"), 0));
}

TEST_CASE("number formats", "[model][safetensors]") {
  const std::pair<const char*, std::size_t> known[] = {{"F64", 8}, {"F32", 4}, {"F16", 2}, {"BF16", 2}, {"I64", 8},
                                                       {"I32", 4}, {"I16", 2}, {"I8", 1},  {"U64", 8},  {"U32", 4},
                                                       {"U16", 2}, {"U8", 1},  {"BOOL", 1}};
  for (const auto& [name, size] : known) {
    INFO(name);
    CHECK(dtype_named(name) != DType::Unknown);
    CHECK(dtype_bytes(dtype_named(name)) == size);
    CHECK(parse(header_json({{"a", {3}, name, size}}), 3 * size));
    check_refused(header_json({{"a", {3}, name, size + 1}}), "“a”", 3 * (size + 1));
  }
  // The size of an unknown format cannot be checked, and is not an error for the other tensors.
  const auto header = parse(header_json({{"new", {3}, "F4_E2M1", 5}, {"a", {2}}}), 23);
  REQUIRE(header);
  CHECK(header->find("new")->dtype == DType::Unknown);
  CHECK(header->find("new")->dtype_name == "F4_E2M1");
}

TEST_CASE("what is no header is refused with a sentence", "[model][safetensors]") {
  for (const char* json : {"",
                           " ",
                           "[]",
                           "1",
                           "null",
                           "\"a\"",
                           " {}",
                           "\xef\xbb\xbf{}",
                           "{",
                           "}",
                           "{}}",
                           "{}{}",
                           "{},",
                           "{}\n",
                           "{}x",
                           "{} x ",
                           "{\"a\"}",
                           "{\"a\":}",
                           "{\"a\":1}",
                           "{\"a\":[]}",
                           "{\"a\":null}",
                           "{a:{}}",
                           "{'a':{}}",
                           "{\"a\":{}}",
                           "{\"a\":{},}",
                           "{/**/}",
                           "{\"__metadata__\":1}",
                           "{\"__metadata__\":{\"a\":1}}",
                           "{\"__metadata__\":{\"a\":{}}}",
                           "{\"__metadata__\":[]}",
                           "{\"__metadata__\":{\"a\":[]}}",
                           "{\"__metadata__\":{\"a\":\"\",\"a\":\"\"}}",
                           "{\"__metadata__\":{},\"__metadata__\":{}}"})
    check_refused(json, "");
  check_refused(std::string_view("{}\0", 3), "");
  check_refused(std::string_view("{}\0}", 4), "");
  check_refused(std::string_view("{\"a\0b\":{}}", 10), "");
}

TEST_CASE("names must be UTF-8", "[model][safetensors]") {
  CHECK(parse(header_json({{"größe 大", {2}}}))->find("größe 大"));
  for (const char* name : {"\xff", "\xc3", "\xc0\xaf", "\xed\xa0\x80", "\xf5\x80\x80\x80", "\x80", "\x01", "\\ud800"})
    check_refused(header_json({{name, {2}}}), "JSON");
  const std::string long_name(100'000, 'n');  // the error must not repeat it
  check_refused("{\"" + long_name + "\":1}", "nnn…”");
}

TEST_CASE("a tensor's entry must be complete and nothing else", "[model][safetensors]") {
  REQUIRE(parse(one("\"F32\"", "[2]", "[0,8]"), 8));
  for (const char* json :
       {R"({"a":{"shape":[2],"data_offsets":[0,8]}})", R"({"a":{"dtype":"F32","data_offsets":[0,8]}})",
        R"({"a":{"dtype":"F32","shape":[2]}})", R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8],"shape":[2]}})",
        R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8],"dtype":"F32"}})",
        R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8],"data_offsets":[0,8]}})",
        R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8],"extra":1}})"})
    check_refused(json, "“a”");
  const char* wrong[] = {"null", "true", "{}", "-1", "-0", "1.0", "1e3", "18446744073709551616", "1e999999", "[[1]]"};
  for (const std::string value : wrong) {
    check_refused(one(value, "[2]", "[0,8]"), value == "1e999999" ? "JSON" : "“a”");
    check_refused(one("\"F32\"", value, "[0,8]"), value == "1e999999" ? "JSON" : "“a”");
    check_refused(one("\"F32\"", "[2]", value), value == "1e999999" ? "JSON" : "“a”");
    check_refused(one("\"F32\"", "[2," + value + "]", "[0,8]"), "");
    check_refused(one("\"F32\"", "[2]", "[0," + value + "]"), "");
    check_refused(one("\"F32\"", "[2]", "[" + value + ",8]"), "");
  }
  for (const char* offsets : {"[]", "[0]", "[0,8,8]", "8", "\"0,8\"", "[0,\"8\"]"})
    check_refused(one("\"F32\"", "[2]", offsets), "“a”");
  for (const char* shape : {"2", "\"2\"", "[\"2\"]", "[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,2]"})
    check_refused(one("\"F32\"", shape, "[0,8]"), "“a”");
}

TEST_CASE("shapes and offsets must agree", "[model][safetensors]") {
  check_refused(one("\"F32\"", "[3]", "[0,8]"), "“a”");
  check_refused(one("\"F32\"", "[2]", "[8,0]"), "“a”");
  check_refused(one("\"F32\"", "[]", "[0,8]"), "“a”");
  check_refused(one("\"F32\"", "[4611686018427387904]", "[0,0]"), "“a”");  // 2^62 * 4 wraps to 0
  check_refused(one("\"F32\"", "[4294967296,4294967296]", "[0,0]"), "“a”");
  check_refused(one("\"F32\"", "[4294967296,4294967296,4294967296]", "[0,0]"), "“a”");
  check_refused(one("\"U8\"", "[18446744073709551615]", "[0,18446744073709551615]"), "“a”");
  check_refused(one("\"new\"", "[2]", "[0,18446744073709551615]"), "“a”");
}

TEST_CASE("tensors may neither overlap nor leave holes", "[model][safetensors]") {
  check_refused(two("[0,8]", "[4,12]"), "overlap", 12);
  check_refused(two("[0,8]", "[0,8]"), "overlap", 8);
  check_refused(two("[4,12]", "[0,8]"), "overlap", 12);
  check_refused(two("[0,8]", "[9,17]"), "gap", 17);
  check_refused(two("[1,9]", "[9,17]"), "gap", 17);
  check_refused(
      R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"a":{"dtype":"F32","shape":[2],"data_offsets":[8,16]}})",
      "twice", 16);
}

TEST_CASE("the file's size is held against the header", "[model][safetensors]") {
  const std::string json = two("[0,8]", "[8,16]");
  CHECK(parse(json, 16));
  check_refused(json, "cut short", 15);
  check_refused(json, "cut short", 0);
  check_refused(json, "after its last tensor", 17);
  check_refused("{}", "after its last tensor", 1);
}

TEST_CASE("nesting bombs are put down at their second level", "[model][safetensors]") {
  const std::size_t deep = 1'000'000;
  check_refused("{" + std::string(deep, '[') + "}", "");
  check_refused("{\"a\":" + std::string(deep, '[') + std::string(deep, ']') + "}", "“a”");
  check_refused(one("\"F32\"", std::string(deep, '['), "[0,8]"), "“a”");
  std::string objects = "{\"a\":";
  for (int i = 0; i < 100'000; ++i) objects += "{\"dtype\":";
  check_refused(objects + std::string(100'001, '}'), "“a”");
}

TEST_CASE("every prefix of a header is refused", "[model][safetensors]") {
  const std::string json = header_json(tiny_gpt2(1));
  REQUIRE(parse(json));
  for (std::size_t length = 0; length < json.size(); ++length) {
    const auto header = parse(std::string_view(json).substr(0, length));
    REQUIRE(!header);
    REQUIRE(header.error().sentence.ends_with('.'));
  }
}

TEST_CASE("the header's length is checked before anything is done with it", "[model][safetensors]") {
  const auto length = [](std::uint64_t claim, std::optional<std::uint64_t> file_bytes = std::nullopt) {
    const ExactBytes exact(length_bytes(claim));
    return header_length(exact.span(), file_bytes, kSource);
  };
  CHECK(length(2).value() == 2);
  CHECK(length(92, 100).value() == 92);
  CHECK(length(10'000'000).value() == 10'000'000);
  for (const std::uint64_t claim :
       {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{10'000'001}, std::uint64_t{91'000'000},
        std::uint64_t{2'000'000'000}, std::uint64_t{1} << 63, ~std::uint64_t{0}}) {
    const auto refused = length(claim);
    REQUIRE(!refused);
    check_sentence(refused.error(), kSource, "not a safetensors file");
  }
  for (const std::uint64_t file_bytes : {0, 7, 8, 99}) {
    const auto refused = length(92, file_bytes);
    REQUIRE(!refused);
    check_sentence(refused.error(), kSource, "92 bytes");
  }
  CHECK(!length(~std::uint64_t{0}, ~std::uint64_t{0}));
}

TEST_CASE("a first glance tells what was dropped instead of weights", "[model][safetensors]") {
  const std::pair<std::string_view, std::string_view> dropped[] = {{"<!DOCTYPE html><html>", "web page"},
                                                                   {"<html>   ", "web page"},
                                                                   {"version https://git-lfs", "Git LFS"},
                                                                   {"PK\x03\x04zipzip", "PyTorch"},
                                                                   {"\x80\x02\x8a\nl\xfc\x9c\x46", "pickle"},
                                                                   {"GGUF\x03\x01\x01\x01", "GGUF"},
                                                                   {"{\"model_type\"", "JSON"},
                                                                   {"\x93NUMPY\x01\x01", "NumPy"},
                                                                   {"\x89HDF\r\n\x1a\n", "HDF5"}};
  for (const auto& [start, word] : dropped) {
    for (const std::optional<std::uint64_t> size :
         {std::optional<std::uint64_t>(), std::optional<std::uint64_t>(5000)}) {
      const auto refused = header_length(ExactBytes(bytes_of(start)).span(), size, kSource);
      REQUIRE(!refused);
      check_sentence(refused.error(), kSource, word);
    }
  }
  for (std::size_t n = 0; n < 8; ++n) {
    const auto refused = header_length(ExactBytes(Bytes(n)).span(), n, kSource);
    REQUIRE(!refused);
    check_sentence(refused.error(), kSource, n == 0 ? "empty" : std::to_string(n));
  }
}

}  // namespace safetensors_test
