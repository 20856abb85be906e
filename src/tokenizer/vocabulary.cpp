#include "tokenizer/vocabulary.h"

#include <bit>
#include <cstdio>
#include <functional>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/text.h"
#include "base/utf8.h"

namespace helix::tokenizer {
namespace {

// Far beyond any vocabulary of this kind; an id is also the size of a table.
constexpr std::uint64_t kMaxId = 1'000'000;

constexpr bool spells_itself(unsigned byte) {
  return (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
}

// The byte of each character of the alphabet, -1 for other characters: bytes that are visible in Latin-1 spell
// themselves, the others take the characters from U+0100 on in turn.
constexpr auto kByteOf = [] {
  std::array<std::int16_t, 0x144> table{};
  for (std::int16_t& byte : table) byte = -1;
  std::size_t next = 0x100;
  for (unsigned byte = 0; byte < 256; ++byte)
    table[spells_itself(byte) ? byte : next++] = static_cast<std::int16_t>(byte);
  return table;
}();

std::string shown_byte(unsigned byte) {
  char text[8];
  std::snprintf(text, sizeof text, "0x%02X", byte);
  return text;
}

}  // namespace

std::string bytes_of_key(std::string_view key) {
  std::string bytes;
  for (std::string_view rest = key; !rest.empty();) {
    const Character character = first_character(rest);
    const bool known = character.bytes > 0 && character.code < kByteOf.size() && kByteOf[character.code] >= 0;
    if (!known) return std::string(key);
    bytes += static_cast<char>(kByteOf[character.code]);
    rest.remove_prefix(character.bytes);
  }
  return bytes;
}

// Receives the JSON token by token: one flat object, so that nothing else is ever held in memory.
class VocabularyReader {
 public:
  explicit VocabularyReader(Vocabulary& into) : into_(into) {}

  const std::string& complaint() const { return complaint_; }

  bool start_object(std::size_t) { return inside_ ? misplaced("an object") : (inside_ = true); }
  bool end_object() { return true; }
  bool start_array(std::size_t) { return misplaced("a list"); }
  bool end_array() { return true; }
  bool key(std::string& key) {
    if (key.empty()) return complain("lists a token without any text");
    key_ = std::move(key);
    return true;
  }
  bool number_unsigned(std::uint64_t id) {
    if (!inside_) return misplaced("a number");
    if (id > kMaxId) return complain("gives the token " + in_quotes(key_) + " the impossible id " + std::to_string(id));
    if (id >= into_.places_.size()) into_.places_.resize(static_cast<std::size_t>(id) + 1);
    Vocabulary::Place& place = into_.places_[static_cast<std::size_t>(id)];
    if (place.end > 0)
      return complain("gives the id " + std::to_string(id) + " to two tokens, the second being " + in_quotes(key_));
    place.begin = into_.text_.size();
    into_.text_ += bytes_of_key(key_);
    place.end = into_.text_.size();
    return true;
  }
  bool number_integer(std::int64_t) { return misplaced("a negative number"); }
  bool number_float(double, const std::string&) { return misplaced("a number that is not a whole number"); }
  bool string(std::string&) { return misplaced("a text"); }
  bool null() { return misplaced("null"); }
  bool boolean(bool) { return misplaced("true or false"); }
  bool binary(std::vector<std::uint8_t>&) { return misplaced("binary data"); }
  bool parse_error(std::size_t position, const std::string&, const nlohmann::json::exception&) {
    return complain("is not valid JSON (near its byte " + std::to_string(position) + ")");
  }

 private:
  bool misplaced(std::string_view what) {
    if (!inside_) return complain("is not a JSON object");
    return complain("has " + std::string(what) + " where the id of the token " + in_quotes(key_) + " belongs");
  }
  bool complain(std::string what) {
    complaint_ = std::move(what);
    return false;
  }

  Vocabulary& into_;
  bool inside_ = false;
  std::string key_;
  std::string complaint_;
};

Expected<Vocabulary> Vocabulary::read(std::string_view json, std::string_view source) {
  const auto refused = [&](const std::string& complaint) {
    return Error{"The vocab.json of " + in_quotes(source) + " " + complaint + "; download it again."};
  };
  // The JSON reader takes a NUL for the end of the text.
  if (json.find('\0') != std::string_view::npos) return refused("is not valid JSON (it holds a NUL)");
  Vocabulary vocabulary;
  VocabularyReader reader(vocabulary);
  if (!nlohmann::json::sax_parse(json, &reader)) return refused(reader.complaint());
  if (auto indexed = vocabulary.index(); !indexed) return refused(indexed.error().sentence);
  return vocabulary;
}

Expected<void> Vocabulary::index() {
  slots_.assign(std::bit_ceil(2 * places_.size() + 1), -1);
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const auto id = static_cast<std::int32_t>(i);
    if (bytes(id).empty()) continue;
    std::int32_t& slot = slots_[slot_of(bytes(id))];
    if (slot >= 0) return Error{"lists the token " + in_quotes(shown_bytes(bytes(id))) + " twice"};
    slot = id;
  }
  for (unsigned byte = 0; byte < 256; ++byte) {
    const char text = static_cast<char>(byte);
    const auto id = find({&text, 1});
    if (!id) return Error{"has no token for the byte " + shown_byte(byte) + ", so not every text could be encoded"};
    of_byte_[byte] = *id;
  }
  return {};
}

std::string_view Vocabulary::bytes(std::int32_t id) const {
  if (id < 0 || static_cast<std::size_t>(id) >= places_.size()) return {};
  const Place& place = places_[static_cast<std::size_t>(id)];
  return std::string_view(text_).substr(place.begin, place.end - place.begin);
}

std::size_t Vocabulary::slot_of(std::string_view bytes) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = std::hash<std::string_view>()(bytes) & mask;
  while (slots_[slot] >= 0 && this->bytes(slots_[slot]) != bytes) slot = (slot + 1) & mask;
  return slot;
}

std::optional<std::int32_t> Vocabulary::find(std::string_view bytes) const {
  const std::int32_t id = slots_[slot_of(bytes)];
  return id >= 0 ? std::optional(id) : std::nullopt;
}

}  // namespace helix::tokenizer
