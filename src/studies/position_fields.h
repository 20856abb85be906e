// Parameters shared by studies of a table of positions: which table, and which of its rows.
#pragma once

#include "base/fields.h"

namespace helix::studies {

enum class PositionSource { learned, sinusoidal };

/// Of the sinusoidal encoding, as in GPT-2 small.
inline constexpr int kSinusoidPositions = 1024, kSinusoidDimensions = 768;

template <class V, class Source, class Base>
void position_source_fields(V&& v, Source& source, Base& base) {
  v(Field{"source", "Positions",
          "Learned rows of wpe, or the sinusoidal encoding (1,024 × 768), which needs no weights."},
    source, OneOf{{{"learned", "learned"}, {"sinusoidal", "sinusoidal"}}});
  v(Field{"base", "Base", "L in sin(p / L^(2i/d)).", "", "source=sinusoidal"}, base, Real{2, 1e6, true});
}

/// Both ends inclusive.
template <class V, class Row>
void row_range_fields(V&& v, Row& first, Row& last) {
  v(Field{"first", "Rows", "The first position that counts.", "position"}, first,
    Whole{0, 65535, Bound::last_position});
  v(Field{"last", "to", "The last position, included.", "position"}, last, Whole{0, 65535, Bound::last_position});
}

}  // namespace helix::studies
