// A text on a curve of positions: each token at its position, with its word on a stalk.
#pragma once

#include <string>
#include <vector>

#include "figure/figure.h"

namespace helix::figure {

/// Puts words on the first curve over "position" of every space, the first word at position `first`, and makes them
/// draggable along it, until that word is at position `last`: the edit shift_positions. Words without a position on the
/// curve are omitted.
void put_text(Figure& figure, const std::vector<std::string>& words, int first, int last);

}  // namespace helix::figure
