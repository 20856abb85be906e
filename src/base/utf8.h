// UTF-8 read with suspicion: texts, file names and tokens may hold any bytes.
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

/// Whether the text is UTF-8 from its begin to its end.
bool is_utf8(std::string_view text);

/// Any bytes in a form a reader can tell apart, on one line: characters that leave a mark and the plain space as they
/// are, everything else as an escape: \n \r \t \\, \u{200D} for a character one cannot see, \xE2 for a byte that is
/// part of none. A token may end within a character, so this is how tokens are shown.
std::string shown_bytes(std::string_view bytes);

}  // namespace helix
