#include "figure/theme.h"

#include <algorithm>
#include <cmath>

namespace helix::figure {
namespace {

// Ten even samples of each map. Viridis and cividis: S. van der Walt, N. Smith; J. Nuñez et al., both CC0.
constexpr Rgba kViridis[] = {{68, 1, 84},    {72, 40, 120},  {62, 74, 137},  {49, 104, 142}, {38, 130, 142},
                             {31, 158, 137}, {53, 183, 121}, {109, 205, 89}, {180, 222, 44}, {253, 231, 37}};
constexpr Rgba kCividis[] = {{0, 34, 78},     {18, 53, 112},   {59, 73, 108},   {87, 93, 109},  {112, 113, 115},
                             {138, 134, 120}, {165, 156, 116}, {195, 179, 105}, {225, 204, 85}, {254, 232, 56}};
// The map that the accompanying text uses: dark blue to dark red through cyan and yellow.
constexpr Rgba kJet[] = {{0, 0, 128},     {0, 0, 241},    {0, 77, 255},  {0, 178, 255}, {41, 255, 206},
                         {124, 255, 121}, {206, 255, 41}, {255, 196, 0}, {255, 104, 0}, {128, 0, 0}};

// Where these maps reach a contrast of 3:1 to a dark and to a light ground.
constexpr double kFromOnDark = 0.36, kToOnLight = 0.565;

Rgba at_stop(ColourMap map, double t) {
  const Rgba* stops = map == ColourMap::viridis ? kViridis : map == ColourMap::cividis ? kCividis : kJet;
  const int i = std::min(static_cast<int>(t * 9), 8);
  return mix(stops[i], stops[i + 1], t * 9 - i);
}

}  // namespace

Theme Theme::light() {
  Theme t;
  t.background = {246, 248, 250}, t.panel = {255, 255, 255}, t.line = {223, 229, 236}, t.text = {21, 32, 43};
  t.mute = {91, 104, 118}, t.accent = {10, 111, 179}, t.warm = {168, 90, 0};
  t.dark = false;
  return t;
}

Rgba mix(Rgba a, Rgba b, double t) {
  const auto channel = [t](std::uint8_t x, std::uint8_t y) {
    return static_cast<std::uint8_t>(std::lround(x + (y - x) * t));
  };
  return {channel(a.r, b.r), channel(a.g, b.g), channel(a.b, b.b), channel(a.a, b.a)};
}

Rgba colour(ColourMap map, double t, bool dark) {
  const double lift = dark && map != ColourMap::jet ? 0.14 : 0;
  return at_stop(map, lift + (1 - lift) * std::clamp(t, 0.0, 1.0));
}

Rgba mark_colour(ColourMap map, double t, bool dark) {
  if (map == ColourMap::jet) return colour(map, t, dark);
  const double from = dark ? kFromOnDark : 0, to = dark ? 1 : kToOnLight;
  return at_stop(map, from + (to - from) * std::clamp(t, 0.0, 1.0));
}

Rgba diverging_colour(double t, const Theme& theme) {
  const Rgba neutral = mix(theme.background, theme.text, theme.dark ? 0.16 : 0.05);
  const Rgba below = theme.dark ? Rgba{92, 178, 255} : Rgba{5, 84, 176};
  const Rgba above = theme.dark ? Rgba{255, 132, 92} : Rgba{178, 34, 34};
  return mix(neutral, t < 0 ? below : above, std::min(std::abs(t), 1.0));
}

Rgba masked_colour(const Theme& theme) { return mix(theme.background, theme.line, theme.dark ? 0.3 : 0.35); }

}  // namespace helix::figure
