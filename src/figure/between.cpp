#include "figure/between.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

#include "figure/project.h"

namespace helix::figure {
namespace {

constexpr std::size_t kMostPoints = 8192;     // of one mark; larger ones are uploaded anew for each moment
constexpr std::size_t kMostCells = 1u << 20;  // of one matrix, for the same reason

/// From the axes that a space showed to those that it shows: each result has axes of its own, which the frames turn to where
/// they are drawn.
struct Turn {
  std::array<std::size_t, 3> axes{};  // which of the coordinates are shown
  Mat3 from = kIdentity, to = kIdentity;
};

/// How far, and what a coordinate is: of a plot with logarithmic sides, or of a space.
struct Way {
  double part = 1;
  bool log_x = false, log_y = false;
  const Turn* turn = nullptr;
};

double mixed(double a, double b, double part, bool log = false) {
  if (!std::isfinite(a) || !std::isfinite(b)) return b;
  if (log && a > 0 && b > 0) return a * std::pow(b / a, part);
  return a + (b - a) * part;
}

/// Mixes the pictures of two points of a space, and returns to the coordinates of the second.
void mix_turned(std::span<const double> a, std::span<double> b, double part, const Turn& turn) {
  if (std::ranges::any_of(turn.axes, [&](std::size_t axis) { return axis >= b.size(); })) return;
  const auto shown = [&](std::span<const double> at) {
    return Vec3{at[turn.axes[0]], at[turn.axes[1]], at[turn.axes[2]]};
  };
  const Vec3 before = figure::apply(turn.from, shown(a)), now = figure::apply(turn.to, shown(b));
  for (std::size_t axis = 0; axis < 3; ++axis) {
    double back = 0;
    for (std::size_t k = 0; k < 3; ++k) back += turn.to[k][axis] * mixed(before[k], now[k], part);
    b[turn.axes[axis]] = back;
  }
}

/// One point: {y}, {x, y}, or the coordinates in a space. `b` becomes the mixture.
void mix_point(std::span<const double> a, std::span<double> b, const Way& way) {
  if (a.size() != b.size()) return;
  if (way.turn) return mix_turned(a, b, way.part, *way.turn);
  for (std::size_t i = 0; i < b.size(); ++i)
    b[i] = mixed(a[i], b[i], way.part, i + 1 == b.size() ? way.log_y : way.log_x);
}

/// Numbers of the same indices: those of `a` begin at index `a_first`, those of `b` at `b_first`.
void mix(const std::vector<double>& a, int a_first, std::vector<double>& b, int b_first, double part,
         bool log = false) {
  for (std::size_t i = 0; i < b.size(); ++i) {
    const auto at = static_cast<std::ptrdiff_t>(i) + b_first - a_first;
    if (at >= 0 && std::cmp_less(at, a.size())) b[i] = mixed(a[static_cast<std::size_t>(at)], b[i], part, log);
  }
}

void mix(const Coordinates& a, int a_first, Coordinates& b, int b_first, const Way& way) {
  if (a.dims != b.dims) return;
  for (std::size_t i = 0; i < b.size(); ++i) {
    const auto at = static_cast<std::ptrdiff_t>(i) + b_first - a_first;
    if (at < 0 || std::cmp_greater_equal(at, a.size())) continue;
    mix_point(std::span(a.data).subspan(static_cast<std::size_t>(at) * a.dims, a.dims),
              std::span(b.data).subspan(i * b.dims, b.dims), way);
  }
}

std::shared_ptr<const Shades> mixed(const Shades& a, const Shades& b, double part) {
  auto made = std::make_shared<Shades>(b);
  for (std::size_t i = 0; i < made->data.size(); ++i)
    if (a.data[i] && b.data[i])  // 0: nothing to show
      made->data[i] = static_cast<std::uint8_t>(std::lround(mixed(a.data[i], b.data[i], part)));
  return made;
}

void mix(const Pyramid& a, Pyramid& b, double part) {
  const auto same = [](const auto& x, const auto& y) {
    return x->rows == y->rows && x->cols == y->cols && x->down == y->down && x->across == y->across;
  };
  if (!std::ranges::equal(a, b, same) || b.empty() || b.front()->data.size() > kMostCells) return;
  for (std::size_t level = 0; level < b.size(); ++level) b[level] = mixed(*a[level], *b[level], part);
}

void mix(const Line& a, Line& b, const Way& way) {
  if (a.axis == b.axis) mix(a.at, a.first, b.at, b.first, way);
}

void mix(const Points& a, Points& b, const Way& way) {
  if (a.axis != b.axis || a.at == b.at || !a.at || !b.at || b.at->size() > kMostPoints) return;
  auto at = std::make_shared<Coordinates>(*b.at);
  mix(*a.at, a.first, *at, b.first, way);
  b.at = std::move(at);
}

void mix(const Bars& a, Bars& b, const Way& way) {
  if (a.axis != b.axis || a.across != b.across) return;
  mix(a.values, a.first, b.values, b.first, way.part, b.across ? way.log_x : way.log_y);
}

void mix(const Area& a, Area& b, const Way& way) {
  if (a.axis != b.axis) return;
  mix(a.low, a.first, b.low, b.first, way.part, way.log_y);
  mix(a.high, a.first, b.high, b.first, way.part, way.log_y);
}

void mix(const Cells& a, Cells& b, const Way& way) {
  if (a.row_axis == b.row_axis && a.col_axis == b.col_axis && a.pooled == b.pooled) mix(a.cells, b.cells, way.part);
}

void mix(const Rule& a, Rule& b, const Way& way) {
  if (a.upright != b.upright || a.band != b.band) return;
  const bool log = b.upright ? way.log_x : way.log_y;
  b.at = mixed(a.at, b.at, way.part, log), b.to = mixed(a.to, b.to, way.part, log);
}

void mix(const Arrow& a, Arrow& b, const Way& way) { mix_point(a.from, b.from, way), mix_point(a.to, b.to, way); }

void mix(const Text& a, Text& b, const Way& way) {
  if (a.text == b.text) mix_point(a.at, b.at, way);
}

void mix(const Callout& a, Callout& b, const Way& way) { mix_point(a.at, b.at, way), mix_point(a.to, b.to, way); }

void mix(const Words& a, Words& b, const Way& way) {
  if (a.axis == b.axis) mix(a.values, a.first, b.values, b.first, way.part);
}

void mix(const Arcs& a, Arcs& b, const Way& way) {
  std::map<std::pair<int, int>, float> before;
  for (const Arc& arc : a.arcs) before[{arc.row, arc.col}] = arc.weight;
  for (Arc& arc : b.arcs)
    if (const auto was = before.find({arc.row, arc.col}); was != before.end())
      arc.weight = static_cast<float>(mixed(was->second, arc.weight, way.part));
}

/// The n-th mark of each kind comes from the n-th of that kind.
void mix(const std::vector<Mark>& a, std::vector<Mark>& b, const Way& way) {
  std::map<std::size_t, std::size_t> met;
  for (Mark& mark : b) {
    std::size_t skip = met[mark.index()]++;
    const auto was =
        std::ranges::find_if(a, [&](const Mark& each) { return each.index() == mark.index() && skip-- == 0; });
    if (was == a.end()) continue;
    std::visit([&](auto& now) { mix(std::get<std::decay_t<decltype(now)>>(*was), now, way); }, mark);
  }
}

bool same_quantity(const Scale& a, const Scale& b) {
  return a.kind == b.kind && a.title == b.title && a.unit == b.unit && a.axis == b.axis;
}

void mix(const Scale& a, Scale& b, double part) {
  const bool log = b.kind == ScaleKind::log;
  if (a.low && b.low) b.low = mixed(*a.low, *b.low, part, log);
  if (a.high && b.high) b.high = mixed(*a.high, *b.high, part, log);
}

void mix(const Plot& a, Plot& b, double part, const ViewState&) {
  if (!same_quantity(a.x, b.x) || !same_quantity(a.y, b.y) || a.whole != b.whole) return;
  mix(a.x, b.x, part), mix(a.y, b.y, part);
  mix(a.marks, b.marks, {part, b.x.kind == ScaleKind::log, b.y.kind == ScaleKind::log});
}

void mix(const Space& a, Space& b, double part, const ViewState& view) {
  const auto same = [](const Space::Axis& x, const Space::Axis& y) { return x.title == y.title; };
  if (!std::ranges::equal(a.axes, b.axes, same)) return;
  Turn turn{{}, a.frame, b.frame};
  for (std::size_t i = 0; i < 3; ++i)
    turn.axes[i] = std::min(static_cast<std::size_t>(view.axes[i] - 1), b.axes.size() - 1);
  const Way way{part, false, false, &turn};
  mix(a.fit_to, 0, b.fit_to, 0, way);
  mix(a.marks, b.marks, way);
}

void mix(const Number&, Number&, double, const ViewState&) {}

}  // namespace

Figure between(const Figure& from, const Figure& to, double part, const ViewState& view) {
  Figure moment;
  moment.title = to.title, moment.subtitle = to.subtitle, moment.summary = to.summary, moment.lead = to.lead;
  moment.panels = to.panels, moment.root = to.root, moment.narrow = to.narrow;
  moment.across = to.across, moment.down = to.down;
  for (Panel& panel : moment.panels) {
    const Panel* was = from.find(panel.id);
    if (!was || was->content.index() != panel.content.index()) continue;
    std::visit([&](auto& now) { mix(std::get<std::decay_t<decltype(now)>>(was->content), now, part, view); },
               panel.content);
  }
  return moment;
}

}  // namespace helix::figure
