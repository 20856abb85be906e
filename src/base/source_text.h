// The texts whose claims the studies judge.
#pragma once

#include <string_view>

namespace helix {

/// The text that states a claim, to be cited: title, then author and year. A claim's id begins with the letter of one of the
/// five source texts and a number (docs/claims.md); other ids are of numbers that other projects publish, and give "".
std::string_view source_text(std::string_view claim);

}  // namespace helix
