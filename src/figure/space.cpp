// A space of three axes seen by an orbiting camera: axes through the origin, marks back to front, a colour legend.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "base/text.h"
#include "figure/layout.h"
#include "figure/space_frame.h"

namespace helix::figure {
namespace {

constexpr double kAboveFloor = 0.14;  // fraction of the height of the drawing
constexpr float kTitle = 20;          // height of the line above the space
constexpr std::size_t kCloud = 5000;  // clouds of at least this many points are projected by the painter

/// Fog: what is far is mixed into the ground.
Rgba faded(Rgba c, const Theme& theme, double nearness) {
  return mix(theme.background, c, 0.5 + 0.5 * std::clamp(nearness, 0.0, 1.0));
}

/// The three axes that are shown, as columns of the coordinates.
std::array<std::size_t, 3> chosen_axes(const Space& space, const ViewState& view) {
  std::array<std::size_t, 3> axes{0, 1, 2};
  if (space.axes.size() > 3)
    for (std::size_t a = 0; a < 3; ++a)
      axes[a] = std::min(static_cast<std::size_t>(view.axes[a] - 1), space.axes.size() - 1);
  return axes;
}

Vec3 point_of(const Coordinates& at, std::size_t i, const std::array<std::size_t, 3>& axes) {
  Vec3 p{};
  for (std::size_t a = 0; a < 3; ++a)
    if (axes[a] < at.dims && std::isfinite(at(i, axes[a]))) p[a] = at(i, axes[a]);
  return p;
}

std::vector<Vec3> points_of(const Coordinates& at, const std::array<std::size_t, 3>& axes) {
  std::vector<Vec3> out(at.size());
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = point_of(at, i, axes);
  return out;
}

/// Steps much wider than most are not part of a curve (an outlier at its end): above this squared length they are drawn
/// as a thin line only.
double wide_step(const std::vector<Vec3>& points) {
  std::vector<double> steps;
  for (std::size_t i = 1; i < points.size(); ++i) steps.push_back(squared_step(points[i - 1], points[i]));
  if (steps.size() < 8) return std::numeric_limits<double>::infinity();
  const auto middle = steps.begin() + static_cast<std::ptrdiff_t>(steps.size() / 2);
  std::nth_element(steps.begin(), middle, steps.end());
  return 400 * *middle;  // twenty times the median step
}

void add_spots(const std::string& axis, int first, std::vector<Point> at, SpaceFrame& f, bool carried = false) {
  if (axis.empty() || at.empty()) return;
  Hit hit{f.context.panel.id, f.context.block.rect};
  hit.spots = Hit::Spots{axis, first, std::move(at)};
  hit.carried = carried;
  f.context.drawing.hits.push_back(std::move(hit));
}

void draw_rings(const std::string& axis, int first, const std::vector<Point>& at, SpaceFrame& f) {
  if (axis.empty()) return;
  const Focus& focus = f.context.view.focus;
  for (const int index : focus.lit(axis))
    if (const int i = index - first; i >= 0 && i < static_cast<int>(at.size()))
      f.context.block.above().rings.push_back(
          {at[static_cast<std::size_t>(i)], 6.5f, focus.locked ? 2.2f : 1.5f, f.context.theme.text});
}

struct DrawInSpace {
  SpaceFrame& f;
  std::vector<PlacedCallout> callouts{};

  void faint(const Line& line, const std::vector<Vec3>& points) const {
    const Theme& theme = f.context.theme;
    const Rgba ink = mix(theme.background, ink_of(line.ink, theme), 0.45);
    for (std::size_t i = 1; i < points.size(); ++i)
      f.context.block.top().capsules.push_back(
          {f.projection.at(points[i - 1]), f.projection.at(points[i]), line.width / 2, ink, ink});
  }

  void operator()(const Line& line) const {
    const std::vector<Vec3> points = points_of(line.at, f.axes);
    if (!line.dots) return faint(line, points);
    const Theme& theme = f.context.theme;
    const std::size_t n = points.size();
    std::vector<Point> at(n);
    std::vector<double> depth(n);
    std::vector<Rgba> ink(n);
    for (std::size_t i = 0; i < n; ++i) {
      at[i] = f.projection.at(points[i]);
      depth[i] = f.projection.depth(points[i]);
      const Rgba plain =
          line.ink.role == Ink::Role::along ? ink_along(f.context.view.map, i, n, theme) : ink_of(line.ink, theme);
      ink[i] = faded(plain, theme, f.nearness(points[i]));
    }
    draw_curve({points, at, depth, ink, wide_step(points)}, f);
    draw_rings(line.axis, line.first, at, f);
    add_spots(line.axis, line.first, std::move(at), f);
  }

  void operator()(const Points& points) const {
    if (!points.at) return;
    const std::vector<Vec3> rows = points_of(*points.at, f.axes);
    std::vector<Point> at(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) at[i] = f.projection.at(rows[i]);
    if (rows.size() >= kCloud)
      cloud(points);
    else
      each(points, rows, at);
    labels(points, at);
    draw_rings(points.axis, points.first, at, f);
    add_spots(points.axis, points.first, std::move(at), f, points.carried);
  }

  void cloud(const Points& points) const {
    Cloud cloud{points.at, f.axes, f.projection, points.radius, nullptr, nullptr};
    const Theme& theme = f.context.theme;
    auto palette = std::make_shared<Palette>(*point_palette_of({}, f.context.view.map, theme));
    if (points.ink.role != Ink::Role::value) palette->fill(ink_of(points.ink, theme));
    if (!points.values.empty() && points.ink.role == Ink::Role::value) {
      const ShadeScale scale = scale_of(points.values, false);
      auto shades = std::make_shared<std::vector<std::uint8_t>>();
      for (const double v : points.values) shades->push_back(shade(v, scale));
      cloud.shades = std::move(shades);
    }
    cloud.palette = std::move(palette);
    f.context.block.above().clouds.push_back(std::move(cloud));
  }

  void each(const Points& points, const std::vector<Vec3>& rows, const std::vector<Point>& at) const {
    const Theme& theme = f.context.theme;
    const ShadeScale scale = points.values.empty() ? ShadeScale() : scale_of(points.values, false);
    const auto palette = point_palette_of(scale, f.context.view.map, theme);
    std::vector<std::uint32_t> order(rows.size());
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return f.projection.depth(rows[a]) > f.projection.depth(rows[b]);
    });
    for (const std::uint32_t i : order) {
      const Rgba plain = points.ink.role == Ink::Role::value && i < points.values.size()
                             ? (*palette)[shade(points.values[i], scale)]
                         : points.ink.role == Ink::Role::along ? ink_along(f.context.view.map, i, rows.size(), theme)
                                                               : ink_of(points.ink, theme);
      const Rgba ink = faded(plain, theme, f.nearness(rows[i]));
      f.context.block.top().capsules.push_back({at[i], at[i], points.radius, ink, ink});
      if (points.carried)  // a ring stands out against a curve of any colour
        f.context.block.top().capsules.push_back(
            {at[i], at[i], points.radius - 1.5f, theme.background, theme.background});
    }
  }

  void labels(const Points& points, const std::vector<Point>& at) const {
    std::vector<Rect> taken;
    for (const Label& l : f.context.block.labels) taken.push_back(label_box(l));
    if (points.carried) return draw_words(points, at, f);
    for (std::size_t i = 0; i < std::min(at.size(), points.labels.size()); ++i)
      if (!points.labels[i].empty())
        add_label(f.context.block,
                  {{at[i].x + 7, at[i].y}, points.labels[i], f.context.theme.font - 1, f.context.theme.text}, taken);
  }

  void operator()(const Arrow& arrow) const {
    if (arrow.from.size() < 3 || arrow.to.size() < 3) return;
    const auto at = [&](const std::vector<double>& p) { return f.projection.at(point_of({p.size(), p}, 0, f.axes)); };
    const Point a = at(arrow.from), b = at(arrow.to);
    const Rgba ink = ink_of(arrow.ink, f.context.theme);
    f.context.block.top().capsules.push_back({a, b, 1.2f, ink, ink});
    f.context.block.top().capsules.push_back({b, b, 3, ink, ink});
    if (!arrow.label.empty())
      f.context.block.labels.push_back({{b.x + 7, b.y - 6}, arrow.label, f.context.theme.font - 1, ink});
  }

  void operator()(const Text& text) const {
    if (text.at.size() < 3) return;
    const Point p = f.projection.at(point_of({text.at.size(), text.at}, 0, f.axes));
    std::vector<Rect> taken;
    for (const Label& l : f.context.block.labels) taken.push_back(label_box(l));
    add_label(f.context.block,
              {p, text.text, f.context.theme.font - 1, ink_of(text.ink, f.context.theme), Anchor::middle}, taken);
  }

  void operator()(const Callout& callout) {
    const auto at = [&](const std::vector<double>& p) { return f.projection.at(point_of({p.size(), p}, 0, f.axes)); };
    if (callout.text.empty() || callout.at.size() < 3) return;
    const Point from = at(callout.at);
    callouts.push_back({&callout, from, callout.to.size() < 3 ? from : at(callout.to)});
  }

  void operator()(const auto&) const {}  // bars, areas, cells and rules need two axes: a space has none of them
};

/// The colour bar of the index, where points are coloured along it.
void draw_legend(const SpaceFrame& f) {
  const auto* line = [&]() -> const Line* {
    for (const Mark& mark : f.space.marks)
      if (const auto* l = std::get_if<Line>(&mark); l && l->ink.role == Ink::Role::along && l->at.size()) return l;
    return nullptr;
  }();
  if (!line) return;
  Block& block = f.context.block;
  const Theme& theme = f.context.theme;
  constexpr float height = 7;
  constexpr int steps = 56;
  const float width = std::min(168.0f, block.rect.w - 8);
  if (width < 60) return;
  const float x = block.rect.x + 4, y = block.rect.bottom() - 12;
  for (int i = 0; i < steps; ++i)
    block.top().boxes.push_back({{x + width * static_cast<float>(i) / steps, y, width / steps + 0.5f, height},
                                 mark_colour(f.context.view.map, (i + 0.5) / steps, theme.dark),
                                 0});
  const auto label = [&](float dx, const std::string& text, Anchor anchor) {
    block.labels.push_back({{x + dx, y - 10}, text, theme.font, theme.mute, anchor});
  };
  label(0, std::to_string(line->first), Anchor::start);
  label(width / 2, f.space.index_name, Anchor::middle);
  label(width, std::to_string(line->first + static_cast<int>(line->at.size()) - 1), Anchor::end);
}

constexpr std::size_t kCrowd = 1000;   // points from which on the few farthest do not decide how large all are drawn
constexpr std::size_t kLooked = 4096;  // of so many of them the farthest are looked for
constexpr double kInner = 0.99;

/// Leaves out the hundredth of the points that is farthest from their middle, and those that are nowhere.
void keep_inner(std::vector<Vec3>& points) {
  std::erase_if(points, [](const Vec3& p) { return !std::isfinite(p[0] + p[1] + p[2]); });
  Vec3 mean{};
  for (const Vec3& p : points)
    for (std::size_t a = 0; a < 3; ++a) mean[a] += p[a] / static_cast<double>(points.size());
  const auto away = [&](const Vec3& p) {
    double square = 0;  // a comparison needs no root, and this runs for each frame
    for (std::size_t a = 0; a < 3; ++a) square += (p[a] - mean[a]) * (p[a] - mean[a]);
    return square;
  };
  const auto kept = static_cast<std::ptrdiff_t>(kInner * static_cast<double>(points.size()));
  std::ranges::nth_element(points, points.begin() + kept, {}, away);
  points.resize(static_cast<std::size_t>(kept));
}

/// The points that decide how large the space is drawn, and about which middle.
std::vector<Vec3> deciding_points(const Space& space, const std::array<std::size_t, 3>& axes) {
  std::vector<Vec3> out;
  const auto add = [&](const Coordinates& at, std::vector<Vec3>& to, std::size_t step = 1) {
    for (std::size_t i = 0; i < at.size(); i += step) to.push_back(figure::apply(space.frame, point_of(at, i, axes)));
  };
  if (space.fit_to.size()) {
    add(space.fit_to, out);
    return out;
  }
  for (const Mark& mark : space.marks) {
    if (const auto* line = std::get_if<Line>(&mark)) add(line->at, out);
    const auto* points = std::get_if<Points>(&mark);
    if (!points || !points->at) continue;
    const std::size_t n = points->at->size();
    std::vector<Vec3> some;
    add(*points->at, some, n / kLooked + 1);
    if (n >= kCrowd) keep_inner(some);
    out.insert(out.end(), some.begin(), some.end());
  }
  return out;
}

}  // namespace

Rect space_area(const Rect& below_title, float unit) {
  const auto& [x, y, w, h] = below_title;
  const float margin = std::min(w, h) * 0.06f + 12 * unit;
  return {x + margin, y + margin, w - 2 * margin, h - 2 * margin};
}

std::optional<Curve> curve_of(const Space& space, const ViewState& view) {
  for (const Mark& mark : space.marks)
    if (const auto* line = std::get_if<Line>(&mark); line && line->dots)
      return Curve{line->first, points_of(line->at, chosen_axes(space, view))};
  return std::nullopt;
}

Reach reach_of(const Space& space, const ViewState& view) {
  const std::vector<Vec3> points = deciding_points(space, chosen_axes(space, view));
  Vec3 low{HUGE_VAL, HUGE_VAL, HUGE_VAL}, high{-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
  for (const Vec3& p : points)
    for (std::size_t a = 0; a < 3; ++a) low[a] = std::min(low[a], p[a]), high[a] = std::max(high[a], p[a]);
  Reach reach;
  if (!(low[0] <= high[0])) return reach;
  if (space.floor) low[2] -= kAboveFloor * (high[2] - low[2]);
  for (std::size_t a = 0; a < 3; ++a) reach.middle[a] = (low[a] + high[a]) / 2;
  reach.level = 0, reach.upright = (high[2] - low[2]) / 2;
  for (const Vec3& p : points)
    reach.level = std::max(reach.level, std::hypot(p[0] - reach.middle[0], p[1] - reach.middle[1]));
  const double most = std::max({reach.level, reach.upright, 1e-9});
  reach.level = std::max(reach.level, most * 0.05), reach.upright = std::max(reach.upright, most * 0.05);
  for (std::size_t a = 0; a < 3; ++a) reach.axes[a] = std::max({std::abs(low[a]), std::abs(high[a]), most * 0.3}) * 1.1;
  return reach;
}

namespace {

/// Fits the view so that rotating about the vertical axis changes neither scale nor centre.
Projection fitted(const ViewState& view, const Rect& area, const Reach& reach) {
  const double tilt = std::abs(view.camera.elevation) * std::numbers::pi / 180;
  const double high = reach.upright * std::cos(tilt) + reach.level * std::sin(tilt);
  const double w = std::max(static_cast<double>(area.w), 1.0), h = std::max(static_cast<double>(area.h), 1.0);
  const double scale = std::min(w / (2 * reach.level), h / (2 * std::max(high, 1e-12)));
  Projection p = project(view.camera, kIdentity, area, std::min(w, h) / (2 * scale));
  const Point middle = p.at(reach.middle);
  const Point shift{p.at({0, 0, 0}).x - middle.x, p.at({0, 0, 0}).y - middle.y};
  p.centre = {p.centre.x + shift.x, p.centre.y + shift.y};
  return p;
}

/// The projection after the drawing is rotated by `frame`.
Projection turned(Projection p, const Mat3& frame) {
  if (frame == kIdentity) return p;
  Mat3 both{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      for (std::size_t k = 0; k < 3; ++k) both[i][j] += p.turn[i][k] * frame[k][j];
  p.turn = both;
  return p;
}

/// The curve's points, and where two of them lie far apart what is between them.
void add_curve(const std::vector<Vec3>& points, const SpaceFrame& f, Crowd& crowd) {
  constexpr float each = 5, longest = 4000;  // pixels
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Point to = f.projection.at(points[i]), from = i == 0 ? to : f.projection.at(points[i - 1]);
    const float length = std::hypot(to.x - from.x, to.y - from.y);
    const int parts = length < longest ? static_cast<int>(length / each) + 1 : 1;
    for (int k = 1; k <= parts; ++k) {
      const float t = static_cast<float>(k) / static_cast<float>(parts);
      crowd.add({from.x + (to.x - from.x) * t, from.y + (to.y - from.y) * t});
    }
  }
}

}  // namespace

/// What is drawn fits into a square whichever way it is turned.
Wish wish_of(const Space&, float width) { return {width < kNarrow ? width : width * 0.6f, 160, true, 0, width}; }

void draw(const Space& space, PanelContext& context) {
  const auto shared = space.id.empty() ? context.shared.reaches.end() : context.shared.reaches.find(space.id);
  Reach reach = reach_of(space, context.view);
  if (shared != context.shared.reaches.end()) {  // the same scale, each about its own middle
    const Vec3 middle = reach.middle;
    reach = shared->second, reach.middle = middle;
  }
  Rect& below_title = context.block.below_title = context.block.rect;
  if (!context.panel.title.empty()) below_title.y += kTitle, below_title.h -= kTitle;
  const Projection level = fitted(context.view, space_area(below_title), reach);
  SpaceFrame f{space, context, chosen_axes(space, context.view), turned(level, space.frame),
               level, reach,   reach.middle[2] - reach.upright};
  Crowd crowd(below_title);
  for (const Mark& mark : space.marks)
    if (const auto* line = std::get_if<Line>(&mark); line && line->dots)
      add_curve(points_of(line->at, f.axes), f, crowd);
  if (!context.panel.title.empty()) {
    const Rect& r = context.block.rect;
    context.block.labels.push_back({{r.x + 2, r.y + 8},
                                    shortened(context.panel.title, r.w - 4, context.theme.font),
                                    context.theme.font,
                                    context.theme.text});
  }
  if (space.floor) draw_floor(f);
  draw_axes(f, crowd);
  DrawInSpace drawing{f};
  for (const Mark& mark : space.marks) {
    context.block.above();
    std::visit(drawing, mark);
  }
  if (space.legend) draw_legend(f);
  draw_callouts(drawing.callouts, below_title, context);
  context.drawing.spaces.push_back(context.panel.id);
}

}  // namespace helix::figure
