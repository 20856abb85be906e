// Two states of a study side by side.
#pragma once

#include "figure/figure.h"

namespace helix::figure {

/// The figures of two states as one; `b` is the state that `a` is compared with.
Figure beside(Figure a, Figure b);

}  // namespace helix::figure
