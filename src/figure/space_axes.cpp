// The axes of a space: lines through the origin, their titles, and numbers beside them.
#include <algorithm>
#include <array>
#include <cmath>

#include "figure/space_frame.h"

namespace helix::figure {
namespace {

/// The position of a value on an axis: the first two axes run along the floor if there is one.
Vec3 on_axis(const SpaceFrame& f, std::size_t axis, double value) {
  Vec3 at{};
  if (f.space.floor) at[2] = f.floor;
  at[axis] = value;
  return at;
}

/// An axis as projected: from one end to the other on the surface.
struct AxisLine {
  Point foot, tip;
  double length;
  float dx, dy;  // its direction

  AxisLine(const SpaceFrame& f, std::size_t axis) {
    const double reach = f.reach.axes[axis];
    tip = f.projection.at(on_axis(f, axis, reach));
    foot = f.projection.at(on_axis(f, axis, f.space.floor && axis == 2 ? f.floor : -reach));
    length = std::hypot(tip.x - foot.x, tip.y - foot.y);
    const double safe = std::max(length, 1e-6);
    dx = static_cast<float>((tip.x - foot.x) / safe), dy = static_cast<float>((tip.y - foot.y) / safe);
  }
  // On an axis seen end-on, a label would overlap the curve.
  bool has_room() const { return length >= 24; }
};

/// `beyond`: pixels from the axis' end.
Label title_of(const Space::Axis& axis, const Theme& theme, const AxisLine& line, const Rect& room, float beyond) {
  const std::string text = axis.title + (axis.note.empty() ? "" : "  " + axis.note);
  const Anchor anchor = line.dx > 0.3f ? Anchor::start : line.dx < -0.3f ? Anchor::end : Anchor::middle;
  const float width = text_width(text, theme.font) * 1.06f;  // an estimate, and what is cut off is lost
  const float before = anchor == Anchor::start ? 0 : anchor == Anchor::end ? width : width / 2;
  const float least = room.x + before, most = std::max(room.right() - width + before, least);
  // Moves the label inside rather than letting it be cut off.
  const float x = std::clamp(line.tip.x + line.dx * beyond, least, most);
  const float y = std::clamp(line.tip.y + line.dy * (beyond + 2), room.y + 8, std::max(room.bottom() - 28, room.y + 8));
  return {{x, y}, text, theme.font, theme.mute, anchor};
}

/// Draws dots along an axis, and their numbers where they overlap nothing.
void draw_ticks(std::size_t axis, const SpaceFrame& f, const AxisLine& line, const Crowd& crowd,
                std::vector<Rect>& taken) {
  const Theme& theme = f.context.theme;
  const double reach = f.reach.axes[axis], step = nice_step(reach, 2);
  if (line.length / (2 * reach) * step < 26) return;
  for (double v = -std::floor(reach / step) * step; v <= reach * 0.99; v += step) {
    if (std::abs(v) < step / 2) continue;
    if (f.space.floor && axis == 2 && v < f.floor) continue;
    const Point t = f.projection.at(on_axis(f, axis, v));
    f.context.block.top().capsules.push_back({t, t, 1.4f, theme.mute, theme.mute});
    const std::string text = tick_text(v, step);
    // The distance from the axis: half of the text's extent in that direction.
    const float away = 5 + std::abs(line.dy) * text_width(text, theme.font - 2) / 2 + std::abs(line.dx) * 5;
    for (const float side : {1.0f, -1.0f}) {  // if the curve is in the way, tries the other side
      Label number{{t.x - side * line.dy * away, t.y + side * line.dx * away + 1},
                   text,
                   theme.font - 2,
                   theme.mute,
                   Anchor::middle};
      const Rect box = label_box(number), &room = f.context.block.rect;
      if (box.y < room.y || box.bottom() > room.bottom() || box.x < room.x || box.right() > room.right()) continue;
      if (!crowd.in(box) && add_label(f.context.block, std::move(number), taken)) break;
    }
  }
}

}  // namespace

void draw_axes(const SpaceFrame& f, const Crowd& crowd) {
  const Theme& theme = f.context.theme;
  const std::array<AxisLine, 3> lines{AxisLine(f, 0), AxisLine(f, 1), AxisLine(f, 2)};
  std::vector<Rect> taken;
  for (std::size_t a = 0; a < 3; ++a) {
    f.context.block.top().capsules.push_back({lines[a].foot, lines[a].tip, 0.5f, theme.line, theme.line});
    if (!lines[a].has_room() || f.axes[a] >= f.space.axes.size()) continue;
    for (float beyond = 8; beyond < 150; beyond += 12) {  // if the curve is in the way, tries farther out
      Label title = title_of(f.space.axes[f.axes[a]], theme, lines[a], f.context.block.rect, beyond);
      if (crowd.in(label_box(title)) && beyond < 130) continue;
      add_label(f.context.block, std::move(title), taken);
      break;
    }
  }
  for (std::size_t a = 0; a < 3; ++a)
    if (lines[a].has_room()) draw_ticks(a, f, lines[a], crowd, taken);
}

}  // namespace helix::figure
