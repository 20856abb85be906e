// The sentences that studies share, and what figures and comparisons say of any study: src/studies/words.en.md.
#pragma once

#include "base/words.h"

namespace helix {

inline constexpr Words shared_words{"studies"};

}  // namespace helix
