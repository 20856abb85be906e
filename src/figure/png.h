// Shades as a PNG: indexed colours, stored without compression. A short encoder, readable by every decoder.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "figure/drawing.h"

namespace helix::figure {

/// The cells of some rows and columns, in the palette's colours.
std::vector<std::byte> to_png(const Shades& shades, const Palette& palette, std::size_t first_row, std::size_t rows,
                              std::size_t first_col, std::size_t cols);

std::string to_base64(const std::vector<std::byte>& bytes);

}  // namespace helix::figure
