// Where everything of a figure goes, for a given size and theme. Pure: the same figure gives the same drawing.
#pragma once

#include <string>

#include "figure/drawing.h"
#include "figure/figure.h"

namespace helix::figure {

struct Page {
  float width = 800, height = 520;  // CSS pixels
  Theme theme;
  bool with_text = false;  // a figure that stands alone: title above, `caption` below
  std::string caption;     // provenance, for a figure that leaves the page
};

/// Everything grows with the font: a larger one makes a larger figure of the same page, not larger letters in it.
Drawing layout(const Figure& figure, const Page& page);

/// The height at which a figure of this width, with this font size, shows all its panels well; in CSS pixels. Without a
/// figure: that of a curve with all that may stand beside it.
float preferred_height(float width, float font = Theme().font);
float preferred_height(const Figure& figure, float width, float font = Theme().font);

/// The part of a path's block that the camera fills at zoom 1; around it is room for the labels of the axes.
/// `unit`: the drawing's.
Rect path_area(const Rect& block, float unit = 1);

// The parts, each in its own file.
void draw_path(const Path3& path, const Theme& theme, Block& block, Drawing& drawing);
void draw_bars(const Bars& bars, const std::string& title, const Theme& theme, Block& block, Drawing& drawing);
void draw_heatmap(const Heatmap& map, const std::string& title, const Theme& theme, Block& block, Drawing& drawing);
void draw_head_grid(const HeadGrid& grid, const std::string& title, const Theme& theme, Block& block, Drawing& drawing);
void draw_headline(const Headline& headline, const Theme& theme, Block& block);
void draw_profile(const Profile& profile, const Theme& theme, Block& block, Drawing& drawing);
void draw_curves(const Curves& curves, const Theme& theme, Block& block, Drawing& drawing);
/// What curves need in height where there is this width.
float curves_height(const Curves& curves, float width);

/// A step of 1, 2 or 5 times a power of ten that divides `span` into about `count` parts.
double nice_step(double span, int count);

}  // namespace helix::figure
