// Simple marks: areas, rules, arrows, texts.
#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "figure/cover.h"
#include "figure/plot.h"

namespace helix::figure {
namespace {

constexpr float kHead = 7;  // of an arrow

bool seen(const std::vector<double>& p, const PlotFrame& f) {
  return p.size() >= 2 && std::isfinite(straightened(f.x.kind, p[0])) && std::isfinite(straightened(f.y.kind, p[1]));
}

constexpr float kFromRule = 5;  // of its label, upright; beside a level one it is a line's half more

/// The places along a rule at which its label can stand, in the order in which they are preferred.
std::vector<Label> rule_labels(const Rule& rule, const PlotFrame& f) {
  const Side& side = rule.upright ? f.x : f.y;
  const float at = std::clamp(side.at(rule.at), std::min(side.from, side.to), std::max(side.from, side.to));
  const Rgba ink = rule.ink.role == Ink::Role::line ? f.context.theme.mute : ink_of(rule.ink, f.context.theme);
  std::vector<Label> places;
  const auto add = [&](float x, float y, Anchor anchor) {
    places.push_back({{x, y}, rule.label, f.size, ink, anchor});
  };
  if (rule.upright) {
    const bool left_first = at > f.area.x + f.area.w * 0.6f;
    for (float y = f.area.y + 7; y < f.area.bottom() - 6; y += 14)
      for (const bool left : {left_first, !left_first})
        add(at + (left ? -kFromRule : kFromRule), y, left ? Anchor::end : Anchor::start);
  } else {
    for (float part = 1; part >= 0; part -= 0.125f)
      for (const float dy : {-8.0f, 8.0f, -21.0f, 21.0f}) {
        const Anchor anchor = part == 1 ? Anchor::end : part == 0 ? Anchor::start : Anchor::middle;
        add(f.area.x + 2 + (f.area.w - 4) * part, at + dy, anchor);
      }
  }
  return places;
}

}  // namespace

void draw_rule_labels(PlotFrame& f) {
  Block& block = f.context.block;
  std::optional<Cover> cover;
  std::vector<Rect> taken;
  for (const Mark& mark : f.plot.marks) {
    const auto* rule = std::get_if<Rule>(&mark);
    if (!rule || rule->label.empty()) continue;
    const Side& side = rule->upright ? f.x : f.y;
    if (!std::isfinite(straightened(side.kind, rule->at)) || (!rule->band && !side.shows(rule->at))) continue;
    if (!cover) {
      cover = covered_ground(block, block.rect);
      for (const Label& l : block.labels) taken.push_back(label_box(l));
    }
    std::optional<Label> best;
    float least = 0, rank = 0;
    for (Label& label : rule_labels(*rule, f)) {
      const Rect box = label_box(label);
      const float cost = static_cast<float>(cover->under(box).first) + 4 * rank++;
      if (best && cost >= least) continue;
      if (box.x < f.area.x || box.right() > block.rect.right() || box.y < f.area.y - 1 ||
          box.bottom() > f.area.bottom() + 1)
        continue;
      if (std::ranges::any_of(taken, [&](const Rect& other) { return overlap(other, box); })) continue;
      best = std::move(label), least = cost;
    }
    if (!best) continue;
    const Rect box = label_box(*best);
    if (least > 0) block.above().boxes.push_back({box, f.context.theme.background, 2});
    taken.push_back(box);
    block.labels.push_back(std::move(*best));
  }
}

void draw_mark(const Area& area, PlotFrame& f) {
  Layer& layer = f.context.block.top();
  Rgba ink = ink_of(area.ink, f.context.theme);
  ink = mix(f.context.theme.background, ink, 0.25);
  const std::size_t n = std::min(area.low.size(), area.high.size());
  const float width = std::max(f.x.step(), 1.0f);
  for (std::size_t i = 0; i < n; ++i) {
    const double index = area.first + static_cast<double>(i);
    if (!std::isfinite(area.low[i]) || !std::isfinite(area.high[i]) || !f.x.shows(index)) continue;
    const float top = std::clamp(f.y.at(area.high[i]), f.area.y, f.area.bottom()),
                foot = std::clamp(f.y.at(area.low[i]), f.area.y, f.area.bottom());
    layer.boxes.push_back({{f.x.at(index) - width / 2, top, width, std::max(foot - top, 0.5f)}, ink, 0});
  }
}

void draw_mark(const Rule& rule, PlotFrame& f) {
  Layer& layer = f.context.block.top();
  const Rgba ink = ink_of(rule.ink, f.context.theme);
  const Side& side = rule.upright ? f.x : f.y;
  if (!std::isfinite(straightened(side.kind, rule.at))) return;
  const auto clamped = [&](double v) {
    return std::clamp(side.at(v), std::min(side.from, side.to), std::max(side.from, side.to));
  };
  if (rule.band) {
    const float a = clamped(rule.at), b = clamped(rule.to);
    const Rect r = rule.upright ? Rect{std::min(a, b), f.area.y, std::abs(b - a), f.area.h}
                                : Rect{f.area.x, std::min(a, b), f.area.w, std::abs(b - a)};
    layer.boxes.push_back({r, mix(f.context.theme.background, ink, 0.2), 0});
  } else if (!side.shows(rule.at)) {
    return;
  }
  const float at = clamped(rule.at), w = rule.width;
  const Point from = rule.upright ? Point{at, f.area.y} : Point{f.area.x, at};
  const Point to = rule.upright ? Point{at, f.area.bottom()} : Point{f.area.right(), at};
  if (rule.dashed)
    add_dashes(layer, from, to, w / 2, ink, 0);
  else if (!rule.band)
    layer.boxes.push_back(
        {rule.upright ? Rect{at - w / 2, f.area.y, w, f.area.h} : Rect{f.area.x, at - w / 2, f.area.w, w}, ink, 0});
}

void draw_mark(const Arrow& arrow, PlotFrame& f) {
  if (!seen(arrow.from, f) || !seen(arrow.to, f)) return;
  Layer& layer = f.context.block.top();
  const Rgba ink = ink_of(arrow.ink, f.context.theme);
  const Point a{f.x.at(arrow.from[0]), f.y.at(arrow.from[1])}, b{f.x.at(arrow.to[0]), f.y.at(arrow.to[1])};
  layer.capsules.push_back({a, b, 1, ink, ink});
  const float length = std::hypot(b.x - a.x, b.y - a.y);
  if (length > 1) {
    const float dx = (b.x - a.x) / length * kHead, dy = (b.y - a.y) / length * kHead;
    layer.capsules.push_back({b, {b.x - dx - dy * 0.5f, b.y - dy + dx * 0.5f}, 1, ink, ink});
    layer.capsules.push_back({b, {b.x - dx + dy * 0.5f, b.y - dy - dx * 0.5f}, 1, ink, ink});
  }
  if (!arrow.label.empty()) f.context.block.labels.push_back({{b.x + 6, b.y - 6}, arrow.label, f.size, ink});
}

void draw_mark(const Text& text, PlotFrame& f) {
  if (!seen(text.at, f)) return;
  std::vector<Rect> taken;
  for (const Label& l : f.context.block.labels) taken.push_back(label_box(l));
  add_label(
      f.context.block,
      {{f.x.at(text.at[0]), f.y.at(text.at[1])}, text.text, f.size, ink_of(text.ink, f.context.theme), Anchor::middle},
      taken);
}

}  // namespace helix::figure
