#include "ui/ttf.h"

#include "tests/support.h"

namespace ttf_test {

using namespace helix;
using Catch::Approx;

namespace {

using Bytes = std::vector<std::byte>;

void put(Bytes& out, std::uint32_t value, int size) {
  for (int k = size - 1; k >= 0; --k) out.push_back(static_cast<std::byte>(value >> (8 * k) & 0xff));
}

/// A font of two tables: head with these units per em, hhea with these heights.
Bytes font(int units, int ascender, int descender, const char* first_tag = "head") {
  Bytes out;
  put(out, 0x00010000, 4), put(out, 2, 2), put(out, 0, 4), put(out, 0, 2);
  const std::size_t head = 12 + 2 * 16, hhea = head + 20;
  for (const auto& [tag, at] : {std::pair{first_tag, head}, std::pair{"hhea", hhea}}) {
    for (int k = 0; k < 4; ++k) put(out, static_cast<unsigned char>(tag[k]), 1);
    put(out, 0, 4), put(out, static_cast<std::uint32_t>(at), 4), put(out, 20, 4);
  }
  out.resize(head + 18), put(out, static_cast<std::uint32_t>(units), 2);
  put(out, 0, 4), put(out, static_cast<std::uint32_t>(ascender) & 0xffff, 2),
      put(out, static_cast<std::uint32_t>(descender) & 0xffff, 2);
  return out;
}

}  // namespace

TEST_CASE("a font's height per em is read from its tables", "[ui][ttf]") {
  CHECK(ui::height_per_em(font(1000, 1025, -275)) == Approx(1.3));
  CHECK(ui::height_per_em(font(2048, 1900, -500)) == Approx(2400.0 / 2048));
}

TEST_CASE("a file that does not say it, or is cut off, counts as 1", "[ui][ttf]") {
  CHECK(ui::height_per_em({}) == 1);
  CHECK(ui::height_per_em(font(1000, 1025, -275, "glyf")) == 1);
  CHECK(ui::height_per_em(font(0, 1025, -275)) == 1);
  CHECK(ui::height_per_em(font(1000, -5, 5)) == 1);
  const Bytes whole = font(1000, 1025, -275);
  helix::testing::Dice dice(4);
  for (std::size_t n = 0; n < whole.size(); ++n) {
    const float height = ui::height_per_em(testing::ExactBytes(std::span(whole).first(n)).span());
    CHECK(height > 0);
    CHECK(height < 2);
  }
  for (int i = 0; i < 2000; ++i) {
    Bytes odd = whole;
    for (int k = 0; k < 3; ++k) odd[dice.below(odd.size())] = static_cast<std::byte>(dice.below(256));
    CHECK(std::isfinite(ui::height_per_em(testing::ExactBytes(odd).span())));
  }
}

}  // namespace ttf_test
