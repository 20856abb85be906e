// A plot during layout: the rectangle between its axes, and the mapping of values to pixels. Internal to the marks.
#pragma once

#include <string>
#include <vector>

#include "figure/inks.h"
#include "figure/panels.h"

namespace helix::figure {

/// One side of a plot: maps a value to a pixel.
struct Side {
  ScaleKind kind = ScaleKind::linear;
  std::string axis;          // named axis of an index or a band
  int first = 0, count = 0;  // of an index or a band: the entries shown
  double low = 0, high = 1;  // ends of the domain after straightened()
  float from = 0, to = 1;    // pixels of these ends; vertical sides run upwards
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
  float size = 11;  // font size of small labels
};

/// The entries of an index scale that are shown: its window, or all of them.
Side entries_of(const Scale& scale, const ViewState& view);

// Kinds of frame: between axes, a list of horizontal bars, a matrix with names along two sides, lines of text.
void draw_cartesian(const Plot& plot, PanelContext& context);
Margins cartesian_margins(const Plot& plot, PanelContext& context);
void draw_list(const Plot& plot, const Bars& bars, PanelContext& context);
void draw_matrix(const Plot& plot, const Cells& cells, PanelContext& context);
void draw_words(const Plot& plot, const Words& words, PanelContext& context);
Wish cartesian_wish(const Plot& plot, float width);
Wish list_wish(const Plot& plot, const Bars& bars);
Wish matrix_wish(const Plot& plot, const Cells& cells, float width);
Wish words_wish(const Plot& plot, const Words& words, float width);

// Marks, one file each.
void draw_mark(const Line& line, PlotFrame& frame);
void draw_mark(const Points& points, PlotFrame& frame);
void draw_mark(const Bars& bars, PlotFrame& frame);
void draw_mark(const Area& area, PlotFrame& frame);
void draw_mark(const Cells& cells, PlotFrame& frame);
void draw_mark(const Rule& rule, PlotFrame& frame);
void draw_mark(const Arrow& arrow, PlotFrame& frame);
void draw_mark(const Text& text, PlotFrame& frame);
void draw_mark(const Callout& callout, PlotFrame& frame);
void draw_mark(const Words& words, PlotFrame& frame);
void draw_mark(const Arcs& arcs, PlotFrame& frame);

/// Draws what a brush or a drag can grab, at the bottom of the plot.
void draw_grips(PlotFrame& frame);
/// The height of a brush's track below the axis.
float grips_height(const Plot& plot);
/// Draws the names of lines at their ends, with the value at the focused or marked index. `room`: the width for them.
void draw_line_names(PlotFrame& frame, float room);
float line_names_room(const Plot& plot, float size, float most);
/// Writes the labels of the plot's rules where they hide least, after everything else but the callouts.
void draw_rule_labels(PlotFrame& frame);
/// Draws the plot's callouts, after everything else: their texts keep off it.
void draw_callouts(PlotFrame& frame);
/// A callout whose place is known: pixels of its point, or of both ends of its range.
struct PlacedCallout {
  const Callout* callout;
  Point at, to;
};
/// Finds room for each text inside `room`, and draws it with its leader.
void draw_callouts(const std::vector<PlacedCallout>& placed, const Rect& room, PanelContext& context);
/// Draws the colour bar with its title and notes beside it.
void draw_colour_bar(const ColourScale& scale, std::size_t pooled, const Palette& palette, Point at, float width,
                     PanelContext& context);

/// Dashes a straight segment: capsules of `on` pixels with gaps. Returns the phase at which the next segment continues.
float add_dashes(Layer& layer, Point a, Point b, float radius, Rgba ink, float phase);
/// Where points of a plot can be pointed at: a little beyond the axes too, because some points lie on them.
Rect spots_area(const PlotFrame& frame);
/// Adds the label, and its box to `taken`, unless it overlaps a box in `taken`; returns whether it was added.
bool add_label(Block& block, Label label, std::vector<Rect>& taken);

}  // namespace helix::figure
