// The layout of a figure: panels, their labels, what can be pointed at and dragged.
#include "figure/layout.h"

#include <algorithm>

#include "tests/figure/drawings.h"
#include "tests/figure/samples.h"

namespace layout_test {

using namespace helix;
using namespace helix::figure;
using namespace helix::testing;
using Catch::Approx;

namespace {

Drawing standing_alone(const Figure& f, float width, float height) {
  Page page;
  page.width = width, page.height = height, page.with_text = true;
  page.caption = "where from";
  return layout(f, {}, page);
}

constexpr float kWidths[] = {1280.0f, 960.0f, 560.0f, 559.0f, 390.0f, 320.0f, 130.0f, 100.0f, 20.0f, 1.0f, 0.0f};
constexpr float kHeights[] = {800.0f, 520.0f, 300.0f, 120.0f, 74.0f, 30.0f, 1.0f, 0.0f};

}  // namespace

TEST_CASE("a figure lies on its page at every size", "[figure][layout]") {
  for (const float width : kWidths)
    for (const float height : kHeights) {
      check_sane(drawn(sample(), width, height));
      check_sane(standing_alone(sample(), width, height));
    }
}

TEST_CASE("an empty figure and odd numbers are laid out as well", "[figure][layout]") {
  check_sane(drawn(Figure(), 800, 500));
  check_sane(drawn(sample(0), 800, 500));
  check_sane(drawn(sample(1), 800, 500));
  CHECK(spots_of(drawn(sample(0), 800, 500), "helix") == nullptr);
  Figure f = sample();
  auto& strip = content<Plot>(f, 3);
  auto& values = mark<Bars>(strip).values;
  values[5] = std::nan(""), values[6] = HUGE_VAL;
  strip.gestures[0].other_first = 0, strip.gestures[0].other_last = 99;
  auto& shares = mark<Bars>(content<Plot>(f, 1)).values;
  shares.assign(shares.size(), 0);
  check_sane(drawn(f, 800, 500, focused({{{"position", 7}}, true})));
}

TEST_CASE("panels do not cover each other, wide or narrow", "[figure][layout]") {
  for (const float width : {1280.0f, 600.0f, 390.0f, 320.0f}) {
    const Drawing d = drawn(sample(), width);
    REQUIRE(d.blocks.size() == 4);
    for (std::size_t i = 0; i < 4; ++i) {
      const Rect& a = d.blocks[i].rect;
      CAPTURE(width, d.blocks[i].panel);
      CHECK(a.w >= 60);
      CHECK(a.h >= 60);
      for (std::size_t k = 0; k < i; ++k) {
        const Rect& b = d.blocks[k].rect;
        CHECK((a.right() <= b.x || b.right() <= a.x || a.bottom() <= b.y || b.bottom() <= a.y));
      }
    }
    CHECK(d.find("helix") == &d.blocks[0]);
    CHECK(d.find("nothing") == nullptr);
  }
  const Drawing narrow = drawn(sample(), 390);
  CHECK(narrow.find("explained")->rect.y > narrow.find("helix")->rect.bottom());
  const Drawing wide = drawn(sample(), 1280);
  CHECK(wide.find("explained")->rect.x > wide.find("helix")->rect.right());
}

TEST_CASE("on a tall page a space stays as high as it is wide, and a low curve takes what it leaves",
          "[figure][layout]") {
  Plot low;
  low.height = 150, low.x.axis = "position", low.x.count = 3;
  low.marks = {Line{"position", 0, {2, {0, 1, 1, 2, 2, 3}}}};
  Figure f;
  f.panels = {{"space", "", Space()}, {"low", "", low}};
  const auto heights = [&](float height) {
    const Drawing d = drawn(f, 700, height);
    return std::pair(d.find("space")->rect.h, d.find("low")->rect.h);
  };
  CHECK(heights(580).second == 150);
  CHECK(heights(900).first == 700);
  CHECK(heights(900).second > 180);
  CHECK(heights(2000).second == Approx(1.8f * 150));
}

TEST_CASE("labels start inside their panel", "[figure][layout]") {
  for (const float width : {1280.0f, 390.0f}) {
    const Drawing d = drawn(sample(), width);
    for (const Block& b : d.blocks) {
      CHECK(!b.labels.empty());
      for (const Label& l : b.labels) {
        CAPTURE(b.panel, l.text, l.at.x, l.at.y);
        CHECK(!l.text.empty());
        CHECK(l.size >= 8);
        CHECK(l.at.y >= b.rect.y - 1);
        CHECK(l.at.y <= b.rect.bottom() + 1);
        if (l.anchor != Anchor::start) continue;
        CHECK(l.at.x >= b.rect.x - 1);
        CHECK(l.at.x + 0.45f * l.size * static_cast<float>(std::min<std::size_t>(l.text.size(), 4)) <=
              b.rect.right() + 8);
      }
    }
  }
}

TEST_CASE("numbers at the axes cover no title and no other number", "[figure][layout]") {
  Figure f = sample();
  for (auto& axis : content<Space>(f, 0).axes) axis.note = "14.6 %";
  ViewState view;
  for (const float width : {1280.0f, 390.0f, 320.0f})
    for (double azimuth = 0; azimuth < 360; azimuth += 17)
      for (double elevation : {-70.0, -20.0, 5.0, 20.0, 60.0}) {
        view.camera = {azimuth, elevation, 1, 0, 0};
        const Drawing d = drawn(f, width, view);
        const auto& labels = d.find("helix")->labels;
        // The legend's ends are numbers too, anchored at its edges.
        const auto is_number = [](const Label& l) {
          return l.anchor == Anchor::middle && l.text.find_first_not_of("0123456789.−") == l.text.npos;
        };
        for (std::size_t i = 0; i < labels.size(); ++i)
          for (std::size_t k = 0; k < i; ++k) {
            CAPTURE(width, azimuth, elevation, labels[i].text, labels[k].text);
            CHECK((!is_number(labels[i]) || !overlap(label_box(labels[i]), label_box(labels[k]))));
          }
      }
}

TEST_CASE("bars are as long as their numbers", "[figure][layout]") {
  const Drawing d = drawn(sample(), 1280, 800);
  const Block& b = *d.find("explained");
  const auto bars = boxes(b);
  REQUIRE(bars.size() == 4);
  CHECK(bars[1].rect.w == Approx(bars[0].rect.w / 2).epsilon(1e-4));
  CHECK(bars[2].rect.w == Approx(bars[0].rect.w / 4).epsilon(1e-4));
  CHECK(bars[3].rect.w <= 1);
  for (std::size_t i = 1; i < 4; ++i) {
    CHECK(bars[i].rect.x == bars[0].rect.x);
    CHECK(bars[i].rect.y >= bars[i - 1].rect.bottom());
  }
  CHECK(bars[0].fill == Theme().accent);
  CHECK(bars[3].fill != Theme().accent);  // not on an axis
  const auto text = std::find_if(b.labels.begin(), b.labels.end(), [](const Label& l) { return l.text == "40.0 %"; });
  REQUIRE(text != b.labels.end());
  CHECK(text->at.x > bars[0].rect.right());
  CHECK(boxes(block_of(drawn(sample(), 1280, 800, focused({{"component", 3}})), "explained"))[2].fill == Theme().warm);
}

TEST_CASE("the strip's grips stand where their positions are", "[figure][layout]") {
  const Figure f = sample(60, 20);
  for (const float width : {1280.0f, 390.0f}) {
    const Drawing d = drawn(f, width, 700);
    REQUIRE(d.grips.size() == 3);
    const Grip& first = d.grips[0];
    const auto x_middle = [&](std::size_t i) { return middle(d.grips[i].rect).x; };
    CHECK(first.part == Grip::Part::first);
    CHECK(first.axis == "position");
    CHECK(x_middle(0) == Approx(first.x_of(20)));
    CHECK(d.grips[1].part == Grip::Part::last);
    CHECK(x_middle(1) == Approx(first.x_of(79)));
    CHECK(d.grips[2].part == Grip::Part::whole);
    CHECK(d.grip_of("rows", Grip::Part::last) == &d.grips[1]);
    CHECK(d.grip_of("helix", Grip::Part::last) == nullptr);
    const Rect& strip = d.find("rows")->rect;
    REQUIRE(first.count == 100);
    for (int i = 0; i < first.count; ++i) {
      REQUIRE(first.index_at(first.x_of(i)) == i);
      REQUIRE(first.x_of(i) >= strip.x);
      REQUIRE(first.x_of(i) <= strip.right());
    }
    CHECK(first.index_at(-1e6f) == 0);
    CHECK(first.index_at(1e6f) == 99);
    const float y = d.grips[1].rect.y + 5, between = (x_middle(0) + x_middle(1)) / 2;
    CHECK(d.grip_at({x_middle(1), y}, 7) == &d.grips[1]);
    CHECK(d.grip_at({x_middle(1), y - 65}, 7) == nullptr);
    // Within a finger's reach of everything, the nearer end wins; between the ends, far from both, the whole range.
    CHECK(d.grip_at({x_middle(1) - 3, y}, 1000) == &d.grips[1]);
    CHECK(d.grip_at({x_middle(0) + 3, y}, 1000) == &d.grips[0]);
    CHECK(d.grip_at({between, y}, 22) == &d.grips[2]);
  }
  for (const int last : {1, 1023, 4095}) {
    Grip grip;
    grip.track = {6, 0, 700, 50}, grip.count = last + 1;
    for (int i = 0; i <= last; ++i) REQUIRE(grip.index_at(grip.x_of(i)) == i);
  }
  Figure close = sample();
  auto& brush = content<Plot>(close, 3).gestures[0];
  brush.first = brush.last = 50;
  const Drawing d = drawn(close, 800, 500);
  REQUIRE(d.grips.size() == 2);  // a range of one entry has no middle to grab
  CHECK(d.grip_at({d.grips[0].x_of(50), d.grips[0].rect.y + 5}, 0) != nullptr);
  CHECK(Grip().index_at(5) == 0);
}

TEST_CASE("a larger font makes the same figure larger, nothing of it cut", "[figure][layout]") {
  const Figure f = sample(60, 20);
  const ViewState view = focused({{"position", 30}});
  const Drawing usual = drawn(f, 800, 600, view), large = drawn(f, 1200, 900, view, 18);
  CHECK(large.unit == 1.5f);
  CHECK(preferred_height(f, 1200, 18) == Approx(1.5f * preferred_height(f, 800)));
  CHECK(least_height(f, 1200, 18) == Approx(1.5f * least_height(f, 800)));
  CHECK(least_height(f, 800) <= preferred_height(f, 800));
  REQUIRE(large.blocks.size() == usual.blocks.size());
  for (std::size_t i = 0; i < usual.blocks.size(); ++i) {
    const Block &a = usual.blocks[i], &b = large.blocks[i];
    CHECK(b.rect.w == Approx(1.5f * a.rect.w));
    REQUIRE(b.labels.size() == a.labels.size());
    for (std::size_t j = 0; j < a.labels.size(); ++j) {
      CHECK(b.labels[j].size == Approx(1.5f * a.labels[j].size));
      CHECK(b.labels[j].at.y == Approx(1.5f * a.labels[j].at.y));
    }
    const auto small = capsules(a), grown = capsules(b);
    REQUIRE(grown.size() == small.size());
    for (std::size_t j = 0; j < small.size(); ++j) CHECK(grown[j].radius == Approx(1.5f * small[j].radius));
    REQUIRE(rings(b).size() == rings(a).size());
    for (std::size_t j = 0; j < rings(a).size(); ++j) CHECK(rings(b)[j].radius == Approx(1.5f * rings(a)[j].radius));
  }
  const auto *at = spots_of(usual, "helix"), *larger = spots_of(large, "helix");
  REQUIRE((at && larger && at->at.size() == 60));
  for (std::size_t i = 0; i < 60; ++i) CHECK(larger->at[i].x == Approx(1.5f * at->at[i].x));
  CHECK(large.grips[0].x_of(30) == Approx(1.5f * usual.grips[0].x_of(30)));
  CHECK(large.grips[1].rect.x == Approx(1.5f * usual.grips[1].rect.x));
  // On a phone: every text inside its panel.
  for (const Block& block : drawn(f, 362, preferred_height(f, 362, 18), {}, 18).blocks)
    for (const Label& l : block.labels) {
      if (block.panel.empty() || block.panel == "number") continue;  // its lines come from the study, and may be long
      const Rect box = label_box(l);
      INFO(block.panel << ": " << l.text);
      CHECK(box.x >= block.rect.x - 8);
      CHECK(box.right() <= block.rect.right() + 8);
    }
}

TEST_CASE("the strip is as high as its values", "[figure][layout]") {
  Figure f = sample();
  auto& values = mark<Bars>(content<Plot>(f, 3)).values;
  values.assign(60, 1.0);
  values[30] = 2;
  const Drawing d = drawn(f, 1280, 700);
  const auto bars = boxes(*d.find("rows"));
  const Grip& grip = d.grips[0];
  REQUIRE(bars.size() >= 60);
  CHECK(bars[0].rect.h == Approx(grip.track.h / 2));
  CHECK(bars[30].rect.h == Approx(grip.track.h));
  CHECK(middle(bars[30].rect).x == Approx(grip.x_of(31)));
  CHECK(bars[0].rect.bottom() == Approx(grip.track.bottom()));
}

TEST_CASE("every point has its spot, in the order of positions", "[figure][layout]") {
  const Drawing d = drawn(sample(60, 20), 1280, 700);
  const Hit::Spots* spots = spots_of(d, "helix");
  REQUIRE(spots);
  CHECK(spots->axis == "position");
  CHECK(spots->first == 20);
  REQUIRE(spots->at.size() == 60);
  for (std::size_t i = 0; i < 60; ++i) {
    const Point at = spots->at[i], beside{at.x + 0.5f, at.y};
    const Point held = middle(d.rect_of({{"position", 20 + static_cast<int>(i)}}, "helix"));
    CHECK((held.x == Approx(at.x) && held.y == Approx(at.y)));
    const int index = picked(d, beside, 14).at("position");
    REQUIRE(index >= 20);
    const Point near = spots->at[static_cast<std::size_t>(index - 20)];
    for (const Point& other : spots->at)
      CHECK(std::hypot(near.x - beside.x, near.y - beside.y) <=
            std::hypot(other.x - beside.x, other.y - beside.y) + 1e-3f);
  }
  CHECK(d.rect_of({{"position", 19}}, "helix").w == 0);
  CHECK(d.rect_of({{"position", 80}}, "helix").w == 0);
  CHECK(!d.pick({-500, -500}, 14));
}

TEST_CASE("points are painted from far to near, and the focus has a ring", "[figure][layout]") {
  Figure f = sample();
  const auto ringed = [&](int position, bool locked) {
    return rings(block_of(drawn(f, 1280, 700, focused({{{"position", position}}, locked})), "helix"));
  };
  const auto hovered = ringed(10, false);
  REQUIRE(hovered.size() == 1);
  CHECK(hovered[0].centre.x == spots_of(drawn(f, 1280, 700), "helix")->at[9].x);
  CHECK(ringed(10, true)[0].width > hovered[0].width);
  CHECK(ringed(1000, true).empty());
  // Two points on one line of sight: the nearer one is painted last.
  mark<Line>(content<Space>(f, 0)).at.data = {-1, -1, 0, 1, 1, 0};
  ViewState view;
  view.camera = {45, 0, 1, 0, 0};
  const auto painted = capsules(block_of(drawn(f, 1280, 700, view), "helix"));
  REQUIRE(painted.size() >= 3);
  CHECK(painted.back().from == colour(view.map, 1, true));  // the nearer one, not faded
}

TEST_CASE("a figure that stands alone says what it is and where it comes from", "[figure][layout]") {
  const Drawing d = standing_alone(sample(), 960, 640);
  std::string all;
  for (const Label& l : d.blocks[0].labels) all += l.text + "\n";
  CHECK(all == "A title\nA subtitle\nwhere from\n");
  CHECK(d.blocks.size() == 5);
  CHECK(d.blocks[1].rect.y >= 50);
}

TEST_CASE("a percent sign stays on the line of its number", "[figure][layout]") {
  Figure f = sample();
  std::size_t lines = 0;
  for (std::size_t words = 1; words < 30; ++words) {
    f.title.clear();
    for (std::size_t i = 0; i < words; ++i) f.title += "of ";
    f.title += "13.2 % more";
    const Drawing d = standing_alone(f, 320, 640);
    for (const Label& l : d.blocks[0].labels) {
      CHECK(!l.text.starts_with("%"));
      lines += l.text.starts_with("13.2 %");
    }
  }
  CHECK(lines > 0);  // the number does go to a second line
}

TEST_CASE("a figure's panels are found by their id", "[figure]") {
  const Figure f = sample();
  CHECK(f.find("rows") == &f.panels[3]);
  CHECK(f.find("") == nullptr);
  CHECK(first_space(f) == &std::get<Space>(f.panels[0].content));
  CHECK(first_space(Figure()) == nullptr);
}

}  // namespace layout_test
