// Two states of a study in one figure: side by side, or one drawn over the other.
#pragma once

#include <string>

#include "figure/figure.h"

namespace helix::figure {

/// The figures of two states as one, each under a heading; `b` is the state that `a` is compared with.
Figure beside(Figure a, Figure b, const std::string& a_name, const std::string& b_name);

/// What was drawn of the other side: nothing, since nothing differs or a panel of its kind holds one side; nothing, since
/// its axes have other entries; curves with a name; marks that a name does not fit beside, as rings and lines on bars; or a
/// cloud of points in a space.
enum class Overlaid { nothing, other_entries, curves, marks, cloud };

/// Draws the other side into a panel of this side: curves and spaces as a grey ghost, bars as a line where each ended,
/// points as rings. What is in a space is turned and mirrored as one, not stretched, so that it lies as close as it can:
/// each side has axes of its own.
Overlaid overlay(Panel& panel, const Panel& other, const std::string& other_name);

/// Whether a panel's numbers are shades: a plot with a matrix of cells, or with coloured words.
bool has_shades(const Panel& panel);
/// Whether a panel is a plot of curves over one axis, whose change is a curve too.
bool has_curves(const Panel& panel);

/// The root box made explicit: a root without children means all panels in one column.
Box spelled_out(const Figure& figure);

}  // namespace helix::figure
