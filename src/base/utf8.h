// UTF-8 that is always checked: texts, file names and tokens may hold any bytes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace helix {

struct Character {
  char32_t code = 0;
  std::size_t bytes = 0;
};

/// The character at the start of `text`; `bytes` is 0 where there is none (RFC 3629: nothing overlong, no surrogates).
Character first_character(std::string_view text);

/// Whether the whole text is valid UTF-8.
bool is_utf8(std::string_view text);

/// Any bytes as unambiguous text on one line: visible characters and the plain space as they are, everything else as an
/// escape: \n \r \t \\, \u{200D} for an invisible character, \xE2 for a byte that is not part of a character. Tokens
/// are shown this way, since a token may end within a character.
std::string shown_bytes(std::string_view bytes);

}  // namespace helix
