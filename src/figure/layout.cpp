#include "figure/layout.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "base/text.h"
#include "figure/boxes.h"
#include "figure/heading.h"
#include "figure/panels.h"

namespace helix::figure {
namespace {

/// The part of a rectangle that lies on the page: a very small page has no room for every panel.
Rect on_page(const Rect& r, const Page& page) {
  const float x = std::clamp(r.x, 0.0f, page.width), y = std::clamp(r.y, 0.0f, page.height);
  return {x, y, std::clamp(r.right(), x, page.width) - x, std::clamp(r.bottom(), y, page.height) - y};
}

WishOf wishes_of(const Figure& figure) {
  return [&figure](const std::string& id, float width) {
    const Panel* panel = figure.find(id);
    if (!panel) return Wish();
    return std::visit([&](const auto& content) { return wish_of(content, width); }, panel->content);
  };
}

Rect scaled(const Rect& r, float unit) { return {r.x * unit, r.y * unit, r.w * unit, r.h * unit}; }
Point scaled(Point p, float unit) { return {p.x * unit, p.y * unit}; }

void scale(Layer& layer, float unit) {
  for (Capsule& c : layer.capsules) c.a = scaled(c.a, unit), c.b = scaled(c.b, unit), c.radius *= unit;
  for (Image& i : layer.images) i.rect = scaled(i.rect, unit);
  for (FilledRect& b : layer.boxes) b.rect = scaled(b.rect, unit), b.corner *= unit;
  for (Ring& r : layer.rings) r.centre = scaled(r.centre, unit), r.radius *= unit, r.width *= unit;
  for (Cloud& c : layer.clouds) {
    c.projection.centre = scaled(c.projection.centre, unit);
    c.projection.scale *= unit, c.radius *= unit;
  }
}

void scale(Drawing& drawing, float unit) {
  drawing.width *= unit, drawing.height *= unit, drawing.unit = unit;
  for (Block& block : drawing.blocks) {
    block.rect = scaled(block.rect, unit), block.below_title = scaled(block.below_title, unit);
    for (Layer& layer : block.layers) scale(layer, unit);
    for (Label& l : block.labels) l.at = scaled(l.at, unit), l.size *= unit;
  }
  for (Hit& hit : drawing.hits) {
    hit.rect = scaled(hit.rect, unit);
    if (hit.spots)
      for (Point& p : hit.spots->at) p = scaled(p, unit);
  }
  for (Grip& grip : drawing.grips) grip.rect = scaled(grip.rect, unit), grip.track = scaled(grip.track, unit);
}

/// For each plot over an axis the widest margins of those of its width over the same one: their ticks then agree.
class SharedMargins {
 public:
  void add(const Plot& plot, PanelContext& context) {
    if (plot.x.axis.empty() || plot.square) return;
    const Margins own = margins_of(plot, context);
    Margins& all = widest_[key(plot, context.block.rect)];
    all = {std::max(all.numbers, own.numbers), std::max(all.names, own.names)};
  }
  Margins of(const Plot& plot, const Rect& rect) const {
    const auto it = widest_.find(key(plot, rect));
    return it == widest_.end() ? Margins() : it->second;
  }

 private:
  using Key = std::pair<std::string, long>;
  static Key key(const Plot& plot, const Rect& rect) { return {plot.x.axis, std::lround(rect.w)}; }
  std::map<Key, Margins> widest_;
};

/// Lays out at the default font size.
Drawing lay_out(const Figure& figure, const ViewState& view, const Page& page) {
  Drawing drawing;
  drawing.width = page.width, drawing.height = page.height;
  const Rect area = page.with_text ? draw_heading(figure, page, drawing) : Rect{0, 0, page.width, page.height};
  const Shared shared = shared_scales(figure, view);
  const auto all = place(boxes_of(figure, area.w < kNarrow), area, wishes_of(figure));
  SharedMargins margins;
  const auto each = [&](auto&& act) {
    for (const Placed& placed : all) {
      const Panel* panel = figure.find(placed.panel);
      if (!panel) continue;
      Block block{panel->id, on_page(placed.rect, page)};
      PanelContext context{*panel, view, page.theme, shared, block, drawing};
      act(std::get_if<Plot>(&panel->content), context);
    }
  };
  each([&](const Plot* plot, PanelContext& context) {
    if (plot) margins.add(*plot, context);
  });
  each([&](const Plot* plot, PanelContext& context) {
    if (plot) context.least = margins.of(*plot, context.block.rect);
    std::visit([&](const auto& content) { draw(content, context); }, context.panel.content);
    drawing.blocks.push_back(std::move(context.block));
  });
  return drawing;
}

Wish wish_at(const Figure& figure, float width) {
  const bool narrow = width < kNarrow;
  return wish_of(boxes_of(figure, narrow), width, narrow, wishes_of(figure));
}

float unit_of(float font) { return std::max(font / Theme().font, 0.1f); }

}  // namespace

float preferred_height(const Figure& figure, float width, float font) {
  const Wish wish = wish_at(figure, width / unit_of(font));
  return unit_of(font) * std::max(wish.height, wish.least);
}

float least_height(const Figure& figure, float width, float font) {
  const Wish wish = wish_at(figure, width / unit_of(font));
  return unit_of(font) * (wish.wrapped ? (wish.least + std::max(wish.height, wish.least)) / 2 : wish.least);
}

Drawing layout(const Figure& figure, const ViewState& view, const Page& page) {
  const float unit = unit_of(page.theme.font);
  if (unit == 1) return lay_out(figure, view, page);
  Page usual = page;
  usual.width /= unit, usual.height /= unit, usual.theme.font = Theme().font;
  Drawing drawing = lay_out(figure, view, usual);
  scale(drawing, unit);
  return drawing;
}

}  // namespace helix::figure
