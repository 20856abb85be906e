// Where everything of a figure goes, for a given way of looking at it, size and theme. Pure: the same figure gives the
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
  bool with_text = false;  // a figure that stands alone: title above, `caption` below
  std::string caption;     // provenance, for a figure that leaves the page
};

/// Everything grows with the font: a larger one makes a larger figure of the same page, not larger letters in it.
Drawing layout(const Figure& figure, const ViewState& view, const Page& page);

/// The height at which a figure of this width, with this font size, shows all its panels well; in CSS pixels.
float preferred_height(const Figure& figure, float width, float font = Theme().font);
/// The height below which its panels cannot be read.
float least_height(const Figure& figure, float width, float font = Theme().font);

/// The curve of a space that is followed while axes are refitted: its first line with dots, along the axes that are seen.
struct Curve {
  int first = 0;  // index of the first point
  std::vector<Vec3> points;
};
std::optional<Curve> curve_of(const Space& space, const ViewState& view);

/// The part of a space's block that the camera fills at zoom 1; around it is room for the labels of the axes.
/// `unit`: the drawing's.
Rect space_area(const Rect& block, float unit = 1);

}  // namespace helix::figure
