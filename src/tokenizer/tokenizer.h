// GPT-2's tokenizer: any text, broken UTF-8 included, to ids and back to the same bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/expected.h"
#include "tokenizer/merges.h"
#include "tokenizer/vocabulary.h"

namespace helix::tokenizer {

/// One merge on the way to a token: `left` and `right` stood beside each other and became `result`.
struct MergeStep {
  std::int32_t left = -1, right = -1, result = -1;
  std::uint32_t rank = 0;  // counted from 0, as merges.txt lists them
};

/// For GPT-2 and any other vocabulary of its kind: byte-level, cut by GPT-2's pattern (tokenizer/pretokens.h).
class Tokenizer {
 public:
  /// From the texts of vocab.json and merges.txt; `source` names the model in errors.
  static Expected<Tokenizer> read(std::string_view vocab_json, std::string_view merges_txt, std::string_view source);

  /// Without special tokens: "<|endoftext|>" typed is ordinary text.
  std::vector<std::int32_t> encode(std::string_view text) const;
  /// The bytes of all ids in order, special tokens by their names. Ids without a token add nothing.
  std::string decode(std::span<const std::int32_t> ids) const;
  /// Of one token; may be part of a character, and is empty where no token has this id.
  std::string_view bytes(std::int32_t id) const { return vocabulary_.bytes(id); }
  /// The merges that make a token from its bytes, in order; none for a byte, for a special token, for a token that no
  /// merges make, or for one longer than `most` bytes.
  std::vector<MergeStep> merges_of(std::int32_t id, std::size_t most = 512) const;
  /// The number of ids, gaps included: the highest id + 1.
  std::size_t size() const { return vocabulary_.size(); }
  /// The id of <|endoftext|>, which also begins a text (BOS); not every vocabulary has it.
  std::optional<std::int32_t> end_of_text() const { return vocabulary_.find("<|endoftext|>"); }

 private:
  Tokenizer(Vocabulary vocabulary, Merges merges);

  Vocabulary vocabulary_;
  Merges merges_;
};

}  // namespace helix::tokenizer
