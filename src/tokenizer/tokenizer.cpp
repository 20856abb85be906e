#include "tokenizer/tokenizer.h"

#include <utility>

#include "tokenizer/bpe.h"
#include "tokenizer/pretokens.h"

namespace helix::tokenizer {

Tokenizer::Tokenizer(Vocabulary vocabulary, Merges merges)
    : vocabulary_(std::move(vocabulary)), merges_(std::move(merges)) {}

Expected<Tokenizer> Tokenizer::read(std::string_view vocab_json, std::string_view merges_txt, std::string_view source) {
  auto vocabulary = Vocabulary::read(vocab_json, source);
  if (!vocabulary) return vocabulary.error();
  auto merges = Merges::read(merges_txt, *vocabulary, source);
  if (!merges) return merges.error();
  return Tokenizer(std::move(*vocabulary), std::move(*merges));
}

std::vector<std::int32_t> Tokenizer::encode(std::string_view text) const {
  std::vector<std::int32_t> ids;
  PieceEncoder encoder(vocabulary_, merges_);
  while (!text.empty()) {
    const std::string_view piece = first_pretoken(text);
    encoder.encode(piece, ids);
    text.remove_prefix(piece.size());
  }
  return ids;
}

std::vector<MergeStep> Tokenizer::merges_of(std::int32_t id, std::size_t most) const {
  const std::string_view whole = bytes(id);
  if (whole.size() > most) return {};
  std::vector<std::int32_t> parts;
  for (const char byte : whole) parts.push_back(vocabulary_.of_byte(byte));
  std::vector<MergeStep> steps;
  while (parts.size() > 1) {
    std::size_t at = 0;
    Merge best;
    for (std::size_t i = 0; i + 1 < parts.size(); ++i)
      if (const Merge merge = merges_.find(parts[i], parts[i + 1]); merge.exists() && merge.rank < best.rank)
        best = merge, at = i;
    if (!best.exists()) return {};
    steps.push_back({parts[at], parts[at + 1], best.result, best.rank});
    parts[at] = best.result;
    parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(at) + 1);
  }
  return !parts.empty() && parts[0] == id ? steps : std::vector<MergeStep>();
}

std::string Tokenizer::decode(std::span<const std::int32_t> ids) const {
  std::string text;
  for (const std::int32_t id : ids) text += bytes(id);
  return text;
}

}  // namespace helix::tokenizer
