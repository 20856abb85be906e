// The layout of a figure, for a given view, size and theme. Pure: the same figure gives the
// same drawing.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/view.h"
#include "figure/drawing.h"
#include "figure/figure.h"

namespace helix::figure {

struct Page {
  float width = 800, height = 520;  // CSS pixels
  Theme theme;
  bool with_text = false;  // a standalone figure: title above, `caption` below
  std::string caption;     // provenance of an exported figure, and lines above it
};

/// Everything scales with the font: a larger font enlarges the whole drawing, not only its text.
Drawing layout(const Figure& figure, const ViewState& view, const Page& page);

/// The height at which a figure of this width, with this font size, shows all its panels well; in CSS pixels.
float preferred_height(const Figure& figure, float width, float font = Theme().font);
/// The height below which its panels cannot be read.
float least_height(const Figure& figure, float width, float font = Theme().font);

/// The curve of a space that is tracked while axes are refitted: its first line with dots, along the axes shown.
struct Curve {
  int first = 0;  // index of the first point
  std::vector<Vec3> points;
};
std::optional<Curve> curve_of(const Space& space, const ViewState& view);

/// The part of a space's block, below its title, that the camera fills at zoom 1; the margin around it is for the axis labels.
/// `unit`: Drawing::unit.
Rect space_area(const Rect& below_title, float unit = 1);

}  // namespace helix::figure
