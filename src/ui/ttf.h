// One number of a TrueType file: Dear ImGui sizes a font by its height, the page by its em; they must agree.
#pragma once

#include <cstddef>
#include <span>

namespace helix::ui {

/// (ascender − descender) / unitsPerEm, from the tables hhea and head; 1 if the file lacks them.
float height_per_em(std::span<const std::byte> font);

}  // namespace helix::ui
