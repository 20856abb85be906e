// Refuses an index that does not exist, in one sentence for every study.
#pragma once

#include <cstddef>
#include <string>

#include "base/expected.h"

namespace helix::studies {

/// "There is no layer 7; the last one is 5." `count` is at least 1.
inline Expected<void> check_index(const std::string& what, std::size_t index, std::size_t count) {
  if (index < count) return {};
  return Error{"There is no " + what + " " + std::to_string(index) + "; the last one is " + std::to_string(count - 1) +
               "."};
}

}  // namespace helix::studies
