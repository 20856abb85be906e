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
constexpr float kNumber = 96;   // height of the big number below a grid
constexpr float kAround = 60;   // what a matrix is higher than wide, for its title and its colours

struct Slots {
  Rect main, side_top, side_bottom, profile;
};

/// Which kinds of panel a figure has. The first there is of path, matrix, bars and profile is the main thing.
struct Kinds {
  bool path = false, profile = false, bars = false, headline = false, heatmap = false, grid = false;
  const Curves* curves = nullptr;

  bool bars_are_main() const { return bars && !path && !heatmap; }
  /// A strip below a path; without a path the profile or the curves are the main thing.
  bool strip() const { return path && (profile || curves); }
  float strip_height(float width) const { return curves ? curves_height(*curves, width) : kProfile; }
  bool side_top() const { return grid || (bars && !bars_are_main()); }
  bool side() const { return side_top() || headline; }
};

Kinds kinds_of(const Figure& figure) {
  Kinds k;
  for (const Panel& panel : figure.panels) {
    k.path = k.path || std::holds_alternative<Path3>(panel.content);
    k.profile = k.profile || std::holds_alternative<Profile>(panel.content);
    k.bars = k.bars || std::holds_alternative<Bars>(panel.content);
    k.headline = k.headline || std::holds_alternative<Headline>(panel.content);
    k.heatmap = k.heatmap || std::holds_alternative<Heatmap>(panel.content);
    k.grid = k.grid || std::holds_alternative<HeadGrid>(panel.content);
    if (const auto* curves = std::get_if<Curves>(&panel.content)) k.curves = curves;
  }
  return k;
}

Slots wide(const Rect& r, const Kinds& has) {
  Slots s;
  const float strip = has.strip_height(r.w);
  const float top = has.strip() ? r.h - strip - kGap : r.h;
  const float beside = has.grid ? std::clamp(r.w * 0.36f, 190.0f, 420.0f) : kSide;
  const float main = has.side() ? r.w - beside - kGap - (has.grid ? kGap : 0) : r.w;
  s.main = {r.x, r.y, main, top};
  s.profile = has.strip() ? Rect{r.x, r.bottom() - strip, r.w, strip} : s.main;
  const float number = has.headline ? kNumber + kGap : 0;
  const float upper = has.grid         ? std::min(top - number, beside + 30)
                      : has.side_top() ? std::min(248.0f, top * 0.62f)
                                       : -kGap;
  s.side_top = {r.right() - beside, r.y, beside, std::max(upper, 0.0f)};
  s.side_bottom = {r.right() - beside, r.y + upper + kGap, beside, top - upper - kGap};
  return s;
}

Slots narrow(const Rect& r, const Kinds& has) {
  Slots s;
  const float low = has.grid ? std::min(r.w + 30, r.h * 0.38f) : has.side_top() ? kBelow : kNumber;
  const float strip = has.strip_height(r.w);
  const float below_main = (has.strip() ? strip + kGap : 0) + (has.side() ? low + kGap : 0);
  const float most = has.heatmap ? r.w + kAround : has.bars_are_main() ? r.h : r.w;
  const float main = std::max(120.0f, std::min(most, r.h - below_main));
  s.main = {r.x, r.y, r.w, main};
  s.profile = has.strip() ? Rect{r.x, r.y + main + kGap, r.w, strip} : s.main;
  const float below = s.profile.bottom() + kGap;
  const float side = std::max(r.bottom() - below, 0.0f);
  const float number = has.side_top() ? 124 : r.w;
  s.side_top = {r.x, below, r.w - number - 12, side};
  s.side_bottom = {r.right() - number, below, number, side};
  if (has.grid && !has.headline) s.side_top.w = r.w;
  return s;
}

struct Place {
  const Slots& slots;
  const Kinds& has;
  Rect operator()(const Path3&) const { return slots.main; }
  Rect operator()(const Heatmap&) const { return slots.main; }
  Rect operator()(const HeadGrid&) const { return slots.side_top; }
  Rect operator()(const Bars&) const { return has.bars_are_main() ? slots.main : slots.side_top; }
  Rect operator()(const Headline&) const { return slots.side_bottom; }
  Rect operator()(const Profile&) const { return slots.profile; }
  Rect operator()(const Curves&) const { return slots.profile; }
};

/// The part of a slot that lies on the page: a very small one has no room for all of them.
Rect on_page(const Rect& r, const Page& page) {
  const float x = std::clamp(r.x, 0.0f, page.width), y = std::clamp(r.y, 0.0f, page.height);
  return {x, y, std::clamp(r.right(), x, page.width) - x, std::clamp(r.bottom(), y, page.height) - y};
}

void draw_panel(const Panel& panel, const Theme& theme, Block& block, Drawing& drawing) {
  if (const auto* path = std::get_if<Path3>(&panel.content)) draw_path(*path, theme, block, drawing);
  if (const auto* bars = std::get_if<Bars>(&panel.content)) draw_bars(*bars, panel.title, theme, block, drawing);
  if (const auto* map = std::get_if<Heatmap>(&panel.content)) draw_heatmap(*map, panel.title, theme, block, drawing);
  if (const auto* grid = std::get_if<HeadGrid>(&panel.content))
    draw_head_grid(*grid, panel.title, theme, block, drawing);
  if (const auto* headline = std::get_if<Headline>(&panel.content)) draw_headline(*headline, theme, block);
  if (const auto* profile = std::get_if<Profile>(&panel.content)) draw_profile(*profile, theme, block, drawing);
  if (const auto* curves = std::get_if<Curves>(&panel.content)) draw_curves(*curves, theme, block, drawing);
}

Rect scaled(const Rect& r, float unit) { return {r.x * unit, r.y * unit, r.w * unit, r.h * unit}; }
Point scaled(Point p, float unit) { return {p.x * unit, p.y * unit}; }

void scale(Block& block, float unit) {
  block.rect = scaled(block.rect, unit);
  for (Capsule& c : block.capsules) c.a = scaled(c.a, unit), c.b = scaled(c.b, unit), c.radius *= unit;
  for (Image& i : block.images) i.rect = scaled(i.rect, unit);
  for (Box& b : block.boxes) b.rect = scaled(b.rect, unit), b.corner *= unit;
  for (Ring& r : block.rings) r.centre = scaled(r.centre, unit), r.radius *= unit, r.width *= unit;
  for (Label& l : block.labels) l.at = scaled(l.at, unit), l.size *= unit;
}

void scale(Drawing& drawing, float unit) {
  drawing.width *= unit, drawing.height *= unit, drawing.unit = unit;
  for (Block& block : drawing.blocks) scale(block, unit);
  for (Spot& spot : drawing.spots) spot.at = scaled(spot.at, unit);
  for (Handle& handle : drawing.handles) handle.rect = scaled(handle.rect, unit);
  for (Item& item : drawing.items) item.rect = scaled(item.rect, unit);
  drawing.scale.rect = scaled(drawing.scale.rect, unit);
  for (IndexScale& moments : drawing.moments) moments.rect = scaled(moments.rect, unit);
  drawing.cells.rect = scaled(drawing.cells.rect, unit);
  drawing.tiles.rect = scaled(drawing.tiles.rect, unit);
  drawing.tiles.step *= unit, drawing.tiles.side *= unit;
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
    Block block{panel.id, on_page(std::visit(Place{slots, has}, panel.content), page), {}, {}, {}, {}};
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

float preferred_height(const Figure& figure, float width, float font) {
  const Kinds has = kinds_of(figure);
  const float unit = unit_of(font), w = width / unit;
  const float more = has.strip() ? unit * (has.strip_height(w) - kProfile) : 0;  // than the usual strip
  if (has.path || !(has.heatmap || has.bars || has.profile)) return preferred_height(width, font) + more;
  if (w >= kNarrow) return unit * w * 0.6f;
  const float main = has.heatmap ? w + kAround : kBelow * 2;
  return unit * (main + (has.side() ? (has.grid ? w * 0.72f : 110) + kGap : 0));
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
