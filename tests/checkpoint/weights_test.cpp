#include "checkpoint/weights.h"

#include <algorithm>
#include <catch_amalgamated.hpp>
#include <random>
#include <string>

#include "checkpoint/convert.h"
#include "tests/checkpoint/safetensors_bytes.h"
#include "tests/sentence_check.h"

namespace weights_test {

using namespace helix;
using namespace helix::checkpoint;
using namespace helix::testing;

namespace {

const std::string kSource = "x.safetensors";

std::span<const std::byte> slice(const Bytes& file, ByteRange range) {
  return std::span(file).subspan(static_cast<std::size_t>(range.begin), static_cast<std::size_t>(range.size()));
}

// Whether the tensor is loaded with exactly the bytes that the file has for it.
bool holds(const WeightFile& weights, const Bytes& file, std::string_view name) {
  const auto tensor = weights.tensor(name);
  if (!tensor) return false;
  const auto expected = slice(file, {tensor->info->begin, tensor->info->end});
  return std::ranges::equal(tensor->bytes, expected);
}

// A server with range requests; returns how many requests it took.
int fetch(WeightFile& weights, const Bytes& file) {
  int requests = 0;
  for (auto ranges = weights.missing(); !ranges.empty(); ranges = weights.missing()) {
    for (ByteRange range : ranges) {
      range.end = std::min<std::uint64_t>(range.end, file.size());
      REQUIRE(weights.feed(range.begin, ExactBytes(slice(file, range)).span()));
      ++requests;
    }
    REQUIRE(requests < 100);
  }
  return requests;
}

// Large enough that the first request does not cover it; the mask buffers are never requested.
std::vector<Entry> large() {
  return {{"wpe.weight", {50, 200}}, {"mask", {100'000}, "U8", 1}, {"a", {30, 100}},       {"gap", {1000}},
          {"b", {40, 100}},          {"rest", {300, 300}},         {"half", {5}, "F16", 2}};
}

}  // namespace

TEST_CASE("only the header and the wanted tensors are fetched", "[model][weights]") {
  const Bytes file = file_of(large());
  WeightFile weights(kSource, file.size());
  CHECK(weights.missing() == std::vector<ByteRange>{{0, WeightFile::kFirstBytes}});
  REQUIRE(fetch(weights, file) == 1);
  REQUIRE(weights.header());
  CHECK(weights.kept_bytes() == WeightFile::kFirstBytes);
  CHECK(!weights.has("wpe.weight"));

  // wpe came with the header; a and b are neighbours but for a small gap, half is far away.
  const std::vector<std::string> names = {"transformer.wpe.weight", "a", "b", "half", "none"};
  weights.want(names);
  CHECK(weights.has("wpe.weight"));
  CHECK(weights.arrived().share() > 0.5);
  CHECK(weights.arrived().share() < 1);
  const Header& header = *weights.header();
  CHECK(weights.missing() == std::vector<ByteRange>{{header.find("a")->begin, header.find("b")->end},
                                                    {header.find("half")->begin, header.find("half")->end}});
  CHECK(fetch(weights, file) == 2);
  for (const char* name : {"wpe.weight", "a", "b", "half"}) CHECK(holds(weights, file, name));
  CHECK(weights.arrived().share() == 1);
  CHECK(weights.kept_bytes() == WeightFile::kFirstBytes + 40'000 + 12'000 + 16'000 + 10);
  CHECK(weights.finish(file.size()));

  weights.release("transformer.a");
  CHECK(!weights.has("a"));
  CHECK(weights.missing().empty());
  CHECK(weights.kept_bytes() == WeightFile::kFirstBytes + 40'000 + 16'000 + 10);
  weights.want(std::vector<std::string>{"a"});
  CHECK(fetch(weights, file) == 1);
  CHECK(holds(weights, file, "a"));
}

TEST_CASE("rows of a matrix are fetched alone, and are the whole's", "[model][weights]") {
  const Bytes file = file_of(large());
  WeightFile weights(kSource, file.size());
  weights.want_rows("rest", std::vector<std::size_t>{1});  // before its header is known
  fetch(weights, file);
  const std::vector<std::size_t> rows = {0, 7, 299, 300};
  weights.want_rows("rest", rows);
  weights.want_rows("none", rows);
  weights.want_rows("gap", rows);  // a vector has no rows: ignored
  const std::uint64_t first = weights.header()->find("rest")->begin;
  const auto row = [&](std::uint64_t i) { return ByteRange{first + i * 1200, first + (i + 1) * 1200}; };
  CHECK(weights.missing() == std::vector<ByteRange>{{row(0).begin, row(7).end}, row(299)});  // near ones in one request
  CHECK(!weights.has_row("rest", 7));
  check_sentence(weights.row("rest", 7).error(), kSource, "not loaded");
  fetch(weights, file);
  for (const std::size_t i : {std::size_t(0), std::size_t(7), std::size_t(299)}) {
    REQUIRE(weights.has_row("rest", i));
    const auto view = weights.row("rest", i);
    REQUIRE(view);
    CHECK(view->first_row == i);
    CHECK(std::ranges::equal(view->bytes, slice(file, row(i))));
  }
  CHECK(!weights.has_row("rest", 1));
  CHECK(!weights.has("rest"));
  check_sentence(weights.row("rest", 300).error(), kSource, "no row 300");
  CHECK(weights.kept_bytes() == WeightFile::kFirstBytes + 3 * 1200);

  weights.want(std::vector<std::string>{"rest"});  // now the whole tensor: its single rows are released
  CHECK(weights.kept_bytes() == WeightFile::kFirstBytes);
  fetch(weights, file);
  CHECK(std::ranges::equal(weights.row("rest", 299)->bytes, slice(file, row(299))));
  weights.release("rest");
  CHECK(weights.kept_bytes() == WeightFile::kFirstBytes);
}

TEST_CASE("a tensor that cannot be had says why", "[model][weights]") {
  const Bytes file = file_of({{"a", {2}}, {"new", {2}, "F6_E3M2", 1}, {"late", {20'000}}});
  WeightFile weights(kSource);
  check_sentence(weights.tensor("a").error(), kSource, "not arrived");
  weights.want(std::vector<std::string>{"new", "none", "late"});
  REQUIRE(weights.feed(0, std::span(file).first(1000)));
  check_sentence(weights.tensor("none").error(), kSource, "none");
  check_sentence(weights.tensor("new").error(), kSource, "F6_E3M2");
  check_sentence(weights.tensor("a").error(), kSource, "not loaded");
  check_sentence(weights.tensor("late").error(), kSource, "of 80.0 kB");
  for (const char* name : {"new", "none", "late", "a"}) CHECK(!weights.has(name));
  weights.want(std::vector<std::string>{"a"});
  CHECK(holds(weights, file, "a"));
}

TEST_CASE("every size of pieces gives the same", "[model][weights]") {
  const Bytes file = file_of(tiny_gpt2(1));
  const std::vector<std::string> wanted = {"wte.weight", "h.0.attn.c_attn.bias", "ln_f.bias"};
  for (std::size_t piece = 1; piece <= file.size(); piece += 1 + piece / 64) {
    WeightFile weights(kSource, piece % 2 ? std::optional<std::uint64_t>(file.size()) : std::nullopt);
    weights.want(wanted);
    for (std::size_t at = 0; at < file.size(); at += piece) {
      const ExactBytes part{std::span(file).subspan(at, std::min(piece, file.size() - at))};
      REQUIRE(weights.feed(at, part.span()));
    }
    REQUIRE(weights.finish(file.size()));
    REQUIRE(weights.missing().empty());
    for (const std::string& name : wanted) REQUIRE(holds(weights, file, name));
    REQUIRE(!weights.has("wpe.weight"));
  }
}

TEST_CASE("pieces may come in any order, overlap and repeat", "[model][weights]") {
  const Bytes file = file_of(large());
  std::mt19937 random(3);
  for (int round = 0; round < 20; ++round) {
    WeightFile weights(kSource, round % 2 ? std::optional<std::uint64_t>(file.size()) : std::nullopt);
    weights.want(std::vector<std::string>{"wpe.weight", "a", "rest", "half"});
    for (int i = 0; i < 60; ++i) {
      const std::uint64_t begin = random() % file.size();
      const std::uint64_t end = std::min<std::uint64_t>(file.size(), begin + random() % 50'000);
      REQUIRE(weights.feed(begin, ExactBytes(slice(file, {begin, end})).span()));
    }
    fetch(weights, file);
    for (const char* name : {"wpe.weight", "a", "rest", "half"}) REQUIRE(holds(weights, file, name));
    REQUIRE(!weights.has("b"));
  }
}

TEST_CASE("what nobody wants is dropped while the whole file streams by", "[model][weights]") {
  const Bytes file = file_of({{"huge", {4'000'000}, "U8", 1}, {"a", {100}}, {"more", {4'000'000}, "U8", 1}});
  WeightFile weights(kSource);
  weights.want(std::vector<std::string>{"a"});
  std::uint64_t most = 0;
  for (std::size_t at = 0; at < file.size(); at += 10'000) {
    REQUIRE(weights.feed(at, std::span(file).subspan(at, std::min<std::size_t>(10'000, file.size() - at))));
    most = std::max(most, weights.kept_bytes());
  }
  CHECK(weights.finish(file.size()));
  CHECK(most == WeightFile::kFirstBytes + 400);
  CHECK(holds(weights, file, "a"));
}

TEST_CASE("a header longer than the first request", "[model][weights]") {
  std::vector<Entry> entries;
  for (int i = 0; i < 2000; ++i) entries.push_back({"tensor." + std::to_string(i), {2}});
  const Bytes file = file_of(entries);
  const std::uint64_t header_end = file.size() - 16'000;
  REQUIRE(header_end > WeightFile::kFirstBytes);
  WeightFile weights(kSource, file.size());
  weights.want(std::vector<std::string>{"tensor.1999"});
  REQUIRE(weights.feed(0, slice(file, {0, WeightFile::kFirstBytes})));
  CHECK(weights.missing() == std::vector<ByteRange>{{WeightFile::kFirstBytes, header_end}});
  CHECK(fetch(weights, file) == 2);
  CHECK(holds(weights, file, "tensor.1999"));
  CHECK(weights.kept_bytes() == WeightFile::kFirstBytes + 8);

  WeightFile at_once(kSource);  // the piece with the data also ends the header
  at_once.want(std::vector<std::string>{"tensor.0", "tensor.1999"});
  REQUIRE(at_once.feed(0, file));
  CHECK(at_once.missing().empty());
  CHECK(holds(at_once, file, "tensor.0"));
  CHECK(holds(at_once, file, "tensor.1999"));
}

TEST_CASE("every prefix of a file is an error or in need of more", "[model][weights]") {
  const Bytes file = file_of(tiny_gpt2(1));
  for (std::size_t length = 0; length < file.size(); ++length) {
    const ExactBytes prefix{std::span(file).first(length)};
    WeightFile stream(kSource);
    stream.want(std::vector<std::string>{"ln_f.bias"});
    REQUIRE(stream.feed(0, prefix.span()));  // more data may follow
    const auto finished = stream.finish(length);
    REQUIRE(!finished);
    REQUIRE(finished.error().sentence.find(kSource) != std::string::npos);
    REQUIRE(!stream.tensor("ln_f.bias"));
    REQUIRE(stream.missing().empty());  // final: nothing more to request

    WeightFile dropped(kSource, length);  // a file of this size
    const auto fed = dropped.feed(0, prefix.span());
    REQUIRE((!fed || !dropped.finish(length)));
  }
}

TEST_CASE("claims of lengths allocate nothing", "[model][weights]") {
  const auto feed = [](std::uint64_t claim, std::optional<std::uint64_t> size) {
    WeightFile weights(kSource, size);
    Bytes start = length_bytes(claim);
    start.resize(100, std::byte{'{'});
    const auto fed = weights.feed(0, ExactBytes(start).span());
    CHECK(weights.kept_bytes() <= 100);
    return fed;
  };
  for (const std::uint64_t claim : {std::uint64_t{2'000'000'000}, std::uint64_t{1} << 63, std::uint64_t{0}})
    check_sentence(feed(claim, 1000).error(), kSource, "header");
  check_sentence(feed(9'900'000, 1000).error(), kSource, "header");
  CHECK(feed(9'900'000, std::nullopt));  // may be true: waits for more data

  // A tensor larger than can be loaded is refused on request; a size that is only claimed is not allocated.
  const std::string json = header_json({{"giant", {2'000'000'000}}, {"big", {200'000'000}}});
  WeightFile weights(kSource);
  weights.want(std::vector<std::string>{"giant", "big"});
  REQUIRE(weights.feed(0, file_of(json)));
  CHECK(weights.kept_bytes() == 8 + json.size());
  CHECK(weights.missing().size() == 1);
  check_sentence(weights.tensor("giant").error(), kSource, "8.0 GB");
  CHECK(!WeightFile(kSource, 1000).feed(0, file_of(json)));
}

TEST_CASE("sizes that do not fit together", "[model][weights]") {
  const Bytes file = file_of(large());
  const auto refuse = [&](const Expected<void>& result, std::string_view part) {
    REQUIRE(!result);
    check_sentence(result.error(), kSource, part);
  };
  SECTION("known too late") {
    WeightFile weights(kSource);
    REQUIRE(weights.feed(0, slice(file, {0, 1000})));
    refuse(weights.set_file_bytes(file.size() - 1), "cut short");
    refuse(weights.feed(1000, slice(file, {1000, 2000})), "cut short");  // final
    CHECK(weights.missing().empty());
  }
  SECTION("known before the header, but after its length") {
    WeightFile weights(kSource);
    REQUIRE(weights.feed(0, slice(file, {0, 8})));
    refuse(weights.set_file_bytes(100), "header");
  }
  SECTION("changed") {
    WeightFile weights(kSource, file.size());
    refuse(weights.set_file_bytes(file.size() + 1), "changed");
  }
  SECTION("bytes after the end") {
    Bytes longer = file;
    longer.push_back({});
    refuse(WeightFile(kSource, file.size()).feed(0, longer), "More bytes");
    refuse(WeightFile(kSource).feed(0, longer), "after its last tensor");
    refuse(WeightFile(kSource, longer.size()).feed(0, longer), "after its last tensor");
    refuse(WeightFile(kSource, file.size()).feed(~std::uint64_t{0}, slice(file, {0, 2})), "More bytes");
    refuse(WeightFile(kSource).feed(~std::uint64_t{0}, slice(file, {0, 2})), "More bytes");
    WeightFile backwards(kSource);
    const Bytes tiny = file_of("{}", 1);
    REQUIRE(backwards.feed(10, slice(tiny, {10, 11})));
    refuse(backwards.feed(0, slice(tiny, {0, 10})), "after its last tensor");
  }
  SECTION("the connection breaks, and comes back") {
    WeightFile weights(kSource, file.size());
    weights.want(std::vector<std::string>{"rest"});
    REQUIRE(weights.feed(0, slice(file, {0, 300'000})));
    refuse(weights.finish(300'000), "did not arrive whole");
    fetch(weights, file);
    CHECK(weights.finish(file.size()));
    CHECK(holds(weights, file, "rest"));
  }
  SECTION("the source stays silent about what is wanted") {
    WeightFile weights(kSource, file.size());
    refuse(weights.finish(file.size()), "header");
    weights.want(std::vector<std::string>{"rest"});
    REQUIRE(weights.feed(0, slice(file, {0, 1000})));
    refuse(weights.finish(file.size()), "360.0 kB");
  }
}

TEST_CASE("a web page instead of weights", "[model][weights]") {
  const Bytes page = bytes_of("<!DOCTYPE html><html><head><title>404</title></head></html>");
  check_sentence(WeightFile(kSource).feed(0, page).error(), kSource, "web page");
  check_sentence(WeightFile(kSource, page.size()).feed(0, page).error(), kSource, "web page");
}

}  // namespace weights_test
