// What a matrix and a grid of small ones have in common. Internal to the figure.
#pragma once

#include <string>

#include "figure/plot.h"

namespace helix::figure {

inline constexpr float kMatrixTitle = 20;  // the line above
inline constexpr float kMatrixLine = 14;   // from one label to the next, at least

/// The name of an entry, with its number in front where not all of them are written.
std::string name_at(const Scale& scale, int index, bool numbered);
/// Every how many cells a name stands, so that none touches the next.
int label_step(float cell);
/// The lines above a matrix: its title and, where they do not fit beside it, the names of its sides.
float matrix_head_height(const Plot& plot, const PanelContext& context);
/// The panel's title, and the names of the sides; `right`: where the matrix ends.
void draw_matrix_head(const Plot& plot, float right, float size, PanelContext& context);
inline constexpr float kArcsHeight = 64;
/// The room above the names that a plot's arcs take, if it has any and its columns are this wide.
float arcs_height(const Plot& plot, float cell);
/// `room`: from the names up.
void draw_arcs(const Arcs& arcs, const Side& cols, const Rect& room, PanelContext& context);
Wish tiles_wish(const Plot& plot, float width);
void draw_tiles(const Plot& plot, const Cells& cells, PanelContext& context);

}  // namespace helix::figure
