// The words around a standalone figure: title, what it shows and the key result above, the provenance below.
#pragma once

#include "figure/layout.h"

namespace helix::figure {

/// Draws them in lines that fit the page's width; returns the rectangle left for the panels.
Rect draw_heading(const Figure& figure, const Page& page, Drawing& drawing);

}  // namespace helix::figure
