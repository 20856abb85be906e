// How many turns a curve of positions makes: the number that makes "it is a helix" a claim one can check.
#pragma once

#include <cstddef>

#include "base/matrix.h"

namespace helix::geometry {

struct Turns {
  double turns = 0;
  int skipped = 0;  // neighbour steps too wide to be part of the curve
};

/// The unwrapped angle swept in the plane of columns a and b, seen from the origin, over 2π and positive
/// whichever way it runs. Neighbour steps of more than 1 radian, or of no angle at all (NaN), are left out
/// and counted: an outlier near the axis would otherwise add up to half a turn.
Turns turns(MatrixView<const double> points /* [n, >= 2] */, std::size_t a, std::size_t b);

}  // namespace helix::geometry
