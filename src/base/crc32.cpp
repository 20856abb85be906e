#include "base/crc32.h"

#include <array>

namespace helix {

std::uint32_t crc32(std::span<const std::byte> data, std::uint32_t before) {
  static constexpr auto table = [] {
    std::array<std::uint32_t, 256> t{};
    for (std::uint32_t i = 0; i < 256; ++i) {
      std::uint32_t c = i;
      for (int bit = 0; bit < 8; ++bit) c = (c >> 1) ^ (c & 1 ? 0xEDB88320u : 0u);
      t[i] = c;
    }
    return t;
  }();
  std::uint32_t crc = ~before;
  for (const std::byte b : data) crc = (crc >> 8) ^ table[(crc ^ static_cast<std::uint32_t>(b)) & 0xFF];
  return ~crc;
}

}  // namespace helix
