#include "figure/layout.h"

#include <algorithm>
#include <cmath>

namespace helix::figure {
namespace {

constexpr float kNarrow = 560;  // below this the bars go under the path
constexpr float kGap = 14;
constexpr float kProfile = 74;  // height of the strip
constexpr float kSide = 190;    // width of the bars beside the path
constexpr float kBelow = 196;   // height of the bars below it

struct Slots {
  Rect path, side_top, side_bottom, profile;
};

/// Which kinds of panel a figure has. Without a path its profile is the main thing.
struct Kinds {
  bool path = false, profile = false, side = false;
};

Kinds kinds_of(const Figure& figure) {
  Kinds k;
  for (const Panel& panel : figure.panels) {
    k.path = k.path || std::holds_alternative<Path3>(panel.content);
    k.profile = k.profile || std::holds_alternative<Profile>(panel.content);
    k.side = k.side || std::holds_alternative<Bars>(panel.content) || std::holds_alternative<Headline>(panel.content);
  }
  return k;
}

Slots wide(const Rect& r, const Kinds& has) {
  Slots s;
  const bool strip = has.path && has.profile;
  const float top = strip ? r.h - kProfile - kGap : r.h;
  const float main = has.side ? r.w - kSide - kGap : r.w;
  s.path = {r.x, r.y, main, top};
  s.profile = strip ? Rect{r.x, r.bottom() - kProfile, r.w, kProfile} : s.path;
  const float bars = std::min(248.0f, top * 0.62f);
  s.side_top = {r.right() - kSide, r.y, kSide, bars};
  s.side_bottom = {r.right() - kSide, r.y + bars + kGap, kSide, top - bars - kGap};
  return s;
}

Slots narrow(const Rect& r, const Kinds& has) {
  Slots s;
  const bool strip = has.path && has.profile;
  const float below_main = (strip ? kProfile + kGap : 0) + (has.side ? kBelow + kGap : 0);
  const float main = std::max(120.0f, std::min(r.w, r.h - below_main));
  s.path = {r.x, r.y, r.w, main};
  s.profile = strip ? Rect{r.x, r.y + main + kGap, r.w, kProfile} : s.path;
  const float below = s.profile.bottom() + kGap;
  const float side = std::max(r.bottom() - below, 0.0f);
  s.side_top = {r.x, below, r.w - 136, side};
  s.side_bottom = {r.right() - 124, below, 124, side};
  return s;
}

struct Place {
  const Slots& slots;
  Rect operator()(const Path3&) const { return slots.path; }
  Rect operator()(const Bars&) const { return slots.side_top; }
  Rect operator()(const Headline&) const { return slots.side_bottom; }
  Rect operator()(const Profile&) const { return slots.profile; }
};

/// The part of a slot that lies on the page: a very small one has no room for all of them.
Rect on_page(const Rect& r, const Page& page) {
  const float x = std::clamp(r.x, 0.0f, page.width), y = std::clamp(r.y, 0.0f, page.height);
  return {x, y, std::clamp(r.right(), x, page.width) - x, std::clamp(r.bottom(), y, page.height) - y};
}

void draw_panel(const Panel& panel, const Theme& theme, Block& block, Drawing& drawing) {
  if (const auto* path = std::get_if<Path3>(&panel.content)) draw_path(*path, theme, block, drawing);
  if (const auto* bars = std::get_if<Bars>(&panel.content)) draw_bars(*bars, panel.title, theme, block);
  if (const auto* headline = std::get_if<Headline>(&panel.content)) draw_headline(*headline, theme, block);
  if (const auto* profile = std::get_if<Profile>(&panel.content)) draw_profile(*profile, theme, block, drawing);
}

Rect scaled(const Rect& r, float unit) { return {r.x * unit, r.y * unit, r.w * unit, r.h * unit}; }
Point scaled(Point p, float unit) { return {p.x * unit, p.y * unit}; }

void scale(Block& block, float unit) {
  block.rect = scaled(block.rect, unit);
  for (Capsule& c : block.capsules) c.a = scaled(c.a, unit), c.b = scaled(c.b, unit), c.radius *= unit;
  for (Box& b : block.boxes) b.rect = scaled(b.rect, unit), b.corner *= unit;
  for (Ring& r : block.rings) r.centre = scaled(r.centre, unit), r.radius *= unit, r.width *= unit;
  for (Label& l : block.labels) l.at = scaled(l.at, unit), l.size *= unit;
}

void scale(Drawing& drawing, float unit) {
  drawing.width *= unit, drawing.height *= unit, drawing.unit = unit;
  for (Block& block : drawing.blocks) scale(block, unit);
  for (Spot& spot : drawing.spots) spot.at = scaled(spot.at, unit);
  for (Handle& handle : drawing.handles) handle.rect = scaled(handle.rect, unit);
  drawing.scale.rect = scaled(drawing.scale.rect, unit);
}

/// At the usual font size.
Drawing lay_out(const Figure& figure, const Page& page) {
  Drawing drawing;
  drawing.width = page.width, drawing.height = page.height;
  Rect area{0, 0, page.width, page.height};
  if (page.with_text) {
    constexpr float margin = 20, head = 58, foot = 22;
    Block text{"", area, {}, {}, {}, {}};
    text.boxes.push_back({area, page.theme.background, 0});
    text.labels.push_back({{margin, margin + 8}, figure.title, 18, page.theme.text, Anchor::start, Weight::strong});
    text.labels.push_back({{margin, margin + 32}, figure.subtitle, 13, page.theme.mute});
    text.labels.push_back({{margin, page.height - 14}, page.caption, 10, page.theme.mute});
    drawing.blocks.push_back(std::move(text));
    area = {margin, margin + head, page.width - 2 * margin, page.height - 2 * margin - head - foot};
  }
  const Kinds has = kinds_of(figure);
  const Slots slots = area.w < kNarrow ? narrow(area, has) : wide(area, has);
  for (const Panel& panel : figure.panels) {
    Block block{panel.id, on_page(std::visit(Place{slots}, panel.content), page), {}, {}, {}, {}};
    draw_panel(panel, page.theme, block, drawing);
    drawing.blocks.push_back(std::move(block));
  }
  return drawing;
}

float unit_of(float font) { return std::max(font / Theme().font, 0.1f); }

}  // namespace

double nice_step(double span, int count) {
  if (!(span > 0) || !std::isfinite(span)) return 1;
  const double raw = span / std::max(count, 1);
  const double power = std::pow(10.0, std::floor(std::log10(raw)));
  const double part = raw / power;
  return power * (part < 1.5 ? 1 : part < 3.5 ? 2 : part < 7.5 ? 5 : 10);
}

float preferred_height(float width, float font) {
  const float unit = unit_of(font), w = width / unit;
  return unit * (w < kNarrow ? w + kProfile + kBelow + 2 * kGap : w * 0.68f);
}

Drawing layout(const Figure& figure, const Page& page) {
  const float unit = unit_of(page.theme.font);
  if (unit == 1) return lay_out(figure, page);
  Page usual = page;
  usual.width /= unit, usual.height /= unit, usual.theme.font = Theme().font;
  Drawing drawing = lay_out(figure, usual);
  scale(drawing, unit);
  return drawing;
}

}  // namespace helix::figure
