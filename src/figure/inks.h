// Colours of marks by their role, in a theme.
#pragma once

#include <memory>

#include "figure/drawing.h"
#include "figure/marks.h"
#include "figure/theme.h"

namespace helix::figure {

/// How many series have a colour of their own; further series repeat the colours with dashes.
inline constexpr int kSeriesColours = 6;

/// The colour of any role except along and value, which have a colour for each point.
Rgba ink_of(const Ink& ink, const Theme& theme);
/// The colour of point i of n along the visitor's colour map.
Rgba ink_along(ColourMap map, std::size_t i, std::size_t n, const Theme& theme);
/// The colours of a scale's 255 shades, and of cells without a number. Zero of a scale of one sign is near the ground, so
/// that it recedes.
std::shared_ptr<const Palette> palette_of(const ShadeScale& scale, ColourMap map, const Theme& theme);
/// The same for points and bars, all of which must stand out from the ground.
std::shared_ptr<const Palette> point_palette_of(const ShadeScale& scale, ColourMap map, const Theme& theme);
/// True for a series that repeats a colour: it is drawn with dashes.
bool is_dashed(const Line& line);

/// Black or white, whichever has the better contrast on this background.
Rgba ink_on(Rgba ground);

void add_frame(Layer& layer, const Rect& r, float width, Rgba ink);

}  // namespace helix::figure
