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

std::string Tokenizer::decode(std::span<const std::int32_t> ids) const {
  std::string text;
  for (const std::int32_t id : ids) text += bytes(id);
  return text;
}

}  // namespace helix::tokenizer
