// Edits that move and average rows of the table of positions: by how many a text is shifted, and where a position comes
// from.
#pragma once

#include <cstddef>
#include <vector>

#include "base/subject.h"

namespace helix {

/// By how many rows the edits that are on shift the positions.
std::size_t shift_of(const std::vector<Edit>& edits);

/// The edits with this shift in place of any other; a shift of 0, which would do nothing, is left out.
std::vector<Edit> with_shift(std::vector<Edit> edits, std::size_t rows);

/// The rows of the table of positions, of so many, whose mean is this position's row after the edits that are on, as far as
/// they move or average whole rows.
std::vector<std::size_t> rows_after(const std::vector<Edit>& edits, std::size_t position, std::size_t count);

}  // namespace helix
