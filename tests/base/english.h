// The words of a test do not stay for those after it.
#pragma once

#include "base/built_in_words.h"
#include "base/words.h"

namespace helix::testing {

/// The words are English again at its end.
struct English {
  ~English() {
    forget_words();
    static_cast<void>(load_words(built_in_words()));
  }
};

}  // namespace helix::testing
