// The shortest decimal that reads back to the same binary number, and of several the closest one: Raffaello Giulietti,
// "The Schubfach way to render doubles", 2020. The library's std::to_chars writes the same characters, but brings 100 kB of
// powers of ten that hardly compress, to each of the page's modules; here they are computed when they are first needed.
#pragma once

#include <cstdint>
#include <string>

namespace helix {

/// digits · 10^exponent.
struct Decimal {
  std::uint64_t digits = 0;  // at most 17 digits, without zeros at the end
  int exponent = 0;
};

/// Of a finite number greater than zero; the double's own type decides what reads back to it.
Decimal shortest_decimal(double value);
Decimal shortest_decimal(float value);

/// The number as text, with an exponent ("1.5e-07") where that is shorter: what std::to_chars writes. Zero is "0", or "-0".
std::string shortest_text(double value);
std::string shortest_text(float value);

}  // namespace helix
