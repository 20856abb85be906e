// Callouts: short texts in free space with leaders to what they speak of.
#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <numbers>
#include <optional>
#include <string>
#include <vector>

#include "base/text.h"
#include "figure/cover.h"
#include "figure/plot.h"

namespace helix::figure {
namespace {

constexpr float kNearest = 14, kFarthest = 300;  // from the place to the text
constexpr float kStep = 11;
constexpr int kDirections = 24;
constexpr float kPad = 3;             // of the ground around a text
constexpr float kApart = 10;          // two texts beside each other would read as one
constexpr float kLineHeight = 1.25f;  // of a font
constexpr float kRing = 4.5f, kStroke = 0.6f, kHalo = 2;
constexpr float kMostOfMarks = 0.12f;  // a text that hides more of the marks is left out
constexpr float kCoverCost = 10;       // pixels that a text moves farther rather than cover a little more
constexpr float kCrossCost = 200;      // and rather than have a leader run through a text or another leader
constexpr std::size_t kMostLines = 3;

/// The text in lines about as long as each other.
std::vector<std::string> lines_of(const std::string& text, float most, float size) {
  const float whole = text_width(text, size);
  const float count = std::clamp(std::ceil(whole / most), 1.0f, static_cast<float>(kMostLines));
  std::vector<std::string> lines(1);
  for (std::string& word : split(text, ' ')) {
    std::string& line = lines.back();
    const bool full = text_width(line + " " + word, size) > whole / count * 1.15f;
    const bool unit = !line.empty() && line.back() >= '0' && line.back() <= '9' && word.size() <= 2;  // "23 M", "36 %"
    if (!line.empty() && !unit && full && lines.size() < kMostLines)
      lines.push_back(std::move(word));
    else
      line += (line.empty() ? "" : " ") + word;
  }
  return lines;
}

struct Sized {
  std::vector<std::string> lines;
  float width = 0, height = 0;
};

Sized sized(const Callout& callout, const Rect& room, float size) {
  Sized s{lines_of(callout.text, std::clamp(room.w * 0.36f, 80.0f, 230.0f), size)};
  const float bold = callout.lead ? 1.08f : 1;
  for (const std::string& line : s.lines) s.width = std::max(s.width, text_width(line, size) * bold);
  s.height = size * (kLineHeight * static_cast<float>(s.lines.size() - 1) + 1.1f);
  return s;
}

bool inside(const Rect& box, const Rect& room) {
  return box.x >= room.x && box.y >= room.y && box.right() <= room.right() && box.bottom() <= room.bottom();
}

Point edge_towards(const Rect& box, Point p) {
  return {std::clamp(p.x, box.x, box.right()), std::clamp(p.y, box.y, box.bottom())};
}

Rect padded(const Rect& r) { return {r.x - kPad, r.y - kPad, r.w + 2 * kPad, r.h + 2 * kPad}; }

/// What has been written and drawn so far.
struct Taken {
  std::vector<Rect> grounds;   // of texts and of places: no other text stands there
  std::vector<Rect> texts;     // no leader runs through them
  std::vector<Point> leaders;  // points along them
};

/// Points along a leader, without its last pixels at the place itself.
std::vector<Point> along(Point from, Point to) {
  const float length = std::hypot(to.x - from.x, to.y - from.y);
  std::vector<Point> points;
  for (float at = 0; at < length - 10; at += Cover::kCell)
    points.push_back({from.x + (to.x - from.x) * at / length, from.y + (to.y - from.y) * at / length});
  return points;
}

/// How many of a leader's points lie on marks.
float on_marks(const std::vector<Point>& leader, const Cover& cover) {
  return static_cast<float>(std::ranges::count_if(leader, [&](Point p) { return cover.at(p) == Cover::kMark; }));
}

/// Whether a text on this ground, or the leader to it, and those that are there already would run through each other.
bool tangled(const Rect& ground, const std::vector<Point>& leader, const Taken& taken) {
  const auto on_text = [&](Point p) {
    return std::ranges::any_of(taken.texts, [&](const Rect& text) { return text.contains(p); });
  };
  const auto in_the_way = [&](Point other) {
    const auto near = [&](Point p) { return std::hypot(p.x - other.x, p.y - other.y) < Cover::kCell; };
    return ground.contains(other) || std::ranges::any_of(leader, near);
  };
  return std::ranges::any_of(leader, on_text) || std::ranges::any_of(taken.leaders, in_the_way);
}

std::optional<Rect> free_box(const Sized& s, Point place, const Rect& room, const Cover& cover, const Taken& taken) {
  std::optional<Rect> best;
  float least = std::numeric_limits<float>::infinity();
  for (int k = 0; k < kDirections; ++k) {
    const float angle = 2 * std::numbers::pi_v<float> * static_cast<float>(k) / kDirections;
    const float dx = std::cos(angle), dy = std::sin(angle);
    for (float away = kNearest; away < kFarthest; away += kStep) {
      if (away > least) break;  // the distance alone costs more than the best place so far
      const Rect box{place.x + dx * (away + s.width / 2) - s.width / 2,
                     place.y + dy * (away + s.height / 2) - s.height / 2, s.width, s.height};
      const Rect ground = padded(box);
      if (!inside(ground, room)) continue;
      if (std::ranges::any_of(taken.grounds, [&](const Rect& other) { return overlap(other, ground); })) continue;
      const auto [cost, cells] = cover.under(ground);
      if (static_cast<float>(cost) >
          kMostOfMarks * Cover::kMark * static_cast<float>(cells) + Cover::kShade * static_cast<float>(cells))
        continue;
      const std::vector<Point> leader = along(edge_towards(box, place), place);
      float total = away + kCoverCost * static_cast<float>(cost) + 5 * on_marks(leader, cover) + (dy > 0 ? 2 : 0);
      if (total < least && tangled(ground, leader, taken)) total += kCrossCost;
      if (total < least) least = total, best = box;
    }
  }
  return best;
}

void draw_leader(Point from, Point to, Layer& layer, Rgba ink, Rgba ground) {
  const float length = std::hypot(to.x - from.x, to.y - from.y);
  if (length < kRing + 2) return;
  const Point end{to.x - (to.x - from.x) * kRing / length, to.y - (to.y - from.y) * kRing / length};
  layer.capsules.push_back({from, end, kHalo, ground, ground});
  layer.capsules.push_back({from, end, kStroke, ink, ink});
}

void draw_bracket(Point a, Point b, Layer& layer, Rgba ink, Rgba ground) {
  constexpr float end = 5;
  const float length = std::max(std::hypot(b.x - a.x, b.y - a.y), 1.0f);
  const float dx = -(b.y - a.y) / length * end, dy = (b.x - a.x) / length * end;
  for (const auto& [radius, colour] : {std::pair(kHalo, ground), std::pair(0.9f, ink)}) {
    layer.capsules.push_back({a, b, radius, colour, colour});
    for (const Point p : {a, b})
      layer.capsules.push_back({{p.x - dx, p.y - dy}, {p.x + dx, p.y + dy}, radius, colour, colour});
  }
}

/// Draws one callout where there is room.
void draw_one(const PlacedCallout& placed, const Rect& room, const Cover& cover, Taken& taken, PanelContext& context) {
  const Callout& callout = *placed.callout;
  const Theme& theme = context.theme;
  const Rgba ink = ink_of(callout.ink, theme);
  const bool range = !callout.to.empty();
  const Point place{(placed.at.x + placed.to.x) / 2, (placed.at.y + placed.to.y) / 2};
  const Sized s = sized(callout, room, theme.font);
  const auto box = free_box(s, place, room, cover, taken);
  if (!box) return;
  Layer& layer = context.block.above();
  if (range)
    draw_bracket(placed.at, placed.to, layer, ink, theme.background);
  else
    layer.rings.push_back({place, kRing, 1.5f, ink});
  const Rect ground = padded(*box);
  draw_leader(edge_towards(ground, place), place, layer, ink, theme.background);
  context.block.above().boxes.push_back({ground, theme.background, kPad});
  float y = box->y + theme.font * 0.55f;
  for (const std::string& line : s.lines) {
    context.block.labels.push_back({{box->x + box->w / 2, y},
                                    line,
                                    theme.font,
                                    theme.text,
                                    Anchor::middle,
                                    callout.lead ? Weight::strong : Weight::regular});
    y += theme.font * kLineHeight;
  }
  taken.grounds.push_back({ground.x - kApart, ground.y, ground.w + 2 * kApart, ground.h});
  taken.texts.push_back(ground);
  std::ranges::copy(along(edge_towards(ground, place), place), std::back_inserter(taken.leaders));
}

}  // namespace

void draw_callouts(const std::vector<PlacedCallout>& placed, const Rect& room, PanelContext& context) {
  if (placed.empty() || room.w < 1 || room.h < 1) return;
  const Cover cover = covered_ground(context.block, room);
  Taken taken;
  for (const Label& l : context.block.labels) taken.texts.push_back(label_box(l));
  taken.grounds = taken.texts;
  for (const PlacedCallout& p : placed) {
    const Rect ring{p.at.x - kRing - 2, p.at.y - kRing - 2, 2 * kRing + 4, 2 * kRing + 4};
    taken.grounds.push_back(ring);  // no text stands on the place of another
  }
  for (const bool lead : {true, false})  // the headline's comes first
    for (const PlacedCallout& p : placed)
      if (p.callout->lead == lead) draw_one(p, room, cover, taken, context);
}

void draw_callouts(PlotFrame& f) {
  std::vector<PlacedCallout> placed;
  const auto at = [&](const std::vector<double>& p) -> std::optional<Point> {
    if (p.size() < 2 || !std::isfinite(straightened(f.x.kind, p[0])) || !std::isfinite(straightened(f.y.kind, p[1])) ||
        !f.x.shows(p[0]) || !f.y.shows(p[1]))
      return std::nullopt;
    return Point{f.x.at(p[0]), f.y.at(p[1])};
  };
  for (const Mark& mark : f.plot.marks) {
    const auto* callout = std::get_if<Callout>(&mark);
    if (!callout || callout->text.empty()) continue;
    const auto from = at(callout->at), to = callout->to.empty() ? from : at(callout->to);
    if (from && to) placed.push_back({callout, *from, *to});
  }
  draw_callouts(placed, f.area, f.context);
}

/// Callouts are drawn when everything else is: draw_callouts.
void draw_mark(const Callout&, PlotFrame&) {}

}  // namespace helix::figure
