// A vocabulary made in the test: the 256 bytes, any merges, and <|endoftext|>.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace helix::testing {

using MergeList = std::vector<std::pair<std::string, std::string>>;  // as bytes

/// The bytes in the order of GPT-2's ids: first those that represent themselves, then the others.
inline std::vector<unsigned> bytes_in_order() {
  std::vector<unsigned> order;
  for (unsigned byte = '!'; byte <= '~'; ++byte) order.push_back(byte);
  for (unsigned byte = 0xA1; byte <= 0xAC; ++byte) order.push_back(byte);
  for (unsigned byte = 0xAE; byte <= 0xFF; ++byte) order.push_back(byte);
  const std::vector<unsigned> visible = order;
  for (unsigned byte = 0; byte < 256; ++byte)
    if (std::find(visible.begin(), visible.end(), byte) == visible.end()) order.push_back(byte);
  return order;
}

/// The bytes in GPT-2's alphabet, as UTF-8.
inline std::string spelled(std::string_view bytes) {
  static const std::vector<std::string> alphabet = [] {
    std::vector<std::string> letters(256);
    const std::vector<unsigned> order = bytes_in_order();
    for (unsigned i = 0; i < 256; ++i) {
      const unsigned code = i < 188 ? order[i] : 0x100 + (i - 188);
      if (code < 0x80) {
        letters[order[i]] = static_cast<char>(code);
      } else {
        letters[order[i]] += static_cast<char>(0xC0 | code >> 6);
        letters[order[i]] += static_cast<char>(0x80 | (code & 0x3F));
      }
    }
    return letters;
  }();
  std::string out;
  for (const char c : bytes) out += alphabet[static_cast<unsigned char>(c)];
  return out;
}

struct Files {
  std::string vocab_json, merges_txt;
};

/// One entry of a vocab.json; `key` as it stands there.
inline std::string entry(std::string_view key, long id) {
  std::string text = "\"";
  for (const char c : key) text += (c == '"' || c == '\\' ? "\\" : "") + std::string(1, c);
  return text + "\": " + std::to_string(id);
}

/// Ids: the bytes in GPT-2's order, then the results of the merges in order of first occurrence, then `specials`.
inline Files files_of(const MergeList& merges, const std::vector<std::string>& specials = {"<|endoftext|>"}) {
  std::vector<std::string> keys;
  for (const unsigned byte : bytes_in_order()) keys.push_back(spelled(std::string(1, static_cast<char>(byte))));
  Files files{"{", "#version: 0.2\n"};
  for (const auto& [left, right] : merges) {
    const std::string key = spelled(left + right);
    if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);
    files.merges_txt += spelled(left) + " " + spelled(right) + "\n";
  }
  keys.insert(keys.end(), specials.begin(), specials.end());
  for (std::size_t id = 0; id < keys.size(); ++id)
    files.vocab_json += (id ? ", " : "") + entry(keys[id], static_cast<long>(id));
  files.vocab_json += "}";
  return files;
}

}  // namespace helix::testing
