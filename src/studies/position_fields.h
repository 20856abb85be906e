// Parameters shared by studies of a table of positions: which table, and which of its rows.
#pragma once

#include "base/fields.h"

namespace helix::studies {

enum class PositionSource { learned, sinusoidal };

/// Of the sinusoidal encoding, as in GPT-2 small.
inline constexpr int kSinusoidPositions = 1024, kSinusoidDimensions = 768;

template <class V, class Source, class Base>
void position_source_fields(V&& v, Source& source, Base& base) {
  v(Field{"source"}, source, OneOf{{"learned", "sinusoidal"}});
  v(Field{"base", "", "source=sinusoidal"}, base, Real{2, 1e6, true});
}

/// Both ends inclusive.
template <class V, class Row>
void row_range_fields(V&& v, Row& first, Row& last) {
  v(Field{"first", "position"}, first, Whole{0, 65535, Bound::last_position});
  v(Field{"last", "position"}, last, Whole{0, 65535, Bound::last_position});
}

}  // namespace helix::studies
