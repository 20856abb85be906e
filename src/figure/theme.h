// Colours and sizes of a drawing. The page's design tokens fill it, so that canvas and page match.
#pragma once

#include <cstdint>

#include "base/view.h"

namespace helix::figure {

struct Rgba {
  std::uint8_t r = 0, g = 0, b = 0, a = 255;
  bool operator==(const Rgba&) const = default;
};

struct Theme {
  Rgba background{13, 17, 23}, panel{20, 26, 34}, line{35, 44, 56}, text{232, 237, 243}, mute{141, 153, 168},
      accent{88, 196, 246}, warm{255, 179, 92};
  bool dark = true;
  float font = 12;  // CSS pixels

  static Theme light();
};

/// The colour at t (0 to 1) of a perceptual map; a dark theme lightens the dark end to keep it visible (except in jet).
Rgba colour(ColourMap map, double t, bool dark);
/// The same for points and lines: the part of the map that has a contrast of 3:1 to the theme's ground (all of jet).
Rgba mark_colour(ColourMap map, double t, bool dark);
Rgba mix(Rgba a, Rgba b, double t);

/// The colour at t (-1 to 1) for signed values: from blue through the theme's neutral to red; colour-blind safe.
Rgba diverging_colour(double t, const Theme& theme);
/// The colour of a cell without a number.
Rgba masked_colour(const Theme& theme);

}  // namespace helix::figure
