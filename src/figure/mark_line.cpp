// Lines: joined points, dashes, dots that can be pointed at, and names at their ends.
#include <algorithm>
#include <cmath>

#include "base/shared_words.h"
#include "base/text.h"
#include "figure/plot.h"

namespace helix::figure {
namespace {

constexpr double kAlike = 0.005;  // of the largest number: lines closer than this are likely to coincide
constexpr float kDot = 3, kSwatch = 14, kEachName = 15;

/// A point of the line on the surface; nothing if it is not a number or lies outside the window.
std::optional<Point> point_of(const Line& line, std::size_t i, const PlotFrame& f) {
  const bool indexed = line.at.dims == 1;
  const double x = indexed ? line.first + static_cast<double>(i) : line.at(i, 0), y = line.at(i, indexed ? 0 : 1);
  if (!std::isfinite(straightened(f.x.kind, x)) || !std::isfinite(straightened(f.y.kind, y)) || !f.x.shows(x))
    return std::nullopt;
  const float top = std::min(f.y.from, f.y.to), foot = std::max(f.y.from, f.y.to);
  return Point{f.x.at(x), std::clamp(f.y.at(y), top, foot)};
}

/// The index whose value stands beside a name: the focused one, else the marked one; -1: none.
int read_index(const Line& line, const PlotFrame& f) {
  const std::string& axis = line.axis.empty() ? f.x.axis : line.axis;
  if (const auto lit = f.context.view.focus.lit(axis); !lit.empty()) return lit.front();
  for (const Place& p : f.plot.chosen)
    if (p.axis == axis) return p.index;
  return -1;
}

double value_at(const Line& line, int index) {
  const int i = index - line.first;
  if (i < 0 || static_cast<std::size_t>(i) >= line.at.size()) return std::nan("");
  return line.at(static_cast<std::size_t>(i), line.at.dims == 1 ? 0 : 1);
}

std::string name_with_value(const Line& line, int index) {
  const double value = value_at(line, index);
  if (index < 0) return line.name;
  const std::string text = std::isfinite(value) ? to_fixed(std::abs(value), line.digits) : "–";
  return line.name + "  " + (value < 0 && text.find_first_not_of("0.,") != std::string::npos ? "−" : "") + text;
}

/// Moves names apart, from top to bottom, so that each has a line of its own inside the plot.
void spread(std::vector<std::pair<float, std::size_t>>& at, float top, float bottom) {
  std::stable_sort(at.begin(), at.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (std::size_t i = 1; i < at.size(); ++i) at[i].first = std::max(at[i].first, at[i - 1].first + kEachName);
  float most = bottom;
  for (std::size_t i = at.size(); i-- > 0; most = at[i].first - kEachName) at[i].first = std::min(at[i].first, most);
  float least = top;
  for (auto& [y, line] : at) y = std::max(y, least), least = y + kEachName;
}

}  // namespace

void draw_mark(const Line& line, PlotFrame& f) {
  Layer& layer = f.context.block.top();
  const Theme& theme = f.context.theme;
  const std::size_t n = line.at.size();
  const bool dashed = is_dashed(line), along = line.ink.role == Ink::Role::along;
  const Rgba plain = ink_of(line.ink, theme);
  const auto ink = [&](std::size_t i) { return along ? ink_along(f.context.view.map, i, n, theme) : plain; };
  std::optional<Point> before;
  float phase = 0;
  Hit::Spots spots{line.axis.empty() ? f.x.axis : line.axis, line.first, {}};
  for (std::size_t i = 0; i < n; ++i) {
    const auto at = point_of(line, i, f);
    if (before && at && dashed)
      phase = add_dashes(layer, *before, *at, line.width / 2, plain, phase);
    else if (before && at)
      layer.capsules.push_back({*before, *at, line.width / 2, ink(i - 1), ink(i)});
    if (at && line.dots) layer.capsules.push_back({*at, *at, kDot, ink(i), ink(i)});
    if (line.dots) spots.at.push_back(at.value_or(Point{-1e6f, -1e6f}));
    before = at;
  }
  if (const int index = read_index(line, f); index >= line.first && index - line.first < static_cast<int>(n))
    if (const auto at = point_of(line, static_cast<std::size_t>(index - line.first), f))
      layer.capsules.push_back({*at, *at, kDot, ink(static_cast<std::size_t>(index - line.first)),
                                ink(static_cast<std::size_t>(index - line.first))});
  if (line.dots && !f.x.entries() && !spots.axis.empty())
    f.context.drawing.hits.push_back({f.context.panel.id, spots_area(f), f.plot.whole, {}, {}, std::move(spots)});
}

namespace {

/// Whether a plot is about one line alone, with no value to write beside its name: then the panel's title is its name.
bool is_alone(const Plot& plot) {
  if (!plot.chosen.empty()) return false;
  std::size_t lines = 0;
  for (const Mark& mark : plot.marks) {
    if (const auto* line = std::get_if<Line>(&mark)) {
      if (line->dashed || line->name.empty()) return false;
      ++lines;
    }
    if (std::holds_alternative<Bars>(mark) || std::holds_alternative<Points>(mark)) return false;
  }
  return lines == 1;
}

/// Whether two lines cannot be told apart: nowhere more than half a pixel lies between them.
bool coincide(const Line& a, const Line& b, const PlotFrame& f) {
  if (a.first != b.first || a.at.size() != b.at.size() || a.at.dims != b.at.dims || is_dashed(a) != is_dashed(b))
    return false;
  bool seen = false;
  for (std::size_t i = 0; i < a.at.size(); ++i) {
    const auto p = point_of(a, i, f), q = point_of(b, i, f);
    if (p.has_value() != q.has_value()) return false;
    if (p && (std::abs(p->x - q->x) > 0.5f || std::abs(p->y - q->y) > 0.5f)) return false;
    seen = seen || p.has_value();
  }
  return seen;
}

/// Whether two lines with names have hardly different numbers, before it is known how large they are drawn.
bool any_alike(const Plot& plot) {
  std::vector<const Line*> lines;
  for (const Mark& mark : plot.marks)
    if (const auto* line = std::get_if<Line>(&mark); line && !line->name.empty()) lines.push_back(line);
  const auto alike = [](const Line& a, const Line& b) {
    if (a.first != b.first || a.at.dims != b.at.dims || a.at.data.size() != b.at.data.size()) return false;
    double apart = 0, size = 0;
    for (std::size_t i = 0; i < a.at.data.size(); ++i)
      if (std::isfinite(a.at.data[i]) && std::isfinite(b.at.data[i])) {
        apart = std::max(apart, std::abs(a.at.data[i] - b.at.data[i]));
        size = std::max(size, std::abs(a.at.data[i]));
      }
    return apart <= kAlike * size;
  };
  for (std::size_t i = 0; i < lines.size(); ++i)
    for (std::size_t k = 0; k < i; ++k)
      if (alike(*lines[i], *lines[k])) return true;
  return false;
}

/// A line with a name, and how many lie on it: these share one label.
struct NamedLine {
  const Line* line;
  std::size_t count = 1;
  std::string names{};  // of all of them
};

std::vector<NamedLine> named_lines(const PlotFrame& f) {
  std::vector<NamedLine> lines;
  for (const Mark& mark : f.plot.marks) {
    const auto* line = std::get_if<Line>(&mark);
    if (!line || line->name.empty()) continue;
    const auto same = std::ranges::find_if(lines, [&](const NamedLine& n) { return coincide(*n.line, *line, f); });
    if (same == lines.end())
      lines.push_back({line, 1, line->name});
    else
      same->line = line, ++same->count,
      same->names += " = " + line->name;  // the last one is on top: its colour is seen
  }
  return lines;
}

/// The name with the value; of lines that lie on each other all names, or how many they are if there is no room for that.
std::string label_of(const NamedLine& named, int index, float room, float size) {
  if (named.count == 1) return name_with_value(*named.line, index);
  Line all = *named.line;
  all.name = named.names;
  const std::string text = name_with_value(all, index);
  if (text_width(text, size) <= room) return text;
  return shared_words("figure.coincide", {{"n", std::to_string(named.count)}});
}

}  // namespace

float line_names_room(const Plot& plot, float size, float most) {
  if (is_alone(plot)) return 0;
  float room = 0;
  for (const Mark& mark : plot.marks)
    if (const auto* line = std::get_if<Line>(&mark); line && !line->name.empty())
      // The room for the longest name with the widest value, so that nothing moves with the focus.
      room = std::max(
          room, text_width(line->name + "  −0." + std::string(static_cast<std::size_t>(line->digits), '0'), size) +
                    kSwatch + 10);
  if (any_alike(plot))
    room = std::max(room, text_width(shared_words("figure.coincide", {{"n", "99"}}), size) + kSwatch + 10);
  return std::min(room, most);
}

void draw_line_names(PlotFrame& f, float room) {
  const Theme& theme = f.context.theme;
  const std::vector<NamedLine> lines = named_lines(f);
  std::vector<std::pair<float, std::size_t>> at;
  for (std::size_t k = 0; k < lines.size(); ++k) {
    float y = f.area.y;
    for (std::size_t i = lines[k].line->at.size(); i-- > 0;)
      if (const auto end = point_of(*lines[k].line, i, f)) {
        y = end->y;
        break;
      }
    at.emplace_back(y, k);
  }
  const auto fit = static_cast<std::size_t>(std::max((f.area.h + 8) / kEachName, 1.0f));
  const std::size_t left_out = at.size() > fit ? at.size() - fit : 0;
  if (left_out) at.resize(fit);
  spread(at, f.area.y + 2, f.area.bottom() - 2);
  const float x = f.area.right() + 10;
  Layer& layer = f.context.block.above();
  for (const auto& [y, which] : at) {
    const Line& line = *lines[which].line;
    const Rgba ink = ink_of(line.ink, theme);
    if (is_dashed(line))
      add_dashes(layer, {x, y}, {x + kSwatch - 4, y}, 1.25f, ink, 2);
    else
      layer.boxes.push_back({{x, y - 1.25f, kSwatch - 4, 2.5f}, ink, 1});
    const bool last = left_out && which == at.back().second;
    const std::string text = last ? shared_words("figure.more", {{"n", std::to_string(left_out + 1)}})
                                  : label_of(lines[which], read_index(line, f), room - kSwatch - 10, theme.font);
    f.context.block.labels.push_back({{x + kSwatch, y},
                                      shortened(text, room - kSwatch - 10, theme.font),
                                      theme.font,
                                      last ? theme.mute : theme.text});
  }
}

}  // namespace helix::figure
