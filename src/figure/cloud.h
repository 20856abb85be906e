// A large point cloud as an image, for output without a GPU: exported documents, and browsers without WebGL2.
#pragma once

#include "figure/drawing.h"

namespace helix::figure {

/// The cloud as an image of cells that covers `rect`, two cells per pixel, nearer points over farther ones. Shade 0
/// is the background and is not drawn.
Image picture_of(const Cloud& cloud, const Rect& rect);

}  // namespace helix::figure
