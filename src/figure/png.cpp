#include "figure/png.h"

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "base/crc32.h"

namespace helix::figure {
namespace {

using Bytes = std::vector<std::byte>;

void put(Bytes& out, unsigned byte) { out.push_back(static_cast<std::byte>(byte)); }

void put_big(Bytes& out, std::uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) put(out, (value >> shift) & 0xFF);
}

void put_little16(Bytes& out, std::uint32_t value) { put(out, value & 0xFF), put(out, (value >> 8) & 0xFF); }

void chunk(Bytes& out, std::string_view name, const Bytes& content) {
  put_big(out, static_cast<std::uint32_t>(content.size()));
  const std::size_t from = out.size();
  for (const char c : name) put(out, static_cast<unsigned char>(c));
  out.insert(out.end(), content.begin(), content.end());
  put_big(out, crc32(std::span(out).subspan(from)));
}

std::uint32_t adler32(const Bytes& data) {
  std::uint32_t a = 1, b = 0;
  for (const std::byte x : data) {
    a = (a + static_cast<std::uint32_t>(x)) % 65521;
    b = (b + a) % 65521;
  }
  return b << 16 | a;
}

/// A zlib stream of stored blocks (RFC 1950, 1951).
Bytes stored(const Bytes& data) {
  constexpr std::size_t most = 65535;
  Bytes out;
  put(out, 0x78), put(out, 0x01);
  std::size_t at = 0;
  do {
    const std::size_t n = std::min(most, data.size() - at);
    put(out, at + n == data.size() ? 1 : 0);
    put_little16(out, static_cast<std::uint32_t>(n)), put_little16(out, ~static_cast<std::uint32_t>(n) & 0xFFFF);
    out.insert(out.end(), data.begin() + static_cast<std::ptrdiff_t>(at),
               data.begin() + static_cast<std::ptrdiff_t>(at + n));
    at += n;
  } while (at < data.size());
  put_big(out, adler32(data));
  return out;
}

}  // namespace

Bytes to_png(const Shades& shades, const Palette& palette, std::size_t first_row, std::size_t rows,
             std::size_t first_col, std::size_t cols) {
  Bytes out;
  for (const unsigned byte : {0x89u, 0x50u, 0x4Eu, 0x47u, 0x0Du, 0x0Au, 0x1Au, 0x0Au}) put(out, byte);
  Bytes header, colours, lines;
  put_big(header, static_cast<std::uint32_t>(cols)), put_big(header, static_cast<std::uint32_t>(rows));
  for (const unsigned byte : {8u, 3u, 0u, 0u, 0u}) put(header, byte);  // 8 bits, indexed, the only methods defined
  for (const Rgba& c : palette) put(colours, c.r), put(colours, c.g), put(colours, c.b);
  lines.reserve(rows * (cols + 1));
  for (std::size_t i = first_row; i < first_row + rows; ++i) {
    put(lines, 0);  // filter type: none
    for (std::size_t j = first_col; j < first_col + cols; ++j) put(lines, shades(i, j));
  }
  chunk(out, "IHDR", header);
  chunk(out, "PLTE", colours);
  if (palette[0].a != 255) chunk(out, "tRNS", {static_cast<std::byte>(palette[0].a)});
  chunk(out, "IDAT", stored(lines));
  chunk(out, "IEND", {});
  return out;
}

std::string to_base64(const Bytes& bytes) {
  constexpr char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t left = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t three = 0;
    for (std::size_t k = 0; k < 3; ++k) three = three << 8 | (k < left ? static_cast<std::uint32_t>(bytes[i + k]) : 0);
    for (std::size_t k = 0; k < 4; ++k) out += k <= left ? digits[three >> (18 - 6 * k) & 63] : '=';
  }
  return out;
}

}  // namespace helix::figure
