// The tests speak English: the studies' words are loaded before the first one.
#include <cstdlib>

#include "base/built_in_words.h"
#include "base/words.h"

namespace {

[[maybe_unused]] const bool kLoaded = [] {
  if (!helix::load_words(helix::built_in_words())) std::abort();
  return true;
}();

}  // namespace
