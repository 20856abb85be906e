// What dragging a grip and clicking a mark do: set parameters, follow a link fragment or make an edit.
#include <algorithm>
#include <cmath>
#include <limits>
#include <variant>

#include "app/canvas.h"
#include "base/filled.h"
#include "base/text.h"

namespace helix::app {
namespace {

constexpr float kCarryReach = 16;  // pixels around an entry within which a mouse grabs it
constexpr float kPinnedReach =
    6;                           // pixels around a pinned entry within which a mouse grabs it though another is nearer
constexpr float kHeldStill = 4;  // pixels that a press may move before it carries something
constexpr int kFollowed = 90;    // how many entries before and after one a drag may reach in one step

/// The edits with this one in place of another of its kind; one that would do nothing ("…:0") is removed instead.
std::vector<Edit> with_one(std::vector<Edit> edits, const std::string& spec) {
  const std::string kind = spec.substr(0, spec.find(':') + 1);
  const auto same = std::ranges::find_if(edits, [&](const Edit& e) { return e.spec.starts_with(kind); });
  const bool nothing = spec == kind + "0";
  if (same == edits.end()) {
    if (!nothing) edits.push_back({spec, true});
  } else if (nothing) {
    edits.erase(same);
  } else {
    *same = {spec, true};
  }
  return edits;
}

Focus unlocked(Focus focus) {
  focus.locked = false;
  return focus;
}

/// A gesture's text up to {to}, with the places in focus: what edits of the same thing begin with.
std::string stem_of(const figure::Gesture& gesture, const Focus& focus) {
  std::vector<std::pair<std::string, int>> names;
  for (const Place& place : focus.places()) names.emplace_back(place.axis, place.index);
  return filled(gesture.text.substr(0, gesture.text.find("{to}")), names);
}

std::vector<std::pair<std::string, std::string>> pairs_of(const std::string& text) {
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const std::string& part : split(text, '&'))
    if (const std::size_t at = part.find('='); at != std::string::npos)
      pairs.emplace_back(part.substr(0, at), part.substr(at + 1));
  return pairs;
}

}  // namespace

const figure::Plot* Canvas::plot_of(const std::string& panel) {
  const figure::Panel* found = app_.figure().find(panel);
  return found ? std::get_if<figure::Plot>(&found->content) : nullptr;
}

const std::vector<figure::Gesture>& Canvas::gestures_of(const std::string& panel) {
  static const std::vector<figure::Gesture> none;
  const figure::Panel* found = app_.figure().find(panel);
  if (!found) return none;
  if (const auto* plot = std::get_if<figure::Plot>(&found->content)) return plot->gestures;
  const auto* space = std::get_if<figure::Space>(&found->content);
  return space ? space->gestures : none;
}

void Canvas::perform(const figure::Gesture& gesture, const Names& names, Commit commit) {
  using Effect = figure::Gesture::Effect;
  const std::string text = filled(gesture.text, names);
  if (gesture.effect == Effect::append && commit == Commit::committed && !names.empty()) {
    const auto i = static_cast<std::size_t>(std::max(names.front().second, 0));
    if (i < gesture.tokens.size()) app_.append_token(gesture.tokens[i].id, gesture.tokens[i].bytes);
  }
  if (gesture.effect == Effect::go && commit == Commit::committed)
    if (const auto gone = app_.go_to(text); !gone) app_.add_notice(gone.error().sentence);
  if (gesture.effect == Effect::edit && gesture.on == figure::Gesture::On::drag)
    app_.set_edits(with_one(app_.state().subject.edits, text), commit);
  else if (gesture.effect == Effect::edit && commit == Commit::committed) {
    std::vector<Edit> edits = app_.state().subject.edits;
    // A second click on the same mark does not add a second edit.
    const auto same = std::find_if(edits.begin(), edits.end(), [&](const Edit& e) { return e.spec == text; });
    if (same == edits.end())
      edits.push_back({text, true});
    else
      same->on = true;
    app_.set_edits(std::move(edits));
  }
  if (gesture.effect != Effect::set) return;
  const auto pairs = pairs_of(text);
  const auto held = [&](const auto& pair) {
    const std::string* value = find_value(app_.state().params, pair.first);
    return value && *value == pair.second;
  };
  if (commit == Commit::committed || !std::all_of(pairs.begin(), pairs.end(), held)) app_.set_params(pairs, commit);
}

void Canvas::drag(const ui::FigureEvents& events) {
  using Part = figure::Grip::Part;
  const auto& gestures = gestures_of(events.grip->panel);
  if (events.grip->gesture >= gestures.size()) return;
  const figure::Gesture g = gestures[events.grip->gesture];  // a copy: the figure is rebuilt as parameters change
  const int index = events.grip->index_at(events.pointer.x);
  if (g.on == figure::Gesture::On::carry) {
    const bool moved =
        std::hypot(events.pointer.x - events.pressed.x, events.pointer.y - events.pressed.y) > kHeldStill;
    if (events.ended && !events.released) return point_at(unlocked(app_.state().view.focus));  // a click
    if (moved || events.released)
      carry_to(g, app_.state().view.focus, index, events.released ? Commit::committed : Commit::dragging);
    return;
  }
  if (events.grip->part == Part::mark) {
    Names names{{events.grip->axis, index}};
    if (!events.grip->up_axis.empty())
      names = {{events.grip->axis, events.grip->index_at(events.pressed.x)},
               {events.grip->up_axis, events.grip->step_at(events.pointer.y)}};
    return perform(g, names, events.ended ? Commit::committed : Commit::dragging);
  }
  if (!grabbed_) grabbed_ = Grabbed{index, g.first, g.last};
  int first = g.first, last = g.last;
  if (events.grip->part == Part::first) first = std::min(index, last);
  if (events.grip->part == Part::last) last = std::max(index, first);
  if (events.grip->part == Part::whole) {
    const int end = events.grip->first + events.grip->count - 1;
    const int by = std::clamp(index - grabbed_->at, events.grip->first - grabbed_->first, end - grabbed_->last);
    first = grabbed_->first + by, last = grabbed_->last + by;
  }
  const bool moved = first != g.first || last != g.last;
  if (moved || events.released)
    perform(g, {{events.grip->axis + ".first", first}, {events.grip->axis + ".last", last}},
            events.released ? Commit::committed : Commit::dragging);
  if (events.released || events.ended) grabbed_.reset();
}

/// The entry nearest to a point among those near `from`: where a curve passes close to itself, a drag does not jump.
int Canvas::followed(const std::string& panel, const std::string& axis, int from, figure::Point to) const {
  int best = from;
  float least = std::numeric_limits<float>::infinity();
  for (const figure::Hit& hit : drawing_.hits) {
    if (hit.panel != panel || hit.carried || !hit.spots || hit.spots->axis != axis) continue;
    const int end = hit.spots->first + static_cast<int>(hit.spots->at.size());
    for (int i = std::max(from - kFollowed, hit.spots->first); i < std::min(from + kFollowed, end); ++i) {
      const figure::Point at = hit.spots->at[static_cast<std::size_t>(i - hit.spots->first)];
      const float distance = std::hypot(at.x - to.x, at.y - to.y);
      if (distance < least) least = distance, best = i;
    }
  }
  return best;
}

/// What a press on something carried takes hold of. Entries may lie less than a pixel apart, so a pinned one near the press
/// is meant, though another is nearer; a word is meant itself.
std::optional<figure::Drawing::Picked> Canvas::grasped(const ui::FigureEvents& events) const {
  auto picked = drawing_.pick(events.pressed, events.finger ? ui::kTouchReach : kCarryReach);
  if (!picked || !picked->hit->carried) return std::nullopt;
  Place& entry = picked->places.back();
  const Focus& focus = app_.state().view.focus;
  const auto pinned =
      picked->hit->spots && focus.locked ? picked->hit->of({{entry.axis, focus.at(entry.axis)}}) : std::nullopt;
  if (!pinned) return picked;
  const float away = std::hypot(pinned->x + pinned->w / 2 - events.pressed.x,  //
                                pinned->y + pinned->h / 2 - events.pressed.y);
  if (away <= (events.finger ? ui::kTouchReach : kPinnedReach)) entry.index = focus.at(entry.axis);
  return picked;
}

/// Where the entry of something carried lies: the point itself, though its word may be what was picked.
std::optional<figure::Point> Canvas::carried_at(const figure::Drawing::Picked& picked) const {
  for (const figure::Hit& hit : drawing_.hits)
    if (hit.carried && hit.spots && hit.panel == picked.hit->panel)
      if (const auto rect = hit.of({picked.places.back()}))
        return figure::Point{rect->x + rect->w / 2, rect->y + rect->h / 2};
  return std::nullopt;
}

/// The gesture of a panel that carries what is in this focus.
const figure::Gesture* Canvas::carry_of(const std::string& panel, const Focus& of, bool shift) {
  for (const figure::Gesture& g : gestures_of(panel))
    if (g.on == figure::Gesture::On::carry && (g.key == "Shift") == shift && !g.axes.empty() &&
        std::ranges::all_of(g.axes, [&](const std::string& axis) { return of.has(axis); }))
      return &g;
  return nullptr;
}

/// Where what is in this focus has been carried to; where it is, if it has not been.
int Canvas::carried_now(const figure::Gesture& gesture, const Focus& of) const {
  const std::string stem = stem_of(gesture, of);
  for (const Edit& edit : app_.state().subject.edits)
    if (edit.on && edit.spec.starts_with(stem))
      return parse_int(edit.spec.substr(stem.size())).value_or(of.at(gesture.axes.front()));
  return of.at(gesture.axes.front());
}

/// Carries what is in this focus along the gesture's first axis: an edit, in place of an earlier one of the same thing.
void Canvas::carry_to(const figure::Gesture& gesture, const Focus& of, int to, Commit commit) {
  const figure::Gesture g = gesture;  // a copy: the figure is rebuilt as edits change
  const int most = g.until.empty() ? g.last : of.at(g.until);
  to = std::max(most >= 0 ? std::min(to, most) : to, std::max(g.first, 0));
  const std::string stem = stem_of(g, of), spec = stem + std::to_string(to);
  std::vector<Edit> edits = app_.state().subject.edits;
  const auto same = std::ranges::find_if(edits, [&](const Edit& edit) { return edit.spec.starts_with(stem); });
  const bool back = to == of.at(g.axes.front());
  if (same == edits.end()) {
    if (!back) edits.insert(g.before ? edits.begin() : edits.end(), Edit{spec, true});
  } else if (back) {
    edits.erase(same);
  } else {
    *same = {spec, true};
  }
  if (commit == Commit::committed || edits != app_.state().subject.edits) app_.set_edits(std::move(edits), commit);
}

/// Drags a point along the curve it lies on, by itself or by its word: all of them, or the one in a locked focus alone.
/// With Shift it is always that one alone, pinned or not.
bool Canvas::carry(const ui::FigureEvents& events) {
  const bool dragging = events.orbiting || events.panning;
  if (dragging && !carried_) {
    const auto picked = grasped(events);
    if (!picked) return false;
    const Focus& focus = app_.state().view.focus;
    const Place& entry = picked->places.back();
    const Focus of({entry});
    const figure::Gesture* alone = carry_of(picked->hit->panel, of, events.panning);
    if (alone && (events.panning || (focus.locked && focus.at(entry.axis) == entry.index))) {
      const int now = carried_now(*alone, of);
      carried_ = Carried{picked->hit->panel, *alone, of, now, now};
    }
    for (const figure::Gesture& g : gestures_of(picked->hit->panel))
      if (!carried_ && g.on == figure::Gesture::On::drag && g.effect == figure::Gesture::Effect::edit)
        carried_ = Carried{picked->hit->panel, g, of, entry.index, entry.index};
    if (const auto at = carried_at(*picked); at && carried_)
      carried_->dx = at->x - events.pressed.x, carried_->dy = at->y - events.pressed.y;
  }
  if (!carried_) return false;
  if (dragging || events.released) {
    Carried& held = *carried_;
    const figure::Point to{events.pointer.x + held.dx, events.pointer.y + held.dy};
    const Commit commit = events.released ? Commit::committed : Commit::dragging;
    held.now = followed(held.panel, held.gesture.axes.front(), held.now, to);
    if (held.gesture.on == figure::Gesture::On::carry)
      carry_to(held.gesture, held.of, held.now, commit);
    else
      perform(held.gesture,
              {{"shift", std::clamp(held.gesture.first + held.now - held.from, 0, std::max(held.gesture.last, 0))}},
              commit);
  }
  if (events.released || events.ended) carried_.reset();
  return true;
}

bool Canvas::click(const figure::Drawing::Picked& picked) {
  const auto place_of = [&](const std::string& axis) {
    return std::find_if(picked.places.begin(), picked.places.end(), [&](const Place& p) { return p.axis == axis; });
  };
  for (const figure::Gesture& g : gestures_of(picked.hit->panel)) {
    const bool drags = g.on == figure::Gesture::On::drag && g.effect != figure::Gesture::Effect::edit;
    if (g.on != figure::Gesture::On::click && !drags) continue;
    Names names;
    for (const std::string& axis : g.axes)
      if (const auto at = place_of(axis); at != picked.places.end()) names.emplace_back(axis, at->index);
    if (names.empty() || names.size() != g.axes.size()) continue;
    perform(figure::Gesture(g), names, Commit::committed);
    return true;
  }
  return false;
}

}  // namespace helix::app
