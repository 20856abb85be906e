#include "figure/layout.h"

#include <algorithm>
#include <set>

#include "base/text.h"
#include "figure/svg.h"
#include "figure/table.h"
#include "tests/figure/xml_check.h"
#include "tests/support.h"

using namespace helix;
using namespace helix::figure;
using Catch::Approx;
using helix::testing::xml_problem;

namespace {

Figure sample(int n = 60, int first = 1) {
  Path3 path;
  path.first = first;
  for (int i = 0; i < n; ++i) path.points.push_back({2 * std::cos(0.2 * i), 2 * std::sin(0.2 * i), 0.05 * i - 1});
  path.axis_labels = {"PC1", "PC2", "PC3"};
  path.axis_notes = {"33.7 %", "", "20 %"};
  Bars bars{
      "share",
      {{"1", 0.4, "40.0 %", true}, {"2", 0.2, "20.0 %", true}, {"3", 0.1, "10.0 %", false}, {"4", 0, "0 %", false}}};
  Headline headline{"91.06 %", {"in three components", "3 components reach 90 %", "3.02 turns"}, true};
  Profile profile;
  profile.first = first, profile.axis_last = 99, profile.what = "distance";
  for (int i = 0; i < n; ++i) profile.values.push_back(0.5 + 0.4 * std::sin(0.3 * i));
  profile.range_first = first, profile.range_last = first + n - 1;
  Figure f;
  f.title = "A title", f.subtitle = "A subtitle", f.summary = "A summary.";
  f.panels = {
      {"helix", "", path}, {"explained", "share of variance", bars}, {"number", "", headline}, {"rows", "", profile}};
  return f;
}

Drawing drawn(const Figure& f, float width, float height, bool with_text = false) {
  Page page;
  page.width = width, page.height = height, page.with_text = with_text;
  page.caption = "where from";
  return layout(f, page);
}

/// Every coordinate is a number; every block lies on the page and is no less than empty.
void check_sane(const Drawing& d) {
  const auto number = [](float x) { return std::isfinite(x); };
  const auto point = [&](Point p) { return number(p.x) && number(p.y); };
  const auto rect = [&](Rect r) { return number(r.x) && number(r.y) && number(r.w) && number(r.h); };
  for (const Block& b : d.blocks) {
    CAPTURE(b.panel, b.rect.x, b.rect.y, b.rect.w, b.rect.h, d.width, d.height);
    CHECK(rect(b.rect));
    CHECK(b.rect.w >= 0);
    CHECK(b.rect.h >= 0);
    CHECK(b.rect.x >= 0);
    CHECK(b.rect.y >= 0);
    CHECK(b.rect.right() <= d.width + 0.01f);
    CHECK(b.rect.bottom() <= d.height + 0.01f);
    bool numbers = true;
    for (const Capsule& c : b.capsules) numbers = numbers && point(c.a) && point(c.b) && number(c.radius);
    for (const Box& box : b.boxes) numbers = numbers && rect(box.rect);
    for (const Ring& r : b.rings) numbers = numbers && point(r.centre);
    for (const Label& l : b.labels) numbers = numbers && point(l.at) && number(l.size);
    CHECK(numbers);
  }
  for (const Spot& s : d.spots) CHECK(point(s.at));
  for (const Handle& h : d.handles) CHECK(rect(h.rect));
}

}  // namespace

TEST_CASE("a figure lies on its page at every size", "[figure][layout]") {
  for (const float width : {1280.0f, 960.0f, 560.0f, 559.0f, 390.0f, 320.0f, 130.0f, 100.0f, 20.0f, 1.0f, 0.0f})
    for (const float height : {800.0f, 520.0f, 300.0f, 120.0f, 74.0f, 30.0f, 1.0f, 0.0f})
      for (const bool with_text : {false, true}) check_sane(drawn(sample(), width, height, with_text));
}

TEST_CASE("an empty figure and odd numbers are laid out as well", "[figure][layout]") {
  check_sane(drawn(Figure(), 800, 500));
  check_sane(drawn(sample(0), 800, 500));
  check_sane(drawn(sample(1), 800, 500));
  CHECK(drawn(sample(0), 800, 500).spots.empty());
  Figure f = sample();
  auto& profile = std::get<Profile>(f.panels[3].content);
  profile.values[5] = std::nan(""), profile.values[6] = HUGE_VAL;
  profile.focus = {7, true};
  profile.fit_first = 0, profile.fit_last = 99;
  auto& bars = std::get<Bars>(f.panels[1].content);
  for (auto& bar : bars.bars) bar.value = 0;
  check_sane(drawn(f, 800, 500));
}

TEST_CASE("panels do not cover each other, wide or narrow", "[figure][layout]") {
  for (const float width : {1280.0f, 600.0f, 390.0f, 320.0f}) {
    const Drawing d = drawn(sample(), width, preferred_height(width));
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
  const Drawing narrow = drawn(sample(), 390, preferred_height(390));
  CHECK(narrow.find("explained")->rect.y > narrow.find("helix")->rect.bottom());
  const Drawing wide = drawn(sample(), 1280, preferred_height(1280));
  CHECK(wide.find("explained")->rect.x > wide.find("helix")->rect.right());
}

TEST_CASE("labels start inside their panel", "[figure][layout]") {
  for (const float width : {1280.0f, 390.0f}) {
    const Drawing d = drawn(sample(), width, preferred_height(width), false);
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
  auto& path = std::get<Path3>(f.panels[0].content);
  for (auto& note : path.axis_notes) note = "14.6 %";
  for (const float width : {1280.0f, 390.0f, 320.0f})
    for (double azimuth = 0; azimuth < 360; azimuth += 17)
      for (double elevation : {-70.0, -20.0, 5.0, 20.0, 60.0}) {
        path.camera = {azimuth, elevation, 1, 0, 0};
        const Drawing d = drawn(f, width, preferred_height(width), false);
        const auto& labels = d.find("helix")->labels;
        // The legend's ends are numbers too, at its edges.
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
  REQUIRE(b.boxes.size() == 4);
  CHECK(b.boxes[1].rect.w == Approx(b.boxes[0].rect.w / 2).epsilon(1e-4));
  CHECK(b.boxes[2].rect.w == Approx(b.boxes[0].rect.w / 4).epsilon(1e-4));
  CHECK(b.boxes[3].rect.w <= 1);
  for (std::size_t i = 1; i < 4; ++i) {
    CHECK(b.boxes[i].rect.x == b.boxes[0].rect.x);
    CHECK(b.boxes[i].rect.y >= b.boxes[i - 1].rect.bottom());
  }
  CHECK(b.boxes[0].fill == Theme().accent);
  CHECK(b.boxes[2].fill != Theme().accent);
  const auto text = std::find_if(b.labels.begin(), b.labels.end(), [](const Label& l) { return l.text == "40.0 %"; });
  REQUIRE(text != b.labels.end());
  CHECK(text->at.x > b.boxes[0].rect.right());
}

TEST_CASE("the strip's handles stand where their positions are", "[figure][layout]") {
  const Figure f = sample(60, 20);
  for (const float width : {1280.0f, 390.0f}) {
    const Drawing d = drawn(f, width, 700);
    REQUIRE(d.handles.size() == 3);
    const auto middle = [&](std::size_t i) { return d.handles[i].rect.x + d.handles[i].rect.w / 2; };
    CHECK(d.handles[0].which == Handle::Which::first);
    CHECK(middle(0) == Approx(d.scale.x_of(20)));
    CHECK(d.handles[1].which == Handle::Which::last);
    CHECK(middle(1) == Approx(d.scale.x_of(79)));
    CHECK(d.handles[2].which == Handle::Which::whole);
    const Rect& strip = d.find("rows")->rect;
    for (int i = 0; i <= d.scale.last; ++i) {
      REQUIRE(d.scale.index_at(d.scale.x_of(i)) == i);
      REQUIRE(d.scale.x_of(i) >= strip.x);
      REQUIRE(d.scale.x_of(i) <= strip.right());
    }
    CHECK(d.scale.index_at(-1e6f) == 0);
    CHECK(d.scale.index_at(1e6f) == 99);
    CHECK(d.handle_at({middle(1), d.handles[1].rect.y + 5}, 7) == &d.handles[1]);
    CHECK(d.handle_at({middle(1), d.handles[1].rect.y - 60}, 7) == nullptr);
    // Within a finger's reach of everything, the nearer end is meant; between them, far from both, the whole.
    const float y = d.handles[1].rect.y + 5, between = (middle(0) + middle(1)) / 2;
    CHECK(d.handle_at({middle(1) - 3, y}, 1000) == &d.handles[1]);
    CHECK(d.handle_at({middle(0) + 3, y}, 1000) == &d.handles[0]);
    CHECK(d.handle_at({between, y}, 22) == &d.handles[2]);
  }
  for (const int last : {1, 1023, 4095}) {
    IndexScale scale{{6, 0, 700, 50}, last};
    for (int i = 0; i <= last; ++i) REQUIRE(scale.index_at(scale.x_of(i)) == i);
  }
  Figure close = sample();
  std::get<Profile>(close.panels[3].content).range_first = std::get<Profile>(close.panels[3].content).range_last = 50;
  const Drawing d = drawn(close, 800, 500);
  REQUIRE(d.handles.size() == 2);  // no middle to take where there is none
  CHECK(d.handle_at({d.scale.x_of(50), d.handles[0].rect.y + 5}, 0) != nullptr);
  CHECK(IndexScale().index_at(5) == 0);
}

TEST_CASE("a larger font makes the same figure larger, nothing of it cut", "[figure][layout]") {
  const Figure f = sample(60, 20);
  Page page;
  page.width = 800, page.height = 600;
  const Drawing usual = layout(f, page);
  page.width = 1200, page.height = 900, page.theme.font = 18;
  const Drawing large = layout(f, page);
  CHECK(large.unit == 1.5f);
  CHECK(preferred_height(1200, 18) == Approx(1.5f * preferred_height(800)));
  REQUIRE(large.blocks.size() == usual.blocks.size());
  for (std::size_t i = 0; i < usual.blocks.size(); ++i) {
    const Block &a = usual.blocks[i], &b = large.blocks[i];
    CHECK(b.rect.w == Approx(1.5f * a.rect.w));
    REQUIRE(b.labels.size() == a.labels.size());
    for (std::size_t j = 0; j < a.labels.size(); ++j) {
      CHECK(b.labels[j].size == Approx(1.5f * a.labels[j].size));
      CHECK(b.labels[j].at.y == Approx(1.5f * a.labels[j].at.y));
    }
    REQUIRE(b.capsules.size() == a.capsules.size());
    for (std::size_t j = 0; j < a.capsules.size(); ++j)
      CHECK(b.capsules[j].radius == Approx(1.5f * a.capsules[j].radius));
  }
  for (std::size_t i = 0; i < usual.spots.size(); ++i) CHECK(large.spots[i].at.x == Approx(1.5f * usual.spots[i].at.x));
  CHECK(large.scale.x_of(30) == Approx(1.5f * usual.scale.x_of(30)));
  CHECK(large.handles[1].rect.x == Approx(1.5f * usual.handles[1].rect.x));
  // On a phone: every text inside its panel.
  page.width = 362, page.height = preferred_height(362, 18);
  for (const Block& block : layout(f, page).blocks)
    for (const Label& l : block.labels) {
      if (block.panel.empty() || block.panel == "number") continue;  // its lines are a study's own, as long as it likes
      const float width = text_width(l.text, l.size);
      const float left = l.anchor == Anchor::start ? l.at.x
                         : l.anchor == Anchor::end ? l.at.x - width
                                                   : l.at.x - width / 2;
      INFO(block.panel << ": " << l.text);
      CHECK(left >= block.rect.x - 8);
      CHECK(left + width <= block.rect.right() + 8);
    }
}

TEST_CASE("the strip is as high as its values", "[figure][layout]") {
  Figure f = sample();
  auto& profile = std::get<Profile>(f.panels[3].content);
  profile.values.assign(60, 1.0);
  profile.values[30] = 2;
  const Drawing d = drawn(f, 1280, 700);
  const auto& boxes = d.find("rows")->boxes;
  REQUIRE(boxes.size() >= 60);
  CHECK(boxes[0].rect.h == Approx(d.scale.rect.h / 2));
  CHECK(boxes[30].rect.h == Approx(d.scale.rect.h));
  CHECK(boxes[30].rect.x + boxes[30].rect.w / 2 == Approx(d.scale.x_of(31)));
  CHECK(boxes[0].rect.bottom() == Approx(d.scale.rect.bottom()));
}

TEST_CASE("every point has its spot, in the order of positions", "[figure][layout]") {
  const Drawing d = drawn(sample(60, 20), 1280, 700);
  REQUIRE(d.spots.size() == 60);
  for (std::size_t i = 0; i < 60; ++i) {
    CHECK(d.spots[i].index == 20 + static_cast<int>(i));
    CHECK(d.spot_of(d.spots[i].index) == &d.spots[i]);
    const Spot* near = d.spot_near({d.spots[i].at.x + 0.5f, d.spots[i].at.y}, 14);
    REQUIRE(near);
    for (const Spot& other : d.spots)
      CHECK(std::hypot(near->at.x - d.spots[i].at.x - 0.5f, near->at.y - d.spots[i].at.y) <=
            std::hypot(other.at.x - d.spots[i].at.x - 0.5f, other.at.y - d.spots[i].at.y) + 1e-3f);
  }
  CHECK(d.spot_of(19) == nullptr);
  CHECK(d.spot_of(80) == nullptr);
  CHECK(d.spot_near({-500, -500}, 14) == nullptr);
}

TEST_CASE("points are painted from far to near, and the focus has a ring", "[figure][layout]") {
  Figure f = sample();
  auto& path = std::get<Path3>(f.panels[0].content);
  path.focus = {10, false};
  const Drawing d = drawn(f, 1280, 700);
  const Block& b = *d.find("helix");
  REQUIRE(b.rings.size() == 1);
  CHECK(b.rings[0].centre.x == d.spot_of(10)->at.x);
  path.focus = {10, true};
  CHECK(drawn(f, 1280, 700).find("helix")->rings[0].width > b.rings[0].width);
  path.focus = {1000, true};
  CHECK(drawn(f, 1280, 700).find("helix")->rings.empty());
  // Two points on one line of sight: the nearer is painted last.
  path.points = {{-1, -1, 0}, {1, 1, 0}};
  path.camera = {45, 0, 1, 0, 0};
  const Drawing two = drawn(f, 1280, 700);
  const auto& capsules = two.find("helix")->capsules;
  REQUIRE(capsules.size() >= 3);
  CHECK(capsules.back().from == colour(path.map, 1, true));  // the nearer, undimmed
}

TEST_CASE("a figure that stands alone says what it is and where it comes from", "[figure][layout]") {
  const Drawing d = drawn(sample(), 960, 640, true);
  std::string all;
  for (const Label& l : d.blocks[0].labels) all += l.text + "\n";
  CHECK(all == "A title\nA subtitle\nwhere from\n");
  CHECK(d.blocks.size() == 5);
  CHECK(d.blocks[1].rect.y >= 50);
}

TEST_CASE("steps of an axis are 1, 2 or 5 times a power of ten", "[figure][layout]") {
  CHECK(nice_step(10, 10) == Approx(1));
  CHECK(nice_step(1023, 6) == Approx(200));
  CHECK(nice_step(3.1, 2) == Approx(2));
  CHECK(nice_step(0.9, 2) == Approx(0.5));
  CHECK(nice_step(9, 1) == Approx(10));
  helix::testing::Dice dice(1);
  for (int i = 0; i < 200; ++i) {
    const double span = std::pow(10, dice.between(-12, 12));
    const int count = 1 + static_cast<int>(dice.below(10));
    const double step = nice_step(span, count), lead = step / std::pow(10, std::floor(std::log10(step) + 1e-9));
    CHECK((lead == Approx(1) || lead == Approx(2) || lead == Approx(5)));
    CHECK(span / step >= count / 2.0);
    CHECK(span / step <= count * 2.0);
  }
  for (const double span : {0.0, -1.0, HUGE_VAL, std::nan("")}) CHECK(nice_step(span, 3) == 1);
}

// ---- colours

TEST_CASE("colour maps run from end to end, and grow lighter on the way", "[figure][theme]") {
  CHECK(colour(ColourMap::viridis, 0, false) == Rgba{68, 1, 84});
  CHECK(colour(ColourMap::viridis, 1, false) == Rgba{253, 231, 37});
  CHECK(colour(ColourMap::cividis, 0, false) == Rgba{0, 34, 78});
  CHECK(colour(ColourMap::cividis, 1, false) == Rgba{254, 232, 56});
  CHECK(colour(ColourMap::jet, 0, true) == Rgba{0, 0, 128});
  CHECK(colour(ColourMap::jet, 1, true) == Rgba{128, 0, 0});
  const auto luminance = [](Rgba c) {
    const auto linear = [](double x) { return std::pow(x / 255, 2.2); };
    return 0.2126 * linear(c.r) + 0.7152 * linear(c.g) + 0.0722 * linear(c.b);
  };
  for (const ColourMap map : {ColourMap::viridis, ColourMap::cividis})
    for (const bool dark : {false, true})
      for (int i = 1; i <= 100; ++i)
        CHECK(luminance(colour(map, i / 100.0, dark)) >= luminance(colour(map, (i - 1) / 100.0, dark)) - 1e-3);
  for (const ColourMap map : {ColourMap::viridis, ColourMap::cividis}) {
    CHECK(luminance(colour(map, 0, true)) > luminance(colour(map, 0, false)) * 1.2);
    CHECK(colour(map, 1, true) == colour(map, 1, false));
    CHECK(colour(map, -5, true) == colour(map, 0, true));
    CHECK(colour(map, 5, true) == colour(map, 1, true));
  }
  CHECK(mix({0, 0, 0}, {100, 200, 50}, 0.5) == Rgba{50, 100, 25});
  CHECK(mix({200, 0, 0}, {100, 0, 0}, 1) == Rgba{100, 0, 0});
}

TEST_CASE("text can be read on its ground, in both themes", "[figure][theme]") {
  const auto linear = [](double x) {
    return x <= 0.04045 * 255 ? x / 255 / 12.92 : std::pow((x / 255 + 0.055) / 1.055, 2.4);
  };
  const auto luminance = [&](Rgba c) { return 0.2126 * linear(c.r) + 0.7152 * linear(c.g) + 0.0722 * linear(c.b); };
  const auto contrast = [&](Rgba a, Rgba b) {
    const double x = luminance(a), y = luminance(b);
    return (std::max(x, y) + 0.05) / (std::min(x, y) + 0.05);
  };
  for (const Theme& t : {Theme(), Theme::light()}) {
    CHECK(contrast(t.text, t.background) >= 7);
    CHECK(contrast(t.mute, t.background) >= 4.5);
    CHECK(contrast(t.accent, t.background) >= 3);
    CHECK(contrast(t.warm, t.background) >= 3);
  }
  CHECK(Theme().dark);
  CHECK(!Theme::light().dark);
}

// ---- documents

TEST_CASE("the SVG is well-formed, whatever the texts say", "[figure][svg]") {
  const std::string hostile = "<script>alert(\"1\")</script> & ]]> ' \x01\x1f\n\t é 🧬";
  Figure f = sample();
  f.title = f.subtitle = hostile;
  std::get<Path3>(f.panels[0].content).axis_labels = {hostile, hostile, hostile};
  std::get<Bars>(f.panels[1].content).bars[0].label = hostile;
  f.panels[1].title = hostile;
  std::get<Headline>(f.panels[2].content).number = hostile;
  for (const bool with_text : {false, true}) {
    const std::string svg =
        to_svg(drawn(f, 960, 640, with_text), hostile, hostile, {{"link", hostile}, {"provenance", ""}});
    CHECK(xml_problem(svg) == "");
    CHECK(svg.find("<script>") == std::string::npos);
    CHECK(svg.find("&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; ]]&gt;") != std::string::npos);
    CHECK(svg.find("🧬") != std::string::npos);
  }
  CHECK(xml_problem(to_svg({}, "", "")) == "");
  const std::string cut = to_svg({}, "a model named \xC3\x28\xFF", "");
  CHECK(cut.find("named \xEF\xBF\xBD(\xEF\xBF\xBD<") != std::string::npos);
  // The checker is worth something:
  for (const char* wrong :
       {"", "<a>", "<a></b>", "<a b=c/>", "<a b=\"<\"/>", "<a>&</a>", "<a/><b/>", "<a b=\"1\" b=\"2\"/>", "x<a/>"})
    CHECK(xml_problem(wrong) != "");
}

TEST_CASE("the SVG shows what the drawing holds", "[figure][svg]") {
  const Drawing d = drawn(sample(), 960, 640);
  const std::string svg = to_svg(d, "A title", "What it shows", {{"link", "#v=1&x=2"}});
  const auto count = [&](std::string_view what) {
    std::size_t n = 0;
    for (std::size_t at = svg.find(what); at != std::string::npos; at = svg.find(what, at + 1)) ++n;
    return n;
  };
  std::size_t discs = 0, lines = 0, boxes = 0, labels = 0, rings = 0;
  for (const Block& b : d.blocks) {
    boxes += b.boxes.size(), labels += b.labels.size(), rings += b.rings.size();
    for (const Capsule& c : b.capsules) (c.a.x == c.b.x && c.a.y == c.b.y ? discs : lines) += 1;
  }
  CHECK(count("<circle") == discs + rings);
  CHECK(count("<path") == lines);
  CHECK(count("<rect") == boxes + d.blocks.size());  // and a clip each
  CHECK(count("<text") == labels);
  CHECK(svg.find("viewBox=\"0 0 960 640\"") != std::string::npos);
  CHECK(svg.find("<title>A title</title>") != std::string::npos);
  CHECK(svg.find("<desc>What it shows</desc>") != std::string::npos);
  CHECK(svg.find("#v=1&amp;x=2") != std::string::npos);
  CHECK(svg.find("id=\"helix\"") != std::string::npos);
}

// ---- tables

TEST_CASE("tables as text and as CSV", "[figure][table]") {
  const Table table{
      "T", {{"position", "", 0, {1, 2}}, {"share, of \"all\"", "fraction", 2, {0.123456, std::nan(""), -0.001}}}};
  CHECK(row_count(table) == 3);
  CHECK(heading(table.columns[0]) == "position");
  CHECK(heading(table.columns[1]) == "share, of \"all\" (fraction)");
  CHECK(cell(table.columns[0], 1) == "2");
  CHECK(cell(table.columns[0], 2) == "");
  CHECK(cell(table.columns[1], 0) == "0.12");
  CHECK(cell(table.columns[1], 1) == "nan");
  CHECK(cell(table.columns[1], 2) == "0.00");
  CHECK(to_csv(table) == "position,\"share, of \"\"all\"\" (fraction)\"\r\n1,0.123456\r\n2,nan\r\n,-0.001\r\n");
  CHECK(row_count({}) == 0);
}

TEST_CASE("a figure's panels are found by their id", "[figure]") {
  const Figure f = sample();
  CHECK(f.find("rows") == &f.panels[3]);
  CHECK(f.find("") == nullptr);
}

namespace {

Figure with_curves(std::size_t moments) {
  Curves c;
  c.moment_name = "tokens read";
  c.mark = 2, c.mark_key = "step";
  for (std::size_t t = 0; t < moments; ++t) c.moments.push_back(std::to_string(t) + " k");
  std::vector<double> up, gap;
  for (std::size_t t = 0; t < moments; ++t) {
    up.push_back(static_cast<double>(t) / static_cast<double>(moments));
    gap.push_back(t % 3 ? 0.5 : std::nan(""));
  }
  c.plots = {{"nats a token", 0, 10, {{"new books", up, 2}}}, {"share", 0, 1, {{"one", up, 2}, {"other", gap, 2}}}};
  Path3 path;
  path.points = {{0, 0, 0}, {0.1, 0.2, 0}, {0.6, 0, 0}};
  path.extent = 0.65;
  Figure f;
  f.panels = {{"positions", "", path}, {"curves", "", c}};
  return f;
}

}  // namespace

TEST_CASE("curves lie beside each other where there is room, else below", "[layout]") {
  const Figure f = with_curves(12);
  for (const float width : {900.0f, 360.0f}) {
    CAPTURE(width);
    const Drawing d = drawn(f, width, preferred_height(f, width));
    check_sane(d);
    REQUIRE(d.moments.size() == 2);
    const Rect &a = d.moments[0].rect, &b = d.moments[1].rect;
    CHECK((width > 500 ? a.right() < b.x && a.y == b.y : a.bottom() < b.y && a.x == b.x));
    const Block& block = *d.find("curves");
    for (const Label& label : block.labels) {
      const Rect box = label_box(label);
      CAPTURE(label.text);
      CHECK(box.x >= block.rect.x - 1);
      CHECK(box.right() <= block.rect.right() + 1);
      CHECK(box.bottom() <= block.rect.bottom() + 1);
    }
    for (const Capsule& c : block.capsules) CHECK((c.a.y >= block.rect.y && c.b.y <= block.rect.bottom()));
    CHECK(d.moment_at({d.moments[1].x_of(7), b.y + 5}) == 7);
    CHECK(d.moment_at({a.x + 3, a.y - 60}) == -1);
    CHECK(d.moment_at({a.right() + 4000, a.y + 5}, true) == 11);
  }
}

TEST_CASE("a mouse takes the mark anywhere in a plot, a finger only near it", "[layout]") {
  const Drawing d = drawn(with_curves(12), 900, 700);
  const IndexScale& plot = d.moments[0];
  const Point at_mark{plot.x_of(2), plot.rect.y + 20}, away{plot.x_of(9), plot.rect.y + 20};
  REQUIRE(d.handle_at(at_mark, 7));
  CHECK(!d.handle_at(at_mark, 7)->broad);
  REQUIRE(d.handle_at(away, 7));
  CHECK(d.handle_at(away, 7)->which == Handle::Which::moment);
  CHECK(d.handle_at(away, 22, true) == nullptr);
  CHECK(d.handle_at(at_mark, 22, true) != nullptr);
}

TEST_CASE("ticks have as many digits as their step", "[layout]") {
  const Drawing d = drawn(with_curves(3), 900, 700);
  std::set<std::string> ticks;
  for (const Label& label : d.find("positions")->labels) ticks.insert(label.text);
  CHECK(ticks.contains("0.6"));  // three times 0.2 is a little more
  for (const std::string& text : ticks) CHECK(text.size() < 12);
}
