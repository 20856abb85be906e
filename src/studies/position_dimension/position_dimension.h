// Single dimensions of the positions over the position, each with its best-fitting sinusoid. A. Yedidia, 2023: "many of
// the entries ... look kind of a sine wave" (the first half of H7; the similarity study judges the claim's other half).
#pragma once

#include "studies/position_fields.h"
#include "studies/study.h"

namespace helix::studies::position_dimension {

inline constexpr Words say{"position_dimension"};

/// Dimensions shown at once, and how many of the largest variance are shown by default.
inline constexpr std::size_t kMost = 12, kStandIn = 6;

struct Params {
  PositionSource source = PositionSource::learned;
  double base = 10000;
  std::vector<int> dimensions{745, 402, 724, 289, 525, 36};  // which carry most of GPT-2 small's top five directions
  int first = 0, last = 1023;

  static void fields(ParamVisitor& v, Params& p) {
    position_source_fields(v, p.source, p.base);
    v(Field{"dimensions"}, p.dimensions, Wholes{0, 65535, 0, kMost, Bound::last_dimension});
    row_range_fields(v, p.first, p.last);
  }
};

struct Output : OutputBase {
  protocol::Quantity explained, shuffled_explained, median_r2, shuffled_median_r2, over_half, shuffled_over_half;
  protocol::Grid values, fitted, chosen, r2, shuffled_r2, amplitude, cycles, phase, offset;
  protocol::Grid all_r2, all_shuffled_r2, all_cycles, all_std, walk_explained, walk_median_r2;

  static void fields(protocol::OutputVisitor& v, Output& o) {
    using protocol::Out;
    v(Out{"explained", "fraction"}.headline(), o.explained);
    v(Out{"shuffled_explained", "fraction"}, o.shuffled_explained);
    v(Out{"median_r2", "fraction"}, o.median_r2);
    v(Out{"shuffled_median_r2", "fraction"}, o.shuffled_median_r2);
    v(Out{"over_half", "dimensions"}, o.over_half);
    v(Out{"shuffled_over_half", "dimensions"}, o.shuffled_over_half);
    v(Out{"values", "", {"dimension", "position"}}, o.values);
    v(Out{"fitted", "", {"dimension", "position"}}, o.fitted);
    v(Out{"chosen", "", {"dimension"}}.key(), o.chosen);
    v(Out{"r2", "fraction", {"dimension"}}, o.r2);
    v(Out{"shuffled_r2", "fraction", {"dimension"}}, o.shuffled_r2);
    v(Out{"amplitude", "", {"dimension"}}, o.amplitude);
    v(Out{"cycles", "cycles", {"dimension"}}, o.cycles);
    v(Out{"phase", "radians", {"dimension"}}.setting(), o.phase);
    v(Out{"offset", "", {"dimension"}}, o.offset);
    v(Out{"walk_explained", "fraction", {"seed"}}, o.walk_explained);
    v(Out{"walk_median_r2", "fraction", {"seed"}}, o.walk_median_r2);
    v(Out{"all_r2", "fraction", {"column"}}, o.all_r2);
    v(Out{"all_shuffled_r2", "fraction", {"column"}}, o.all_shuffled_r2);
    v(Out{"all_cycles", "cycles", {"column"}}, o.all_cycles);
    v(Out{"all_std", "", {"column"}}, o.all_std);
  }
};

inline StudySchema describe() {
  StudySchema schema;
  schema.id = "position_dimension";
  schema.group = "Positions";
  schema.reads = Reads::positions;
  schema.presets = {{"default", ""},
                    {"unfrayed", "first=100"},
                    {"largest", "dimensions="},
                    {"first_six", "dimensions=0,1,2,3,4,5"},
                    {"sinusoidal", "source=sinusoidal&dimensions=100,200,250,300,350,400"}};
  schema.without_model = {"", "source=sinusoidal&dimensions=100,200,250,300,350,400"};
  schema.leads = {{"helix", "study=position_helix"}, {"cosine", "study=position_cosine"}};
  return with_fields<Params, Output>(std::move(schema));
}

}  // namespace helix::studies::position_dimension
