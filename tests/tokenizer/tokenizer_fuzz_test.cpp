// Files cut anywhere and changed anywhere: reading them gives either a consistent tokenizer or an error
// sentence. HELIXSCOPE_FUZZ_SECONDS sets the duration (2).
#include <catch_amalgamated.hpp>
#include <string>

#include "tests/sentence_check.h"
#include "tests/support.h"
#include "tests/tokenizer/tiny_vocabulary.h"
#include "tokenizer/tokenizer.h"

namespace tokenizer_fuzz_test {

using namespace helix;
using namespace helix::tokenizer;
using namespace helix::testing;

namespace {

const Files& whole() {
  static const Files files = files_of(
      {{"h", "e"}, {" ", "t"}, {" t", "he"}, {"t", "h"}, {"\xC3", "\xA9"}, {"e", "r"}, {"th", "er"}, {"l", "l"}});
  return files;
}

/// Reads copies that end where their memory ends, so that a sanitizer detects a read too far.
Expected<Tokenizer> read_exactly(const Files& files) {
  const Bytes vocab_json = bytes_of(files.vocab_json);
  const Bytes merges_txt = bytes_of(files.merges_txt);
  return Tokenizer::read(ExactBytes(vocab_json).text(), ExactBytes(merges_txt).text(), "fuzz");
}

void check_promises(const Tokenizer& tokenizer, const std::string& text) {
  const Bytes bytes = bytes_of(text);
  const ExactBytes exact(bytes);
  const auto ids = tokenizer.encode(exact.text());
  REQUIRE(tokenizer.decode(ids) == text);
  for (const std::int32_t id : ids) {
    REQUIRE(id >= 0);
    REQUIRE(static_cast<std::size_t>(id) < tokenizer.size());
    REQUIRE(!tokenizer.bytes(id).empty());
  }
}

}  // namespace

TEST_CASE("every beginning of a vocab.json is refused", "[tokenizer][fuzz]") {
  const Files& files = whole();
  REQUIRE(read_exactly(files));
  for (std::size_t size = 0; size < files.vocab_json.size(); ++size) {
    CAPTURE(size);
    const auto tokenizer = read_exactly({files.vocab_json.substr(0, size), files.merges_txt});
    REQUIRE(!tokenizer);
    check_sentence(tokenizer.error(), "vocab.json", "“fuzz”");
  }
}

TEST_CASE("a beginning of a merges.txt is refused unless it ends with a line", "[tokenizer][fuzz]") {
  const Files& files = whole();
  for (std::size_t size = 0; size < files.merges_txt.size(); ++size) {
    CAPTURE(size);
    const std::string cut = files.merges_txt.substr(0, size);
    const auto tokenizer = read_exactly({files.vocab_json, cut});
    const bool at_line_end = cut.empty() || cut.back() == '\n' || files.merges_txt[size] == '\n';
    // A cut within the first line leaves "#version", or a line that is not a merge.
    if (tokenizer) CHECK((at_line_end || cut.starts_with("#version")));
    if (!tokenizer) check_sentence(tokenizer.error(), "merges.txt", "“fuzz”");
  }
}

TEST_CASE("changed vocabularies and merges", "[tokenizer][fuzz]") {
  Dice dice(11);
  std::size_t accepted = 0;
  std::size_t refused = 0;
  for (Fuzzing fuzzing(200); fuzzing.more();) {
    Files files = whole();
    if (dice.below(2)) files.vocab_json = mutated(files.vocab_json, dice);
    if (dice.below(2)) files.merges_txt = mutated(files.merges_txt, dice);
    CAPTURE(files.vocab_json, files.merges_txt);
    const auto tokenizer = read_exactly(files);
    ++(tokenizer ? accepted : refused);
    if (tokenizer)
      check_promises(*tokenizer, mutated("there he'll be: thé  the\n\n", dice));
    else
      check_sentence(tokenizer.error(), "“fuzz”");
  }
  INFO(accepted << " accepted, " << refused << " refused");
  CHECK(accepted > 0);  // otherwise the changes are too strong to get past the first check
  CHECK(refused > 0);
}

TEST_CASE("texts of any bytes", "[tokenizer][fuzz]") {
  const auto tokenizer = read_exactly(whole());
  REQUIRE(tokenizer);
  Dice dice(12);
  const std::vector<std::string> parts = {" ",    "\n",       "the",      "'s", "'", "é",    "\xC3", "\u3000",
                                          "日本", "\xF0\x9F", "👩\u200D", "12", "½", "\xFF", "?!"};
  for (Fuzzing fuzzing(500); fuzzing.more();) {
    std::string text;
    for (std::size_t i = dice.below(30); i > 0; --i) text += dice.one_of(parts);
    check_promises(*tokenizer, mutated(text, dice));
  }
}

}  // namespace tokenizer_fuzz_test
