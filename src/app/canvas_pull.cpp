// Two fingers on a text that lies on a curve: pulled towards each other, they average the positions between them.
#include <algorithm>
#include <cmath>
#include <utility>

#include "app/canvas.h"
#include "base/filled.h"
#include "base/text.h"

namespace helix::app {
namespace {

using figure::Gesture;
using Range = std::pair<int, int>;

constexpr float kClearly = 12;  // pixels that fingers move before it is known what they do

/// The range of an edit "<kind>:first:last", whose ends may be in either order.
std::optional<Range> range_of(const Edit& edit, const std::string& kind) {
  const auto parts = split(edit.spec, ':');
  if (!edit.on || parts.size() != 3 || parts[0] + ":" != kind) return std::nullopt;
  const auto one = parse_int(parts[1]), other = parse_int(parts[2]);
  if (!one || !other) return std::nullopt;
  return std::minmax({*one, *other});
}

bool within(const Range& inner, const Range& outer) {
  return inner.first >= outer.first && inner.second <= outer.second;
}

std::string kind_of(const std::string& spec) { return spec.substr(0, spec.find(':') + 1); }

/// What lies at one place already is taken along whole.
Range with_averaged(const std::vector<Edit>& edits, const std::string& kind, Range range) {
  for (const Edit& edit : edits)
    if (const auto held = range_of(edit, kind)) {
      if (range.first >= held->first && range.first <= held->second) range.first = held->first;
      if (range.second >= held->first && range.second <= held->second) range.second = held->second;
    }
  return range;
}

/// The edits with one more, before those that begin with `before`. Averages just before it that it covers are left out: the
/// mean of all is the same without them.
std::vector<Edit> with_mean(std::vector<Edit> edits, const Gesture& g, const Range& range, const std::string& before) {
  const std::string kind = kind_of(g.text);
  auto at = before.empty() ? edits.end()
                           : std::ranges::find_if(edits, [&](const Edit& e) { return e.spec.starts_with(before); });
  while (at != edits.begin()) {
    const auto held = range_of(*(at - 1), kind);
    if (!held || !within(*held, range)) break;
    at = edits.erase(at - 1);
  }
  const std::string axis = g.axes.front();
  edits.insert(at, {filled(g.text, {{axis + ".first", range.first}, {axis + ".last", range.second}}), true});
  return edits;
}

float distance(figure::Point a, figure::Point b) { return std::hypot(a.x - b.x, a.y - b.y); }
figure::Point middle(figure::Point a, figure::Point b) { return {(a.x + b.x) / 2, (a.y + b.y) / 2}; }

}  // namespace

bool Canvas::holds_two(figure::Point a, figure::Point b) {
  pulled_.reset();
  const auto one = drawing_.pick(a, ui::kTouchReach), other = drawing_.pick(b, ui::kTouchReach);
  if (!one || !other || !one->hit->carried || !other->hit->carried || one->hit->panel != other->hit->panel)
    return false;
  const auto& gestures = gestures_of(one->hit->panel);
  const auto pinch = std::ranges::find(gestures, Gesture::On::pinch, &Gesture::on);
  if (pinch == gestures.end()) return false;
  const auto drag = std::ranges::find_if(
      gestures, [](const Gesture& g) { return g.on == Gesture::On::drag && g.effect == Gesture::Effect::edit; });
  const Range range = std::minmax({one->places.back().index, other->places.back().index});
  if (range.first == range.second) return false;
  const std::vector<Edit>& edits = app_.state().subject.edits;
  pulled_ = Pulled{a, b, edits,
                   with_mean(edits, *pinch, with_averaged(edits, kind_of(pinch->text), range),
                             drag == gestures.end() ? "" : kind_of(drag->text))};
  return true;
}

bool Canvas::pull(figure::Point a, figure::Point b) {
  if (!pulled_) return false;
  const float closer = distance(pulled_->a, pulled_->b) - distance(a, b);
  if (closer >= kClearly) pulled_->begun = true;
  if (!pulled_->begun) {
    const bool other = closer <= -kClearly || distance(middle(pulled_->a, pulled_->b), middle(a, b)) >= kClearly;
    if (other) pulled_.reset();
    return !other;
  }
  const std::vector<Edit>& wanted = closer >= kClearly ? pulled_->mean : pulled_->apart;
  if (wanted != app_.state().subject.edits) app_.set_edits(wanted, Commit::dragging);
  return true;
}

void Canvas::end_pull() {
  const auto pulled = std::exchange(pulled_, std::nullopt);
  if (pulled && pulled->begun) app_.set_edits(app_.state().subject.edits, Commit::committed);
}

}  // namespace helix::app
