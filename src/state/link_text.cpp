#include "state/link_text.h"

#include <algorithm>

#include "base/text.h"
#include "base/utf8.h"

namespace helix::state {
namespace {

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return -1;
}

}  // namespace

Expected<Pairs> split_link(std::string_view hash) {
  Pairs pairs;
  const auto parts = static_cast<std::size_t>(std::ranges::count(hash, '&')) + 1;
  if (parts > kMostParts)
    return Error{"it has " + with_thousands(static_cast<long long>(parts)) + " parts, and at most " +
                 with_thousands(static_cast<long long>(kMostParts)) + " are read"};
  for (const std::string& part : split(hash, '&')) {
    if (part.empty()) continue;
    const std::size_t at = part.find('=');
    if (at == std::string::npos || at == 0) return Error{in_quotes(part) + " is not of the form key=value"};
    const auto key = percent_decode(std::string_view(part).substr(0, at));
    const auto value = percent_decode(std::string_view(part).substr(at + 1));
    if (!key) return key.error();
    if (!value) return value.error();
    pairs.emplace_back(*key, *value);
  }
  return pairs;
}

const std::string* first_value(const Pairs& pairs, std::string_view key) {
  const auto it = std::find_if(pairs.begin(), pairs.end(), [&](const auto& p) { return p.first == key; });
  return it == pairs.end() ? nullptr : &it->second;
}

std::string percent_encode(std::string_view text) {
  constexpr std::string_view plain = "-._~,:/!*";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool letter = (byte >= '0' && byte <= '9') || (byte >= 'A' && byte <= 'Z') || (byte >= 'a' && byte <= 'z');
    if (letter || plain.find(c) != std::string_view::npos) {
      out += c;
    } else {
      constexpr char hex[] = "0123456789ABCDEF";
      out += '%', out += hex[byte >> 4], out += hex[byte & 15];
    }
  }
  return out;
}

Expected<std::string> percent_decode(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    const int high = i + 2 < text.size() ? hex_digit(text[i + 1]) : -1;
    const int low = i + 2 < text.size() ? hex_digit(text[i + 2]) : -1;
    if (high < 0 || low < 0) return Error{"the escape in " + in_quotes(text) + " is broken"};
    out += static_cast<char>(high * 16 + low);
    i += 2;
  }
  if (!is_utf8(out)) return Error{in_quotes(text) + " is not UTF-8 text"};
  return out;
}

std::optional<std::vector<int>> read_counts(std::string_view text, char separator, std::size_t count) {
  std::vector<int> numbers;
  for (const std::string& part : split(text, separator)) {
    const auto n = parse_int(part);
    if (!n || *n < 0) return std::nullopt;
    numbers.push_back(*n);
  }
  return numbers.size() == count ? std::optional(numbers) : std::nullopt;
}

}  // namespace helix::state
