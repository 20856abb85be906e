// Numbers as shades, pooled for small sizes, and as images in a file.
#include "figure/shades.h"

#include "figure/png.h"
#include "tests/support.h"

namespace shades_test {

using namespace helix;
using namespace helix::figure;

namespace {

// ---- a PNG decoder, written from the specification alone

std::uint32_t big(const std::vector<std::byte>& b, std::size_t at) {
  std::uint32_t v = 0;
  for (std::size_t i = 0; i < 4; ++i) v = v << 8 | static_cast<std::uint32_t>(b[at + i]);
  return v;
}

/// CRC-32 bit by bit, without a table.
std::uint32_t slow_crc(const std::vector<std::byte>& b, std::size_t from, std::size_t count) {
  std::uint32_t crc = ~0u;
  for (std::size_t i = from; i < from + count; ++i)
    for (int bit = 0; bit < 8; ++bit) {
      const std::uint32_t in = (static_cast<std::uint32_t>(b[i]) >> bit) & 1;
      crc = ((crc ^ in) & 1) ? (crc >> 1) ^ 0xEDB88320u : crc >> 1;
    }
  return ~crc;
}

struct Picture {
  std::uint32_t width = 0, height = 0;
  std::vector<Rgba> pixels;
};

Picture decoded(const std::vector<std::byte>& file) {
  Picture p;
  std::vector<Rgba> palette;
  std::vector<std::byte> stream;
  REQUIRE(file.size() > 8);
  for (std::size_t at = 8; at < file.size();) {
    const std::size_t length = big(file, at);
    std::string name;
    for (std::size_t i = 0; i < 4; ++i) name += static_cast<char>(file[at + 4 + i]);
    REQUIRE(at + 12 + length <= file.size());
    CHECK(big(file, at + 8 + length) == slow_crc(file, at + 4, length + 4));
    const std::size_t from = at + 8;
    if (name == "IHDR") p.width = big(file, from), p.height = big(file, from + 4);
    if (name == "PLTE")
      for (std::size_t i = 0; i < length; i += 3)
        palette.push_back({static_cast<std::uint8_t>(file[from + i]), static_cast<std::uint8_t>(file[from + i + 1]),
                           static_cast<std::uint8_t>(file[from + i + 2])});
    if (name == "IDAT")
      stream.insert(stream.end(), file.begin() + static_cast<std::ptrdiff_t>(from),
                    file.begin() + static_cast<std::ptrdiff_t>(from + length));
    at += 12 + length;
  }
  std::vector<std::uint8_t> lines;
  std::size_t at = 2;  // the zlib header
  CHECK((static_cast<int>(stream[0]) * 256 + static_cast<int>(stream[1])) % 31 == 0);
  for (bool last = false; !last;) {
    last = stream[at] == std::byte{1};
    const std::size_t n = static_cast<std::size_t>(stream[at + 1]) | static_cast<std::size_t>(stream[at + 2]) << 8;
    const std::size_t inverse = static_cast<std::size_t>(stream[at + 3]) | static_cast<std::size_t>(stream[at + 4])
                                                                               << 8;
    REQUIRE((n ^ inverse) == 0xFFFF);
    for (std::size_t i = 0; i < n; ++i) lines.push_back(static_cast<std::uint8_t>(stream[at + 5 + i]));
    at += 5 + n;
  }
  std::uint32_t a = 1, b = 0;
  for (const std::uint8_t x : lines) a = (a + x) % 65521, b = (b + a) % 65521;
  CHECK(big(stream, at) == (b << 16 | a));
  REQUIRE(lines.size() == p.height * (p.width + 1));
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (i % (p.width + 1))
      p.pixels.push_back(palette[lines[i]]);
    else
      CHECK(lines[i] == 0);  // filter type: none
  }
  return p;
}

Palette rainbow() {
  Palette p;
  for (std::size_t i = 0; i < p.size(); ++i)
    p[i] = {static_cast<std::uint8_t>(i), static_cast<std::uint8_t>(255 - i), static_cast<std::uint8_t>(i / 2)};
  return p;
}

}  // namespace

TEST_CASE("a shade says where a number lies, and that there is none", "[figure][cells]") {
  const ShadeScale plain{0, 1, false}, signed_scale{-2, 2, true};
  CHECK(shade(0, plain) == 1);
  CHECK(shade(1, plain) == 255);
  CHECK(shade(7, plain) == 255);
  CHECK(shade(-7, plain) == 1);
  CHECK(shade(0, signed_scale) == 128);
  CHECK(shade(std::nan(""), plain) == 0);
  CHECK(shade(-HUGE_VAL, signed_scale) == 0);
  CHECK(shade(HUGE_VAL, plain) == 255);
  CHECK(scale_of(std::vector<double>{-1, 3, std::nan("")}, true).low == -3);
  CHECK(scale_of(std::vector<double>{2, 3, HUGE_VAL}, false).low == 0);
  CHECK(scale_of(std::vector<double>{}, false).high > 0);
}

TEST_CASE("pooling keeps the brightest cell, and mixes no tiles", "[figure][cells]") {
  std::vector<double> values(20 * 20, 0.1);
  values[7 * 20 + 13] = 0.9;
  const Pyramid p = pyramid_of(values, 20, 20, {0, 1, false});
  REQUIRE(p.size() == 3);
  CHECK(p[1]->rows == 10);
  CHECK(p[1]->pooled == 2);
  CHECK((*p[1])(3, 6) == shade(0.9, {0, 1, false}));
  CHECK((*p[1])(3, 7) == shade(0.1, {0, 1, false}));
  CHECK((*p[2])(1, 3) == shade(0.9, {0, 1, false}));
  CHECK(finest_for(p, 20, 100) == p[0]);
  CHECK(finest_for(p, 20, 10) == p[1]);
  CHECK(finest_for(p, 20, 1) == p[2]);
  // For signed numbers, the one farther from zero counts.
  std::vector<double> both{-3, 1, 2, std::nan("")};
  both.resize(9 * 9, 0);
  CHECK((*pyramid_of(both, 9, 9, {-3, 3, true})[1])(0, 0) == shade(-3, {-3, 3, true}));
  // Tiles of odd size: the last row and column of each become cells of their own.
  std::vector<double> tiles(2 * 3 * 9 * 9, 0.0);
  tiles[8 * 9 + 8] = 1;  // the last cell of the first tile
  const Pyramid t = pyramid_of_tiles(tiles, 2, 3, 9, 9, {0, 1, false});
  CHECK(t[0]->width() == 27);
  REQUIRE(t.size() == 2);
  CHECK(t[1]->rows == 5);
  CHECK(t[1]->width() == 15);
  CHECK((*t[1])(4, 4) == 255);
  CHECK((*t[1])(4, 5) == 1);
  CHECK((*t[1])(5, 4) == 1);
  CHECK(pyramid_of({}, 5, 5, {}).front()->data.empty());
  CHECK(pyramid_of({}, 0, 0, {}).front()->data.empty());
}

TEST_CASE("the picture of a matrix is a PNG that says the same", "[figure][cells]") {
  const Palette palette = rainbow();
  Shades shades;
  shades.rows = 300, shades.cols = 400;  // more than one stored block
  for (std::size_t i = 0; i < 300 * 400; ++i) shades.data.push_back(static_cast<std::uint8_t>(i * 7 % 256));
  for (const auto& [row, rows, col, cols] :
       std::vector<std::array<std::size_t, 4>>{{0, 300, 0, 400}, {10, 1, 20, 3}, {299, 1, 399, 1}}) {
    const Picture p = decoded(to_png(shades, palette, row, rows, col, cols));
    REQUIRE(p.width == cols);
    REQUIRE(p.height == rows);
    bool same = true;
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t j = 0; j < cols; ++j) same = same && p.pixels[i * cols + j] == palette[shades(row + i, col + j)];
    CHECK(same);
  }
  const auto base64 = [](std::string_view text) {
    std::vector<std::byte> bytes;
    for (const char c : text) bytes.push_back(static_cast<std::byte>(c));
    return to_base64(bytes);
  };
  CHECK(base64("").empty());
  CHECK(base64("f") == "Zg==");
  CHECK(base64("fo") == "Zm8=");
  CHECK(base64("foo") == "Zm9v");
  CHECK(base64("foob") == "Zm9vYg==");
}

}  // namespace shades_test
