// Single dimensions of the positions over the position, each with its best-fitting sinusoid. A. Yedidia, 2023: "many of
// the entries ... look kind of a sine wave" (the first half of H7; the similarity study judges the claim's other half).
#pragma once

#include "studies/position_fields.h"
#include "studies/study.h"

namespace helix::studies::position_dimension {

/// Dimensions shown at once, and how many of the largest variance are shown by default.
inline constexpr std::size_t kMost = 12, kStandIn = 6;

struct Params {
  PositionSource source = PositionSource::learned;
  double base = 10000;
  std::vector<int> dimensions{745, 402, 724, 289, 525, 36};  // which carry most of GPT-2 small's top five directions
  int first = 0, last = 1023;

  template <class V, class Self>
  static void fields(V&& v, Self& p) {
    position_source_fields(v, p.source, p.base);
    v(Field{"dimensions", "Dimensions",
            "Which columns of the table are drawn, separated by commas; none: the six with the largest variance."},
      p.dimensions, Wholes{0, 65535, 0, kMost, Bound::last_dimension});
    row_range_fields(v, p.first, p.last);
  }
};

struct Output : OutputBase {
  protocol::Quantity explained, shuffled_explained, median_r2, shuffled_median_r2, over_half, shuffled_over_half;
  protocol::Grid values, fitted, chosen, r2, shuffled_r2, amplitude, cycles, phase, offset;
  protocol::Grid all_r2, all_shuffled_r2, all_cycles, all_std, walk_explained, walk_median_r2;

  template <class V, class Self>
  static void fields(V&& v, Self& o) {
    using protocol::Out;
    v(Out{"explained", "fraction", "of the variance of all dimensions, by one sinusoid each"}.headline(), o.explained);
    v(Out{"shuffled_explained", "fraction", "the same, each column shuffled"}, o.shuffled_explained);
    v(Out{"median_r2", "fraction", "median R² over all dimensions"}, o.median_r2);
    v(Out{"shuffled_median_r2", "fraction", "the same, each column shuffled"}, o.shuffled_median_r2);
    v(Out{"over_half", "dimensions", "dimensions with an R² of 0.5 or more"}, o.over_half);
    v(Out{"shuffled_over_half", "dimensions", "the same, each column shuffled"}, o.shuffled_over_half);
    v(Out{"values", "", "entries of the shown dimensions", {"dimension", "position"}}, o.values);
    v(Out{"fitted", "", "the nearest sinusoids", {"dimension", "position"}}, o.fitted);
    v(Out{"chosen", "", "which dimensions are shown", {"dimension"}}.key(), o.chosen);
    v(Out{"r2", "fraction", "R² of each shown dimension", {"dimension"}}, o.r2);
    v(Out{"shuffled_r2", "fraction", "R² of the shuffled column", {"dimension"}}, o.shuffled_r2);
    v(Out{"amplitude", "", "amplitude of the sinusoid", {"dimension"}}, o.amplitude);
    v(Out{"cycles", "cycles", "cycles over all shown rows", {"dimension"}}, o.cycles);
    v(Out{"phase", "radians", "phase at the first shown row", {"dimension"}}.setting(), o.phase);
    v(Out{"offset", "", "offset of the sinusoid", {"dimension"}}, o.offset);
    v(Out{"walk_explained", "fraction", "of the variance of random walks, by one sinusoid each", {"seed"}},
      o.walk_explained);
    v(Out{"walk_median_r2", "fraction", "median R² over the dimensions of random walks", {"seed"}}, o.walk_median_r2);
    v(Out{"all_r2", "fraction", "R² of every dimension", {"column"}}, o.all_r2);
    v(Out{"all_shuffled_r2", "fraction", "R² of every shuffled column", {"column"}}, o.all_shuffled_r2);
    v(Out{"all_cycles", "cycles", "cycles of every dimension's sinusoid", {"column"}}, o.all_cycles);
    v(Out{"all_std", "", "standard deviation of every dimension", {"column"}}, o.all_std);
  }
};

inline StudySchema describe() {
  StudySchema schema;
  schema.id = "position_dimension";
  schema.title = "Single dimensions";
  schema.group = "Positions";
  schema.question = "Does a single dimension, followed from position to position, look like a sine wave?";
  schema.source = "A. Yedidia, GPT-2's positional embedding matrix is a helix, 2023";
  schema.reads = Reads::positions;
  schema.presets = {
      {"default", "Six dimensions of GPT-2", "those that hold most of its top five singular directions", ""},
      {"unfrayed", "Without the first 100", "the irregular start hides how regular the rest is", "first=100"},
      {"largest", "The six largest", "by variance, in whatever model is open", "dimensions="},
      {"first_six", "The first six", "an arbitrary choice", "dimensions=0,1,2,3,4,5"},
      {"sinusoidal", "Sinusoidal, base 10,000", "the fixed encoding of 2017: fast waves first, slow ones last",
       "source=sinusoidal&dimensions=100,200,250,300,350,400"}};
  schema.without_model = {"", "",
                          "No model is at hand, so these are dimensions of the sinusoidal encoding, which needs none. "
                          "Open a GPT-2 (.safetensors) to see learned ones.",
                          "source=sinusoidal&dimensions=100,200,250,300,350,400"};
  schema.leads = {{"helix", "All dimensions at once", "Three directions hold most of what single dimensions share",
                   "study=position_helix"},
                  {"cosine", "Is the whole vector periodic?", "The cosine of positions by how far apart they are",
                   "study=position_cosine"}};
  return with_fields<Params, Output>(std::move(schema));
}

}  // namespace helix::studies::position_dimension
