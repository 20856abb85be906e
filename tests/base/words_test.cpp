#include "base/words.h"

#include "base/built_in_words.h"
#include "base/decimal.h"
#include "base/text.h"
#include "tests/base/english.h"
#include "tests/support.h"

namespace base_words_test {

using namespace helix;

constexpr Words say{"of_a_test"};

TEST_CASE("A sentence has its values in their places, and one form for one and another for more") {
  REQUIRE(load_words(
      "# of_a_test\n\n## rows\n{n|one row stands|{n} rows stand} out of {all},\nin {what}\n\n## plain\nNo {values}."));
  CHECK(say("rows", {{"n", "1"}, {"all", "9"}, {"what", "{n}"}}) == "one row stands out of 9, in {n}");
  CHECK(say("rows", {{"n", "3"}, {"all", "9"}, {"what", "two {braces"}}) == "3 rows stand out of 9, in two {braces");
  CHECK(say("plain") == "No {values}.");
  CHECK(say("plain", {}) == "No {values}.");
}

TEST_CASE("Words in another language take the place of those with the same id") {
  REQUIRE(load_words("# of_a_test\n## a\nyes\n## b\nno"));
  REQUIRE(load_words("# of_a_test\n## a\nja"));
  CHECK(say("a") == "ja");
  CHECK(say("b") == "no");
  CHECK(say("not there") == "not there");
}

TEST_CASE("Words that are cut or are none are refused and change nothing") {
  REQUIRE(load_words("# of_a_test\n## a\nyes"));
  const auto no_study = load_words("## a\nno");
  REQUIRE(!no_study);
  CHECK(no_study.error().sentence == "Line 1 of the words belongs to no study.");
  const auto no_sentence = load_words("# of_a_test\n## a\nno\n# other\n<html>");
  REQUIRE(!no_sentence);
  CHECK(no_sentence.error().sentence == "Line 5 of the words belongs to no sentence.");
  CHECK(say("a") == "yes");
  const std::string whole = "# of_a_test\n## c\n{n|a {x}|b}";
  for (std::size_t length = 0; length <= whole.size(); ++length) {
    static_cast<void>(load_words(whole.substr(0, length)));
    CHECK(say("c", {{"n", "1"}, {"x", "y"}}).size() <= whole.size());
  }
}

TEST_CASE("Sentences follow each other with one space") {
  CHECK(sentences({"A.", "", "B."}) == "A. B.");
  CHECK(sentences({}) == "");
}

TEST_CASE("A label is looked up by its English, whatever its numbers are") {
  const testing::English afterwards;
  REQUIRE(load_words("# labels\n## of a test, {1} of {2}\n{2}, davon {1}\n## row 1 of a test\ndie Zeile"));
  CHECK(in_words("of a test, 3 of 1,024.5") == "1,024.5, davon 3");
  CHECK(in_words("of a test, 3 of “ 4, mat”") == "“ 4, mat”, davon 3");
  CHECK(in_words("of a test, 3 of “ mat") == "of a test, 3 of “ mat");
  CHECK(in_words("row 1 of a test") == "die Zeile");
  CHECK(in_words("row 2 of a test") == "row 2 of a test");
  CHECK_FALSE(label_in_words("of a test, 3"));
  CHECK_FALSE(label_in_words("1.5"));
  CHECK_FALSE(label_in_words(""));
}

TEST_CASE("Numbers to read have the decimal mark of the words, those to compute with have a point") {
  const testing::English afterwards;
  const auto written = [] {
    return std::vector{to_fixed(-1234.5, 1),  number_text(-0.25, 2),   number_text(9.96e-8, 4),
                       number_text(0.004, 1), percent_text(0.9106, 2), with_thousands(1023),
                       with_thousands(10234), to_pointed(0.5, 2),      to_text(0.5)};
  };
  const std::vector<std::string> english = written();
  CHECK(english == std::vector<std::string>{"-1234.5", "−0.25", "1.0·10⁻⁷", "0.0040", "91.06 %", "1,023", "10,234",
                                            "0.50", "0.5"});
  REQUIRE(load_words("# studies\n## decimal_mark\n,"));
  CHECK(written() == std::vector<std::string>{"-1234,5", "−0,25", "1,0·10⁻⁷", "0,0040", "91,06 %", "1023",
                                              "10\u202f234", "0.50", "0.5"});
  CHECK(number_text(0, 2) == "0,00");
  REQUIRE(load_words("# labels\n## of a test, {1} of {2}\n{1} von {2}"));
  CHECK(in_words("of a test, 3,5 of 1\u202f024") == "3,5 von 1\u202f024");
  REQUIRE(load_words("# studies\n## decimal_mark\n.x"));
  CHECK(written() == english);
}

}  // namespace base_words_test
