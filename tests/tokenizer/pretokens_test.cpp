#include "tokenizer/pretokens.h"

#include <catch_amalgamated.hpp>
#include <string>
#include <vector>

#include "tests/support.h"

namespace pretokens_test {

using namespace helix;
using namespace helix::tokenizer;

namespace {

using Pieces = std::vector<std::string>;

Pieces pieces(std::string_view text) {
  Pieces out;
  while (!text.empty()) {
    const std::string_view piece = first_pretoken(text);
    REQUIRE(!piece.empty());
    REQUIRE(piece.data() == text.data());
    REQUIRE(piece.size() <= text.size());
    out.emplace_back(piece);
    text.remove_prefix(piece.size());
  }
  return out;
}

}  // namespace

TEST_CASE("words, numbers and marks are pieces, each with the space in front", "[tokenizer][pretokens]") {
  CHECK(pieces("").empty());
  CHECK(pieces("Hello world") == Pieces{"Hello", " world"});
  CHECK(pieces("a1b2") == Pieces{"a", "1", "b", "2"});
  CHECK(pieces(" 2026 years") == Pieces{" 2026", " years"});
  CHECK(pieces("3.14") == Pieces{"3", ".", "14"});
  CHECK(pieces("x = y;") == Pieces{"x", " =", " y", ";"});
  CHECK(pieces("wait... what?!") == Pieces{"wait", "...", " what", "?!"});
  CHECK(pieces("snake_case") == Pieces{"snake", "_", "case"});
  CHECK(pieces("<|endoftext|>") == Pieces{"<|", "endoftext", "|>"});
}

TEST_CASE("contractions", "[tokenizer][pretokens]") {
  for (const std::string end : {"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"}) {
    CHECK(pieces("we" + end) == Pieces{"we", end});
    CHECK(pieces(end) == Pieces{end});
    CHECK(pieces("we" + end + "x") == Pieces{"we", end, "x"});  // the pattern ignores what follows
  }
  CHECK(pieces("we'rd") == Pieces{"we", "'", "rd"});
  CHECK(pieces("we'l") == Pieces{"we", "'", "l"});
  CHECK(pieces("DON'T") == Pieces{"DON", "'", "T"});
  CHECK(pieces("don’t") == Pieces{"don", "’", "t"});
  CHECK(pieces(" 's") == Pieces{" '", "s"});  // the space takes the apostrophe before a contraction can match
  CHECK(pieces("''s") == Pieces{"''", "s"});
  CHECK(pieces("1's") == Pieces{"1", "'s"});
  CHECK(pieces("'") == Pieces{"'"});
}

TEST_CASE("white space leaves its last character to what follows", "[tokenizer][pretokens]") {
  CHECK(pieces(" ") == Pieces{" "});
  CHECK(pieces("   ") == Pieces{"   "});
  CHECK(pieces("a  b") == Pieces{"a", " ", " b"});
  CHECK(pieces("a    b") == Pieces{"a", "   ", " b"});
  CHECK(pieces("a   ") == Pieces{"a", "   "});
  CHECK(pieces("a\nb") == Pieces{"a", "\n", "b"});
  CHECK(pieces("a\n\nb") == Pieces{"a", "\n", "\n", "b"});
  CHECK(pieces("a \n b") == Pieces{"a", " \n", " b"});
  CHECK(pieces("a\t\tb") == Pieces{"a", "\t", "\t", "b"});
  CHECK(pieces("a\r\nb") == Pieces{"a", "\r", "\n", "b"});
  CHECK(pieces("a\v\fb") == Pieces{"a", "\v", "\f", "b"});
  CHECK(pieces("\x1C") == Pieces{"\x1C"});
  CHECK(pieces(" \x1F") == Pieces{" \x1F"});  // white space for Python's str, not for Unicode
}

TEST_CASE("white space beyond ASCII", "[tokenizer][pretokens]") {
  CHECK(pieces("a\u00A0b") == Pieces{"a", "\u00A0", "b"});
  CHECK(pieces("a\u00A0 b") == Pieces{"a", "\u00A0", " b"});
  CHECK(pieces("a \u00A0b") == Pieces{"a", " ", "\u00A0", "b"});
  CHECK(pieces("a\xC2\x85!") == Pieces{"a", "\xC2\x85", "!"});  // U+0085
  CHECK(pieces("日\u3000\u3000本") == Pieces{"日", "\u3000", "\u3000", "本"});
  CHECK(pieces(" \uFEFFa") == Pieces{" \uFEFF", "a"});  // white space for JavaScript, not for Unicode
  CHECK(pieces("\u200B\u180E") == Pieces{"\u200B\u180E"});
}

TEST_CASE("scripts, marks, numbers and emoji", "[tokenizer][pretokens]") {
  CHECK(pieces("naïve café") == Pieces{"naïve", " café"});
  CHECK(pieces("cafe\u0301!") == Pieces{"cafe", "\u0301!"});  // a combining mark is not a letter
  CHECK(pieces("日本語。テスト") == Pieces{"日本語", "。", "テスト"});
  CHECK(pieces("مرحبا بالعالم ١٢٣") == Pieces{"مرحبا", " بالعالم", " ١٢٣"});
  CHECK(pieces("नमस्ते") == Pieces{"नमस", "्", "त", "े"});
  CHECK(pieces("Ⅷ½x²") == Pieces{"Ⅷ½", "x", "²"});
  CHECK(pieces("ªʰǅ") == Pieces{"ªʰǅ"});  // Lo, Lm, Lt
  CHECK(pieces("a 👩\u200D🔬!") == Pieces{"a", " 👩\u200D🔬!"});
  CHECK(pieces("𝔸𝟘𐐷") == Pieces{"𝔸", "𝟘", "𐐷"});  // beyond U+FFFF
}

TEST_CASE("bytes that are no UTF-8 are neither letters nor numbers nor white space", "[tokenizer][pretokens]") {
  CHECK(pieces("a\xFF\xFE"
               "b") == Pieces{"a", "\xFF\xFE", "b"});
  CHECK(pieces(" \x80") == Pieces{" \x80"});
  CHECK(pieces("\xE2\x82") == Pieces{"\xE2\x82"});
  CHECK(pieces("\xE2\x82z") == Pieces{"\xE2\x82", "z"});
  CHECK(pieces("\xC0\xAF") == Pieces{"\xC0\xAF"});            // overlong
  CHECK(pieces("\xED\xA0\x80!") == Pieces{"\xED\xA0\x80!"});  // a surrogate
  CHECK(pieces(std::string_view("\0a", 2)) == Pieces{std::string(1, '\0'), "a"});
}

TEST_CASE("the kinds of all characters", "[tokenizer][pretokens]") {
  std::vector<char32_t> spaces;
  std::size_t letters = 0;
  std::size_t numbers = 0;
  for (char32_t code = 0; code <= 0x10FFFF; ++code) {
    const CharacterKind kind = kind_of(code);
    if (kind == CharacterKind::Space) spaces.push_back(code);
    letters += kind == CharacterKind::Letter;
    numbers += kind == CharacterKind::Number;
  }
  CHECK(spaces == std::vector<char32_t>{0x09,   0x0A,   0x0B,   0x0C,   0x0D,   0x20,   0x85,   0xA0,   0x1680,
                                        0x2000, 0x2001, 0x2002, 0x2003, 0x2004, 0x2005, 0x2006, 0x2007, 0x2008,
                                        0x2009, 0x200A, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000});
  // Unicode 15.1 has 136,726 letters and 1,831 numbers; later versions only add.
  CHECK(letters >= 136'726);
  CHECK(letters < 160'000);
  CHECK(numbers >= 1'831);
  CHECK(numbers < 2'500);
  for (const char32_t code : {0x378u, 0xE000u, 0xFFFFu, 0x10FFFFu, 0x301u, 0x5Fu, 0x20ACu})
    CHECK(kind_of(code) == CharacterKind::Other);
}

}  // namespace pretokens_test
