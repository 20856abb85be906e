#include "tokenizer/merges.h"

#include <algorithm>
#include <bit>
#include <string>

#include "base/text.h"

namespace helix::tokenizer {
namespace {

// Special tokens are longer than a byte and made by no merge. More such tokens than this cannot all be special.
std::size_t most_specials(const Vocabulary& vocabulary) { return 100 + vocabulary.size() / 50; }

// Cuts the next line off `text`, without its end.
std::string_view next_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

struct Pair {
  std::int32_t left = -1;
  std::int32_t right = -1;
  std::int32_t result = -1;
};

// The error says what is wrong with the line, without its number ("is not …").
Expected<Pair> read_pair(std::string_view line, const Vocabulary& vocabulary) {
  const std::size_t space = line.find(' ');
  const bool two = space != std::string_view::npos && space > 0 && space + 1 < line.size() &&
                   line.find(' ', space + 1) == std::string_view::npos;
  if (!two) return Error{"is not two tokens with a space between them"};
  const std::string left(line.substr(0, space));
  const std::string right(line.substr(space + 1));
  const std::string keys[] = {left, right, left + right};
  const std::string bytes[] = {bytes_of_key(left), bytes_of_key(right), bytes_of_key(left) + bytes_of_key(right)};
  std::int32_t ids[3] = {};
  for (std::size_t i = 0; i < 3; ++i) {
    const auto id = vocabulary.find(bytes[i]);
    if (!id) return Error{"needs the token " + in_quotes(valid_utf8(keys[i])) + ", which its vocab.json does not have"};
    ids[i] = *id;
  }
  return Pair{ids[0], ids[1], ids[2]};
}

// How many tokens are longer than a byte, and how many of those no merge makes.
struct Longer {
  std::size_t all = 0;
  std::size_t unmade = 0;
};
Longer longer_tokens(const Vocabulary& vocabulary, const std::vector<bool>& made) {
  Longer longer;
  for (std::size_t id = 0; id < vocabulary.size(); ++id) {
    if (vocabulary.bytes(static_cast<std::int32_t>(id)).size() < 2) continue;
    ++longer.all;
    if (!made[id]) ++longer.unmade;
  }
  return longer;
}

}  // namespace

Expected<Merges> Merges::read(std::string_view text, const Vocabulary& vocabulary, std::string_view source) {
  const auto lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) + 1;
  Merges merges;
  merges.slots_.resize(std::bit_ceil(2 * lines));
  std::vector<bool> made(vocabulary.size());
  std::uint32_t rank = 0;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::string_view line = next_line(text);
    if (line.empty() || (number == 1 && line.starts_with("#version"))) continue;
    const auto refused = [&](const std::string& complaint) {
      return Error{"Line " + std::to_string(number) + " of the merges.txt of " + in_quotes(source) + " " + complaint +
                   "; download both files again."};
    };
    const auto pair = read_pair(line, vocabulary);
    if (!pair) return refused(pair.error().sentence);
    Slot& slot = merges.slots_[merges.slot_of(pair->left, pair->right)];
    if (slot.merge.exists()) return refused("repeats an earlier one");
    slot = {pair->left, pair->right, {rank++, pair->result}};
    made[static_cast<std::size_t>(pair->result)] = true;
  }
  const Longer longer = longer_tokens(vocabulary, made);
  if (longer.unmade > most_specials(vocabulary)) {
    return Error{"The merges.txt of " + in_quotes(source) + " makes only " +
                 std::to_string(longer.all - longer.unmade) + " of the " + std::to_string(longer.all) +
                 " longer tokens of its vocab.json; download both files again."};
  }
  return merges;
}

std::size_t Merges::slot_of(std::int32_t left, std::int32_t right) const {
  const std::size_t mask = slots_.size() - 1;
  const auto key = static_cast<std::uint64_t>(left) << 32 | static_cast<std::uint32_t>(right);
  // Fibonacci hashing: the product's upper bits depend on every bit of the key.
  auto slot = static_cast<std::size_t>(key * 0x9E3779B97F4A7C15u >> 32) & mask;
  while (slots_[slot].merge.exists() && (slots_[slot].left != left || slots_[slot].right != right))
    slot = (slot + 1) & mask;
  return slot;
}

Merge Merges::find(std::int32_t left, std::int32_t right) const { return slots_[slot_of(left, right)].merge; }

}  // namespace helix::tokenizer
