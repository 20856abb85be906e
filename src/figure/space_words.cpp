// The words of a text on a curve. Neighbouring positions lie a few pixels apart, so the words are written in order, in
// a few lines beside the curve; only if the curve is drawn large does each word stand above its own point.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "figure/space_frame.h"

namespace helix::figure {
namespace {

constexpr float kStalk = 20, kStalkStep = 14;  // of a word above its point, in pixels
constexpr int kStalkSteps = 3;
constexpr float kGap = 5, kLine = 17, kInset = 7, kAway = 30;  // of the lines of a text
constexpr std::size_t kMostLines = 3;
constexpr float kEraseCost = 15;  // a text moves this many pixels farther rather than erase a label of an axis
constexpr float kStrong = 1.07f;  // how much wider strong letters are
constexpr float kCoverCost = 40;  // a text moves this many pixels farther rather than cover one more point

struct Word {
  std::size_t index = 0;
  float x = 0, width = 0;
};
using Lines = std::vector<std::vector<Word>>;

float size_of(const SpaceFrame& f) { return f.context.theme.font + 1; }

bool is_lit(const SpaceFrame& f, const Points& points, std::size_t i) {
  const auto lit = f.context.view.focus.lit(points.axis);
  return std::ranges::find(lit, points.first + static_cast<int>(i)) != lit.end();
}

Label label_at(const Points& points, std::size_t i, Point at, Anchor anchor, const SpaceFrame& f) {
  const Theme& theme = f.context.theme;
  return {at, points.labels[i], size_of(f), is_lit(f, points, i) ? theme.accent : theme.text, anchor, Weight::strong};
}

/// Writes a word, and makes it something to hold: it stands for its point.
void add_word(const Points& points, std::size_t i, Label label, const SpaceFrame& f) {
  Hit hit{f.context.panel.id, label_box(label), {{points.axis, points.first + static_cast<int>(i)}}};
  hit.carried = points.carried;
  f.context.drawing.hits.push_back(std::move(hit));
  f.context.block.labels.push_back(std::move(label));
}

/// Each word above its point; nothing if one of them does not fit.
std::optional<std::vector<Label>> on_stalks(const Points& points, const std::vector<Point>& at, const SpaceFrame& f) {
  std::vector<Rect> taken;
  for (const Label& l : f.context.block.labels) taken.push_back(label_box(l));
  std::vector<Label> labels;
  for (std::size_t i = 0; i < points.labels.size(); ++i) {
    bool found = false;
    for (int step = 0; step < kStalkSteps && !found; ++step) {
      const float height = kStalk + kStalkStep * static_cast<float>(step);
      Label label = label_at(points, i, {at[i].x, at[i].y - height}, Anchor::middle, f);
      const Rect box = label_box(label);
      found = std::ranges::none_of(taken, [&](const Rect& other) { return overlap(box, other); });
      if (!found) continue;
      taken.push_back(box);
      labels.push_back(std::move(label));
    }
    if (!found) return std::nullopt;
  }
  return labels;
}

Lines wrapped(const Points& points, float width, const SpaceFrame& f) {
  Lines lines(1);
  float x = 0;
  for (std::size_t i = 0; i < points.labels.size(); ++i) {
    const float w = text_width(points.labels[i], size_of(f)) * kStrong;
    if (x > 0 && x + w > width) {
      if (lines.size() == kMostLines) break;
      lines.emplace_back();
      x = 0;
    }
    lines.back().push_back({i, x, w});
    x += w + kGap;
  }
  return lines;
}

float width_of(const std::vector<Word>& line) { return line.empty() ? 0 : line.back().x + line.back().width; }

/// How many points of curves a box would cover.
std::size_t covered(const Rect& box, const std::vector<Point>& curves) {
  return static_cast<std::size_t>(std::ranges::count_if(curves, [&](Point p) { return box.contains(p); }));
}

std::vector<Point> curves_of(const SpaceFrame& f) {
  std::vector<Point> all;
  for (const Mark& mark : f.space.marks)
    if (const auto* line = std::get_if<Line>(&mark))
      for (std::size_t i = 0; i < line->at.size(); ++i) {
        Vec3 p{};
        for (std::size_t a = 0; a < 3; ++a)
          if (f.axes[a] < line->at.dims && std::isfinite(line->at(i, f.axes[a]))) p[a] = line->at(i, f.axes[a]);
        all.push_back(f.projection.at(p));
      }
  return all;
}

/// Where the lines go: near the points, covering as few points of the curves as possible.
Rect place_of(const Lines& lines, const std::vector<Point>& at, const SpaceFrame& f) {
  const Rect& room = f.context.block.rect;
  float width = 0;
  for (const auto& line : lines) width = std::max(width, width_of(line));
  const Rect size{0, 0, width + 2 * kInset, kLine * static_cast<float>(lines.size()) + kInset};
  const Point middle = at[at.size() / 2];
  const std::vector<Point> curves = curves_of(f);
  Rect best = size;
  float least = std::numeric_limits<float>::infinity();
  for (const float down : {-4.0f, -3.0f, -2.0f, -1.0f, 0.0f, 1.0f, 2.0f, 3.0f, 4.0f})
    for (const float right : {-2.0f, -1.0f, 0.0f, 1.0f, 2.0f}) {
      if (down == 0 && right == 0) continue;
      Rect box = size;
      box.x = middle.x - box.w / 2 + right * (box.w / 2 + kAway);
      box.y = middle.y - box.h / 2 + down * (box.h / 2 + kAway);
      box.x = std::clamp(box.x, room.x, std::max(room.right() - box.w, room.x));
      box.y = std::clamp(box.y, room.y, std::max(room.bottom() - box.h, room.y));
      const float away = std::hypot(box.x + box.w / 2 - middle.x, box.y + box.h / 2 - middle.y);
      const auto erased =
          std::ranges::count_if(f.context.block.labels, [&](const Label& l) { return overlap(label_box(l), box); });
      const float cost =
          static_cast<float>(covered(box, curves)) * kCoverCost + static_cast<float>(erased) * kEraseCost + away;
      if (cost < least) least = cost, best = box;
    }
  return best;
}

bool is_axis_name(const Label& label, const Space& space) {
  return std::ranges::any_of(
      space.axes, [&](const Space::Axis& axis) { return !axis.title.empty() && label.text.starts_with(axis.title); });
}

/// Removes the labels under the text. Names of axes move to the nearest free place beside it, if there is one.
void make_way(Block& block, const Space& space, const Rect& box) {
  constexpr float off = 4, half = 8;  // from the text, and of a label's height
  std::vector<Label> under;
  std::erase_if(block.labels, [&](const Label& l) {
    const bool covered = overlap(label_box(l), box);
    if (covered && is_axis_name(l, space)) under.push_back(l);
    return covered;
  });
  for (Label& name : under) {
    const Rect own = label_box(name);
    const float x = own.x + own.w / 2, y = own.y + own.h / 2, above = box.y - off - half,
                below = box.bottom() + off + half, right = box.right() + off, left = box.x - off - own.w;
    std::vector<Rect> places;
    for (const Point at : {Point{own.x, above}, {own.x, below}, {right, y}, {left, y}, {right, above}, {left, above}})
      places.push_back({std::clamp(at.x, block.rect.x, std::max(block.rect.right() - own.w, block.rect.x)),
                        at.y - own.h / 2, own.w, own.h});
    std::ranges::stable_sort(places, {},
                             [&](const Rect& r) { return std::hypot(r.x + r.w / 2 - x, r.y + r.h / 2 - y); });
    const auto is_free = [&](const Rect& r) {
      return r.y >= block.rect.y && r.bottom() <= block.rect.bottom() && !overlap(r, box) &&
             std::ranges::none_of(block.labels, [&](const Label& l) { return overlap(label_box(l), r); });
    };
    const auto place = std::ranges::find_if(places, is_free);
    if (place == places.end()) continue;
    name.at = {place->x, place->y + place->h / 2}, name.anchor = Anchor::start;
    block.labels.push_back(std::move(name));
  }
}

void write(const Points& points, const Lines& lines, const Rect& box, const SpaceFrame& f) {
  Block& block = f.context.block;
  make_way(block, f.space, box);
  float y = box.y + (kInset + kLine) / 2;
  for (const auto& line : lines) {
    for (const Word& word : line)
      add_word(points, word.index, label_at(points, word.index, {box.x + kInset + word.x, y}, Anchor::start, f), f);
    y += kLine;
  }
  const std::size_t written = lines.back().empty() ? 0 : lines.back().back().index + 1;
  if (written < points.labels.size())
    block.labels.push_back({{box.right() - kInset, y - kLine}, "…", size_of(f), f.context.theme.mute, Anchor::start});
}

}  // namespace

void draw_words(const Points& points, const std::vector<Point>& at, const SpaceFrame& f) {
  if (at.empty() || points.labels.size() != at.size()) return;
  const Theme& theme = f.context.theme;
  Layer& layer = f.context.block.above();
  if (auto labels = on_stalks(points, at, f)) {
    for (std::size_t i = 0; i < labels->size(); ++i) {
      layer.capsules.push_back(
          {{at[i].x, at[i].y - 5}, {at[i].x, (*labels)[i].at.y + 8}, 0.5f, theme.mute, theme.mute});
      add_word(points, i, std::move((*labels)[i]), f);
    }
    return;
  }
  const Lines lines = wrapped(points, std::clamp(f.context.block.rect.w * 0.55f, 120.0f, 320.0f), f);
  const Rect box = place_of(lines, at, f);
  const Point ends[] = {at.front(), at.back()};
  for (const Point end : ends) {
    const Point edge{std::clamp(end.x, box.x + 8, box.right() - 8), std::clamp(end.y, box.y, box.bottom())};
    layer.capsules.push_back({end, edge, 0.6f, theme.mute, theme.mute});
  }
  f.context.block.above().boxes.push_back({box, mix(theme.background, theme.line, 0.55), 7});
  write(points, lines, box, f);
}

}  // namespace helix::figure
