// Colours of marks by their role, in a theme.
#pragma once

#include <memory>

#include "figure/drawing.h"
#include "figure/marks.h"
#include "figure/theme.h"

namespace helix::figure {

/// How many series have a colour of their own; the next ones repeat them with dashes.
inline constexpr int kSeriesColours = 6;

/// Of every role but along and value, which have a colour for each point.
Rgba ink_of(const Ink& ink, const Theme& theme);
/// Of the i-th of n along the visitor's colour map.
Rgba ink_along(ColourMap map, std::size_t i, std::size_t n, const Theme& theme);
/// The colours of a scale's 255 shades, and of what is no number.
std::shared_ptr<const Palette> palette_of(const ShadeScale& scale, ColourMap map, const Theme& theme);
/// A second series of the same colour is drawn with dashes.
bool is_dashed(const Line& line);

/// Black or white, whichever is read better on this ground.
Rgba ink_on(Rgba ground);

void add_frame(Layer& layer, const Rect& r, float width, Rgba ink);

}  // namespace helix::figure
