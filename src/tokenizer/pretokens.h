// How GPT-2 cuts a text into pieces before the merges; no token reaches over a cut. The pattern, as GPT-2 states it:
//
//   's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
//
// read as Python's `regex` module reads it: \s is Unicode's White_Space (U+0085 is one, U+FEFF is none), combining
// marks are no letters, ½ and Ⅷ are numbers, and the contractions know small letters and the straight ' only.
#pragma once

#include <string_view>

namespace helix::tokenizer {

enum class CharacterKind { Letter, Number, Space, Other };

/// A character's class in the pattern. Unicode's version is utf8proc's; unassigned characters are Other.
CharacterKind kind_of(char32_t code);

/// The piece that `text`, which is not empty, starts with; cut it off and ask again for the next. A byte that belongs
/// to no UTF-8 character counts as a character of kind Other, as the U+FFFD in its place would.
std::string_view first_pretoken(std::string_view text);

}  // namespace helix::tokenizer
