// The English words, which the program and the tests load when they start. The page's modules do not hold them.
#pragma once

#include <string>

namespace helix {

std::string built_in_words();

}  // namespace helix
