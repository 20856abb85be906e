#include "checkpoint/sentence.h"

#include <array>
#include <cstddef>

#include "base/text.h"

namespace helix::checkpoint {

std::string byte_count(std::uint64_t bytes) {
  if (bytes < 1000) return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
  constexpr std::array<const char*, 6> kUnits = {" kB", " MB", " GB", " TB", " PB", " EB"};
  std::size_t unit = 0;
  std::uint64_t scale = 1000;
  // The next unit from 999.95 on, which would round to "1000.0".
  while (unit + 1 < kUnits.size() && bytes >= scale * 1000 - scale / 20) {
    scale *= 1000;
    ++unit;
  }
  const std::uint64_t tenths = bytes / (scale / 10) + (bytes % (scale / 10) >= scale / 20 ? 1 : 0);
  return with_thousands(static_cast<long long>(tenths / 10)) + "." + std::to_string(tenths % 10) + kUnits[unit];
}

std::string listed(std::span<const std::string> items) {
  std::string text;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i > 0) text += i + 1 == items.size() ? " and " : ", ";
    text += items[i];
  }
  return text;
}

}  // namespace helix::checkpoint
