// What a matrix and a grid of small matrices share. Internal to the figure.
#pragma once

#include <string>

#include "figure/plot.h"

namespace helix::figure {

inline constexpr float kMatrixTitle = 20;  // height of the title line
inline constexpr float kMatrixLine = 14;   // least distance from one label to the next

/// The name of an entry, preceded by its index if not all names are written.
std::string name_at(const Scale& scale, int index, bool numbered);
/// Label every n-th cell, so that labels do not overlap.
int label_step(float cell);
/// The height of the lines above a matrix: its title and, if they do not fit beside it, the names of its sides.
float matrix_head_height(const Plot& plot, const PanelContext& context);
/// Draws the panel's title and the names of the sides; `right`: the right edge of the matrix.
void draw_matrix_head(const Plot& plot, float right, float size, PanelContext& context);
inline constexpr float kArcsHeight = 64;
/// The height that a plot's arcs take above the names; 0 if it has none or its columns are too narrow.
float arcs_height(const Plot& plot, float cell);
/// `room`: the area above the names.
void draw_arcs(const Arcs& arcs, const Side& cols, const Rect& room, PanelContext& context);
void draw_tag(const Tag& tag, const Rect& cell, PanelContext& context);
Wish tiles_wish(const Plot& plot, float width);
void draw_tiles(const Plot& plot, const Cells& cells, PanelContext& context);

}  // namespace helix::figure
