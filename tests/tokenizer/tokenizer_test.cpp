#include "tokenizer/tokenizer.h"

#include <algorithm>
#include <catch_amalgamated.hpp>
#include <fstream>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "tests/sentence_check.h"
#include "tests/support.h"
#include "tests/tokenizer/tiny_vocabulary.h"
#include "tokenizer/open_tokenizer.h"

namespace tokenizer_test {

using namespace helix;
using namespace helix::tokenizer;
using namespace helix::testing;

namespace {

using Ids = std::vector<std::int32_t>;
using Words = std::vector<std::string>;

const MergeList kMerges = {{"h", "e"},   {" ", "t"},    {"l", "l"}, {" t", "he"},
                           {"he", "ll"}, {"hell", "o"}, {"a", "a"}, {"\n", "\n"}};

Tokenizer tokenizer_of(const Files& files) {
  auto tokenizer = Tokenizer::read(files.vocab_json, files.merges_txt, "tiny");
  if (!tokenizer) FAIL(tokenizer.error().sentence);
  return std::move(*tokenizer);
}

Words words_of(const Tokenizer& tokenizer, std::string_view text) {
  Words words;
  for (const std::int32_t id : tokenizer.encode(text)) words.emplace_back(tokenizer.bytes(id));
  return words;
}

void check_refused(const Files& files, std::string_view part) {
  const auto tokenizer = Tokenizer::read(files.vocab_json, files.merges_txt, "tiny");
  REQUIRE(!tokenizer);
  check_sentence(tokenizer.error(), "“tiny”", part);
}

void check_vocab_refused(const std::string& vocab_json, std::string_view part) {
  CAPTURE(vocab_json.substr(0, 100));
  check_refused({vocab_json, files_of(kMerges).merges_txt}, "vocab.json");
  check_refused({vocab_json, files_of(kMerges).merges_txt}, part);
}

void check_merges_refused(const std::string& merges_txt, std::string_view part) {
  CAPTURE(merges_txt);
  check_refused({files_of(kMerges).vocab_json, merges_txt}, "merges.txt");
  check_refused({files_of(kMerges).vocab_json, merges_txt}, part);
}

/// A vocab.json with these entries in front of those of `files_of(kMerges)`.
std::string with_entries(const std::string& entries) {
  return "{" + entries + "," + files_of(kMerges).vocab_json.substr(1);
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

/// The definition: of all adjacent pairs in the piece, the one of lowest rank is merged at every occurrence, from
/// left to right; until no pair has a rank.
Words merged_by_definition(std::string_view piece, const MergeList& merges) {
  Words words;
  for (const char c : piece) words.emplace_back(1, c);
  while (true) {
    std::size_t lowest = merges.size();
    for (std::size_t i = 0; i + 1 < words.size(); ++i)
      for (std::size_t rank = 0; rank < lowest; ++rank)
        if (merges[rank] == std::pair(words[i], words[i + 1])) lowest = rank;
    if (lowest == merges.size()) return words;
    Words next;
    for (std::size_t i = 0; i < words.size(); ++i) {
      const bool pair = i + 1 < words.size() && merges[lowest] == std::pair(words[i], words[i + 1]);
      next.push_back(pair ? words[i] + words[i + 1] : words[i]);
      if (pair) ++i;
    }
    words = std::move(next);
  }
}

/// Random merges of pairs from "abc", in an order that training could have produced or, if `shuffled`, in any order.
MergeList random_merges(Dice& dice, bool shuffled) {
  MergeList merges;
  Words tokens = {"a", "b", "c"};
  for (std::size_t i = 0, n = 1 + dice.below(20); i < n; ++i) {
    const std::pair pair(dice.one_of(tokens), dice.one_of(tokens));
    if (pair.first.size() + pair.second.size() > 8) continue;
    if (std::find(merges.begin(), merges.end(), pair) != merges.end()) continue;
    merges.push_back(pair);
    const std::string whole = pair.first + pair.second;
    if (std::find(tokens.begin(), tokens.end(), whole) == tokens.end()) tokens.push_back(whole);
  }
  for (std::size_t i = merges.size(); shuffled && i > 1; --i) std::swap(merges[i - 1], merges[dice.below(i)]);
  return merges;
}

std::string random_bytes(Dice& dice, std::size_t most) {
  std::string text(dice.below(most + 1), '\0');
  for (char& c : text) c = static_cast<char>(dice.below(256));
  return text;
}

}  // namespace

TEST_CASE("a small vocabulary encodes by its merges", "[tokenizer]") {
  const Tokenizer tokenizer = tokenizer_of(files_of(kMerges));
  CHECK(tokenizer.size() == 256 + kMerges.size() + 1);
  CHECK(words_of(tokenizer, "hello the") == Words{"hello", " the"});
  CHECK(words_of(tokenizer, "help") == Words{"he", "l", "p"});
  CHECK(words_of(tokenizer, "aaaaa") == Words{"aa", "aa", "a"});
  CHECK(words_of(tokenizer, "\n\n\n\n") == Words{"\n\n", "\n\n"});
  CHECK(words_of(tokenizer, " é") == Words{" ", "\xC3", "\xA9"});
  CHECK(tokenizer.encode("").empty());
  CHECK(tokenizer.encode("!") == Ids{0});  // GPT-2's order of the bytes
  CHECK(tokenizer.encode(" hell") == Ids{220, 260});
  CHECK(tokenizer.bytes(220) == " ");
}

TEST_CASE("ids outside the vocabulary have no bytes", "[tokenizer]") {
  const Tokenizer tokenizer = tokenizer_of(files_of(kMerges));
  const auto past = static_cast<std::int32_t>(tokenizer.size());
  CHECK(tokenizer.bytes(-1).empty());
  CHECK(tokenizer.bytes(past).empty());
  CHECK(tokenizer.bytes(std::numeric_limits<std::int32_t>::min()).empty());
  CHECK(tokenizer.decode(Ids{past, 0, -1}) == "!");
}

TEST_CASE("the end of a text is a special token or absent", "[tokenizer]") {
  const Tokenizer tokenizer = tokenizer_of(files_of(kMerges));
  REQUIRE(tokenizer.end_of_text());
  CHECK(*tokenizer.end_of_text() == static_cast<std::int32_t>(tokenizer.size()) - 1);
  CHECK(tokenizer.decode(Ids{*tokenizer.end_of_text()}) == "<|endoftext|>");
  CHECK(tokenizer.encode("<|endoftext|>").size() == 13);
  CHECK(!tokenizer_of(files_of(kMerges, {})).end_of_text());
  // A name with a space or another character outside the byte alphabet stands for itself.
  const Tokenizer special = tokenizer_of(files_of({}, {"<fill me>", "日本"}));
  CHECK(special.bytes(256) == "<fill me>");
  CHECK(special.bytes(257) == "日本");
}

TEST_CASE("merges are applied as GPT-2 defines it", "[tokenizer]") {
  Dice dice(7);
  for (int round = 0; round < 300; ++round) {
    const MergeList merges = random_merges(dice, round % 2 == 1);
    const Tokenizer tokenizer = tokenizer_of(files_of(merges));
    for (int i = 0; i < 10; ++i) {
      std::string text(1 + dice.below(60), 'a');
      for (char& c : text) c = "abc"[dice.below(3)];
      CAPTURE(round, text, files_of(merges).merges_txt);
      REQUIRE(words_of(tokenizer, text) == merged_by_definition(text, merges));
    }
  }
}

TEST_CASE("any bytes come back", "[tokenizer]") {
  const Tokenizer tokenizer = tokenizer_of(files_of(kMerges));
  std::string all;
  for (unsigned byte = 0; byte < 256; ++byte) {
    const std::string one(1, static_cast<char>(byte));
    CHECK(tokenizer.decode(tokenizer.encode(one)) == one);
    all += one;
  }
  CHECK(tokenizer.decode(tokenizer.encode(all)) == all);
  Dice dice(1);
  for (int round = 0; round < 2000; ++round) {
    const std::string text = random_bytes(dice, 200);
    REQUIRE(tokenizer.decode(tokenizer.encode(text)) == text);
  }
}

TEST_CASE("pieces of 300,000 bytes are encoded, where quadratic work would take minutes", "[tokenizer]") {
  const Tokenizer tokenizer = tokenizer_of(files_of(kMerges));
  Dice dice(3);
  std::string mixed(300'000, 'a');
  for (char& c : mixed) c = "aehlo"[dice.below(5)];
  for (const std::string& text : {std::string(300'000, 'a'), mixed, std::string(300'000, '\n'),
                                  std::string(300'000, ' ') + "x", std::string(300'000, '\xFF')})
    CHECK(tokenizer.decode(tokenizer.encode(text)) == text);
}

TEST_CASE("a vocab.json that cannot be right is refused", "[tokenizer]") {
  const std::string good = files_of(kMerges).vocab_json;
  check_vocab_refused("", "not valid JSON");
  check_vocab_refused("[]", "not a JSON object");
  check_vocab_refused("5", "not a JSON object");
  check_vocab_refused("null", "not a JSON object");
  check_vocab_refused("{}", "byte 0x00");
  check_vocab_refused(good + "{}", "not valid JSON");
  check_vocab_refused(good + std::string(1, '\0'), "NUL");
  check_vocab_refused(with_entries("\"xy\": -1"), "a negative number");
  check_vocab_refused(with_entries("\"xy\": 1.5"), "not a whole number");
  check_vocab_refused(with_entries("\"xy\": 1e3"), "not a whole number");
  check_vocab_refused(with_entries("\"xy\": 1000001"), "impossible id 1000001");
  check_vocab_refused(with_entries("\"xy\": 18446744073709551616"), "“xy”");
  check_vocab_refused(with_entries("\"xy\": \"7\""), "a text");
  check_vocab_refused(with_entries("\"xy\": null"), "null");
  check_vocab_refused(with_entries("\"xy\": true"), "true or false");
  check_vocab_refused(with_entries("\"xy\": [7]"), "a list");
  check_vocab_refused(with_entries("\"xy\": {}"), "an object");
  check_vocab_refused(with_entries("\"xy\": 7"), "id 7 to two tokens");
  check_vocab_refused(with_entries("\"xy\": 900, \"xy\": 901"), "“xy” twice");
  check_vocab_refused(with_entries("\"\": 900"), "without any text");
  check_vocab_refused(with_entries("\"\\ud800\": 900"), "not valid JSON");
  check_vocab_refused(with_entries("\"\xFF\": 900"), "not valid JSON");
  check_vocab_refused(replaced(good, "\"A\": ", "\"AAAA\": "), "byte 0x41");
  check_vocab_refused(replaced(good, "\"Ġ\": ", "\"AAAA\": "), "byte 0x20");
}

TEST_CASE("gaps between the ids are no error", "[tokenizer]") {
  const Tokenizer tokenizer = tokenizer_of({with_entries("\"<far>\": 1000"), files_of(kMerges).merges_txt});
  CHECK(tokenizer.size() == 1001);
  CHECK(tokenizer.bytes(999).empty());
  CHECK(tokenizer.bytes(1000) == "<far>");
}

TEST_CASE("a merges.txt that cannot be right is refused", "[tokenizer]") {
  const std::string good = files_of(kMerges).merges_txt;
  check_merges_refused(good + "h\n", "Line 10");
  check_merges_refused(good + "h e l\n", "two tokens");
  check_merges_refused(good + " h\n", "two tokens");
  check_merges_refused(good + "h \n", "two tokens");
  check_merges_refused(good + "h  e\n", "two tokens");
  check_merges_refused(good + "h e\n", "repeats");
  check_merges_refused(good + "zz z\n", "“zz”");
  check_merges_refused(good + "z zz\n", "“zz”");
  check_merges_refused(good + "\n\nz z\n", "Line 12");
  check_merges_refused(good + "z z\n", "“zz”");
  check_merges_refused(good + "\xFF\xFF z\n", "does not have");
  check_merges_refused(good + std::string(1, '\0') + "\n", "two tokens");
  check_merges_refused("#version: 0.2\n#version: 0.2\n", "Line 2");
}

TEST_CASE("merges.txt with other line ends, or without its first line, is the same", "[tokenizer]") {
  const Files files = files_of(kMerges);
  const Ids ids = tokenizer_of(files).encode("hello the llama");
  std::string crlf;
  for (const char c : files.merges_txt) crlf += c == '\n' ? "\r\n" : std::string(1, c);
  CHECK(tokenizer_of({files.vocab_json, crlf}).encode("hello the llama") == ids);
  const std::string bare = files.merges_txt.substr(files.merges_txt.find('\n') + 1);
  CHECK(tokenizer_of({files.vocab_json, bare}).encode("hello the llama") == ids);
  CHECK(tokenizer_of({files.vocab_json, bare.substr(0, bare.size() - 1)}).encode("hello the llama") == ids);
}

TEST_CASE("a merges.txt that makes too few of the tokens is refused", "[tokenizer]") {
  MergeList merges;
  for (char a = 'a'; a <= 'z'; ++a)
    for (char b = 'a'; b <= 'z'; ++b) merges.emplace_back(std::string(1, a), std::string(1, b));
  const Files files = files_of(merges);
  tokenizer_of(files);
  const std::size_t half = files.merges_txt.find("\nm m\n") + 1;
  check_refused({files.vocab_json, files.merges_txt.substr(0, half)}, "only 324 of the 677");
  check_refused({files.vocab_json, ""}, "only 0 of the 677");
}

TEST_CASE("GPT-2's own vocabulary gives the ids that others give", "[tokenizer]") {
  const auto path = gpt2_path();
  if (!path) {
    WARN("skipped: no GPT-2 beside the repository (HELIXSCOPE_GPT2, ../shared/gpt2)");
    return;
  }
  const auto tokenizer = open_tokenizer(*path);
  if (!tokenizer) FAIL(tokenizer.error().sentence);
  CHECK(tokenizer->size() == 50257);
  CHECK(tokenizer->end_of_text() == 50256);
  CHECK(tokenizer->encode("Hello, world!") == Ids{15496, 11, 995, 0});
  CHECK(tokenizer->encode("<|endoftext|>") == Ids{27, 91, 437, 1659, 5239, 91, 29});

  namespace fs = std::filesystem;
  const fs::path folder = fs::is_directory(*path) ? fs::path(*path) : fs::path(*path).parent_path();
  std::ifstream file(folder / "reference" / "tokenizer_golden.json", std::ios::binary);
  if (!file) {
    WARN("skipped: no reference/tokenizer_golden.json beside GPT-2's files");
    return;
  }
  const auto cases = nlohmann::json::parse(std::string(std::istreambuf_iterator<char>(file), {}), nullptr, false);
  REQUIRE(cases.is_array());
  CHECK(cases.size() >= 10);
  for (const auto& one : cases) {
    const auto text = one["text"].get<std::string>();
    CAPTURE(text);
    CHECK(tokenizer->encode(text) == one["tokens"].get<Ids>());
    CHECK(tokenizer->decode(one["tokens"].get<Ids>()) == one["decoded"].get<std::string>());
  }
}

TEST_CASE("the merges of a token, the earliest first", "[tokenizer]") {
  const Tokenizer tokenizer = tokenizer_of(files_of(kMerges));
  const auto steps_of = [&](std::string_view text) {
    const Ids ids = tokenizer.encode(text);
    REQUIRE(ids.size() == 1);
    Words steps;
    for (const MergeStep& step : tokenizer.merges_of(ids[0])) {
      CHECK(std::string(tokenizer.bytes(step.left)) + std::string(tokenizer.bytes(step.right)) ==
            tokenizer.bytes(step.result));
      steps.push_back(std::to_string(step.rank) + " " + std::string(tokenizer.bytes(step.result)));
    }
    return steps;
  };
  CHECK(steps_of("hello") == Words{"0 he", "2 ll", "4 hell", "5 hello"});
  CHECK(steps_of(" the") == Words{"0 he", "1  t", "3  the"});
  CHECK(steps_of("h").empty());
  CHECK(tokenizer.merges_of(-1).empty());
  CHECK(tokenizer.merges_of(1'000'000).empty());
  const Ids hello = tokenizer.encode("hello");
  CHECK(tokenizer.merges_of(hello[0], 4).empty());
}

}  // namespace tokenizer_test
