// The sentences of the studies, which stand in src/studies/words.en.md and src/studies/<id>/words.en.md and not in the
// code: a translator works on the same files. The program holds the English ones; the page loads those of its language.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/expected.h"

namespace helix {

/// What stands in the place of {name}.
struct Slot {
  std::string_view name;
  std::string text;
};

/// The words of one study.
///
///   constexpr Words say{"position_norms"};
///   say("title.constant", {{"row", s.row()}, {"norm", length_text(norm, 4)}})
///
/// A sentence's places are {norm} and {n|one|more}: the first text if {n} is "1" and else the second, in which {n} may stand.
class Words {
 public:
  explicit constexpr Words(std::string_view study) : study_(study) {}

  /// The sentence as it is; it lives until other words are loaded. The id itself where the words lack it.
  const std::string& operator()(std::string_view id) const;
  std::string operator()(std::string_view id, std::initializer_list<Slot> slots) const;
  /// nullptr where the words lack it.
  const std::string* find(std::string_view id) const;
  bool any() const;

 private:
  std::string_view study_;
};

/// A short text – at an axis, of a line, of an edit – that the code has in English, in the language of the words: src/studies/labels.*.md
/// has it by its English, "layer {1}" for every "layer 6". Nothing where the words lack it.
std::optional<std::string> label_in_words(std::string_view english);
/// The same, or the English.
std::string in_words(std::string_view english);

/// Sentences one after the other with a space between; empty ones are left out.
std::string sentences(std::initializer_list<std::string> parts);

/// The ids of a study's words.
std::vector<std::string> ids_of_words(std::string_view study);

/// Forgets all words.
void forget_words();

/// Adds to the words, or replaces those with the same ids. The text is what words files are: "# study", then for each
/// sentence "## id" and its lines, which become one. The error names the line.
Expected<void> load_words(std::string_view text);

}  // namespace helix
