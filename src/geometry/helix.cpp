#include "geometry/helix.h"

#include <cmath>
#include <numbers>

namespace helix::geometry {

Turns turns(MatrixView<const double> points, std::size_t a, std::size_t b) {
  constexpr double kWidestStep = 1;  // radians
  Turns out;
  double angle = 0;
  for (std::size_t i = 1; i < points.rows; ++i) {
    const double x0 = points(i - 1, a), y0 = points(i - 1, b), x1 = points(i, a), y1 = points(i, b);
    const double step = std::atan2(x0 * y1 - y0 * x1, x0 * x1 + y0 * y1);
    if (std::fabs(step) <= kWidestStep) {
      angle += step;
    } else {
      ++out.skipped;
    }
  }
  out.turns = std::fabs(angle) / (2 * std::numbers::pi);
  return out;
}

}  // namespace helix::geometry
