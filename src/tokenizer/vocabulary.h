// The tokens of a model as its vocab.json lists them: which bytes each id stands for, and back.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/expected.h"

namespace helix::tokenizer {

/// The bytes that a key of vocab.json stands for. GPT-2 spells bytes in an alphabet of 256 visible characters, 'Ġ' for
/// the space; a key with a character outside of it is a special token and stands for its own UTF-8.
std::string bytes_of_key(std::string_view key);

class Vocabulary {
 public:
  /// `source`: the model whose vocab.json this is, for the error's sentence. Each of the 256 bytes must have a token,
  /// so that any text can be encoded. Ids may have gaps, to which no bytes belong.
  static Expected<Vocabulary> read(std::string_view json, std::string_view source);

  /// The highest id + 1.
  std::size_t size() const { return places_.size(); }
  /// Empty where no token has this id.
  std::string_view bytes(std::int32_t id) const;
  std::optional<std::int32_t> find(std::string_view bytes) const;
  std::int32_t of_byte(char byte) const { return of_byte_[static_cast<unsigned char>(byte)]; }

 private:
  friend class VocabularyReader;

  struct Place {
    std::size_t begin = 0;
    std::size_t end = 0;
  };
  // The slot of the token with these bytes, or the free one it would take.
  std::size_t slot_of(std::string_view bytes) const;
  // The error says what is wrong, without the file ("lists …").
  Expected<void> index();

  std::string text_;  // the bytes of all tokens, in the order of the file
  std::vector<Place> places_;
  std::vector<std::int32_t> slots_;  // a hash table of ids, at most half full; free ones hold -1
  std::array<std::int32_t, 256> of_byte_{};
};

}  // namespace helix::tokenizer
