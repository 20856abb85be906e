// Helpers for tests of figures: all shapes of a block over its layers, and checks that everything lies in its place.
#pragma once

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

#include "figure/layout.h"
#include "tests/support.h"

namespace helix::testing {

template <class Shape>
std::vector<Shape> all_of(const figure::Block& block, std::vector<Shape> figure::Layer::* shapes) {
  std::vector<Shape> all;
  for (const figure::Layer& layer : block.layers) all.insert(all.end(), (layer.*shapes).begin(), (layer.*shapes).end());
  return all;
}
inline auto capsules(const figure::Block& b) { return all_of(b, &figure::Layer::capsules); }
inline auto boxes(const figure::Block& b) { return all_of(b, &figure::Layer::boxes); }
inline auto rings(const figure::Block& b) { return all_of(b, &figure::Layer::rings); }
inline auto images(const figure::Block& b) { return all_of(b, &figure::Layer::images); }
inline auto clouds(const figure::Block& b) { return all_of(b, &figure::Layer::clouds); }

inline const figure::Block& block_of(const figure::Drawing& d, std::string_view panel) {
  const figure::Block* block = d.find(panel);
  REQUIRE(block);
  return *block;
}

inline figure::Drawing drawn(const figure::Figure& f, float width, float height, const ViewState& view = {},
                             float font = 12) {
  figure::Page page;
  page.width = width, page.height = height, page.theme.font = font;
  return figure::layout(f, view, page);
}

/// Drawn at its preferred height.
inline figure::Drawing drawn(const figure::Figure& f, float width, const ViewState& view = {}) {
  return drawn(f, width, figure::preferred_height(f, width), view);
}

inline ViewState focused(Focus focus) {
  ViewState view;
  view.focus = std::move(focus);
  return view;
}

/// The first hit of a panel; nullptr: none.
inline const figure::Hit* hit_of(const figure::Drawing& d, std::string_view panel) {
  for (const figure::Hit& hit : d.hits)
    if (hit.panel == panel) return &hit;
  return nullptr;
}

inline const figure::Hit::Spots* spots_of(const figure::Drawing& d, std::string_view panel) {
  for (const figure::Hit& hit : d.hits)
    if (hit.panel == panel && hit.spots) return &*hit.spots;
  return nullptr;
}

/// The places at a point, as a focus.
inline Focus picked(const figure::Drawing& d, figure::Point p, float reach = 0) {
  Focus focus;
  if (const auto found = d.pick(p, reach))
    for (const Place& place : found->places) focus.set(place.axis, place.index);
  return focus;
}

inline figure::Point middle(const figure::Rect& r) { return {r.x + r.w / 2, r.y + r.h / 2}; }

inline bool has_label(const figure::Block& b, std::string_view part) {
  return std::any_of(b.labels.begin(), b.labels.end(),
                     [&](const figure::Label& l) { return l.text.find(part) != std::string::npos; });
}

/// Whether "nan" occurs in a text as a word: not in "dominant".
inline bool says_nan(std::string_view text) {
  const auto letter = [&](std::size_t i) {
    return i < text.size() && std::isalpha(static_cast<unsigned char>(text[i]));
  };
  for (std::size_t at = 0; (at = text.find("nan", at)) != std::string_view::npos; at += 3)
    if (!letter(at - 1) && !letter(at + 3)) return true;
  return false;
}

/// Every coordinate is a number; every block lies on the page and has no negative size.
inline void check_sane(const figure::Drawing& d) {
  const auto number = [](float x) { return std::isfinite(x); };
  const auto point = [&](figure::Point p) { return number(p.x) && number(p.y); };
  const auto rect = [&](figure::Rect r) { return number(r.x) && number(r.y) && number(r.w) && number(r.h); };
  for (const figure::Block& b : d.blocks) {
    CAPTURE(b.panel, b.rect.x, b.rect.y, b.rect.w, b.rect.h, d.width, d.height);
    CHECK(rect(b.rect));
    CHECK(b.rect.w >= 0);
    CHECK(b.rect.h >= 0);
    CHECK(b.rect.x >= 0);
    CHECK(b.rect.y >= 0);
    CHECK(b.rect.right() <= d.width + 0.01f);
    CHECK(b.rect.bottom() <= d.height + 0.01f);
    bool numbers = true;
    for (const auto& c : capsules(b)) numbers = numbers && point(c.a) && point(c.b) && number(c.radius);
    for (const auto& box : boxes(b)) numbers = numbers && rect(box.rect);
    for (const auto& r : rings(b)) numbers = numbers && point(r.centre);
    for (const auto& i : images(b)) numbers = numbers && rect(i.rect) && number(i.col + i.row + i.cols + i.rows);
    for (const auto& c : clouds(b))
      numbers = numbers && point(c.projection.centre) && std::isfinite(c.projection.scale);
    for (const auto& l : b.labels) numbers = numbers && point(l.at) && number(l.size);
    CHECK(numbers);
  }
  for (const figure::Hit& hit : d.hits) {
    CHECK(rect(hit.rect));
    if (hit.spots) CHECK(std::all_of(hit.spots->at.begin(), hit.spots->at.end(), point));
  }
  for (const figure::Grip& g : d.grips) CHECK((rect(g.rect) && rect(g.track)));
}

/// No label of these panels is cut off by its panel or overlaps another.
inline void check_labels(const figure::Drawing& d, float slack = 1) {
  for (const figure::Block& b : d.blocks) {
    if (b.panel == "number") continue;  // its lines come from the study
    for (std::size_t i = 0; i < b.labels.size(); ++i) {
      const figure::Rect box = label_box(b.labels[i]);
      CAPTURE(b.panel, b.labels[i].text, b.labels[i].turned, box.x, box.y, box.w, box.h, b.rect.x, b.rect.y, b.rect.w,
              b.rect.h);
      CHECK(box.x >= b.rect.x - slack);
      CHECK(box.right() <= b.rect.right() + slack);
      CHECK(box.y >= b.rect.y - slack);
      CHECK(box.bottom() <= b.rect.bottom() + slack);
      for (std::size_t k = 0; k < i; ++k) {
        CAPTURE(b.labels[k].text);
        CHECK(!overlap(box, label_box(b.labels[k])));
      }
    }
  }
}

/// The table of the lists along these axes.
inline const figure::Table& over(const figure::Figure& f, const std::vector<std::string>& axes) {
  const auto found = std::ranges::find(f.tables, axes, &figure::Table::over);
  REQUIRE(found != f.tables.end());
  return *found;
}

/// The places of an entry of a hit: the same step along each of its axes.
inline std::vector<Place> places_of(const figure::Hit& hit, int step) {
  std::vector<Place> places = hit.places;
  for (const figure::Hit::Side* side : {&hit.x, &hit.y})
    if (!side->none()) places.push_back({side->axis, side->first + std::min(step, side->count - 1)});
  if (hit.spots && !hit.spots->at.empty())
    places.push_back({hit.spots->axis, hit.spots->first + std::min(step, static_cast<int>(hit.spots->at.size()) - 1)});
  return places;
}

}  // namespace helix::testing
