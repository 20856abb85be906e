#include "app/canvas.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/text.h"
#include "figure/svg.h"
#include "state/permalink.h"

namespace helix::app {
namespace {

constexpr float kReach = 14;           // pixels around a point that read it
constexpr double kTurnPerPixel = 0.4;  // degrees
constexpr double kTurnPerKey = 5, kZoomPerStep = 1.12, kPanPerKey = 0.04;

Camera turned(Camera c, double degrees_right, double degrees_up) {
  c.azimuth = std::fmod(c.azimuth + degrees_right + 720, 360.0);
  c.elevation = std::clamp(c.elevation + degrees_up, -90.0, 90.0);
  return c;
}

Camera zoomed(Camera c, double factor) {
  c.zoom = std::clamp(c.zoom * factor, 0.1, 20.0);
  return c;
}

Camera shifted(Camera c, double x, double y) {
  c.x = std::clamp(c.x + x, -5.0, 5.0);
  c.y = std::clamp(c.y + y, -5.0, 5.0);
  return c;
}

/// What a camera's shift is counted in, in pixels.
double camera_side(const figure::Block& path, float unit) {
  const figure::Rect area = figure::path_area(path.rect, unit);
  return std::max(std::min(area.w, area.h), 1.0f);
}

}  // namespace

void Canvas::lay_out() {
  figure::Page page;
  page.width = width, page.height = height, page.theme = theme;
  drawing_ = figure::layout(app_.figure(), page);
}

void Canvas::frame() {
  lay_out();
  draw_selection();
  apply(surface_.frame(drawing_, theme, fonts, app_.dim(), painter, images));
}

void Canvas::camera(const Camera& next, Commit commit) {
  ViewState view = app_.state().view;
  view.camera = next;
  app_.set_view(view, commit);
}

void Canvas::point_at(const Focus& next) {
  ViewState view = app_.state().view;
  if (view.focus == next) return;
  const bool commit = next.locked || view.focus.locked;
  view.focus = next;
  app_.set_view(view, commit ? Commit::committed : Commit::dragging);
}

void Canvas::focus(int index, bool locked) {
  Focus next;
  next.position = index, next.locked = locked && index >= 0;
  point_at(next);
}

int Canvas::index_under(const ui::FigureEvents& events) const {
  if (drawing_.scale.rect.contains(events.pointer)) return drawing_.scale.index_at(events.pointer.x);
  const figure::Block* path = drawing_.spots.empty() ? nullptr : drawing_.find(events.panel);
  if (!path || !path->rect.contains(events.pointer) || path->capsules.empty()) return -1;
  const figure::Spot* spot = drawing_.spot_near(events.pointer, kReach);
  return spot ? spot->index : -1;
}

Focus Canvas::focus_under(const ui::FigureEvents& events) const {
  if (const auto cell = drawing_.cells.at(events.pointer)) return Focus::at_cell(cell->row, cell->col);
  if (const auto tile = drawing_.tiles.at(events.pointer)) {
    Focus f;
    f.layer = tile->layer, f.head = tile->head;
    return f;
  }
  Focus f;
  if (const figure::Item* item = drawing_.item_at(events.pointer)) {
    const auto* bars = figure::content_of<figure::Bars>(app_.figure());
    (bars && bars->each == figure::Bars::Each::item ? f.item : f.position) = item->index;
    return f;
  }
  f.item = drawing_.moment_at(events.pointer);
  if (f.item < 0) f.position = index_under(events);
  return f;
}

/// Sets the moment under the pointer, of the plot in which the press began.
void Canvas::drag_moment(figure::Point from, figure::Point to, Commit commit) {
  const auto* curves = figure::content_of<figure::Curves>(app_.figure());
  if (!curves || curves->mark_key.empty()) return;
  const std::string key = curves->mark_key, value = std::to_string(drawing_.moment_at({to.x, from.y}, true));
  const std::string* held = find_value(app_.state().params, key);
  if (commit == Commit::committed || !held || *held != value) app_.set_params({{key, value}}, commit);
}

void Canvas::drag_handle(const ui::FigureEvents& events) {
  if (*events.handle == figure::Handle::Which::moment)
    return drag_moment(events.pressed, events.pointer, events.ended ? Commit::committed : Commit::dragging);
  const auto* profile = figure::content_of<figure::Profile>(app_.figure());
  if (!profile) return;
  using Which = figure::Handle::Which;
  const int index = drawing_.scale.index_at(events.pointer.x);
  const Commit commit = events.released ? Commit::committed : Commit::dragging;
  if (!grabbed_)
    grabbed_ = true, grabbed_at_ = index, grabbed_first_ = profile->range_first, grabbed_last_ = profile->range_last;
  int first = profile->range_first, last = profile->range_last;
  if (*events.handle == Which::first) first = std::min(index, last);
  if (*events.handle == Which::last) last = std::max(index, first);
  if (*events.handle == Which::whole) {
    const int by = std::clamp(index - grabbed_at_, -grabbed_first_, profile->axis_last - grabbed_last_);
    first = grabbed_first_ + by, last = grabbed_last_ + by;
  }
  if (events.released) grabbed_ = false;
  const bool changed = first != profile->range_first || last != profile->range_last;
  const std::string first_key = profile->first_key, last_key = profile->last_key;
  if (changed || events.released)
    app_.set_params({{first_key, std::to_string(first)}, {last_key, std::to_string(last)}}, commit);
}

void Canvas::apply(const ui::FigureEvents& events) {
  const Camera& now = app_.state().view.camera;
  const double side = drawing_.blocks.empty() ? 1 : camera_side(drawing_.blocks.front(), drawing_.unit);
  const bool on_path = !drawing_.spots.empty() && events.panel == drawing_.blocks.front().panel;
  if (events.handle) return drag_handle(events);
  grabbed_ = false;
  if (on_path && events.orbiting)
    camera(turned(now, -events.moved.x * kTurnPerPixel, events.moved.y * kTurnPerPixel), Commit::dragging);
  if (on_path && events.panning) camera(shifted(now, events.moved.x / side, events.moved.y / side), Commit::dragging);
  if (on_path && events.released) camera(now, Commit::committed);
  if (on_path && events.wheel != 0) camera(zoomed(now, std::pow(kZoomPerStep, events.wheel)), Commit::committed);
  const bool on_cells = drawing_.cells.rect.contains(events.pointer);
  if (on_cells && events.wheel != 0)
    zoom_cells(events.pointer, {}, std::pow(kZoomPerStep, events.wheel), Commit::committed);
  if (drawing_.cells.rect.contains(events.pressed)) {
    if (events.panning) zoom_cells(events.pointer, events.moved, 1, Commit::dragging);
    if (events.released && !selected_) show_region(app_.state().view.region);
  }
  if (drag_region(events)) return;
  Focus held = app_.state().view.focus;
  if (events.clicked) {
    if (choose_head(events.pointer)) return;
    if (drawing_.moment_at(events.pointer) >= 0) return drag_moment(events.pointer, events.pointer, Commit::committed);
    Focus under = focus_under(events);
    const bool again = std::exchange(held.locked, false) && held == under;
    under.locked = !under.nothing() && !again;
    point_at(under);
  } else if (events.hovered && !held.locked) {
    point_at(focus_under(events));
  }
}

bool Canvas::pinch(float x, float y, float scale, float dx, float dy, bool ended) {
  if (drawing_.cells.rows > 0) {
    if (!ended) zoom_cells({x, y}, {dx, dy}, scale, Commit::dragging);
    if (ended) show_region(app_.state().view.region);
    return true;
  }
  const figure::Block* path = drawing_.blocks.empty() ? nullptr : &drawing_.blocks.front();
  if (!path || drawing_.spots.empty()) return false;
  const Camera& now = app_.state().view.camera;
  if (ended) {
    camera(now, Commit::committed);
    return true;
  }
  if (!path->rect.contains({x, y})) return false;
  const Camera next = zoomed(now, scale);
  // What lies under the middle of the fingers stays there: the origin moves away from it as the figure grows.
  const figure::Rect area = figure::path_area(path->rect, drawing_.unit);
  const double side = camera_side(*path, drawing_.unit), grown = next.zoom / now.zoom;
  const double from_x = (x - area.x - area.w / 2) / side - now.x, from_y = (y - area.y - area.h / 2) / side - now.y;
  camera(shifted(next, from_x * (1 - grown) + dx / side, from_y * (1 - grown) + dy / side), Commit::dragging);
  return true;
}

bool Canvas::takes_touch(figure::Point at) const {
  const bool on_path = !drawing_.spots.empty() && drawing_.blocks.front().rect.contains(at);
  return on_path || drawing_.handle_at(at, ui::kTouchReach, true) != nullptr;
}

bool Canvas::takes_pinch(figure::Point at) const {
  return drawing_.cells.rect.contains(at) || (!drawing_.spots.empty() && drawing_.blocks.front().rect.contains(at));
}

void Canvas::cancel_press() {
  surface_.forget_press();
  selected_.reset();
  if (!drawing_.spots.empty()) camera(app_.state().view.camera, Commit::committed);
}

void Canvas::double_click(figure::Point at) {
  if (drawing_.cells.at(at)) return show_region(Region());
  if (drawing_.spots.empty() || !drawing_.blocks.front().rect.contains(at)) return;
  camera(Camera(), Commit::committed);
}

void Canvas::walk(int steps) {
  const figure::Figure& figure = app_.figure();
  if (figure.index_last < figure.index_first) return;
  const auto* bars = figure::content_of<figure::Bars>(figure);
  const bool items = bars && bars->each == figure::Bars::Each::item;
  Focus next;
  next.locked = app_.state().view.focus.locked;
  const int held = items ? app_.state().view.focus.item : app_.state().view.focus.position;
  const int from = held < 0 ? (steps > 0 ? figure.index_first - 1 : figure.index_last + 1) : held;
  (items ? next.item : next.position) = std::clamp(from + steps, figure.index_first, figure.index_last);
  point_at(next);
}

bool Canvas::walk_key(std::string_view name, bool shift) {
  constexpr int far = 1 << 20;
  Focus held = app_.state().view.focus;
  if (name == "ArrowRight")
    walk(shift ? 10 : 1);
  else if (name == "ArrowLeft")
    walk(shift ? -10 : -1);
  else if (name == "PageDown")
    walk(100);
  else if (name == "PageUp")
    walk(-100);
  else if (name == "Home")
    walk(-far);
  else if (name == "End")
    walk(far);
  else if (name == "Enter" || name == " ")
    held.locked = !held.locked && !held.nothing(), point_at(held);
  else if (name == "Escape")
    point_at(Focus());
  else
    return false;
  return true;
}

bool Canvas::key(std::string_view name, bool shift) {
  if (drawing_.cells.rows > 0) return cell_key(name, shift);
  if (walk_key(name, shift)) return true;
  if (!drawing_.items.empty() && (name == "ArrowDown" || name == "ArrowUp")) {
    walk(name == "ArrowDown" ? 1 : -1);
    return true;
  }
  if (drawing_.spots.empty()) return false;  // nothing to turn
  const Camera& now = app_.state().view.camera;
  if (name == "a")
    camera(turned(now, -kTurnPerKey, 0), Commit::committed);
  else if (name == "d")
    camera(turned(now, kTurnPerKey, 0), Commit::committed);
  else if (name == "w" || name == "ArrowUp")
    camera(turned(now, 0, kTurnPerKey), Commit::committed);
  else if (name == "s" || name == "ArrowDown")
    camera(turned(now, 0, -kTurnPerKey), Commit::committed);
  else if (name == "A")
    camera(shifted(now, -kPanPerKey, 0), Commit::committed);
  else if (name == "D")
    camera(shifted(now, kPanPerKey, 0), Commit::committed);
  else if (name == "W")
    camera(shifted(now, 0, -kPanPerKey), Commit::committed);
  else if (name == "S")
    camera(shifted(now, 0, kPanPerKey), Commit::committed);
  else if (name == "+" || name == "=")
    camera(zoomed(now, kZoomPerStep), Commit::committed);
  else if (name == "-")
    camera(zoomed(now, 1 / kZoomPerStep), Commit::committed);
  else if (name == "0")
    camera(Camera(), Commit::committed);
  else
    return false;
  return true;
}

void Canvas::pointer_left() {
  if (!app_.state().view.focus.locked) point_at(Focus());
}

figure::Rect Canvas::rect(std::string_view id) const {
  if (id == "figure") return {0, 0, width, height};
  if (id.starts_with("figure.")) {
    const std::string_view panel = id.substr(7);
    // The ends of the range are things one drags: tests and scripts can find them.
    for (const figure::Handle& h : drawing_.handles)
      if ((panel == "rows.first" && h.which == figure::Handle::Which::first) ||
          (panel == "rows.last" && h.which == figure::Handle::Which::last) ||
          (panel == "curves.mark" && h.which == figure::Handle::Which::moment && !h.broad))
        return h.rect;
    const figure::Block* block = drawing_.find(panel);
    return block ? block->rect : figure::Rect();
  }
  std::vector<int> numbers;
  const auto parts = split(id, '.');
  for (std::size_t i = 1; i < parts.size(); ++i) numbers.push_back(parse_int(parts[i]).value_or(-1));
  if (parts.front() == "row" && numbers.size() == 1)
    if (const figure::Spot* spot = drawing_.spot_of(numbers[0])) return {spot->at.x - 3, spot->at.y - 3, 6, 6};
  if (parts.front() == "item" && numbers.size() == 1)
    if (const figure::Item* item = drawing_.item_of(numbers[0])) return item->rect;
  if (parts.front() == "moment" && numbers.size() == 1 && !drawing_.moments.empty()) {
    const figure::IndexScale& plot = drawing_.moments.front();
    if (numbers[0] >= 0 && numbers[0] <= plot.last) return {plot.x_of(numbers[0]) - 1, plot.rect.y, 2, plot.rect.h};
  }
  if (parts.front() == "cell" && numbers.size() == 2) return drawing_.cells.of(numbers[0], numbers[1]);
  if (parts.front() == "head" && numbers.size() == 2) return drawing_.tiles.of(numbers[0], numbers[1]);
  return {};
}

std::string Canvas::svg(const figure::Theme& with, float w, float h, const std::string& caption) {
  figure::Page page;
  page.width = w, page.height = h, page.theme = with;
  page.with_text = !caption.empty();
  page.caption = caption;
  const figure::Figure& f = app_.figure();
  return figure::to_svg(figure::layout(f, page), f.title, f.summary, {{"link", app_.link()}, {"provenance", caption}});
}

}  // namespace helix::app
