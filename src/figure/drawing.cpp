#include "figure/drawing.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>

namespace helix::figure {

namespace {

/// Thousandths of an em that IBM Plex Sans advances for each character from the space to the tilde.
constexpr std::array<std::uint16_t, 95> kAdvance{
    236, 284, 419, 713, 598, 927, 694, 242, 335, 335, 450, 600, 272, 399, 272, 383, 600, 600, 600,
    600, 600, 600, 600, 600, 600, 600, 292, 292, 600, 600, 600, 477, 891, 641, 653, 621, 671, 583,
    559, 695, 707, 400, 510, 634, 501, 812, 707, 708, 606, 708, 640, 581, 572, 678, 609, 891, 613,
    593, 580, 317, 383, 317, 600, 565, 600, 534, 580, 503, 580, 549, 324, 528, 568, 250, 250, 527,
    272, 873, 568, 560, 580, 580, 367, 487, 351, 568, 492, 768, 507, 499, 464, 343, 314, 343, 600,
};
constexpr float kOther = 0.58f, kSuperscript = 0.36f, kWide = 1;  // of an em: other letters and signs

/// The advance, in ems, of the character that starts with this byte; of the bytes that continue one, 0.
float advance(std::string_view text, std::size_t i) {
  const auto byte = [&](std::size_t k) { return k < text.size() ? static_cast<unsigned char>(text[k]) : 0u; };
  const unsigned c = byte(i);
  if (c < 0x80) return c >= 0x20 && c < 0x7F ? static_cast<float>(kAdvance[c - 0x20]) / 1000 : 0;
  if ((c & 0xC0) == 0x80) return 0;
  if (c == 0xC2 && byte(i + 1) == 0xB7) return 0.326f;  // the middle dot that stands for a space
  if (c == 0xC2 && (byte(i + 1) == 0xB2 || byte(i + 1) == 0xB3 || byte(i + 1) == 0xB9)) return kSuperscript;
  if (c == 0xE2 && byte(i + 1) == 0x80 && byte(i + 2) == 0xA6) return 0.81f;  // the ellipsis
  if (c == 0xE2 && byte(i + 1) == 0x81) return kSuperscript;                  // superscripts from 4 on, and their minus
  if (c == 0xE2 && byte(i + 1) == 0x86) return 0.82f;                         // arrows
  return c >= 0xE3 ? kWide : kOther;
}

}  // namespace

float text_width(std::string_view text, float size) {
  float ems = 0;
  for (std::size_t i = 0; i < text.size(); ++i) ems += advance(text, i);
  return ems * size;
}

bool overlap(const Rect& a, const Rect& b) {
  return a.x < b.right() - 0.5f && b.x < a.right() - 0.5f && a.y < b.bottom() - 0.5f && b.y < a.bottom() - 0.5f;
}

Rect label_box(const Label& label) {
  const float bold = label.weight == Weight::strong ? 1.05f : 1;  // how much wider strong letters are
  const float width = text_width(label.text, label.size) * bold, height = label.size * 1.1f;
  const float before = label.anchor == Anchor::start ? 0 : label.anchor == Anchor::end ? width : width / 2;
  if (label.turned) return {label.at.x - height / 2, label.at.y - width + before, height, width};
  return {label.at.x - before, label.at.y - height / 2, width, height};
}

std::string shortened(const std::string& text, float width, float size) {
  if (text_width(text, size) <= width) return text;
  std::string out;
  std::size_t i = 0;
  while (i < text.size()) {
    std::size_t next = i + 1;
    while (next < text.size() && (static_cast<unsigned char>(text[next]) & 0xC0) == 0x80) ++next;
    const std::string longer = out + text.substr(i, next - i);
    if (text_width(longer + "…", size) > width) break;
    out = longer;
    i = next;
  }
  return out + "…";
}

namespace {

/// The entry at this fraction of a side's length.
int entry_at(const Hit::Side& side, float part) {
  return side.first + std::clamp(static_cast<int>(std::floor(part * static_cast<float>(side.count))), 0,
                                 std::max(side.count - 1, 0));
}

int index_of(const std::vector<Place>& places, std::string_view axis) {
  for (const Place& place : places)
    if (place.axis == axis) return place.index;
  return -1;
}

/// Where an entry begins and how long it is; nothing if it is not on the side.
std::optional<std::pair<float, float>> stretch_of(const Hit::Side& side, int index, float from, float length) {
  if (side.none()) return std::pair(from, length);
  if (index < side.first || index >= side.first + side.count) return std::nullopt;
  const float step = length / static_cast<float>(side.count);
  return std::pair(from + step * static_cast<float>(index - side.first), step * side.drawn);
}

Rect grown(const Rect& r, float by) { return {r.x - by, r.y - by, r.w + 2 * by, r.h + 2 * by}; }

}  // namespace

bool Hit::over(std::string_view axis) const {
  return x.axis == axis || y.axis == axis || (spots && spots->axis == axis) || index_of(places, axis) >= 0;
}

std::optional<std::vector<Place>> Hit::at(Point p, float reach) const {
  if (!rect.contains(p)) return std::nullopt;
  if (!spots) return nearest(p);
  int best = -1;
  float least = reach * reach;
  for (std::size_t i = 0; i < spots->at.size(); ++i) {
    const float dx = spots->at[i].x - p.x, dy = spots->at[i].y - p.y;
    if (const float d = dx * dx + dy * dy; d <= least) least = d, best = static_cast<int>(i);
  }
  if (best < 0) return std::nullopt;
  std::vector<Place> found = places;
  found.push_back({spots->axis, spots->first + best});
  return found;
}

std::vector<Place> Hit::nearest(Point p) const {
  std::vector<Place> found = places;
  if (!y.none()) found.push_back({y.axis, entry_at(y, (p.y - rect.y) / std::max(rect.h, 1.0f))});
  if (!x.none()) found.push_back({x.axis, entry_at(x, (p.x - rect.x) / std::max(rect.w, 1.0f))});
  return found;
}

std::optional<Rect> Hit::of(const std::vector<Place>& wanted) const {
  for (const Place& place : wanted)
    if (!over(place.axis)) return std::nullopt;
  for (const Place& place : places)
    if (index_of(wanted, place.axis) != place.index) return std::nullopt;
  if (spots) {
    const int i = index_of(wanted, spots->axis) - spots->first;
    if (i < 0 || i >= static_cast<int>(spots->at.size())) return std::nullopt;
    const Point at = spots->at[static_cast<std::size_t>(i)];
    return Rect{at.x - 3, at.y - 3, 6, 6};
  }
  const auto across = stretch_of(x, index_of(wanted, x.axis), rect.x, rect.w);
  const auto down = stretch_of(y, index_of(wanted, y.axis), rect.y, rect.h);
  if (!across || !down) return std::nullopt;
  return Rect{across->first, down->first, across->second, down->second};
}

int Grip::index_at(float x) const { return entry_at({axis, first, count}, (x - track.x) / std::max(track.w, 1.0f)); }

int Grip::step_at(float y) const {
  const float up = (track.bottom() - y) / std::max(track.h, 1.0f);
  return static_cast<int>(std::lround(std::clamp(up, 0.0f, 1.0f) * static_cast<float>(up_steps)));
}

float Grip::x_of(double index) const {
  return track.x + track.w * static_cast<float>((index - first + 0.5) / std::max(count, 1));
}

const Block* Drawing::find(std::string_view panel) const {
  const auto it = std::find_if(blocks.begin(), blocks.end(), [&](const Block& b) { return b.panel == panel; });
  return it == blocks.end() ? nullptr : &*it;
}

std::optional<Drawing::Picked> Drawing::pick(Point p, float reach) const {
  for (auto hit = hits.rbegin(); hit != hits.rend(); ++hit)
    if (auto places = hit->at(p, reach)) return Picked{&*hit, std::move(*places)};
  return std::nullopt;
}

Rect Drawing::rect_of(const std::vector<Place>& places, std::string_view panel) const {
  if (places.empty()) return {};
  for (const Hit& hit : hits)
    if (panel.empty() || hit.panel == panel)
      if (const auto rect = hit.of(places)) return *rect;
  return {};
}

const Grip* Drawing::grip_at(Point p, float reach, bool finger) const {
  const Grip* best = nullptr;
  float nearest = 0;
  for (const Grip& g : grips) {
    if (g.broad && (finger || !g.rect.contains(p))) continue;
    if (!grown(g.rect, reach).contains(p)) continue;
    const bool whole = g.part == Grip::Part::whole;
    const float away = std::abs(p.x - (g.rect.x + g.rect.w / 2));
    // The ends overlap the whole range: they take precedence, the nearer one first.
    if (!best || (!whole && (best->part == Grip::Part::whole || away < nearest))) best = &g, nearest = away;
  }
  return best;
}

const Grip* Drawing::grip_of(std::string_view panel, Grip::Part part) const {
  const auto it =
      std::find_if(grips.begin(), grips.end(), [&](const Grip& g) { return g.panel == panel && g.part == part; });
  return it == grips.end() ? nullptr : &*it;
}

const Block* Drawing::space_at(Point p) const {
  for (const std::string& panel : spaces)
    if (const Block* block = find(panel); block && block->rect.contains(p)) return block;
  return nullptr;
}

}  // namespace helix::figure
