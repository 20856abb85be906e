// Parameters shared by studies of a table of positions: which table, and which of its rows.
#pragma once

#include "base/fields.h"

namespace helix::studies {

enum class PositionSource { learned, sinusoidal };

/// Of the sinusoidal encoding, as in GPT-2 small.
inline constexpr int kSinusoidPositions = 1024, kSinusoidDimensions = 768;

inline void position_source_fields(ParamVisitor& v, PositionSource& source, double& base) {
  v(Field{"source"}, source, OneOf{{"learned", "sinusoidal"}});
  v(Field{"base", "", "source=sinusoidal"}, base, Real{2, 1e6, true});
}

/// Both ends inclusive.
inline void row_range_fields(ParamVisitor& v, int& first, int& last) {
  v(Field{"first", "position"}, first, Whole{0, 65535, Bound::last_position});
  v(Field{"last", "position"}, last, Whole{0, 65535, Bound::last_position});
}

}  // namespace helix::studies
