// Against the library's std::to_chars, which is exact: the same characters for numbers of every exponent.
#include "base/shortest_decimal.h"

#include <bit>
#include <catch_amalgamated.hpp>
#include <charconv>
#include <cmath>
#include <limits>

#include "base/pcg64.h"

namespace shortest_decimal_test {
using namespace helix;

template <class Real>
std::string library_text(Real value) {
  char buffer[64];
  return std::string(buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr);
}

/// Compared without CHECK, which would take most of the time.
template <class Real>
void compare(Real value, int& different) {
  if (!std::isfinite(value) || shortest_text(value) == library_text(value)) return;
  ++different;
  if (different < 5) CHECK(shortest_text(value) == library_text(value));
}

TEST_CASE("The shortest decimal of a double is the library's, for every exponent and its neighbours", "[text]") {
  int different = 0;
  Pcg64 random(1);
  for (std::uint64_t biased = 0; biased < 2047; ++biased)
    for (int i = 0; i < 40; ++i) {
      const std::uint64_t mantissa = i == 0   ? 0
                                     : i == 1 ? 1
                                     : i == 2 ? (std::uint64_t{1} << 52) - 1
                                              : random.next() >> 12;
      compare(std::bit_cast<double>(biased << 52 | mantissa), different);
    }
  CHECK(different == 0);
}

TEST_CASE("The shortest decimal of a number with few digits has just these", "[text]") {
  int different = 0;
  Pcg64 random(2);
  for (int i = 0; i < 60000; ++i) {
    const double digits = static_cast<double>(random.next() >> (12 + random.next() % 50));
    const double value = digits * std::pow(10.0, static_cast<int>(random.next() % 60) - 40);
    compare(value, different);
    compare(-value, different);
    compare(static_cast<float>(value), different);
  }
  for (int power = -30; power < 30; ++power) compare(std::pow(10.0, power), different);
  CHECK(different == 0);
}

TEST_CASE("The shortest decimal of a float is the library's", "[text]") {
  int different = 0;
  Pcg64 random(3);
  for (std::uint32_t biased = 0; biased < 255; ++biased)
    for (int i = 0; i < 300; ++i) {
      const auto mantissa = i < 3 ? static_cast<std::uint32_t>(i) : static_cast<std::uint32_t>(random.next() >> 41);
      compare(std::bit_cast<float>(biased << 23 | mantissa), different);
    }
  CHECK(different == 0);
}

TEST_CASE("Numbers at the ends of their range, and zero", "[text]") {
  CHECK(shortest_text(0.0) == "0");
  CHECK(shortest_text(-0.0) == "-0");
  CHECK(shortest_text(std::numeric_limits<double>::denorm_min()) == "5e-324");
  CHECK(shortest_text(std::numeric_limits<double>::max()) == "1.7976931348623157e+308");
  CHECK(shortest_text(std::numeric_limits<double>::min()) == "2.2250738585072014e-308");
  CHECK(shortest_text(std::numeric_limits<float>::max()) == "3.4028235e+38");
  CHECK(shortest_text(0.1f) == "0.1");
  CHECK(shortest_text(1180591620717411303424.0) == "1180591620717411303424");  // 2^70: as short, so with all its digits
  CHECK(shortest_decimal(1500.0).digits == 15);
  CHECK(shortest_decimal(1500.0).exponent == 2);
}

}  // namespace shortest_decimal_test
