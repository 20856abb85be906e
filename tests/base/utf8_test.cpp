#include "base/utf8.h"

#include <catch_amalgamated.hpp>
#include <string>

namespace utf8_test {

using namespace helix;

TEST_CASE("the first character of a text", "[base][utf8]") {
  const auto check = [](std::string_view text, char32_t code, std::size_t bytes) {
    CHECK(first_character(text).code == code);
    CHECK(first_character(text).bytes == bytes);
  };
  check("a!", 'a', 1);
  check(std::string_view("\0", 1), 0, 1);
  check("é!", 0xE9, 2);
  check("€!", 0x20AC, 3);
  check("😀!", 0x1F600, 4);
  check("\xF4\x8F\xBF\xBF", 0x10FFFF, 4);
  check("\xED\x9F\xBF", 0xD7FF, 3);
  for (const std::string_view broken :
       {"", "\x80", "\xC3", "\xC0\xAF", "\xC1\xBF", "\xE0\x9F\xBF", "\xED\xA0\x80", "\xE2\x82", "\xF0\x8F\xBF\xBF",
        "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFF", "\xE2(\xA1"})
    check(broken, 0, 0);
}

TEST_CASE("whole texts are UTF-8 or not", "[base][utf8]") {
  CHECK(is_utf8(""));
  CHECK(is_utf8("a é € 😀"));
  CHECK(!is_utf8("a \xC3"));
  CHECK(!is_utf8("\xA9 a"));
}

TEST_CASE("bytes are shown on one line, each in its own way", "[base][utf8]") {
  CHECK(shown_bytes("") == "");
  CHECK(shown_bytes(" next") == " next");
  CHECK(shown_bytes("é日😀") == "é日😀");
  CHECK(shown_bytes("a\r\n\tb") == "a\\r\\n\\tb");
  CHECK(shown_bytes("\\n") == "\\\\n");
  CHECK(shown_bytes("\xE2\x82") == "\\xE2\\x82");
  CHECK(shown_bytes("\xFF ok \x80") == "\\xFF ok \\x80");
  CHECK(shown_bytes(std::string_view("\0\x1B\x7F", 3)) == "\\u{0}\\u{1B}\\u{7F}");
  CHECK(shown_bytes("\u00A0\u00AD\u200D\u202E\u3000\uFEFF\uFE0F") ==
        "\\u{A0}\\u{AD}\\u{200D}\\u{202E}\\u{3000}\\u{FEFF}\\u{FE0F}");
  CHECK(shown_bytes("\xC2\x85") == "\\u{85}");
  CHECK(shown_bytes("\u00A1\u00AC\u00AE\u2010\u2030") == "\u00A1\u00AC\u00AE\u2010\u2030");
}

}  // namespace utf8_test
