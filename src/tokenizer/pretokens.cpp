#include "tokenizer/pretokens.h"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>

#include "base/utf8.h"

namespace helix::tokenizer {
namespace {

using Kind = CharacterKind;

constexpr std::string_view kContractions[] = {"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"};

// White_Space beyond ASCII: 25 characters with those, the same ones since Unicode 6.3.
constexpr char32_t kSpaces[] = {0x85,   0xA0,   0x1680, 0x2000, 0x2001, 0x2002, 0x2003, 0x2004, 0x2005, 0x2006,
                                0x2007, 0x2008, 0x2009, 0x200A, 0x2028, 0x2029, 0x202F, 0x205F, 0x3000};

constexpr Kind ascii_kind(char c) {
  if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) return Kind::Letter;
  if (c >= '0' && c <= '9') return Kind::Number;
  return c == ' ' || (c >= '\t' && c <= '\r') ? Kind::Space : Kind::Other;
}
constexpr auto kAscii = [] {
  std::array<Kind, 128> kinds{};
  for (std::size_t i = 0; i < kinds.size(); ++i) kinds[i] = ascii_kind(static_cast<char>(i));
  return kinds;
}();

struct Step {
  Kind kind = Kind::Other;
  std::size_t bytes = 1;
};

Step first_step(std::string_view text) {
  const auto byte = static_cast<unsigned char>(text[0]);
  if (byte < kAscii.size()) return {kAscii[byte], 1};
  const Character character = first_character(text);
  if (character.bytes == 0) return {};
  return {kind_of(character.code), character.bytes};
}

// Where the run of `kind` that reaches up to `at` ends.
std::size_t run_end(std::string_view text, std::size_t at, Kind kind) {
  while (at < text.size()) {
    const Step step = first_step(text.substr(at));
    if (step.kind != kind) break;
    at += step.bytes;
  }
  return at;
}

// \s+(?!\S)|\s+ : all of the white space at the end of the text; else all but the last, which the next piece may start
// with; else the only one there is.
std::size_t space_end(std::string_view text) {
  std::size_t last = 0;
  std::size_t end = 0;
  while (end < text.size()) {
    const Step step = first_step(text.substr(end));
    if (step.kind != Kind::Space) return last > 0 ? last : end;
    last = end;
    end += step.bytes;
  }
  return end;
}

}  // namespace

CharacterKind kind_of(char32_t code) {
  if (code < kAscii.size()) return kAscii[code];
  if (std::binary_search(std::begin(kSpaces), std::end(kSpaces), code)) return Kind::Space;
  switch (utf8proc_category(static_cast<utf8proc_int32_t>(code))) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
      return Kind::Letter;
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_NO:
      return Kind::Number;
    default:
      return Kind::Other;
  }
}

std::string_view first_pretoken(std::string_view text) {
  if (text[0] == '\'')
    for (const std::string_view contraction : kContractions)
      if (text.starts_with(contraction)) return text.substr(0, contraction.size());

  // One plain space goes with what follows it, unless that is white space too.
  const std::size_t space = text[0] == ' ' && text.size() > 1 ? 1 : 0;
  const Step step = first_step(text.substr(space));
  if (step.kind == Kind::Space) return text.substr(0, space_end(text));
  return text.substr(0, run_end(text, space + step.bytes, step.kind));
}

}  // namespace helix::tokenizer
