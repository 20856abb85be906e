#include "base/utf8.h"

#include <algorithm>
#include <cstdio>
#include <iterator>

namespace helix {
namespace {

struct CodeRange {
  char32_t first, last;
};
// Control characters, spaces other than the plain one, and format characters.
constexpr CodeRange kUnseen[] = {
    {0x00, 0x1F},     {0x7F, 0xA0},     {0xAD, 0xAD},     {0x34F, 0x34F},   {0x61C, 0x61C},
    {0x1680, 0x1680}, {0x180B, 0x180F}, {0x2000, 0x200F}, {0x2028, 0x202F}, {0x205F, 0x206F},
    {0x3000, 0x3000}, {0xFE00, 0xFE0F}, {0xFEFF, 0xFEFF}, {0xFFF9, 0xFFFB}, {0xE0000, 0xE0FFF},
};

bool is_unseen(char32_t code) {
  const auto* const range = std::lower_bound(std::begin(kUnseen), std::end(kUnseen), code,
                                             [](const CodeRange& r, char32_t wanted) { return r.last < wanted; });
  return range != std::end(kUnseen) && range->first <= code;
}

std::string hexadecimal(const char* format, unsigned value) {
  char text[16];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

std::string shown_character(char32_t code, std::string_view bytes) {
  if (code == '\n') return "\\n";
  if (code == '\r') return "\\r";
  if (code == '\t') return "\\t";
  if (code == '\\') return "\\\\";
  return is_unseen(code) ? hexadecimal("\\u{%X}", static_cast<unsigned>(code)) : std::string(bytes);
}

}  // namespace

Character first_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const unsigned first = byte(0);
  if (first < 0x80) return {first, text.empty() ? 0u : 1u};
  const std::size_t length = first >= 0xC2 && first <= 0xDF   ? 2
                             : first >= 0xE0 && first <= 0xEF ? 3
                             : first >= 0xF0 && first <= 0xF4 ? 4
                                                              : 0;
  char32_t code = first & (0x7Fu >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {};
    code = code << 6 | (byte(i) & 0x3F);
  }
  const bool overlong = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
  const bool outside = (code >= 0xD800 && code <= 0xDFFF) || code > 0x10FFFF;
  if (length == 0 || overlong || outside) return {};
  return {code, length};
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const Character character = first_character(text);
    if (character.bytes == 0) return false;
    text.remove_prefix(character.bytes);
  }
  return true;
}

std::string shown_bytes(std::string_view bytes) {
  std::string out;
  while (!bytes.empty()) {
    const Character character = first_character(bytes);
    if (character.bytes == 0) {
      out += hexadecimal("\\x%02X", static_cast<unsigned char>(bytes[0]));
      bytes.remove_prefix(1);
      continue;
    }
    out += shown_character(character.code, bytes.substr(0, character.bytes));
    bytes.remove_prefix(character.bytes);
  }
  return out;
}

}  // namespace helix
