// A large cloud as a picture, where there is no graphics card to project it: in documents, and without WebGL2.
#pragma once

#include "figure/drawing.h"

namespace helix::figure {

/// The cloud's points as cells of an image that covers `rect`, two cells a pixel, nearer points over farther ones. Shade 0
/// is the ground and is not drawn.
Image picture_of(const Cloud& cloud, const Rect& rect);

}  // namespace helix::figure
