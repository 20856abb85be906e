// Plots over an index: curves with their names and their marker, shared windows and scales.
#include <algorithm>
#include <set>

#include "figure/ticks.h"
#include "tests/figure/drawings.h"
#include "tests/figure/samples.h"

namespace curves_test {

using namespace helix;
using namespace helix::figure;
using namespace helix::testing;
using Catch::Approx;

namespace {

Line line(const char* name, std::vector<double> values, int colour) {
  Line made{"moment", 0, over_index(std::move(values)), series(colour)};
  made.name = name;
  return made;
}

/// A curve over the moments of a training, the second of which is shown.
Plot curve(const char* what, std::size_t moments, std::vector<Line> lines) {
  std::vector<std::string> names;
  for (std::size_t t = 0; t < moments; ++t) names.push_back(std::to_string(t) + " k");
  Plot plot{over("moment", 0, static_cast<int>(moments), std::move(names)), quantity(what)};
  plot.x.title = "tokens read";
  plot.height = 160;
  for (Line& one : lines) plot.marks.push_back(std::move(one));
  plot.chosen = {{"moment", 2}};
  Gesture drag{Gesture::On::drag, {"moment"}, Gesture::Effect::set, "step={moment}", "Drag to choose the moment."};
  drag.first = 2;
  plot.gestures = {std::move(drag)};
  return plot;
}

Figure with_curves(std::size_t moments) {
  std::vector<double> up, gap;
  for (std::size_t t = 0; t < moments; ++t) {
    up.push_back(static_cast<double>(t) / static_cast<double>(moments));
    gap.push_back(t % 3 ? 0.5 : std::nan(""));
  }
  Space space = space_of({0, 0, 0, 0.1, 0.2, 0, 0.6, 0, 0}, 0);
  space.fit_to = std::get<Line>(space.marks.front()).at;
  Figure f;
  f.panels = {{"positions", "", std::move(space)},
              {"curves", "", curve("nats a token", moments, {line("new books", up, 0)})},
              {"shares", "", curve("share", moments, {line("one", up, 0), line("other", gap, 1)})}};
  f.root = column({panel("positions"), row({panel("curves"), panel("shares")})});
  return f;
}

}  // namespace

TEST_CASE("curves lie beside each other where there is room, else below", "[figure][curves]") {
  const Figure f = with_curves(12);
  for (const float width : {900.0f, 360.0f}) {
    CAPTURE(width);
    const Drawing d = drawn(f, width);
    check_sane(d);
    const Hit *first = hit_of(d, "curves"), *second = hit_of(d, "shares");
    REQUIRE((first && second));
    const Rect &a = first->rect, &b = second->rect;
    CHECK((width > 500 ? a.right() < b.x && a.y == b.y : a.bottom() < b.y));
    for (const char* id : {"curves", "shares"}) {
      const Block& block = *d.find(id);
      for (const Label& label : block.labels) {
        const Rect box = label_box(label);
        CAPTURE(label.text);
        CHECK(box.x >= block.rect.x - 1);
        CHECK(box.right() <= block.rect.right() + 1);
        CHECK(box.bottom() <= block.rect.bottom() + 1);
      }
      for (const Capsule& c : capsules(block)) CHECK((c.a.y >= block.rect.y && c.b.y <= block.rect.bottom()));
    }
    const Grip* mark = d.grip_of("shares", Grip::Part::mark);
    REQUIRE(mark);
    CHECK(picked(d, {mark->x_of(7), b.y + 5}).at("moment") == 7);
    CHECK(picked(d, {a.x + 3, a.y - 60}).nothing());
    CHECK(first->nearest({a.right() + 4000, a.y + 5}) == std::vector<Place>{{"moment", 11}});
    CHECK(mark->index_at(b.right() + 4000) == 11);
  }
}

TEST_CASE("a mouse takes the mark anywhere in a plot, a finger only near it", "[figure][curves]") {
  const Drawing d = drawn(with_curves(12), 900, 700);
  const Grip* mark = d.grip_of("curves", Grip::Part::mark);
  REQUIRE(mark);
  const float y = mark->track.y + 20;
  const Point at_mark{mark->x_of(2), y}, away{mark->x_of(9), y};
  REQUIRE(d.grip_at(at_mark, 7));
  CHECK(!d.grip_at(at_mark, 7)->broad);
  REQUIRE(d.grip_at(away, 7));
  CHECK(d.grip_at(away, 7)->part == Grip::Part::mark);
  CHECK(d.grip_at(away, 7)->axis == "moment");
  CHECK(d.grip_at(away, 22, true) == nullptr);
  CHECK(d.grip_at(at_mark, 22, true) != nullptr);
}

TEST_CASE("ticks have as many digits as their step", "[figure][curves]") {
  const Drawing d = drawn(with_curves(3), 900, 700);
  std::set<std::string> ticks;
  for (const Label& label : d.find("positions")->labels) ticks.insert(label.text);
  CHECK(ticks.contains("0.6"));  // in floating point, three times 0.2 is slightly more
  for (const std::string& text : ticks) CHECK(text.size() < 12);
}

TEST_CASE("a quantity's side ends at ticks", "[figure][curves]") {
  for (const double low : {-0.2, -0.17, 0.0, 3.1})
    for (const double span : {0.12, 0.21, 1.0, 6.66, 40.0})
      for (const int count : {2, 3, 5}) {
        const Domain d = nice_domain(Scale(), {low, low + span}, count);
        const auto marks = ticks(Scale(), d.low, d.high, count);
        CAPTURE(low, span, count, d.low, d.high);
        REQUIRE(marks.size() >= 2);
        CHECK(marks.front().value == Approx(d.low).margin(1e-9));
        CHECK(marks.back().value == Approx(d.high).margin(1e-9));
      }
}

TEST_CASE("a few entries have a tick each where there is room", "[figure][curves]") {
  const auto ticks_of = [](int count, float width) {
    Plot plot{over("layer", 0, count), quantity("share")};
    plot.marks = {Line{"layer", 0, over_index(std::vector<double>(static_cast<std::size_t>(count), 0.5)), series(0)}};
    Figure f;
    f.panels = {{"plot", "", std::move(plot)}};
    std::set<int> marks;
    const Drawing d = drawn(f, width, 300);
    for (const Label& label : d.find("plot")->labels)
      if (label.anchor != Anchor::end && label.text.find_first_not_of("0123456789") == label.text.npos)
        marks.insert(std::stoi(label.text));
    return marks;
  };
  CHECK(ticks_of(7, 400) == std::set{0, 1, 2, 3, 4, 5, 6});
  CHECK(ticks_of(12, 200).size() < 12);
  CHECK(ticks_of(12, 200).contains(11));
}

TEST_CASE("in a square plot one unit is as long along both axes, wide or high", "[figure][curves]") {
  for (const auto& [width, height] : {std::pair(700.0f, 300.0f), std::pair(390.0f, 700.0f)}) {
    Plot plot{quantity(""), quantity("")};
    plot.x.quiet = plot.y.quiet = plot.square = true;
    plot.x.low = plot.y.low = -1, plot.x.high = plot.y.high = 1;
    plot.marks = {Arrow{{0, 0}, {1, 0}, "", series(0)}, Arrow{{0, 0}, {0, 1}, "", series(0)}};
    Figure f;
    f.panels = {{"circle", "", std::move(plot)}};
    const Drawing d = drawn(f, width, height);
    float across = 0, up = 0;
    for (const Capsule& c : capsules(block_of(d, "circle")))
      across = std::max(across, std::abs(c.a.x - c.b.x)), up = std::max(up, std::abs(c.a.y - c.b.y));
    CHECK(across > 50);
    CHECK(across == Approx(up).epsilon(0.05));
  }
}

TEST_CASE("names of lines never lie on each other, and those left out are counted", "[figure][curves]") {
  for (const std::size_t count : {2u, 5u, 9u, 40u})
    for (const float width : {900.0f, 362.0f, 240.0f}) {
      std::vector<Line> lines;
      for (std::size_t i = 0; i < count; ++i)  // all end at the same height
        lines.push_back(line("previous-token head", {0.1 * static_cast<double>(i), 0.2, 0.3}, static_cast<int>(i)));
      Figure f;
      f.panels = {{"curves", "", curve("share", 3, std::move(lines))}};
      for (const Focus& focus : {Focus(), Focus{{"moment", 1}}}) {
        const Drawing d = drawn(f, width, 160, focused(focus));
        CAPTURE(count, width, focus.nothing());
        check_labels(d);
        const auto& labels = d.find("curves")->labels;
        const auto named =
            std::count_if(labels.begin(), labels.end(), [](const Label& l) { return l.text.starts_with("prev"); });
        CHECK(named >= 2);
        if (static_cast<std::size_t>(named) == count) continue;
        CHECK(has_label(*d.find("curves"), "and " + std::to_string(count - static_cast<std::size_t>(named)) + " more"));
      }
    }
}

TEST_CASE("a line's name has its value at the focus, else at the mark", "[figure][curves]") {
  Figure f;
  f.panels = {{"curves", "", curve("share", 4, {line("one", {-0.1, 0.25, 0.5, std::nan("")}, 0)})}};
  const auto says = [&](const Focus& focus, const char* text) {
    return has_label(block_of(drawn(f, 800, 160, focused(focus)), "curves"), text);
  };
  CHECK(says({}, "one  0.50"));
  CHECK(says({{"moment", 1}}, "one  0.25"));
  CHECK(says({{"moment", 0}}, "one  −0.10"));
  CHECK(says({{"moment", 3}}, "one  –"));
  content<Plot>(f, 0).chosen.clear();
  CHECK(!says({}, "one  "));
}

TEST_CASE("a line goes where its numbers are, with a gap where there is none", "[figure][curves]") {
  Figure f;
  f.panels = {{"curves", "", curve("share", 5, {line("", {0, 0.5, 1, std::nan(""), 0.5}, 0)})}};
  f.panels[0].content = [&] {
    Plot plot = std::get<Plot>(f.panels[0].content);
    plot.y.low = 0, plot.y.high = 1, plot.chosen.clear();
    return plot;
  }();
  const Drawing d = drawn(f, 800, 160);
  const Hit* hit = hit_of(d, "curves");
  REQUIRE(hit);
  const auto pieces = capsules(*d.find("curves"));
  REQUIRE(pieces.size() == 2);
  CHECK(pieces[0].a.y == Approx(hit->rect.bottom()));
  CHECK(pieces[0].b.y == Approx(middle(hit->rect).y));
  CHECK(pieces[1].b.y == Approx(hit->rect.y));
  CHECK(pieces[1].b.x == Approx(middle(hit->rect).x));
}

TEST_CASE("lines beyond the colours are told apart by dashes", "[figure][curves]") {
  Figure f;
  f.panels = {{"curves", "", curve("share", 2, {line("", {0, 1}, 0)})}};
  const auto pieces = [&](int which) {
    mark<Line>(content<Plot>(f, 0)).ink = series(which);
    return capsules(block_of(drawn(f, 800, 160), "curves"));
  };
  const auto first = pieces(0), seventh = pieces(6);
  CHECK(first[0].from == seventh[0].from);
  CHECK(seventh.size() > first.size() + 20);
}

TEST_CASE("the part of an axis that is shown is the same in every panel over it", "[figure][curves]") {
  const Figure f = with_curves(12);
  ViewState view;
  view.show({"moment", 3, 6});
  const Drawing d = drawn(f, 900, 700, view);
  for (const char* id : {"curves", "shares"}) {
    const Hit* hit = hit_of(d, id);
    REQUIRE(hit);
    CHECK(hit->x.first == 3);
    CHECK(hit->x.count == 4);
    const Block& block = *d.find(id);
    CHECK((has_label(block, "3 k") && has_label(block, "6 k")));
    CHECK((!has_label(block, "0 k") && !has_label(block, "7 k")));
    for (const Capsule& c : capsules(block))
      if (c.a.x <= hit->rect.right()) CHECK((c.a.x >= hit->rect.x && c.b.x <= hit->rect.right()));
    CHECK(d.rect_of({{"moment", 2}}, id).w == 0);
    CHECK(d.rect_of({{"moment", 3}}, id).x == Approx(hit->rect.x));
  }
  // A window outside the axis, or with its ends swapped, shows the whole axis.
  for (const Window& odd : {Window{"moment", 50, 60}, Window{"moment", 6, 3}, Window{"position", 3, 4}}) {
    ViewState other;
    other.show(odd);
    CHECK(hit_of(drawn(f, 900, 700, other), "shares")->x.count == 12);
  }
}

TEST_CASE("plots of one width over one axis have areas of one width", "[figure][curves]") {
  Figure f = with_curves(12);
  const auto area = [&](const char* id, float width) { return hit_of(drawn(f, width, 900), id)->rect; };
  CHECK(area("curves", 390).x == area("shares", 390).x);
  for (const float width : {390.0f, 900.0f}) CHECK(area("curves", width).w == area("shares", width).w);
  std::get<Plot>(f.panels[2].content).x.axis = "layer";
  for (const float width : {390.0f, 900.0f}) CHECK(area("curves", width).w != area("shares", width).w);
}

TEST_CASE("scales of one id have one domain", "[figure][curves]") {
  Figure f;
  f.panels = {{"small", "", curve("share", 2, {line("", {0, 1}, 0)})},
              {"large", "", curve("share", 2, {line("", {0, 10}, 0)})}};
  f.root = row({panel("small"), panel("large")});
  const auto height = [&](const char* id) {
    const Drawing d = drawn(f, 900, 300);
    const auto pieces = capsules(block_of(d, id));
    return (pieces[0].a.y - pieces[0].b.y) / hit_of(d, id)->rect.h;
  };
  CHECK(height("small") == Approx(1).margin(1e-4));
  for (Panel& p : f.panels) std::get<Plot>(p.content).y.id = "share";
  CHECK(height("small") == Approx(0.1).margin(1e-4));
  CHECK(height("large") == Approx(1).margin(1e-4));
  CHECK(has_label(block_of(drawn(f, 900, 300), "small"), "10"));
}

}  // namespace curves_test
