// The words around a standalone figure: title, what it shows and the key result above, the provenance below.
#pragma once

#include "figure/layout.h"

namespace helix::figure {

/// Draws them in lines that fit the page's width; returns the rectangle left for the panels.
Rect draw_heading(const Figure& figure, const Page& page, Drawing& drawing);

/// The height of a standalone page on which the panels are as high as they wish, within what prints on a sheet, unless they
/// could not be read there. The page's own height does not count.
float standalone_height(const Figure& figure, Page page);

}  // namespace helix::figure
