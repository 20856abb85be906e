// A plot as it is laid out: the rectangle between its axes, and where a value lies along each. Internal to the marks.
#pragma once

#include <string>
#include <vector>

#include "figure/inks.h"
#include "figure/panels.h"

namespace helix::figure {

/// One side of a plot: from a value to a pixel and back.
struct Side {
  ScaleKind kind = ScaleKind::linear;
  std::string axis;          // named axis of an index or a band
  int first = 0, count = 0;  // of an index or a band: what is shown
  double low = 0, high = 1;  // straightened ends
  float from = 0, to = 1;    // pixels of these ends; upright sides run upwards
  bool entries() const { return kind == ScaleKind::index || kind == ScaleKind::band; }
  float at(double value) const {
    const double t = high > low ? (straightened(kind, value) - low) / (high - low) : 0.5;
    return from + (to - from) * static_cast<float>(t);
  }
  bool shows(double value) const {
    const double v = straightened(kind, value);
    const double slack = 1e-9 * (high - low);
    return v >= low - slack && v <= high + slack;
  }
  float step() const { return count ? (to > from ? to - from : from - to) / static_cast<float>(count) : 0; }
};

struct PlotFrame {
  const Plot& plot;
  PanelContext& context;
  Rect area;
  Side x, y;
  float size = 11;  // of small labels
};

/// The part of an index scale that is shown: its window, or all of it.
Side entries_of(const Scale& scale, const ViewState& view);

// Kinds of frame: between axes, a list of bars below each other, a matrix with its names along two sides, lines of print.
void draw_cartesian(const Plot& plot, PanelContext& context);
void draw_list(const Plot& plot, const Bars& bars, PanelContext& context);
void draw_matrix(const Plot& plot, const Cells& cells, PanelContext& context);
void draw_words(const Plot& plot, const Words& words, PanelContext& context);
Wish cartesian_wish(const Plot& plot, float width);
Wish list_wish(const Plot& plot, const Bars& bars);
Wish matrix_wish(const Plot& plot, const Cells& cells, float width);
Wish words_wish(const Words& words, float width);

// Marks, a file each.
void draw_mark(const Line& line, PlotFrame& frame);
void draw_mark(const Points& points, PlotFrame& frame);
void draw_mark(const Bars& bars, PlotFrame& frame);
void draw_mark(const Area& area, PlotFrame& frame);
void draw_mark(const Cells& cells, PlotFrame& frame);
void draw_mark(const Rule& rule, PlotFrame& frame);
void draw_mark(const Arrow& arrow, PlotFrame& frame);
void draw_mark(const Text& text, PlotFrame& frame);
void draw_mark(const Words& words, PlotFrame& frame);
void draw_mark(const Arcs& arcs, PlotFrame& frame);

/// What a brush or a drag can take hold of, drawn at the foot of the plot.
void draw_grips(PlotFrame& frame);
/// Room for a brush's track below the axis.
float grips_height(const Plot& plot);
/// The names of lines at their ends, with the value at the focused or marked index. `room`: their width.
void draw_line_names(PlotFrame& frame, float room);
float line_names_room(const Plot& plot, float size, float most);
/// The colour bar, at (x, y), with what else there is to say beside it.
void draw_colour_bar(const ColourScale& scale, std::size_t pooled, const Palette& palette, Point at, float width,
                     PanelContext& context);

/// A dash pattern along a straight piece: capsules of `on` pixels with gaps. Returns the length left over in the pattern.
float add_dashes(Layer& layer, Point a, Point b, float radius, Rgba ink, float phase);
/// Where points of a plot can be pointed at: also from beside the axes, on which some lie.
Rect spots_area(const PlotFrame& frame);
/// The label where nothing in `taken` lies, else nothing; it is taken then.
bool add_label(Block& block, Label label, std::vector<Rect>& taken);

}  // namespace helix::figure
