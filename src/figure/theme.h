// Colours and sizes of a drawing. The page's design tokens fill it, so that canvas and page look like one thing.
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

/// t in 0..1 on a perceptual map; on dark ground the dark end is lifted so that it stays visible (jet is left as it is).
Rgba colour(ColourMap map, double t, bool dark);
Rgba mix(Rgba a, Rgba b, double t);

/// t in -1..1, for what has a sign: from blue through the theme's neutral to red, told apart by colour-blind eyes too.
Rgba diverging_colour(double t, const Theme& theme);
/// What a cell without a number looks like.
Rgba masked_colour(const Theme& theme);

}  // namespace helix::figure
