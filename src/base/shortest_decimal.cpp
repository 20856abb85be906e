#include "base/shortest_decimal.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstdio>
#include <limits>
#include <vector>

namespace helix {

namespace {

__extension__ using Wide = unsigned __int128;

// ---- powers of ten

constexpr int kLeastPower = -292, kMostPower = 324;

/// ⌊log₁₀ 2^e⌋, ⌊log₁₀ ¾·2^e⌋ and ⌊log₂ 10^e⌋, exact for every exponent of a double.
constexpr int log10_pow2(int e) { return (e * 1262611) >> 22; }
constexpr int log10_three_quarters_pow2(int e) { return (e * 1262611 - 524031) >> 22; }
constexpr int log2_pow10(int e) { return (e * 1741647) >> 19; }

/// A natural number in 32 bits each, the lowest first.
using Natural = std::vector<std::uint32_t>;

void multiply(Natural& n, std::uint32_t factor) {
  std::uint64_t carry = 0;
  for (std::uint32_t& part : n) {
    carry += std::uint64_t{part} * factor;
    part = static_cast<std::uint32_t>(carry);
    carry >>= 32;
  }
  if (carry) n.push_back(static_cast<std::uint32_t>(carry));
}

/// Rounded down.
void divide(Natural& n, std::uint32_t by) {
  std::uint64_t rest = 0;
  for (std::size_t i = n.size(); i-- > 0;) {
    rest = rest << 32 | n[i];
    n[i] = static_cast<std::uint32_t>(rest / by);
    rest %= by;
  }
  while (n.back() == 0) n.pop_back();
}

struct Leading {
  Wide bits = 0;      // the highest 128, the first of them 1
  bool more = false;  // bits below them are not all zero
};

Leading leading(const Natural& n) {
  Leading found;
  int missing = 128;
  for (std::size_t i = n.size(); i-- > 0;) {
    const int width = i + 1 == n.size() ? std::bit_width(n[i]) : 32;
    const int taken = missing < width ? missing : width;
    if (taken > 0) found.bits = found.bits << taken | n[i] >> (width - taken);
    if (taken < width) found.more |= n[i] << (32 - width + taken) != 0;
    missing -= taken;
  }
  found.bits <<= missing;
  return found;
}

/// 10^e as 128 bits, the first of them 1, rounded up. 10^e and 5^e differ by a power of two.
class Powers {
 public:
  Powers() {
    Natural power{1};
    for (int e = 0; e <= kMostPower; ++e, multiply(power, 5)) put(e, leading(power), false);
    // 2^m / 5^e rounded down, over and over, is as if it were rounded once.
    Natural inverse(36, 0);
    inverse.back() = 1;
    for (int e = -1; e >= kLeastPower; --e) {
      divide(inverse, 5);
      put(e, leading(inverse), true);
    }
  }
  Wide operator[](int e) const { return bits_[static_cast<std::size_t>(e - kLeastPower)]; }

 private:
  void put(int e, const Leading& power, bool cut) {
    bits_[static_cast<std::size_t>(e - kLeastPower)] = power.bits + (cut || power.more);
  }
  std::array<Wide, kMostPower - kLeastPower + 1> bits_{};
};

Wide power_of_ten(int e) {
  static const Powers powers;
  return powers[e];
}

// ---- one number

/// ⌊power · factor / 2^128⌋, its lowest bit set if something is left: that decides which of two decimals is closer. What the
/// power was rounded up by adds at most 1 to what is left.
std::uint64_t scaled(Wide power, std::uint64_t factor) {
  const Wide low = Wide{static_cast<std::uint64_t>(power)} * factor;
  const Wide high = Wide{static_cast<std::uint64_t>(power >> 64)} * factor + static_cast<std::uint64_t>(low >> 64);
  return static_cast<std::uint64_t>(high >> 64) | (static_cast<std::uint64_t>(high) > 1);
}

/// Of c · 2^q. `narrow`: the number below is half as far away as the one above, because c is a power of two.
Decimal shortest(std::uint64_t c, int q, bool narrow) {
  const int k = narrow ? log10_three_quarters_pow2(q) : log10_pow2(q);
  const int shift = q + log2_pow10(-k) + 1;
  const Wide power = power_of_ten(-k);
  // Four times the number and the ends of what reads back to it, in units of 10^k.
  const std::uint64_t here = scaled(power, (4 * c) << shift);
  const std::uint64_t odd = c & 1;  // the ends themselves read back to the even neighbour
  const std::uint64_t least = scaled(power, (4 * c - (narrow ? 1 : 2)) << shift) + odd;
  const std::uint64_t most = scaled(power, (4 * c + 2) << shift) - odd;
  const std::uint64_t s = here / 4, tenth = s / 10;
  if (tenth > 0) {  // with one digit fewer
    const bool below = least <= 40 * tenth, above = 40 * tenth + 40 <= most;
    if (below != above) return {tenth + above, k + 1};
  }
  const bool below = least <= 4 * s, above = 4 * s + 4 <= most;
  if (below != above) return {s + above, k};
  const std::uint64_t middle = 4 * s + 2;
  return {s + (here > middle || (here == middle && (s & 1))), k};
}

template <class Real, class Bits>
Decimal shortest_of(Real value) {
  constexpr int kMantissa = std::numeric_limits<Real>::digits - 1;
  constexpr int kLeast = std::numeric_limits<Real>::min_exponent - 1 - kMantissa;
  const Bits bits = std::bit_cast<Bits>(value);
  const Bits mantissa = bits & ((Bits{1} << kMantissa) - 1);
  const int biased = static_cast<int>(bits >> kMantissa);
  Decimal found = biased ? shortest(mantissa | Bits{1} << kMantissa, kLeast + biased - 1, mantissa == 0 && biased > 1)
                         : shortest(mantissa, kLeast, false);
  for (; found.digits % 10 == 0; ++found.exponent) found.digits /= 10;
  return found;
}

template <class Real>
std::string text_of(Real value) {
  if (value < 0 || (value == 0 && std::signbit(value))) return "-" + text_of(-value);
  if (value == 0) return "0";
  const Decimal decimal = shortest_decimal(value);
  std::string digits = std::to_string(decimal.digits);
  const int n = static_cast<int>(digits.size()), point = n + decimal.exponent, exponent = point - 1;
  const int with_point = point <= 0 ? 2 - point + n : point < n ? n + 1 : point;
  const int with_exponent = n + (n > 1) + (std::abs(exponent) < 100 ? 4 : 5);
  if (with_exponent < with_point) {
    if (n > 1) digits.insert(1, ".");
    const std::string size = std::to_string(std::abs(exponent));
    return digits + (exponent < 0 ? "e-" : "e+") + (size.size() < 2 ? "0" : "") + size;
  }
  if (point <= 0) return "0." + std::string(static_cast<std::size_t>(-point), '0') + digits;
  if (point < n) return digits.insert(static_cast<std::size_t>(point), ".");
  if (point == n) return digits;
  char whole[32];  // a whole number has all its digits, not zeros after the first seventeen
  return std::string(whole, static_cast<std::size_t>(std::snprintf(whole, sizeof whole, "%.0f", double{value})));
}

}  // namespace

Decimal shortest_decimal(double value) { return shortest_of<double, std::uint64_t>(value); }
Decimal shortest_decimal(float value) { return shortest_of<float, std::uint32_t>(value); }
std::string shortest_text(double value) { return text_of(value); }
std::string shortest_text(float value) { return text_of(value); }

}  // namespace helix
