// Windows on axes: selected with a mouse, zoomed with a wheel or two fingers, moved, and reset to the whole axis.
#include <algorithm>
#include <cmath>
#include <utility>

#include "app/canvas.h"

namespace helix::app {
namespace {

constexpr int kFewest = 2;  // the fewest entries a window shows

/// Shrinks a stretch of `size` entries by `factor` about `at`, a fraction of it, and moves it by `by` entries.
void resize(double& first, double& shown, int size, double at, double by, double factor) {
  const double held = first + shown * at - by;
  shown = std::clamp(shown / factor, static_cast<double>(std::min(kFewest, size)), static_cast<double>(size));
  first = std::clamp(held - shown * at, 0.0, size - shown);
}

bool shows_windows(const std::vector<figure::Gesture>& gestures) {
  return std::any_of(gestures.begin(), gestures.end(),
                     [](const figure::Gesture& g) { return g.effect == figure::Gesture::Effect::window; });
}

int index_of(const std::vector<Place>& places, const std::string& axis) {
  for (const Place& p : places)
    if (p.axis == axis) return p.index;
  return -1;
}

}  // namespace

const figure::Hit* Canvas::windowed_at(figure::Point at) {
  for (auto hit = drawing_.hits.rbegin(); hit != drawing_.hits.rend(); ++hit)
    if (hit->rect.contains(at) && !hit->spots && shows_windows(gestures_of(hit->panel))) return &*hit;
  return nullptr;
}

const figure::Hit* Canvas::first_windowed() {
  for (const figure::Hit& hit : drawing_.hits)
    if (!hit.spots && shows_windows(gestures_of(hit.panel))) return &hit;
  return nullptr;
}

void Canvas::show(const std::vector<Window>& windows, Commit commit) {
  ViewState view = app_.state().view;
  if (view.windows == windows && commit == Commit::dragging) return;
  view.windows = windows;
  app_.set_view(view, commit);
}

void Canvas::show_all() {
  if (!app_.state().view.windows.empty()) show({}, Commit::committed);
}

/// A mouse drag over a panel with windows selects the part to show; over one with acts, what to act on. True while it
/// does.
bool Canvas::brush(const ui::FigureEvents& events) {
  if (selected_ && events.released && open_for_selection()) {
    selected_.reset();
    return true;
  }
  if (selected_ && events.released) {
    const Selection done = *std::exchange(selected_, std::nullopt);
    ViewState view = app_.state().view;
    const figure::Plot* plot = plot_of(done.panel);
    bool enough = plot && !done.from.empty();
    for (const Place& from : done.from) {
      if (plot && from.axis != plot->x.axis && from.axis != plot->y.axis) continue;  // the panel's own place
      const int to = index_of(done.to, from.axis);
      const Window w{from.axis, std::min(from.index, to), std::max(from.index, to)};
      enough = enough && w.last - w.first + 1 >= kFewest;
      view.show(w);
    }
    if (enough) show(view.windows, Commit::committed);
    return true;
  }
  const figure::Hit* hit = events.selecting ? windowed_at(events.pressed) : nullptr;
  if (!hit && events.selecting) hit = selectable_at(events.pressed);
  if (!hit) {
    selected_.reset();
    return false;
  }
  selected_ = Selection{hit->panel, hit->nearest(events.pressed), hit->nearest(events.pointer)};
  return true;
}

void Canvas::draw_selection() {
  if (!selected_) return;
  for (figure::Block& block : drawing_.blocks) {
    if (block.panel != selected_->panel) continue;
    const figure::Rect a = drawing_.rect_of(selected_->from, block.panel),
                       b = drawing_.rect_of(selected_->to, block.panel);
    if (a.w <= 0 || b.w <= 0) return;
    const float x = std::min(a.x, b.x), y = std::min(a.y, b.y), right = std::max(a.right(), b.right()),
                bottom = std::max(a.bottom(), b.bottom()), w = 2 * drawing_.unit;
    auto& boxes = block.above().boxes;
    boxes.push_back({{x, y, right - x, w}, theme.text, 0});
    boxes.push_back({{x, bottom - w, right - x, w}, theme.text, 0});
    boxes.push_back({{x, y, w, bottom - y}, theme.text, 0});
    boxes.push_back({{right - w, y, w, bottom - y}, theme.text, 0});
  }
}

void Canvas::zoom(const figure::Hit& hit, figure::Point at, figure::Point moved, double factor, Commit commit) {
  const figure::Plot* plot = plot_of(hit.panel);
  if (!plot) return;
  ViewState view = app_.state().view;
  const figure::Rect r = hit.rect;
  const auto along = [&](const figure::Scale& scale, const figure::Hit::Side& side, double part, double by) {
    if (side.none() || scale.count < 1) return;
    // From the state, not the drawing: several steps may come before the next frame.
    const Window* held = view.window(side.axis);
    const Window now = held ? *held : Window{side.axis, scale.first, scale.first + scale.count - 1};
    auto stretch =
        std::find_if(stretches_.begin(), stretches_.end(), [&](const Stretch& s) { return s.axis == side.axis; });
    if (stretch == stretches_.end()) stretch = stretches_.insert(stretch, Stretch{side.axis, 0, 0, {}});
    // The window may have changed in the meantime: by a button, a link, a drag, or a shorter text.
    if (!(stretch->shown == now) || stretch->count > scale.count)
      stretch->first = now.first - scale.first, stretch->count = now.last - now.first + 1;
    // Moved by whole entries as they are drawn: the picture stays under the pointer.
    resize(stretch->first, stretch->count, scale.count, part, by * side.count, factor);
    const int count = static_cast<int>(std::lround(stretch->count));
    const int first = std::clamp(static_cast<int>(std::lround(stretch->first)), 0, scale.count - count);
    stretch->shown = {side.axis, scale.first + first, scale.first + first + count - 1};
    if (count == scale.count)
      view.show_all(side.axis);
    else
      view.show(stretch->shown);
  };
  along(plot->y, hit.y, (at.y - r.y) / r.h, moved.y / r.h);
  along(plot->x, hit.x, (at.x - r.x) / r.w, moved.x / r.w);
  show(view.windows, commit);
}

}  // namespace helix::app
