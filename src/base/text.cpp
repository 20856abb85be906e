#include "base/text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "base/decimal.h"
#include "base/shortest_decimal.h"
#include "base/utf8.h"

namespace helix {

namespace {

template <class Number>
std::string shortest(Number value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  if (value == 0) return "0";  // no "-0": a link should not tell the two apart
  // The shortest form of 100000 is "1e+05", which parse_int does not read.
  if (std::abs(value) < Number(1e15) && value == std::trunc(value))
    return std::to_string(static_cast<long long>(value));
  return shortest_text(value);
}

constexpr const char* kNarrowSpace = "\u202f";
constexpr double kRounding = 1e-12;  // smaller numbers are what is left of zero after rounding

bool is_zero(const std::string& text) { return text.find_first_not_of("-0.,") == std::string::npos; }

char& mark() {
  static char current = '.';
  return current;
}

std::string marked(std::string number) {
  if (const std::size_t point = number.find('.'); point != number.npos) number[point] = mark();
  return number;
}

/// What a few decimals would show as zero keeps two significant digits: "0.00034", below a hundred-thousandth "3.4·10⁻⁶".
std::string small_text(double size) {
  static const char* raised[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  int power = static_cast<int>(std::floor(std::log10(size)));
  if (power >= -5) return to_fixed(size, 1 - power);
  std::string digits = to_fixed(size / std::pow(10.0, power), 1);
  if (digits.starts_with("10")) digits.erase(1, 1), ++power;  // 10.0 becomes 1.0
  std::string text = digits + "·10⁻";
  for (const char c : std::to_string(-power)) text += raised[c - '0'];
  return text;
}

}  // namespace

std::string to_text(double value) { return shortest(value); }
std::string to_text_f32(double value) { return shortest(static_cast<float>(value)); }
double fewest_digits_f32(double value) { return parse_real(to_text_f32(value)).value_or(value); }

char decimal_mark() { return mark(); }
void set_decimal_mark(char wanted) { mark() = wanted; }

std::string to_pointed(double value, int digits) {
  if (!std::isfinite(value)) return to_text(value);
  char buffer[400];
  const int n = std::snprintf(buffer, sizeof buffer, "%.*f", digits, value);
  std::string out(buffer, n > 0 ? static_cast<std::size_t>(n) : 0);
  std::ranges::replace(out, ',', '.');                        // snprintf's own, in a process whose locale has it
  if (out.starts_with('-') && is_zero(out)) out.erase(0, 1);  // a value that rounds to 0 is printed without a sign
  return out;
}

std::string to_fixed(double value, int digits) { return marked(to_pointed(value, digits)); }
std::string to_shown(double value) { return marked(to_text(value)); }

std::string number_text(double value, int digits) {
  if (!std::isfinite(value)) return "–";
  const double size = std::abs(value);
  std::string text = to_fixed(size, digits);
  if (is_zero(text) && size >= kRounding) text = small_text(size);
  return value < 0 && !is_zero(text) ? "−" + text : text;
}

std::string percent_text(double fraction, int digits) {
  return std::isfinite(fraction) ? number_text(fraction * 100, digits) + " %" : "–";
}

std::string share_text(double fraction, int digits) {
  return percent_text(fraction, fraction > 0 && fraction < 0.001 ? 4 : digits);
}

std::string with_thousands(long long value) {
  std::string digits = std::to_string(value < 0 ? -value : value);
  if (mark() == ',' && digits.size() < 5) return value < 0 ? "-" + digits : digits;
  for (std::size_t at = digits.size(); at > 3; at -= 3) digits.insert(at - 3, mark() == ',' ? kNarrowSpace : ",");
  return value < 0 ? "-" + digits : digits;
}

std::optional<double> parse_real(std::string_view text) {
  // strtod also accepts spaces, hexadecimal and words, none of which are valid in a link.
  if (text.empty() || text.size() > 64) return std::nullopt;
  if (text.find_first_not_of("0123456789+-.eE") != std::string_view::npos) return std::nullopt;
  const std::string copy(text);
  char* end = nullptr;
  const double value = std::strtod(copy.c_str(), &end);
  if (end != copy.c_str() + copy.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::optional<int> parse_int(std::string_view text) {
  int value = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end.ec != std::errc() || end.ptr != text.data() + text.size() || text.empty()) return std::nullopt;
  return value;
}

std::optional<bool> parse_bool(std::string_view text) {
  if (text == "1" || text == "true" || text == "on") return true;
  if (text == "0" || text == "false" || text == "off") return false;
  return std::nullopt;
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t at = text.find(separator);
    parts.emplace_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
  std::string out;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i) out += separator;
    out += parts[i];
  }
  return out;
}

std::string valid_utf8(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t length = first_character(text).bytes;
    out += length ? text.substr(0, length) : std::string_view("\xEF\xBF\xBD");
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return out;
}

std::string to_hex(std::string_view bytes) {
  constexpr char digits[] = "0123456789abcdef";
  std::string out;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    out += digits[byte >> 4], out += digits[byte & 15];
  }
  return out;
}

std::string from_hex(std::string_view digits) {
  std::string out;
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2) {
    unsigned byte = 0;
    const auto [end, failed] = std::from_chars(digits.data() + i, digits.data() + i + 2, byte, 16);
    if (failed == std::errc() && end == digits.data() + i + 2) out += static_cast<char>(byte);
  }
  return out;
}

std::string printable(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const Character c = first_character(text);
    const std::size_t bytes = std::max<std::size_t>(c.bytes, 1);
    const auto first = static_cast<unsigned char>(text.front());
    const bool control =
        c.bytes == 0 ? first < 32 || (first >= 0x80 && first < 0xA0) : c.code < 32 || (c.code >= 0x7F && c.code < 0xA0);
    out += control ? std::string_view("?") : text.substr(0, bytes);
    text.remove_prefix(bytes);
  }
  return out;
}

std::string in_quotes(std::string_view text, std::size_t limit) {
  std::size_t end = std::min(text.size(), limit);
  while (end < text.size() && end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return "“" + printable(text.substr(0, end)) + (end < text.size() ? "…”" : "”");
}

}  // namespace helix
