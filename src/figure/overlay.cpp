// One side of a comparison drawn over the other.
#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "figure/compare.h"
#include "figure/project.h"

namespace helix::figure {
namespace {

constexpr float kRing = 3;          // the largest radius of a point of the other side
constexpr std::size_t kTurned = 3;  // the coordinates that a curve is turned in; of further ones only signs are chosen

template <class Kind>
bool any_of_kind(const Plot& plot) {
  return std::ranges::any_of(plot.marks, [](const Mark& m) { return std::holds_alternative<Kind>(m); });
}

/// Dashed lines are baselines: one set of them is enough.
bool is_curve(const Line& line) { return !line.dashed && line.at.size() > 1; }

/// Entries of one axis, shown over the entries of both sides; names must agree where both have them.
bool share_entries(Scale& a, const Scale& b) {
  if (a.kind != b.kind || a.axis != b.axis) return false;
  if (a.kind != ScaleKind::index && a.kind != ScaleKind::band) return a.unit == b.unit;
  if (a.names != b.names && (!a.names.empty() || !b.names.empty())) return false;
  const int end = std::max(a.first + a.count, b.first + b.count);
  a.first = std::min(a.first, b.first), a.count = end - a.first;
  return true;
}

void share_range(Scale& a, const Scale& b) {
  if (a.low && b.low) a.low = std::min(*a.low, *b.low);
  if (a.high && b.high) a.high = std::max(*a.high, *b.high);
}

Line ghost_of(Line line, const std::string& name) {
  line.ink = kMute, line.width = std::min(line.width, 1.6f), line.dots = false, line.name = name;
  return line;
}

/// Whether a mark has the numbers of another up to rounding: a curve would lie on it, and its name would hide the other's.
bool same_numbers(int first, const Coordinates& a, int other_first, const Coordinates& b) {
  if (first != other_first || a.dims != b.dims || a.data.size() != b.data.size()) return false;
  double size = 0, apart = 0;
  for (std::size_t i = 0; i < a.data.size(); ++i) {
    const double x = a.data[i], y = b.data[i];
    if (std::isfinite(x) != std::isfinite(y)) return false;
    if (std::isfinite(x)) size = std::max(size, std::abs(x)), apart = std::max(apart, std::abs(x - y));
  }
  return apart <= 1e-9 * size;
}

bool lies_on_one(const std::vector<Mark>& marks, const Line& curve) {
  return std::ranges::any_of(marks, [&](const Mark& mark) {
    const auto* line = std::get_if<Line>(&mark);
    return line && is_curve(*line) && same_numbers(line->first, line->at, curve.first, curve.at);
  });
}

/// The other side's curves that can be told from this side's, below which they go; the first has the side's name.
void add_ghosts(std::vector<Mark>& marks, std::vector<Line> curves, const std::string& name) {
  std::vector<Mark> ghosts;
  for (Line& curve : curves)
    if (!lies_on_one(marks, curve)) ghosts.push_back(ghost_of(std::move(curve), ghosts.empty() ? name : std::string()));
  marks.insert(marks.begin(), ghosts.begin(), ghosts.end());
}

/// Two numbers that are not known are the same.
bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

/// A line on each bar where it ended on the other side; false where no bar ended elsewhere.
bool mark_bars(std::vector<Mark>& marks, const std::vector<Mark>& others) {
  const auto bars_of = [](auto& all) {
    return std::ranges::find_if(all, [](const Mark& m) { return std::holds_alternative<Bars>(m); });
  };
  const auto here = bars_of(marks);
  const auto there = bars_of(others);
  if (here == marks.end() || there == others.end()) return false;
  auto& bars = std::get<Bars>(*here);
  const auto& before = std::get<Bars>(*there);
  bars.before.assign(bars.values.size(), std::nan(""));
  bool moved = false;
  for (std::size_t i = 0; i < bars.values.size(); ++i) {
    const int k = bars.first + static_cast<int>(i) - before.first;
    if (k < 0 || static_cast<std::size_t>(k) >= before.values.size()) continue;
    bars.before[i] = before.values[static_cast<std::size_t>(k)];
    moved = moved || !same(bars.before[i], bars.values[i]);
  }
  return moved;
}

bool same_places(const Points& a, const Points& b) {
  return a.first == b.first && a.at && b.at && a.at->dims == b.at->dims &&
         std::ranges::equal(a.at->data, b.at->data, same);
}

/// The other side's points that lie elsewhere, as rings below this side's. Grey ones are baselines: one set is enough.
bool add_rings(std::vector<Mark>& marks, const std::vector<Mark>& others) {
  std::vector<Mark> rings;
  for (const Mark& mark : others) {
    const auto* points = std::get_if<Points>(&mark);
    const auto stays = [&](const Mark& m) {
      const auto* own = std::get_if<Points>(&m);
      return own && same_places(*own, *points);
    };
    if (!points || points->carried || points->ink.role == Ink::Role::mute || std::ranges::any_of(marks, stays))
      continue;
    Points ring{"", points->first, points->at, kMute, std::min(points->radius, kRing)};
    ring.shape = Shape::ring;
    rings.push_back(std::move(ring));
  }
  marks.insert(marks.begin(), rings.begin(), rings.end());
  return !rings.empty();
}

Overlaid overlay(Plot& plot, const Plot& other, const std::string& name) {
  if (any_of_kind<Cells>(plot) || any_of_kind<Words>(plot) || any_of_kind<Arcs>(plot)) return Overlaid::nothing;
  if (!share_entries(plot.x, other.x) || !share_entries(plot.y, other.y)) return Overlaid::other_entries;
  share_range(plot.x, other.x), share_range(plot.y, other.y);
  std::vector<Line> curves;
  for (const Mark& mark : other.marks)
    if (const auto* line = std::get_if<Line>(&mark); line && is_curve(*line)) curves.push_back(*line);
  const bool any = !curves.empty(), bars = mark_bars(plot.marks, other.marks);
  const bool rings = add_rings(plot.marks, other.marks);
  add_ghosts(plot.marks, std::move(curves), name);
  return bars || rings ? Overlaid::marks : any ? Overlaid::curves : Overlaid::nothing;
}

Vec3 first_three(const Coordinates& at, std::size_t i) {
  Vec3 p{};
  for (std::size_t d = 0; d < std::min(at.dims, kTurned); ++d) p[d] = at(i, d);
  return p;
}

/// A curve or a cloud of this side and the same one of the other.
struct Pair {
  const Coordinates* here;
  Coordinates there;
  int first, other_first;
};

/// What lays the other space on this one: a turn within the first three coordinates, and signs of the further ones.
struct Turn {
  Mat3 turn;
  std::vector<bool> flipped;
};

/// The one turn that lays all pairs as close to each other as it can: how they lie to each other stays.
Turn turn_of(const std::vector<Pair>& pairs) {
  std::vector<Vec3> now, before;
  std::vector<double> agreement(pairs.front().there.dims, 0);
  for (const Pair& pair : pairs)
    for (std::size_t i = 0; i < pair.there.size(); ++i) {
      const int k = pair.other_first + static_cast<int>(i) - pair.first;
      if (k < 0 || static_cast<std::size_t>(k) >= pair.here->size()) continue;
      const auto at = static_cast<std::size_t>(k);
      now.push_back(first_three(pair.there, i)), before.push_back(first_three(*pair.here, at));
      for (std::size_t d = kTurned; d < agreement.size(); ++d) agreement[d] += pair.there(i, d) * (*pair.here)(at, d);
    }
  Turn out{align(now, before), {}};
  for (const double a : agreement) out.flipped.push_back(a < 0);
  return out;
}

/// Distances within the mark stay as they are.
Coordinates turned(const Turn& turn, Coordinates at) {
  for (std::size_t i = 0; i < at.size(); ++i) {
    double* point = at.data.data() + i * at.dims;
    const Vec3 there = figure::apply(turn.turn, first_three(at, i));
    for (std::size_t d = 0; d < std::min(at.dims, kTurned); ++d) point[d] = there[d];
    for (std::size_t d = kTurned; d < at.dims; ++d)
      if (turn.flipped[d]) point[d] = -point[d];
  }
  return at;
}

template <class Kind>
std::vector<const Kind*> marks_of(const Space& space, bool (*wanted)(const Kind&)) {
  std::vector<const Kind*> out;
  for (const Mark& mark : space.marks)
    if (const auto* one = std::get_if<Kind>(&mark); one && wanted(*one)) out.push_back(one);
  return out;
}

bool is_cloud(const Points& points) {
  return points.at && points.at->size() > 1 && !points.carried && points.ink.role != Ink::Role::mute;
}

Overlaid overlay(Space& space, const Space& other, const std::string& name) {
  std::vector<Pair> pairs;
  std::vector<const Line*> lines;
  std::vector<const Points*> clouds;
  const auto pair = [&](const Coordinates& here, int first, const Coordinates& there, int other_first) {
    const std::size_t dims = pairs.empty() ? here.dims : pairs.front().here->dims;
    const bool fit = dims >= kTurned && here.dims == dims && there.dims == dims;
    if (fit) pairs.push_back({&here, there, first, other_first});
    return fit;
  };
  const auto here = marks_of<Line>(space, is_curve), there = marks_of<Line>(other, is_curve);
  for (std::size_t i = 0; i < std::min(here.size(), there.size()); ++i)
    if (pair(here[i]->at, here[i]->first, there[i]->at, there[i]->first)) lines.push_back(there[i]);
  const auto own = marks_of<Points>(space, is_cloud), others = marks_of<Points>(other, is_cloud);
  for (std::size_t i = 0; i < std::min(own.size(), others.size()); ++i)
    if (own[i]->axis == others[i]->axis && own[i]->at->size() == others[i]->at->size() &&
        pair(*own[i]->at, own[i]->first, *others[i]->at, others[i]->first))
      clouds.push_back(others[i]);
  if (pairs.empty()) return Overlaid::nothing;
  const Turn turn = turn_of(pairs);
  std::vector<Line> curves;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    curves.push_back(*lines[i]);
    curves.back().at = turned(turn, std::move(pairs[i].there));
  }
  std::vector<Mark> ghosts;
  for (std::size_t i = 0; i < clouds.size(); ++i) {
    const Pair& both = pairs[lines.size() + i];
    Coordinates at = turned(turn, both.there);
    if (same_numbers(both.first, *both.here, both.other_first, at)) continue;
    ghosts.push_back(
        Points{"", both.other_first, std::make_shared<Coordinates>(std::move(at)), kMute, clouds[i]->radius});
  }
  add_ghosts(space.marks, std::move(curves), name);
  const bool any = !ghosts.empty();
  space.marks.insert(space.marks.begin(), ghosts.begin(), ghosts.end());
  return any ? Overlaid::cloud : Overlaid::curves;
}

}  // namespace

bool has_shades(const Panel& panel) {
  const auto* plot = std::get_if<Plot>(&panel.content);
  return plot && std::ranges::any_of(plot->marks, [](const Mark& mark) {
           const auto* words = std::get_if<Words>(&mark);
           return std::holds_alternative<Cells>(mark) || (words && !words->values.empty());
         });
}

bool has_curves(const Panel& panel) {
  const auto* plot = std::get_if<Plot>(&panel.content);
  return plot && std::ranges::any_of(plot->marks, [](const Mark& mark) {
           const auto* line = std::get_if<Line>(&mark);
           return line && is_curve(*line) && line->at.dims == 1;
         });
}

Overlaid overlay(Panel& panel, const Panel& other, const std::string& other_name) {
  if (auto* a = std::get_if<Plot>(&panel.content); a)
    if (const auto* b = std::get_if<Plot>(&other.content)) return overlay(*a, *b, other_name);
  if (auto* a = std::get_if<Space>(&panel.content); a)
    if (const auto* b = std::get_if<Space>(&other.content)) return overlay(*a, *b, other_name);
  return Overlaid::nothing;
}

}  // namespace helix::figure
