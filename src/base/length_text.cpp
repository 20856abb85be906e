#include "base/length_text.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"

namespace helix {

std::string length_text(double value, int digits) {
  constexpr int kSignificant = 4, kMost = 12;
  const double size = std::abs(value);
  if (!(size < 1) || size == 0) return number_text(value, digits);
  const int needed = kSignificant - 1 - static_cast<int>(std::floor(std::log10(size)));
  return number_text(value, needed > kMost ? digits : std::max(digits, needed));
}

}  // namespace helix
