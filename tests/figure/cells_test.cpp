// Matrices: their shades, their layout with labels, and the pictures they become in a file.
#include <algorithm>

#include "base/text.h"
#include "figure/layout.h"
#include "figure/png.h"
#include "figure/svg.h"
#include "figure/table.h"
#include "tests/figure/xml_check.h"
#include "tests/support.h"

using namespace helix;
using namespace helix::figure;
using Catch::Approx;
using helix::testing::xml_problem;

namespace {

std::vector<std::string> words(std::size_t n) {
  const std::vector<std::string> some{"The",  "·cat", "·sat",          "·on", "·the", "·extraordinarily",
                                      "·mat", ",",    "·Ünderstanding"};
  std::vector<std::string> out;
  for (std::size_t i = 0; i < n; ++i) out.push_back(some[i % some.size()]);
  return out;
}

/// Lower triangle, larger near the diagonal; nothing above it.
Heatmap causal(std::size_t n, std::size_t m = 0) {
  const std::size_t cols = m ? m : n;
  std::vector<double> values(n * cols, std::nan(""));
  for (std::size_t q = 0; q < n; ++q)
    for (std::size_t k = 0; k <= std::min(q, cols - 1); ++k)
      values[q * cols + k] = 1.0 / static_cast<double>(q - k + 1);
  Heatmap map;
  map.cells = pyramid_of(values, n, cols, map.scale);
  map.row_labels = words(n), map.col_labels = words(cols);
  map.what = "attention", map.masked = true, map.masked_label = "masked";
  return map;
}

HeadGrid heads(std::size_t layers, std::size_t count, std::size_t side) {
  HeadGrid grid;
  std::vector<double> values;
  for (std::size_t i = 0; i < layers * count * side * side; ++i) values.push_back(static_cast<double>(i % 7) / 7);
  grid.tiles = pyramid_of_tiles(values, layers, count, side, side, grid.scale);
  grid.layer = 1, grid.head = 0, grid.layer_key = "layer", grid.head_key = "head", grid.cells = side;
  return grid;
}

Figure figure_of(Heatmap map, HeadGrid grid) {
  Figure f;
  f.title = "A head", f.summary = "A summary.";
  f.panels = {{"pattern", "layer 1, head 0", std::move(map)},
              {"heads", "all heads", std::move(grid)},
              {"number", "", Headline{"62.1 %", {"goes to the token before, mean"}, true}}};
  return f;
}

Drawing drawn(const Figure& f, float width, float height, float font = 12) {
  Page page;
  page.width = width, page.height = height, page.theme.font = font;
  return layout(f, page);
}

void check_labels(const Drawing& d) {
  for (const Block& b : d.blocks) {
    if (b.panel == "number") continue;  // its lines are a study's own
    for (std::size_t i = 0; i < b.labels.size(); ++i) {
      const Rect box = label_box(b.labels[i]);
      CAPTURE(b.panel, b.labels[i].text, b.labels[i].turned, box.x, box.y, box.w, box.h, b.rect.x, b.rect.y, b.rect.w,
              b.rect.h);
      CHECK(box.x >= b.rect.x - 1);
      CHECK(box.right() <= b.rect.right() + 1);
      CHECK(box.y >= b.rect.y - 1);
      CHECK(box.bottom() <= b.rect.bottom() + 1);
      for (std::size_t k = 0; k < i; ++k) {
        CAPTURE(b.labels[k].text);
        CHECK(!overlap(box, label_box(b.labels[k])));
      }
    }
  }
}

// ---- reading a PNG back, from the specification alone

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
      CHECK(lines[i] == 0);  // not filtered
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
  // Of numbers with a sign the farther from zero counts.
  std::vector<double> both{-3, 1, 2, std::nan("")};
  both.resize(9 * 9, 0);
  CHECK((*pyramid_of(both, 9, 9, {-3, 3, true})[1])(0, 0) == shade(-3, {-3, 3, true}));
  // Tiles of odd size: each ends on a cell of its own.
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

TEST_CASE("no label of a matrix is cut or covers another", "[figure][cells]") {
  for (const std::size_t n : {1u, 2u, 5u, 18u, 40u, 100u, 333u, 1024u})
    for (const auto& [width, font] :
         std::vector<std::pair<float, float>>{{752, 12}, {1000, 12}, {362, 12}, {320, 12}, {752, 18}, {362, 18}}) {
      Figure f = figure_of(causal(n), heads(12, 12, std::min<std::size_t>(n, 24)));
      for (const Focus& focus : {Focus(), Focus::at_cell(static_cast<int>(n) - 1, static_cast<int>(n) / 2, true)}) {
        set_focus(f, focus);
        CAPTURE(n, width, font, focus.query);
        const Drawing d = drawn(f, width, preferred_height(f, width, font), font);
        check_labels(d);
        REQUIRE(d.cells.rows == static_cast<int>(n));
        CHECK(d.cells.rect.w >= std::min(64.0f * static_cast<float>(n), width * 0.3f) * 0.8f);
        const Block& b = *d.find("pattern");
        CHECK(d.cells.rect.right() <= b.rect.right() + 0.5f);
        CHECK(d.cells.rect.bottom() <= b.rect.bottom());
      }
    }
}

TEST_CASE("every cell is found where it is drawn", "[figure][cells]") {
  Figure f = figure_of(causal(30), heads(3, 4, 10));
  auto& map = std::get<Heatmap>(f.panels[0].content);
  for (const Region& region :
       {Region(), Region{5, 20, 2, 9}, Region{29, 29, 0, 0}, Region{25, 900, 0, 900}, Region{77, 80, 77, 80}}) {
    map.region = region;
    const Drawing d = drawn(f, 752, 500);
    const CellScale& c = d.cells;
    REQUIRE(c.rows > 0);
    for (int q = c.first_row; q < c.first_row + c.rows; ++q)
      for (int k = c.first_col; k < c.first_col + c.cols; ++k) {
        const Rect r = c.of(q, k);
        const auto at = c.at({r.x + r.w / 2, r.y + r.h / 2});
        REQUIRE(at);
        CHECK((at->row == q && at->col == k));
      }
    CHECK(!c.at({c.rect.x - 1, c.rect.y + 1}));
    CHECK(c.of(c.first_row - 1, c.first_col).w == 0);
    CHECK(c.nearest({-1e6f, 1e6f}).row == c.first_row + c.rows - 1);
    const Image& image = d.find("pattern")->images.front();
    CHECK(image.row == Approx(c.first_row));
    CHECK(image.cols == Approx(c.cols));
  }
  const Drawing d = drawn(f, 752, 500);
  REQUIRE(d.tiles.layers == 3);
  CHECK(d.find("heads")->images.size() == 12);
  for (int l = 0; l < 3; ++l)
    for (int h = 0; h < 4; ++h) {
      const Rect r = d.tiles.of(l, h);
      const auto at = d.tiles.at({r.x + r.w * 0.75f, r.y + r.h * 0.25f});
      REQUIRE(at);
      CHECK((at->layer == l && at->head == h));
      CHECK(at->col == Approx(0.75f).margin(0.02));
    }
  CHECK(d.tiles.of(3, 0).w == 0);
}

TEST_CASE("a long prompt is drawn with fewer cells, the largest shown", "[figure][cells]") {
  Figure f = figure_of(causal(1024), heads(12, 12, 24));
  const Drawing d = drawn(f, 752, 500);
  const Image& image = d.find("pattern")->images.front();
  CHECK(image.shades->pooled > 1);
  CHECK(static_cast<float>(image.shades->rows) <= 1.1f * d.cells.rect.h);
  const auto& labels = d.find("pattern")->labels;
  CHECK(std::any_of(labels.begin(), labels.end(),
                    [](const Label& l) { return l.text.find("largest of") != std::string::npos; }));
  std::get<Heatmap>(f.panels[0].content).region = {100, 149, 100, 149};
  CHECK(drawn(f, 752, 500).find("pattern")->images.front().shades->pooled == 1);
}

TEST_CASE("a cell in focus is lit in the matrix and in every head", "[figure][cells]") {
  Figure f = figure_of(causal(18), heads(4, 4, 18));
  const auto boxes = [](const Drawing& d, const char* panel) { return d.find(panel)->boxes.size(); };
  const Drawing before = drawn(f, 752, 500);
  set_focus(f, Focus::at_cell(7, 3));
  const Drawing after = drawn(f, 752, 500);
  CHECK(boxes(after, "pattern") > boxes(before, "pattern"));
  CHECK(boxes(after, "heads") == boxes(before, "heads") + 16);
  const auto strong = [&](const std::string& text) {
    const auto& labels = after.find("pattern")->labels;
    return std::count_if(labels.begin(), labels.end(),
                         [&](const Label& l) { return l.text == text && l.weight == Weight::strong; });
  };
  CHECK(strong(words(18)[7]) == 1);
  CHECK(strong(words(18)[3]) == 1);
  set_focus(f, Focus::at_cell(700, 300));  // of a longer prompt
  CHECK(boxes(drawn(f, 752, 500), "heads") == boxes(before, "heads"));
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

TEST_CASE("a matrix in a document is one picture, sharp and cut to what is seen", "[figure][cells]") {
  Figure f = figure_of(causal(40), heads(2, 2, 20));
  std::get<Heatmap>(f.panels[0].content).region = {10, 19, 4, 13};
  const std::string svg = to_svg(drawn(f, 752, 500), "T", "S.");
  CHECK(xml_problem(svg).empty());
  CHECK(svg.find("image-rendering=\"pixelated\"") != std::string::npos);
  CHECK(svg.find("viewBox=\"0 0 10 10\"") != std::string::npos);
  CHECK(svg.find("style=") == std::string::npos);  // the page's policy allows none
  CHECK(svg.find("rotate(-90 ") != std::string::npos);
  std::size_t pictures = 0;
  for (std::size_t at = 0; (at = svg.find("data:image/png;base64,", at)) != std::string::npos; ++at) ++pictures;
  CHECK(pictures == 5);
}

TEST_CASE("matrices of odd shapes and sizes are laid out as well", "[figure][cells]") {
  for (const auto& [rows, cols] : std::vector<std::pair<std::size_t, std::size_t>>{{1, 1}, {1, 50}, {50, 1}, {3, 200}})
    for (const float width : {1280.0f, 390.0f, 130.0f, 20.0f, 0.0f})
      for (const float height : {600.0f, 90.0f, 1.0f, 0.0f}) {
        const Drawing d = drawn(figure_of(causal(rows, cols), heads(1, 1, 1)), width, height);
        for (const Block& b : d.blocks)
          for (const Box& box : b.boxes) CHECK(std::isfinite(box.rect.x + box.rect.y + box.rect.w + box.rect.h));
      }
  CHECK(drawn(figure_of(Heatmap(), HeadGrid()), 800, 500).cells.rows == 0);
}

TEST_CASE("tables hold words as well as numbers", "[figure][cells]") {
  const Table t{"T", {{"rank", "", 0, {1, 2}}, {"token", "", 0, {}, {" a,b", "\"q\""}}, {"p", "fraction", 3, {0.5}}}};
  CHECK(row_count(t) == 2);
  CHECK(cell(t.columns[1], 1) == "\"q\"");
  CHECK(cell(t.columns[1], 2).empty());
  CHECK(to_csv(t) == "rank,token,p (fraction)\r\n1,\" a,b\",0.5\r\n2,\"\"\"q\"\"\",\r\n");
}

TEST_CASE("bars show as many as can be read and count the others", "[figure][cells]") {
  Figure f;
  Bars bars;
  bars.each = Bars::Each::item;
  for (int i = 0; i < 100; ++i) bars.bars.push_back({"·token " + std::to_string(i), 1.0 / (i + 1), "1.00 %", i == 0});
  f.panels = {{"next", "probability", bars}, {"number", "", Headline{"3.1 bits", {"entropy"}, true}}};
  for (const float width : {752.0f, 362.0f}) {
    const Drawing d = drawn(f, width, 400);
    check_labels(d);
    CHECK(d.items.size() > 10);
    CHECK(d.items.size() < 100);
    const auto& labels = d.find("next")->labels;
    CHECK(std::any_of(labels.begin(), labels.end(),
                      [](const Label& l) { return l.text.find("more, in the table") != std::string::npos; }));
    const Item* third = d.item_of(2);
    REQUIRE(third);
    CHECK(d.item_at({third->rect.x + 5, third->rect.y + third->rect.h / 2}) == third);
    CHECK(d.item_of(99) == nullptr);
  }
}
