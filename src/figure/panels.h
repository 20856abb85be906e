// The kinds of panel, each in its own file: its preferred height, and its shapes.
#pragma once

#include <map>
#include <string>

#include "figure/boxes.h"
#include "figure/drawing.h"
#include "figure/figure.h"
#include "figure/ticks.h"

namespace helix::figure {

/// How far the points of a space reach from their centre: horizontally, across the first two axes, and vertically.
struct Reach {
  Vec3 middle{};
  double level = 1, upright = 1;
  Vec3 axes{1, 1, 1};  // how far they reach from the origin along each axis
};

/// Domains that panels share, by the id of their scale; likewise the reach of spaces and the colour bar of plots.
struct Shared {
  std::map<std::string, Domain, std::less<>> domains;
  std::map<std::string, const Plot*, std::less<>> bars;    // by colour id: the plot that shows the bar
  std::map<std::string, std::string, std::less<>> titles;  // by colour id: the longest of its panels
  std::map<std::string, Reach, std::less<>> reaches;
};
Shared shared_scales(const Figure& figure, const ViewState& view);
/// Whether a plot shows its colour bar: of the plots that share one, only one does.
bool shows_bar(const Plot& plot, const Shared& shared);

/// Room beside the area of a plot: for the numbers of its y axis, and for the names of its curves; 0: none.
struct Margins {
  float numbers = 0, names = 0;
};

struct PanelContext {
  const Panel& panel;
  const ViewState& view;
  const Theme& theme;
  const Shared& shared;
  Block& block;
  Drawing& drawing;
  Margins least{};  // of the plots of one width over one axis, so that their areas have one width too
};

Wish wish_of(const Plot& plot, float width);
Wish wish_of(const Space& space, float width);
Wish wish_of(const Number& number, float width);

void draw(const Plot& plot, PanelContext& context);
void draw(const Space& space, PanelContext& context);
void draw(const Number& number, PanelContext& context);

/// What a plot between two axes takes beside its area; other kinds of plots: nothing.
Margins margins_of(const Plot& plot, PanelContext& context);
/// The domain of a plot's data, before it is rounded to ticks; low > high: no data.
Domain span_of(const Plot& plot, bool upright);
/// The reach of a space's points along the axes the visitor has chosen, after the space's rotation.
Reach reach_of(const Space& space, const ViewState& view);

}  // namespace helix::figure
