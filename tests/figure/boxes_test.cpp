// Boxes as rectangles: rows, columns and grids, wide and on a phone.
#include "figure/boxes.h"

#include "tests/figure/drawings.h"
#include "tests/figure/samples.h"

namespace boxes_test {

using namespace helix;
using namespace helix::figure;
using namespace helix::testing;
using Catch::Approx;

namespace {

/// "f…" prefer 50 and do not grow; "a" and all others prefer 100 and grow.
Wish wish(const std::string& id, float) { return id.starts_with("f") ? Wish{50, 50, false} : Wish{100, 40, true}; }

std::vector<Placed> placed(const Box& box, float width, float height) {
  return place(box, {0, 0, width, height}, wish);
}

float height_of(const Box& box, float width) { return wish_of(box, width, width < kNarrow, wish).height; }

void check_apart(const std::vector<Placed>& all, float width, float height) {
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Rect& a = all[i].rect;
    CAPTURE(all[i].panel, a.x, a.y, a.w, a.h, width, height);
    CHECK((a.x >= 0 && a.y >= 0 && a.right() <= width + 0.01f && a.bottom() <= height + 0.01f));
    for (std::size_t k = 0; k < i; ++k) CHECK(!overlap(a, all[k].rect));
  }
}

}  // namespace

TEST_CASE("a row shares its width: equal parts, named parts, bounds", "[figure][boxes]") {
  const auto equal = placed(row({panel("a"), panel("b"), panel("c")}), 928, 300);
  REQUIRE(equal.size() == 3);
  for (const Placed& p : equal) CHECK((p.rect.w == Approx(300) && p.rect.h == 300 && p.rect.y == 0));
  CHECK(equal[1].rect.x == Approx(equal[0].rect.right() + kGap));
  check_apart(equal, 928, 300);
  const auto shares = placed(row({panel("a"), panel("b", 0.25f), panel("c", 0.5f)}), 828, 300);
  CHECK(shares[0].rect.w == Approx(200));
  CHECK(shares[1].rect.w == Approx(200));
  CHECK(shares[2].rect.w == Approx(400));
  const auto side = [](float width) {
    return placed(row({panel("a"), panel("b", 0.36f, 190, 420)}), width, 300)[1].rect.w;
  };
  CHECK(side(600) == Approx(0.36f * 586));
  CHECK(side(560) == Approx(0.36f * 546));
  CHECK(side(1600) == 420);
  CHECK(placed(row({panel("a"), panel("b", 0.2f, 190, 190)}), 600, 300)[1].rect.w == 190);
  // More than the available width: nothing leaves the row.
  check_apart(placed(row({panel("a", 0.9f), panel("b", 0.9f), panel("c")}), 700, 300), 700, 300);
}

TEST_CASE("a row without room for its panels is wrapped, as in half of a comparison", "[figure][boxes]") {
  const Box maps = row({panel("a"), panel("b"), panel("c", 0.9f, 240, 420)});
  const auto whole = placed(maps, 960, 400);  // beside each other
  CHECK((whole[0].rect.y == 0 && whole[1].rect.y == 0 && whole[2].rect.y == 0));
  const auto half = placed(row({maps, panel("other", 0.5f)}), 960, 400);
  REQUIRE(half.size() == 4);
  const float width = half[3].rect.x - kGap;
  CHECK((half[0].rect.y == half[1].rect.y && half[0].rect.w == Approx((width - kGap) / 2)));
  CHECK((half[2].rect.y > half[0].rect.bottom() && half[2].rect.w == Approx(width)));  // the last one fills its line
  CHECK(half[2].rect.h > 150);                                                         // its bounds were for its width
  check_apart(half, 960, 400);
  const auto two = placed(row({row({panel("a"), panel("b", 0.3f)}), panel("other", 0.5f)}), 960, 400);
  CHECK((two[1].rect.y > two[0].rect.bottom() && two[0].rect.w == two[1].rect.w));
  Box kept = kept_row({panel("a"), panel("b"), panel("c"), panel("d")});
  for (const Placed& p : placed(kept, 580, 400)) CHECK(p.rect.y == 0);
}

TEST_CASE("on a phone a row is a column, unless it says otherwise", "[figure][boxes]") {
  Box pair = row({panel("a"), panel("b")});
  const auto narrow = placed(pair, 390, 400);
  CHECK(narrow[0].rect.w == 390);
  CHECK(narrow[1].rect.x == 0);
  CHECK(narrow[1].rect.y == Approx(narrow[0].rect.bottom() + kGap));
  CHECK(height_of(pair, 390) == 200 + kGap);
  CHECK(height_of(pair, 800) == 100);
  pair.stays_row = true;
  CHECK(placed(pair, 390, 400)[1].rect.y == 0);
  CHECK(height_of(pair, 390) == 100);
}

TEST_CASE("a column gives each its height, and the rest to those that grow", "[figure][boxes]") {
  const Box box = column({panel("a"), panel("fixed"), panel("b")});
  CHECK(height_of(box, 800) == 250 + 2 * kGap);
  const auto wide = placed(box, 800, 450 + 2 * kGap);
  CHECK(wide[0].rect.h == Approx(200));
  CHECK(wide[1].rect.h == 50);
  CHECK(wide[2].rect.h == Approx(200));
  check_apart(wide, 800, 450 + 2 * kGap);
  const auto low = placed(box, 800, 150 + 2 * kGap);
  CHECK(low[0].rect.h == Approx(50));
  CHECK(low[1].rect.h == 50);  // what does not grow shrinks last
  const auto none = placed(box, 800, 40 + 2 * kGap);
  check_apart(none, 800, 40 + 2 * kGap);
  for (const Placed& p : none) CHECK(p.rect.h > 0);
  // In a column, bounds limit a child's height.
  const auto bounded = placed(column({panel("a", 0, 0, 60), panel("b"), panel("fixed", 0, 80, 0)}), 800, 600);
  CHECK(bounded[0].rect.h == 60);
  CHECK(bounded[2].rect.h == 80);
}

TEST_CASE("spare height goes where it is of use", "[figure][boxes]") {
  // "m" grows up to 150, "s" stretches to 90 only where the growing ones leave something.
  const auto some = [](const std::string& id, float width) {
    if (id.starts_with("m")) return Wish{100, 40, true, 0, 150};
    return id.starts_with("s") ? Wish{50, 50, false, 0, 90} : wish(id, width);
  };
  const auto heights = [&](const Box& box, float height) {
    std::vector<float> out;
    for (const Placed& p : place(box, {0, 0, 800, height}, some)) out.push_back(p.rect.h);
    return out;
  };
  using Heights = std::vector<float>;
  const Box two = column({panel("m"), panel("s")});
  CHECK(heights(two, 150 + kGap) == Heights{100, 50});
  CHECK(heights(two, 180 + kGap) == Heights{130, 50});
  CHECK(heights(two, 220 + kGap) == Heights{150, 70});
  CHECK(heights(two, 900) == Heights{150, 90});  // and the rest stays empty
  CHECK(heights(column({panel("m"), panel("a")}), 500 + kGap) == Heights{150, 350});
  CHECK(heights(column({panel("f"), panel("s")}), 500) == Heights{50, 90});
  // A row can use what its tallest can, a column the sum.
  CHECK(heights(column({row({panel("m"), panel("f")}), panel("a")}), 500 + kGap) == Heights{150, 150, 350});
  CHECK(heights(column({row({panel("m"), panel("a")}), panel("a")}), 500 + kGap) == Heights{250, 250, 250});
  CHECK(heights(column({column({panel("m"), panel("s")}), panel("s")}), 900) == Heights{150, 90, 90});
}

TEST_CASE("where there is no room for all, nothing shrinks below what can be read while something else can give way",
          "[figure][boxes]") {
  const WishOf wish_of_two = [](const std::string& id, float) {
    return id == "map" ? Wish{400, 160, true} : Wish{300, 100, false};
  };
  const Box box = column({panel("map"), panel("plot"), panel("list")});
  const auto heights_in = [&](float room) {
    std::vector<float> all;
    for (const Placed& p : place(box, {0, 0, 390, room + 2 * kGap}, wish_of_two)) all.push_back(p.rect.h);
    return all;
  };
  CHECK(heights_in(1000) == std::vector<float>{400, 300, 300});
  CHECK(heights_in(900) == std::vector<float>{300, 300, 300});
  CHECK(heights_in(760) == std::vector<float>{160, 300, 300});
  CHECK(heights_in(560) == std::vector<float>{160, 200, 200});
  CHECK(heights_in(360) == std::vector<float>{160, 100, 100});
  CHECK(heights_in(180) == std::vector<float>{80, 50, 50});
  const auto all =
      place(column({panel("map", 0, 240), panel("plot"), panel("list")}), {0, 0, 390, 440 + 2 * kGap}, wish_of_two);
  CHECK(all[0].rect.h == 240);  // what a box asks for is its least
}

TEST_CASE("a grid has as many columns as there is room for, and rows of one height", "[figure][boxes]") {
  std::vector<Box> eight;
  for (int i = 0; i < 8; ++i) eight.push_back(panel((i == 1 ? "f" : "p") + std::to_string(i)));
  const auto columns = [&](float width, int asked) {
    const auto all = placed(grid(eight, asked), width, 900);
    REQUIRE(all.size() == 8);
    check_apart(all, width, 900);
    int in_first_row = 0;
    for (const Placed& p : all) in_first_row += p.rect.y == 0;
    for (const Placed& p : all) {
      CHECK(p.rect.w == Approx(all[0].rect.w));
      if (p.rect.y == 0) CHECK(p.rect.h == all[0].rect.h);
    }
    return in_first_row;
  };
  CHECK(columns(1280, 4) == 4);
  CHECK(columns(1280, 0) == 5);
  CHECK(columns(2600, 0) == 8);
  CHECK(columns(800, 4) == 3);
  CHECK(columns(390, 4) == 1);
  CHECK(columns(100, 0) == 1);
  CHECK(height_of(grid(eight, 4), 1280) == 200 + kGap);
  CHECK(height_of(grid(eight, 4), 390) == 750 + 7 * kGap);
  Box small = grid(eight, 4);
  small.least = 80;  // small multiples stay side by side on a phone
  CHECK(placed(small, 390, 400)[3].rect.y == 0);
  CHECK(placed(grid({}), 390, 400).empty());
}

TEST_CASE("boxes lie in boxes, and all of them on the page", "[figure][boxes]") {
  const Box box = column({row({panel("a"), column({panel("b"), panel("f1")}, 0.36f, 190, 420)}), panel("f2"),
                          grid({panel("c"), panel("d"), panel("e")}, 2)});
  for (const float width : {1280.0f, 600.0f, 559.0f, 320.0f}) {
    const float height = height_of(box, width);
    const auto all = placed(box, width, height);
    REQUIRE(all.size() == 7);
    check_apart(all, width, height);
    for (const Placed& p : all) CHECK(p.rect.h >= 40);
  }
}

TEST_CASE("a figure without boxes has its panels below each other", "[figure][boxes]") {
  Figure f = sample();
  f.root = {Box::Kind::column};
  const Drawing d = drawn(f, 1280);
  REQUIRE(d.blocks.size() == 4);
  for (std::size_t i = 1; i < 4; ++i) CHECK(d.blocks[i].rect.y > d.blocks[i - 1].rect.bottom());
  f.root = panel("helix");
  CHECK(drawn(f, 1280).blocks.size() == 1);
  f.root = row({panel("helix"), panel("of another figure")});
  CHECK(drawn(f, 1280).blocks.size() == 1);
}

}  // namespace boxes_test
