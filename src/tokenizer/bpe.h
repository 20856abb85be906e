// Byte-pair encoding of one piece of text.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <queue>
#include <string_view>
#include <vector>

#include "tokenizer/merges.h"
#include "tokenizer/vocabulary.h"

namespace helix::tokenizer {

/// What GPT-2 does: of all neighbouring pairs that have a merge, the one of lowest rank is merged wherever it stands,
/// from left to right, until no pair has a merge. Here with a queue of the pairs, in n log n steps instead of n²: a
/// piece can be as long as the text. One object serves many pieces, one after the other, and keeps its memory.
class PieceEncoder {
 public:
  PieceEncoder(const Vocabulary& vocabulary, const Merges& merges) : vocabulary_(vocabulary), merges_(merges) {}

  /// Appends the ids of the piece's tokens.
  void encode(std::string_view piece, std::vector<std::int32_t>& ids);

 private:
  // A token of the piece so far, at the place of its first byte; and its merge with the token after it.
  struct Symbol {
    std::int32_t id = 0;
    Merge merge;
    std::size_t previous = 0;
    std::size_t next = 0;
  };
  // Stale once the symbol's pair has changed; comparing ranks shows it.
  struct Candidate {
    std::uint32_t rank = 0;
    std::size_t at = 0;
    friend auto operator<=>(const Candidate&, const Candidate&) = default;
  };

  void merge_all();
  void merge(std::size_t at);
  void look_right(std::size_t at);

  const Vocabulary& vocabulary_;
  const Merges& merges_;
  std::vector<Symbol> symbols_;
  std::vector<Candidate> found_;
  std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> queue_;
};

}  // namespace helix::tokenizer
