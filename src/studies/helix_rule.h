// What counts as a helix: the rule of claims H2 and H4, and of the titles that say so.
#pragma once

#include <cmath>

namespace helix::studies {

inline constexpr double kLeastTurns = 1;     // of the first two components
inline constexpr double kLeastAlong = 0.9;   // |r| of the third component with the position
inline constexpr double kMostSkipped = 0.1;  // of the steps, left out of the turns: with more, the rest is no curve

/// `along`: the correlation of the third component with the position.
inline bool is_helix(double turns, double along) { return turns >= kLeastTurns && std::abs(along) > kLeastAlong; }

}  // namespace helix::studies
