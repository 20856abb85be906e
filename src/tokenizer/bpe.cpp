#include "tokenizer/bpe.h"

namespace helix::tokenizer {

void PieceEncoder::encode(std::string_view piece, std::vector<std::int32_t>& ids) {
  symbols_.resize(piece.size());
  for (std::size_t i = 0; i < piece.size(); ++i) symbols_[i] = {vocabulary_.of_byte(piece[i]), {}, i - 1, i + 1};
  for (std::size_t i = 0; i < piece.size(); ++i) look_right(i);
  merge_all();
  for (std::size_t i = 0; i < symbols_.size(); i = symbols_[i].next) ids.push_back(symbols_[i].id);
}

void PieceEncoder::merge_all() {
  while (!found_.empty() || !queue_.empty()) {
    // Pairs that arise while one rank is merged wait until that is done, whatever their own rank: in trained merges it
    // is always higher, in others this keeps the order of the definition.
    for (const Candidate& candidate : found_) queue_.push(candidate);
    found_.clear();
    for (const std::uint32_t rank = queue_.top().rank; !queue_.empty() && queue_.top().rank == rank;) {
      const std::size_t at = queue_.top().at;
      queue_.pop();
      if (symbols_[at].merge.exists() && symbols_[at].merge.rank == rank) merge(at);
    }
  }
}

void PieceEncoder::merge(std::size_t at) {
  Symbol& symbol = symbols_[at];
  Symbol& gone = symbols_[symbol.next];
  symbol.id = symbol.merge.result;
  symbol.next = gone.next;
  gone.merge = {};
  if (symbol.next < symbols_.size()) symbols_[symbol.next].previous = at;
  look_right(at);
  if (at > 0) look_right(symbol.previous);
}

void PieceEncoder::look_right(std::size_t at) {
  Symbol& symbol = symbols_[at];
  symbol.merge = symbol.next < symbols_.size() ? merges_.find(symbol.id, symbols_[symbol.next].id) : Merge{};
  if (symbol.merge.exists()) found_.push_back({symbol.merge.rank, at});
}

}  // namespace helix::tokenizer
