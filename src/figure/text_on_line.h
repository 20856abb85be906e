// A text on a curve of positions: each token at its position, with its word on a stalk.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "figure/figure.h"

namespace helix::figure {

/// Which rows of the curve make up a position: it lies at their mean.
using RowsOf = std::function<std::vector<std::size_t>(std::size_t position)>;

/// Puts words on the first curve over "position" of every space, the first word at position `first`, and makes them
/// draggable along it, until that word is at position `last`: the edit shift_positions. A position in a locked focus can
/// be carried to another row alone, or averaged with those up to another; two fingers average all between two words.
/// Words without a position on the curve are omitted.
void put_text(Figure& figure, const std::vector<std::string>& words, int first, int last, const RowsOf& rows);

}  // namespace helix::figure
