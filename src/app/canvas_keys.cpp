// What the keys do: step along the figure's axes, lock the focus, rotate a space, zoom, choose a neighbour.
#include <algorithm>

#include "app/camera_moves.h"
#include "app/canvas.h"
#include "base/text.h"

namespace helix::app {
namespace {

constexpr int kFar = 1 << 20;

int first_lit(const Focus& focus, const std::string& axis) {
  const auto lit = focus.lit(axis);
  return lit.empty() ? -1 : lit.front();
}

}  // namespace

std::pair<int, int> Canvas::walked_range(const figure::Walk& walk) const {
  const Window* w = app_.state().view.window(walk.axis);
  if (!w || w->first > walk.last || w->last < walk.first) return {walk.first, walk.last};
  return {std::max(w->first, walk.first), std::min(w->last, walk.last)};
}

void Canvas::walk(int down, int across) {
  const figure::Figure& figure = app_.figure();
  const Focus held = app_.state().view.focus;
  Focus next;
  next.locked = held.locked;
  if (!figure.down.empty() && !figure.across.empty() && figure.down.axis != figure.across.axis) {
    const auto [first_row, last_row] = walked_range(figure.down);
    const auto [first_col, last_col] = walked_range(figure.across);
    const int row = first_lit(held, figure.down.axis), col = first_lit(held, figure.across.axis);
    // Begins at the last row: the last token attends to all others.
    next.set(figure.down.axis, row < 0 ? last_row : std::clamp(row + down, first_row, last_row));
    next.set(figure.across.axis, col < 0 ? first_col : std::clamp(col + across, first_col, last_col));
    return point_at(next);
  }
  const figure::Walk& walk = figure.across.empty() ? figure.down : figure.across;
  if (walk.empty()) return;
  const int steps = down + across;
  const auto [first, last] = walked_range(walk);
  const int at = first_lit(held, walk.axis), from = at < 0 ? (steps > 0 ? first - 1 : last + 1) : at;
  next.set(walk.axis, std::clamp(from + steps, first, last));
  point_at(next);
}

bool Canvas::walk_key(std::string_view name, bool shift) {
  const figure::Figure& figure = app_.figure();
  const int far = shift ? 10 : 1;
  const bool rows = !figure.down.empty();
  Focus held = app_.state().view.focus;
  if (name == "ArrowRight")
    walk(0, far);
  else if (name == "ArrowLeft")
    walk(0, -far);
  else if (name == "ArrowDown" && rows)
    walk(far, 0);
  else if (name == "ArrowUp" && rows)
    walk(-far, 0);
  else if (name == "PageDown")
    walk(100, 0);
  else if (name == "PageUp")
    walk(-100, 0);
  else if (name == "Home")
    walk(0, -kFar);
  else if (name == "End")
    walk(0, kFar);
  else if (name == "Enter" || name == " ")
    held.locked = !held.locked && !held.nothing(), point_at(held);
  else if (name == "Escape")
    held.nothing() ? show_all() : point_at(Focus());
  else
    return false;
  return true;
}

bool Canvas::camera_key(std::string_view name) {
  if (drawing_.spaces.empty()) return false;
  const Camera& now = app_.state().view.camera;
  const auto to = [&](const Camera& next) {
    camera(next, Commit::committed);
    return true;
  };
  if (name == "a") return to(turned(now, -kTurnPerKey, 0));
  if (name == "d") return to(turned(now, kTurnPerKey, 0));
  if (name == "w" || name == "ArrowUp") return to(turned(now, 0, kTurnPerKey));
  if (name == "s" || name == "ArrowDown") return to(turned(now, 0, -kTurnPerKey));
  if (name == "A") return to(shifted(now, -kPanPerKey, 0));
  if (name == "D") return to(shifted(now, kPanPerKey, 0));
  if (name == "W") return to(shifted(now, 0, -kPanPerKey));
  if (name == "S") return to(shifted(now, 0, kPanPerKey));
  if (name == "+" || name == "=") return to(zoomed(now, kZoomPerStep));
  if (name == "-") return to(zoomed(now, 1 / kZoomPerStep));
  if (name == "0") return to(Camera());
  return false;
}

bool Canvas::window_key(std::string_view name) {
  const figure::Hit* hit = first_windowed();
  if (!hit || (name != "+" && name != "=" && name != "-" && name != "0")) return false;
  if (name == "0") {
    show_all();
    return true;
  }
  const auto held = hit->of(app_.state().view.focus.places());
  const figure::Rect about = held && held->w > 0 ? *held : hit->rect;
  zoom(*hit, {about.x + about.w / 2, about.y + about.h / 2}, {}, name == "-" ? 0.5 : 2, Commit::committed);
  return true;
}

/// Steps along the two axes of a selection made by clicks: another layer, another head.
bool Canvas::choose_key(std::string_view name) {
  const int down = name == "w" || name == "W" ? -1 : name == "s" || name == "S" ? 1 : 0;
  const int across = name == "a" || name == "A" ? -1 : name == "d" || name == "D" ? 1 : 0;
  if (!down && !across) return false;
  for (const figure::Panel& panel : app_.figure().panels) {
    const auto* plot = std::get_if<figure::Plot>(&panel.content);
    if (!plot) continue;
    for (const figure::Gesture& g : plot->gestures) {
      if (g.on != figure::Gesture::On::click || g.effect != figure::Gesture::Effect::set || g.axes.size() != 2)
        continue;
      Names names;
      for (const figure::Scale* scale : {&plot->y, &plot->x}) {
        // From the controls' values: a key held down does not wait for the picture.
        int now = 0;
        for (const std::string& pair : split(g.text, '&'))
          if (pair.ends_with("={" + scale->axis + "}"))
            if (const std::string* text = find_value(app_.state().params, pair.substr(0, pair.find('='))))
              now = parse_int(*text).value_or(0);
        if (now < scale->first)  // the study's own choice, which the figure outlines
          if (const auto own = std::ranges::find(plot->chosen, scale->axis, &Place::axis); own != plot->chosen.end())
            now = own->index;
        const int by = scale == &plot->y ? down : across;
        names.emplace_back(scale->axis,
                           std::clamp(now + by, scale->first, scale->first + std::max(scale->count - 1, 0)));
      }
      if (!plot->x.count || !plot->y.count) return true;
      perform(figure::Gesture(g), names, Commit::committed);
      return true;
    }
  }
  return false;
}

/// Carries what is in focus by one entry.
bool Canvas::carry_key(std::string_view name, bool shift) {
  const int by = name == "ArrowRight" || name == "ArrowUp" ? 1 : name == "ArrowLeft" || name == "ArrowDown" ? -1 : 0;
  if (!by) return false;
  for (const figure::Panel& panel : app_.figure().panels) {
    const Focus held = app_.state().view.focus;
    const figure::Gesture* g = carry_of(panel.id, held, shift);
    if (!g) continue;
    const bool in_space = std::holds_alternative<figure::Space>(panel.content);
    if (in_space && !carried_here({{g->axes.front(), held.at(g->axes.front())}})) continue;
    carry_to(*g, held, carried_now(*g, held) + by, Commit::committed);
    return true;
  }
  return false;
}

bool Canvas::key(std::string_view name, bool shift, bool alt) {
  end_sway();
  if (alt) return carry_key(name, shift);
  if (name == "ContextMenu" || (name == "F10" && shift)) return open_menu();
  if (act_key(name)) return true;
  if (walk_key(name, shift)) {
    rested_ = pointer_;
    return true;
  }
  return camera_key(name) || window_key(name) || choose_key(name);
}

}  // namespace helix::app
