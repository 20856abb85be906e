#include "base/words.h"

#include "tests/support.h"

namespace helix {

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

}  // namespace helix
