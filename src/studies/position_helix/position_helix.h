// The helix in the positional embeddings: principal components of the rows of wpe (or of the sinusoidal encoding).
// A. Yedidia, "GPT-2's positional embedding matrix is a helix" (2023): claims H1, H2, H3, H5, H6.
#pragma once

#include "studies/position_fields.h"
#include "studies/study.h"

namespace helix::studies::position_helix {

/// Row ranges are inclusive. At most this many components are kept per row.
inline constexpr int kComponents = 8;

struct Params {
  PositionSource source = PositionSource::learned;
  int first = 1, last = 1023;
  int group = 1;
  int fit_first = -1, fit_last = -1;
  double base = 10000;
  int positions = 1024, dimensions = 768;
  bool centre = true;
  std::vector<int> plane{1, 2};

  template <class V, class Self>
  static void fields(V&& v, Self& p) {
    v(Field{"source", "Positions", "Learned rows of wpe, or the sinusoidal encoding, which needs no weights."},
      p.source, OneOf{{{"learned", "learned"}, {"sinusoidal", "sinusoidal"}}});
    v(Field{"first", "Rows", "The first position that is shown and fitted.", "position"}, p.first,
      Whole{0, 65535, Bound::last_position, "", false, "positions"});
    v(Field{"last", "to", "The last position, included.", "position"}, p.last,
      Whole{0, 65535, Bound::last_position, "", false, "positions"});
    v(Field{"group", "Average by",
            "Rows 1 to g, g+1 to 2g, … are replaced by their mean before anything else; row 0 is kept.", "rows"},
      p.group, Whole{1, 512});
    v(Field{"fit_first", "of rows",
            "Fit the axes and the mean on other rows than those shown (keep axes); −1: the range itself.", "position"},
      p.fit_first, Whole{-1, 65535, Bound::last_position, "first", false, "positions"});
    v(Field{"fit_last", "to", "The last row the axes are fitted on; −1: the range itself.", "position"}, p.fit_last,
      Whole{-1, 65535, Bound::last_position, "last", false, "positions"});
    v(Field{"base", "Base", "L in sin(p / L^(2i/d)). The slides' 153 components belong to 1000, not to 10000.", "",
            "source=sinusoidal"},
      p.base, Real{2, 1e6, true});
    v(Field{"positions", "Number of positions",
            "Rows of the sinusoidal encoding; 1,024 as in GPT-2 small, whatever model is open.", "rows",
            "source=sinusoidal", true},
      p.positions, Whole{2, 4096});
    v(Field{"dimensions", "Dimensions",
            "Numbers in a row of the sinusoidal encoding; 768 as in GPT-2 small, whatever model is open.", "dimensions",
            "source=sinusoidal", true},
      p.dimensions, Whole{2, 2048});
    v(Field{"centre", "Centred", "Subtract the mean row first. Three components reach 90 % only when centred.", "", "",
            true},
      p.centre);
    v(Field{"plane", "Turns in the plane of", "The two components whose angle is followed to count turns.",
            "components", "", true},
      p.plane, Wholes{1, kComponents, 2});
  }
};

struct Output : OutputBase {
  protocol::Quantity explained_first3, components_for_90, turns, turns_skipped, along, rank, positions;
  protocol::Grid points, explained, residual, walk_explained_first3, walk_turns, walk_along;

  template <class V, class Self>
  static void fields(V&& v, Self& o) {
    using protocol::Out;
    v(Out{"explained_first3", "fraction", "variance in three components"}.headline(), o.explained_first3);
    v(Out{"components_for_90", "components", "components for 90 % of the variance"}, o.components_for_90);
    v(Out{"turns", "turns", "turns of the curve"}, o.turns);
    v(Out{"turns_skipped", "steps", "steps left out of the turns"}, o.turns_skipped);
    v(Out{"along", "correlation", "of the third component with the position"}, o.along);
    v(Out{"rank", "components", "components of these rows; any others are rounding"}, o.rank);
    v(Out{"positions", "rows", "positions in total"}.setting(), o.positions);
    v(Out{"points", "", "coordinates along the components", {"position", "component"}}.coordinate(), o.points);
    v(Out{"explained", "fraction", "share of the variance", {"component"}}, o.explained);
    v(Out{"residual", "", "distance from the first three components", {"position"}}, o.residual);
    v(Out{"walk_explained_first3", "fraction", "variance in three components of random walks", {"seed"}},
      o.walk_explained_first3);
    v(Out{"walk_turns", "turns", "turns of random walks", {"seed"}}, o.walk_turns);
    v(Out{"walk_along", "correlation", "of the third component with the row, in random walks", {"seed"}}, o.walk_along);
  }
};

inline std::vector<ClaimSpec> declared_claims() {
  const std::string small{kGpt2Small};
  return {{"H1",
           "A three-dimensional subspace explains 90 % of the variance.",
           0.90,
           "fraction",
           small,
           "",
           {"first=0|1&last=1022|1023&centre=1|0", "explained_first3", 0.005}},
          {"H2", "The positions lie on a helix.", {}, "turns", small, ""},
          {"H3", "The first and the last position are outliers.", {}, "standard deviations", small, ""},
          {"H5",
           "Without the first 100 positions, three components explain more of the variance.",
           {},
           "fraction",
           small,
           "first=100",
           {"first=100|101&centre=1|0", "explained_first3"}},
          {"H6",
           "The first 100 positions on their own: a PCA over just these.",
           {},
           "fraction",
           small,
           "last=99",
           {"first=0|1&last=99|100&centre=1|0", "explained_first3"}},
          {"F11",
           "The sinusoidal encoding needs 153 components for 90 % of the variance.",
           153,
           "components",
           "",
           "source=sinusoidal&first=0&base=1000",
           {"base=1000|1024|10000&centre=1|0", "components_for_90", 0.5}}};
}

inline StudySchema describe() {
  StudySchema schema;
  schema.id = "position_helix";
  schema.title = "The helix";
  schema.group = "Positions";
  schema.question = "How does a transformer know where its words are?";
  schema.source = "A. Yedidia, GPT-2's positional embedding matrix is a helix, 2023";
  schema.reads = Reads::positions;
  schema.text_run = "study=predictions&top=50";
  schema.text_tokens = "study=tokens";
  schema.presets = {
      {"default", "Without row 0", "as the text plots it: rows 1 to 1023", ""},
      {"all", "All rows", "with the outliers, rows 0 and 1023", "first=0"},
      {"unfrayed", "Without the first 100", "rows 100 to 1023: the irregular start is left out", "first=100"},
      {"start", "Only the start", "rows 1 to 99, as the text's code takes “the first 100”", "last=99"},
      {"start_on_axes", "The start, on the same axes", "rows 1 to 99 seen along the axes of rows 100 to 1023",
       "last=99&fit_first=100&fit_last=1023"},
      {"averaged", "Averaged in groups of ten", "neighbouring positions share one vector", "group=10"},
      {"sinusoidal", "Sinusoidal, base 10,000", "the fixed encoding of 2017", "source=sinusoidal&first=0"},
      {"sinusoidal_1000", "Sinusoidal, base 1,000", "the base behind the slides' 153 components for 90 %",
       "source=sinusoidal&first=0&base=1000"}};
  schema.claims = declared_claims();
  schema.without_model = {
      "", "",
      "No model is at hand, so this is the sinusoidal encoding, which needs none. Open a GPT-2 (.safetensors) to see "
      "the learned positions.",
      "source=sinusoidal"};
  schema.leads = {{"sinusoid", "Learned or designed?", "The sinusoids of 2017: 137 dimensions instead of 3",
                   "source=sinusoidal&first=0"},
                  {"training", "Watch it being learned", "A small model's positions, from its first step to its last",
                   "study=position_emergence"},
                  {"previous", "Which head finds the previous token?", "Every head's attention pattern on your text",
                   "study=head_taxonomy&from=text"},
                  {"without", "Remove the positions", "What does the model predict when every position is the same?",
                   "study=predictions&from=text&edit=zero_positions"}};
  return with_fields<Params, Output>(std::move(schema));
}

}  // namespace helix::studies::position_helix
