// Numbers and lists as text, the same on every machine: C locale, shortest form that reads back exactly.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace helix {

/// Shortest decimal that reads back to the same double, whole numbers below 1e15 without an exponent; "inf", "-inf",
/// "nan" for what is not finite.
std::string to_text(double value);
/// The same for a number of 32 bits: 0.1f is "0.1", not "0.10000000149011612".
std::string to_text_f32(double value);
/// The double that to_text_f32 prints.
double fewest_digits_f32(double value);
/// `digits` digits after the point, no exponent: for reading, not for storing.
std::string to_fixed(double value, int digits);
/// For reading: "12.5"; "–" for a value that is not a number.
std::string number_text(double value, int digits);
/// A fraction for reading: "12.5 %"; "–" for a value that is not a number.
std::string percent_text(double fraction, int digits);
/// As percent_text, with enough digits to show that a small share is not zero.
std::string share_text(double fraction, int digits);
/// 1234567 -> "1,234,567".
std::string with_thousands(long long value);

/// The whole of `text` as a number (no spaces, no hex, no locale); nothing otherwise.
std::optional<double> parse_real(std::string_view text);
std::optional<int> parse_int(std::string_view text);
std::optional<bool> parse_bool(std::string_view text);  // 1 0 true false on off

std::vector<std::string> split(std::string_view text, char separator);
std::string join(const std::vector<std::string>& parts, std::string_view separator);

/// The text with U+FFFD in place of every byte that is not part of a UTF-8 character: file names may hold any bytes.
std::string valid_utf8(std::string_view text);

/// Bytes as lower-case hexadecimal digits, and back; pairs that are not hexadecimal digits are left out.
std::string to_hex(std::string_view bytes);
std::string from_hex(std::string_view digits);

/// The text with '?' in place of control characters, which a terminal would obey.
std::string printable(std::string_view text);

/// In quotation marks, cut to a length that fits into a sentence; control bytes become '?'.
std::string in_quotes(std::string_view text, std::size_t limit = 40);

}  // namespace helix
