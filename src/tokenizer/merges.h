// The merges of a byte-pair encoding, as merges.txt lists them, the earliest first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "base/expected.h"
#include "tokenizer/vocabulary.h"

namespace helix::tokenizer {

/// Two neighbouring tokens that become one. The lower the rank, the earlier; no two merges share one.
struct Merge {
  std::uint32_t rank = std::numeric_limits<std::uint32_t>::max();
  std::int32_t result = -1;

  bool exists() const { return result >= 0; }
};

class Merges {
 public:
  /// `source`: the model whose merges.txt this is, for the error's sentence. A text cut off at the end of a line cannot
  /// be recognised as such; if that loses many merges, too many tokens have none that makes them, which is an error.
  static Expected<Merges> read(std::string_view text, const Vocabulary& vocabulary, std::string_view source);

  Merge find(std::int32_t left, std::int32_t right) const;

 private:
  struct Slot {
    std::int32_t left = -1;  // free
    std::int32_t right = -1;
    Merge merge;
  };
  std::size_t slot_of(std::int32_t left, std::int32_t right) const;

  std::vector<Slot> slots_;  // a hash table, at most half full
};

}  // namespace helix::tokenizer
