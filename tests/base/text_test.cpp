#include "base/text.h"

#include <clocale>
#include <limits>

#include "base/length_text.h"
#include "tests/support.h"

namespace base_text_test {

using namespace helix;
using namespace helix::testing;

TEST_CASE("a number written and read is the same number", "[base][text]") {
  Dice dice(1);
  const auto same = [](double x) {
    const std::string text = to_text(x);
    const auto back = parse_real(text);
    CAPTURE(text);
    REQUIRE(back);
    REQUIRE(*back == x);
  };
  for (const double x :
       {0.1, 1.0 / 3, 1e-300, 5e-324, 1.7976931348623157e308, 1e15, 1e22, 123456789012345678.0, 9007199254740993.0})
    same(x), same(-x);
  for (int i = 0; i < 2000; ++i) {
    same(dice.between(-1, 1) * std::pow(10, dice.between(-30, 30)));
    const int whole = static_cast<int>(dice.between(-2.1e9, 2.1e9));
    CHECK(parse_int(to_text(whole)) == whole);
  }
  for (int power = 1; power <= 1'000'000'000; power *= 10) {
    CHECK(parse_int(to_text(power)) == power);
    if (power > 100'000'000) break;
  }
  CHECK(to_text(0.5) == "0.5");
  CHECK(to_text(100000) == "100000");
  CHECK(to_text(-0.0) == "0");
  CHECK(to_text(std::nan("")) == "nan");
  CHECK(to_text(HUGE_VAL) == "inf");
  CHECK(to_text(-HUGE_VAL) == "-inf");
}

TEST_CASE("a number of 32 bits has the digits that tell it from its neighbours", "[base][text]") {
  CHECK(to_text_f32(double(0.1f)) == "0.1");
  CHECK(to_text_f32(double(16777216.0f)) == "16777216");
  CHECK(to_text_f32(-HUGE_VAL) == "-inf");
  CHECK(fewest_digits_f32(double(0.1f)) == 0.1);
  CHECK(std::isnan(fewest_digits_f32(std::nan(""))));
  Dice dice(5);
  for (int i = 0; i < 1000; ++i) {
    const auto x = static_cast<float>(dice.normal() * std::pow(10, dice.between(-37, 37)));
    CHECK(static_cast<float>(fewest_digits_f32(x)) == x);
  }
}

TEST_CASE("a share is read in percent", "[base][text]") {
  CHECK(percent_text(0.33712, 1) == "33.7 %");
  CHECK(percent_text(0.33712, 2) == "33.71 %");
  CHECK(percent_text(1, 0) == "100 %");
  CHECK(percent_text(0, 1) == "0.0 %");
  CHECK(percent_text(std::nan(""), 1) == "–");
  CHECK(percent_text(HUGE_VAL, 1) == "–");
}

TEST_CASE("what is not wholly a number is none", "[base][text]") {
  for (const char* text : {"",   " ",   "1 ", " 1", "0x10", "0x1p3", "1,5",   "inf",   "nan",   "infinity", "1e",
                           "e5", "--1", "1-", ".",  "-",    "+",     "1e999", "1_000", "1.2.3", "١"}) {
    CAPTURE(text);
    CHECK(!parse_real(text));
    CHECK(!parse_int(text));
  }
  CHECK(!parse_real(std::string(65, '1')));
  CHECK(parse_real("+1e3") == 1000.0);
  CHECK(parse_real(".5") == 0.5);
  CHECK(parse_real("-5.") == -5.0);
  CHECK(parse_int("-12") == -12);
  CHECK(parse_int("007") == 7);
  for (const char* text : {"1.5", "1e3", "+1", "2147483648", "-2147483649"}) CHECK(!parse_int(text));
  CHECK(parse_int("2147483647") == std::numeric_limits<int>::max());
  CHECK(!parse_real(std::string_view("1\0", 2)));
  for (const char* yes : {"1", "true", "on"}) CHECK(parse_bool(yes) == true);
  for (const char* no : {"0", "false", "off"}) CHECK(parse_bool(no) == false);
  for (const char* odd : {"", "2", "yes", "True", " 1"}) CHECK(!parse_bool(odd));
}

TEST_CASE("text is the same in a locale that writes a comma", "[base][text]") {
  const std::string before = std::setlocale(LC_ALL, nullptr);
  const char* found = nullptr;
  for (const char* name : {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "fr_FR.utf8", "de_DE", "fr_FR"})
    if (!found) found = std::setlocale(LC_ALL, name);
  if (!found) SKIP("this machine has no locale with a decimal comma");
  const std::string short_form = to_text(1234.5), fixed = to_fixed(1234.5, 2), grouped = with_thousands(1234567);
  const auto read = parse_real("1234.5"), comma = parse_real("1234,5");
  std::setlocale(LC_ALL, before.c_str());
  CHECK(short_form == "1234.5");
  CHECK(fixed == "1234.50");
  CHECK(grouped == "1,234,567");
  CHECK(read == 1234.5);
  CHECK(!comma);
}

TEST_CASE("a small number is not read as zero, and what rounding leaves of zero is", "[base][text]") {
  CHECK(number_text(0.00034, 2) == "0.00034");
  CHECK(number_text(-0.00034, 3) == "−0.00034");
  CHECK(number_text(0.0274, 2) == "0.03");
  CHECK(number_text(0.000012, 4) == "0.000012");
  CHECK(number_text(0.0000012, 4) == "1.2·10⁻⁶");
  CHECK(number_text(3.44e-8, 4) == "3.4·10⁻⁸");
  CHECK(number_text(-9.96e-8, 4) == "−1.0·10⁻⁷");
  CHECK(number_text(-1e-17, 4) == "0.0000");
  CHECK(percent_text(0.000004, 1) == "0.00040 %");
  CHECK(length_text(3.39012, 4) == "3.3901");
  CHECK(length_text(0.262, 4) == "0.2620");
  CHECK(length_text(0.000339012, 4) == "0.0003390");
  CHECK(length_text(-0.000339012, 4) == "−0.0003390");
  CHECK(length_text(33901.2, 2) == "33901.20");
  CHECK(length_text(0, 2) == "0.00");
  CHECK(length_text(std::nan(""), 2) == "–");
}

TEST_CASE("numbers for reading", "[base][text]") {
  CHECK(to_fixed(3.14159, 2) == "3.14");
  CHECK(to_fixed(2, 0) == "2");
  CHECK(to_fixed(-0.001, 2) == "0.00");
  CHECK(to_fixed(-0.01, 2) == "-0.01");
  CHECK(to_fixed(1e300, 1).size() == 303);
  CHECK(to_fixed(std::nan(""), 3) == "nan");
  CHECK(to_fixed(-HUGE_VAL, 3) == "-inf");
  CHECK(with_thousands(0) == "0");
  CHECK(with_thousands(999) == "999");
  CHECK(with_thousands(1000) == "1,000");
  CHECK(with_thousands(-1234567) == "-1,234,567");
  CHECK(with_thousands(-100) == "-100");
}

TEST_CASE("lists are split and joined", "[base][text]") {
  CHECK(split("", ',') == std::vector<std::string>{""});
  CHECK(split("a,,b,", ',') == std::vector<std::string>{"a", "", "b", ""});
  CHECK(join({}, ", ") == "");
  CHECK(join({"a", "", "b"}, ", ") == "a, , b");
  CHECK(join(split("x,y,z", ','), ",") == "x,y,z");
}

TEST_CASE("foreign text is quoted so that a sentence can carry it", "[base][text]") {
  CHECK(in_quotes("abc") == "“abc”");
  CHECK(in_quotes("a\nb\x7f\x01") == "“a?b??”");
  CHECK(in_quotes("abcdef", 3) == "“abc…”");
  CHECK(in_quotes("abc", 3) == "“abc”");
  CHECK(printable("a\x1b[31mé\xc2\x9b\x9bz") == "a?[31mé??z");
  CHECK(in_quotes("ééé", 3) == "“é…”");  // never half a character
  CHECK(in_quotes("🧬🧬", 5) == "“🧬…”");
  CHECK(in_quotes(std::string(1000, 'x')).size() < 60);
}

TEST_CASE("bytes that are no UTF-8 are replaced, one by one, and nothing else is", "[base][text]") {
  const std::string good = "a\n é € 🧬 \xED\x9F\xBF \xEE\x80\x80 \xF4\x8F\xBF\xBF";
  CHECK(valid_utf8(good) == good);
  CHECK(valid_utf8("") == "");
  const std::string bad = "\xEF\xBF\xBD";
  CHECK(valid_utf8("a\x80z") == "a" + bad + "z");
  CHECK(valid_utf8("\xC3") == bad);                                // cut
  CHECK(valid_utf8("\xE2\x82") == bad + bad);                      // cut later
  CHECK(valid_utf8("\xC0\xAF") == bad + bad);                      // overlong
  CHECK(valid_utf8("\xE0\x80\xAF") == bad + bad + bad);            // overlong
  CHECK(valid_utf8("\xED\xA0\x80") == bad + bad + bad);            // half of a pair
  CHECK(valid_utf8("\xF4\x90\x80\x80") == bad + bad + bad + bad);  // beyond the last
  CHECK(valid_utf8("\xFF\xFE") == bad + bad);
  for (std::size_t cut = 0; cut <= good.size(); ++cut) {
    const std::string part = valid_utf8(std::string_view(good).substr(0, cut));
    CHECK(valid_utf8(part) == part);
  }
}

}  // namespace base_text_test
