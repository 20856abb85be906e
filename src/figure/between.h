// A moment between two figures of one study: each mark is on its way from where it was to where it is now. Every value
// travels by its index, so that a row that has changed its place is seen to move there.
#pragma once

#include "figure/figure.h"

namespace helix::figure {

/// `to`, without its notes and tables, its marks `part` (0 to 1) of the way from those of `from`. What has no counterpart
/// there (another panel, another quantity along a side, another number of dimensions) is as in `to`; so are all texts and the
/// numbers that are written. On a logarithmic side values travel by their logarithms; in a space, as they are drawn along the
/// axes that `view` shows.
Figure between(const Figure& from, const Figure& to, double part, const ViewState& view);

}  // namespace helix::figure
