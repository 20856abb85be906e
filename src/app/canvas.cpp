#include "app/canvas.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "app/camera_moves.h"
#include "base/text.h"
#include "figure/heading.h"
#include "figure/svg.h"

namespace helix::app {
namespace {

constexpr double kSwayFor = 9.5, kSwayBy = 34;  // seconds, degrees to one side
constexpr float kReach = 14;                    // pixels from a point within which it can be pointed at

/// The unit of a camera's shift, in pixels.
double camera_side(const figure::Block& space, float unit) {
  const figure::Rect area = figure::space_area(space.below_title, unit);
  return std::max(std::min(area.w, area.h), 1.0f);
}

Focus focus_of(const std::vector<Place>& places, bool locked = false) {
  Focus focus;
  for (const Place& place : places) focus.set(place.axis, place.index);
  focus.locked = locked && !focus.nothing();
  return focus;
}

}  // namespace

void Canvas::lay_out() {
  figure::Page page;
  page.width = width, page.height = height, page.theme = theme;
  const figure::Figure& figure = app_.drawn();
  ViewState view = app_.state().view;
  if (swaying()) {
    swayed_for_ += static_cast<double>(ImGui::GetIO().DeltaTime);
    view.camera = swayed();
  }
  drawing_ = figure::layout(figure, view, page);
}

bool Canvas::swaying() {
  const bool first = !app_.schema().text_tokens.empty() && app_.state().view.camera == Camera();
  return first && may_sway && swayed_for_ < kSwayFor && !app_.reduced_motion() && !app_.result().study.empty() &&
         figure::first_space(app_.figure());
}

Camera Canvas::swayed() const {
  const double part = std::min(swayed_for_ / kSwayFor, 1.0);
  return turned(app_.state().view.camera, kSwayBy * (1 - std::cos(2 * std::numbers::pi * part)), 0);
}

/// Ends the sway at the current view.
void Canvas::end_sway() {
  const bool moving = swaying() && swayed_for_ > 0;
  const Camera now = swayed();
  swayed_for_ = kSwayFor;
  if (moving) camera(now, Commit::dragging);
}

void Canvas::frame() {
  lay_out();
  draw_selection();
  apply(surface_.frame(drawing_, theme, fonts, app_.dim(), painters));
}

void Canvas::camera(const Camera& next, Commit commit) {
  if (commit == Commit::dragging) return app_.turn(next);
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

void Canvas::turn(const ui::FigureEvents& events) {
  const figure::Block* space = drawing_.find(events.panel);
  if (!space || std::ranges::find(drawing_.spaces, events.panel) == drawing_.spaces.end()) return;
  const Camera& now = app_.state().view.camera;
  const double side = camera_side(*space, drawing_.unit);
  if (events.orbiting)
    camera(turned(now, -events.moved.x * kTurnPerPixel, events.moved.y * kTurnPerPixel), Commit::dragging);
  if (events.panning) camera(shifted(now, events.moved.x / side, events.moved.y / side), Commit::dragging);
  if (events.released) camera(now, Commit::committed);
  if (events.wheel != 0) camera(zoomed(now, std::pow(kZoomPerStep, events.wheel)), Commit::committed);
}

void Canvas::apply(const ui::FigureEvents& events) {
  if (events.orbiting || events.panning || events.clicked || events.wheel != 0 || events.grip) end_sway();
  if (events.grip) return drag(events);
  grabbed_.reset();
  if (carry(events)) return;
  turn(events);
  if (const figure::Hit* hit = events.wheel != 0 ? windowed_at(events.pointer) : nullptr)
    zoom(*hit, events.pointer, {}, std::pow(kZoomPerStep, events.wheel), Commit::committed);
  if (const figure::Hit* hit = windowed_at(events.pressed)) {
    if (events.panning) zoom(*hit, events.pointer, events.moved, 1, Commit::dragging);
    if (events.released && !selected_) show(app_.state().view.windows, Commit::committed);
  }
  if (brush(events)) return;
  const Focus held = app_.state().view.focus;
  pointer_ = events.pointer;
  if (rested_ && !events.clicked && rested_->x == pointer_.x && rested_->y == pointer_.y) return;
  rested_.reset();
  if (!events.clicked && (!events.hovered || held.locked || away_)) return;
  const auto picked = drawing_.pick(events.pointer, kReach);
  if (!events.clicked) return point_at(picked ? focus_of(picked->places) : Focus());
  if (picked && click(*picked)) return;
  const Focus under = picked ? focus_of(picked->places, true) : Focus();
  point_at(held.locked && held.same_places(under) ? focus_of(under.places()) : under);
}

bool Canvas::pinch(float x, float y, float scale, float dx, float dy, bool ended) {
  end_sway();
  const figure::Hit* under = windowed_at({x, y});
  // A matrix may shrink away from under the fingers: the one they began on stays the target until they let go.
  if (const figure::Hit* hit = under || !pinching_ ? under : first_windowed()) {
    pinching_ = !ended;
    if (ended)
      show(app_.state().view.windows, Commit::committed);
    else
      zoom(*hit, {x, y}, {dx, dy}, scale, Commit::dragging);
    return true;
  }
  pinching_ = false;
  if (drawing_.spaces.empty()) return false;
  const Camera& now = app_.state().view.camera;
  if (ended) {
    camera(now, Commit::committed);
    return true;
  }
  const figure::Block* space = drawing_.space_at({x, y});
  if (!space) return false;
  const Camera next = zoomed(now, scale);
  // The point under the middle of the fingers stays there: the origin moves away from it as the figure grows.
  const figure::Rect area = figure::space_area(space->below_title, drawing_.unit);
  const double side = camera_side(*space, drawing_.unit), grown = next.zoom / now.zoom;
  const double from_x = (x - area.x - area.w / 2) / side - now.x, from_y = (y - area.y - area.h / 2) / side - now.y;
  camera(shifted(next, from_x * (1 - grown) + dx / side, from_y * (1 - grown) + dy / side), Commit::dragging);
  return true;
}

bool Canvas::holds(figure::Point at) const {
  const auto picked = drawing_.pick(at, ui::kTouchReach);
  return drawing_.grip_at(at, ui::kTouchReach, true) != nullptr || (picked && picked->hit->carried);
}

bool Canvas::takes_touch(figure::Point at) const {
  return drawing_.space_at(at) != nullptr || drawing_.grip_at(at, ui::kTouchReach, true) != nullptr;
}

bool Canvas::takes_pinch(figure::Point at) const {
  return drawing_.space_at(at) != nullptr || const_cast<Canvas*>(this)->windowed_at(at) != nullptr;
}

void Canvas::cancel_press() {
  surface_.forget_press();
  selected_.reset();
  if (const auto pulled = std::exchange(pulled_, std::nullopt); pulled && pulled->begun)
    app_.set_edits(pulled->apart, Commit::committed);
  if (!drawing_.spaces.empty()) camera(app_.state().view.camera, Commit::committed);
}

void Canvas::double_click(figure::Point at) {
  if (windowed_at(at)) return show_all();
  if (drawing_.space_at(at)) camera(Camera(), Commit::committed);
}

void Canvas::pointer_left() {
  away_ = true;
  if (!app_.state().view.focus.locked) point_at(Focus());
}

figure::Rect Canvas::rect(std::string_view id) const {
  using Part = figure::Grip::Part;
  const auto parts = split(id, '.');
  const auto number = [&](std::size_t i) { return parse_int(parts[i]).value_or(-1); };
  const auto grip = [&](std::string_view panel, Part part) {
    const figure::Grip* found = drawing_.grip_of(panel, part);
    return found ? found->rect : figure::Rect();
  };
  if (id == "figure") return {0, 0, width, height};
  if (id == "figure.rows.first" || id == "figure.rows.last")
    return grip("rows", id.ends_with("first") ? Part::first : Part::last);
  if (id == "figure.curves.mark") return grip("curves", Part::mark);
  if (parts[0] == "grip" && parts.size() == 3)
    return grip(parts[1], parts[2] == "first"   ? Part::first
                          : parts[2] == "last"  ? Part::last
                          : parts[2] == "whole" ? Part::whole
                                                : Part::mark);
  if (parts[0] == "figure") {
    const figure::Block* block = drawing_.find(id.substr(7));  // "against.pattern" is a panel, too
    return block ? block->rect : figure::Rect();
  }
  if (parts[0] == "cell" && parts.size() == 3) return drawing_.rect_of({{"query", number(1)}, {"key", number(2)}});
  if (parts[0] == "head" && parts.size() == 3) return drawing_.rect_of({{"layer", number(1)}, {"head", number(2)}});
  if (parts[0] == "row" && parts.size() == 2) {  // the point in a space, not the entry of a range slider
    for (const figure::Hit& hit : drawing_.hits)
      if (const auto point = hit.spots ? hit.of({{"position", number(1)}}) : std::nullopt) return *point;
    return {};
  }
  if ((parts[0] == "item" || parts[0] == "moment") && parts.size() == 2) {
    const figure::Rect found = drawing_.rect_of({{parts[0], number(1)}});
    return found.w > 0 || parts[0] != "item" ? found : drawing_.rect_of({{"position", number(1)}});
  }
  std::vector<Place> places;
  for (std::size_t i = 1; i + 1 < parts.size(); i += 2) places.push_back({parts[i], number(i + 1)});
  return drawing_.rect_of(places, parts[0]);
}

std::string Canvas::svg(const figure::Theme& with, float w, float h, const std::string& provenance,
                        const std::string& above) {
  figure::Page page;
  page.width = w, page.height = h, page.theme = with;
  page.with_text = !provenance.empty();
  page.caption = above + (above.empty() ? "" : "\n") + provenance;
  const figure::Figure& f = app_.figure();
  if (h <= 0) page.height = figure::standalone_height(f, page);
  return figure::to_svg(figure::layout(f, app_.state().view, page), f.title, figure::spoken_summary(f),
                        {{"link", app_.link()}, {"provenance", provenance}});
}

}  // namespace helix::app
