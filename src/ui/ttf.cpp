#include "ui/ttf.h"

#include <cstdint>
#include <string_view>

namespace helix::ui {
namespace {

using Bytes = std::span<const std::byte>;

/// Big-endian; 0 beyond the end.
std::uint32_t read(Bytes font, std::size_t at, std::size_t size) {
  if (at > font.size() || size > font.size() - at) return 0;
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < size; ++i) value = value << 8 | static_cast<std::uint32_t>(font[at + i]);
  return value;
}

/// Where a table starts; 0 if the font has none.
std::size_t table(Bytes font, std::string_view tag) {
  const std::size_t count = read(font, 4, 2);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t entry = 12 + 16 * i;
    bool same = true;
    for (std::size_t k = 0; k < 4; ++k) same = same && read(font, entry + k, 1) == static_cast<unsigned char>(tag[k]);
    if (same) return read(font, entry + 8, 4);
  }
  return 0;
}

}  // namespace

float height_per_em(Bytes font) {
  const std::size_t head = table(font, "head"), hhea = table(font, "hhea");
  if (!head || !hhea) return 1;
  const auto units = read(font, head + 18, 2);
  const auto ascender = static_cast<std::int16_t>(read(font, hhea + 4, 2));
  const auto descender = static_cast<std::int16_t>(read(font, hhea + 6, 2));
  const int height = ascender - descender;
  return units && height > 0 ? static_cast<float>(height) / static_cast<float>(units) : 1;
}

}  // namespace helix::ui
