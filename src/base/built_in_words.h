// The English words, which the program and the tests load when they start. The page's modules do not hold them.
#pragma once

#include <string_view>

namespace helix {

std::string_view built_in_words();

}  // namespace helix
