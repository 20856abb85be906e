// The edit that moves a text along the table of positions, as a number of rows.
#pragma once

#include <cstddef>
#include <vector>

#include "base/subject.h"

namespace helix {

/// By how many rows the edits that are on shift the positions.
std::size_t shift_of(const std::vector<Edit>& edits);

/// The edits with this shift in place of any other; a shift of 0, which would do nothing, is left out.
std::vector<Edit> with_shift(std::vector<Edit> edits, std::size_t rows);

}  // namespace helix
