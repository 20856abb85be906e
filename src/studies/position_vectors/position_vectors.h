// The largest singular vectors of the table of positions: waves over positions, and few entries over dimensions. "Insights
// into GPT-2's positional encodings", 2024: claim O6.
#pragma once

#include <string>

#include "studies/position_fields.h"
#include "studies/study.h"

namespace helix::studies::position_vectors {

inline constexpr Words say{"position_vectors"};

/// Singular vectors shown at once, and those with numbers of their own (claim O6).
inline constexpr int kMost = 12;
inline constexpr std::size_t kTop = 5;

struct Params {
  int count = 5;
  double threshold = 0.05;
  bool sorted = false;
  bool centre = true;
  PositionSource source = PositionSource::learned;
  double base = 10000;

  static void fields(ParamVisitor& v, Params& p) {
    v(Field{"count", "vectors"}, p.count, Whole{1, kMost});
    v(Field{"threshold"}, p.threshold, Real{0, 1, true, 0.01});
    v(Field{"sorted"}, p.sorted);
    v(Field{"centre"}, p.centre);
    position_source_fields(v, p.source, p.base);
  }
};

struct Output : OutputBase {
  protocol::Quantity participation_1, participation_2, participation_3, participation_4, participation_5;
  protocol::Quantity over_threshold_1, over_threshold_2, over_threshold_3, over_threshold_4, over_threshold_5;
  protocol::Quantity union_90, random_participation, random_over_threshold, random_union_90;
  protocol::Grid left, right, participation, over_threshold, singular_values, wave_r2, shuffled_wave_r2, wave_cycles;
  protocol::Grid mass, random_sorted, walk_wave_r2;

  static void fields(protocol::OutputVisitor& v, Output& o) {
    using protocol::Out;
    v(Out{"participation_1", "dimensions"}, o.participation_1);
    v(Out{"participation_2", "dimensions"}, o.participation_2);
    v(Out{"participation_3", "dimensions"}, o.participation_3);
    v(Out{"participation_4", "dimensions"}, o.participation_4);
    v(Out{"participation_5", "dimensions"}, o.participation_5);
    v(Out{"over_threshold_1", "dimensions"}, o.over_threshold_1);
    v(Out{"over_threshold_2", "dimensions"}, o.over_threshold_2);
    v(Out{"over_threshold_3", "dimensions"}, o.over_threshold_3);
    v(Out{"over_threshold_4", "dimensions"}, o.over_threshold_4);
    v(Out{"over_threshold_5", "dimensions"}, o.over_threshold_5);
    v(Out{"union_90", "dimensions"}.headline(), o.union_90);
    v(Out{"random_participation", "dimensions"}, o.random_participation);
    v(Out{"random_over_threshold", "dimensions"}, o.random_over_threshold);
    v(Out{"random_union_90", "dimensions"}, o.random_union_90);
    v(Out{"left", "", {"direction", "position"}}.coordinate(), o.left);
    v(Out{"right", "", {"direction", "dimension"}}.coordinate(), o.right);
    v(Out{"participation", "dimensions", {"direction"}}, o.participation);
    v(Out{"over_threshold", "dimensions", {"direction"}}, o.over_threshold);
    v(Out{"singular_values", "", {"direction"}}, o.singular_values);
    v(Out{"wave_r2", "fraction", {"direction"}}, o.wave_r2);
    v(Out{"shuffled_wave_r2", "fraction", {"direction"}}, o.shuffled_wave_r2);
    v(Out{"walk_wave_r2", "fraction", {"direction", "seed"}}, o.walk_wave_r2);
    v(Out{"wave_cycles", "cycles", {"direction"}}, o.wave_cycles);
    v(Out{"mass", "fraction", {"dimension"}}, o.mass);
    v(Out{"random_sorted", "", {"rank"}}, o.random_sorted);
  }
};

inline StudySchema describe() {
  StudySchema schema;
  schema.id = "position_vectors";
  schema.group = "Positions";
  schema.reads = Reads::positions;
  schema.presets = {{"default", ""},
                    {"sorted", "sorted=true"},
                    {"ten", "count=10"},
                    {"raw", "centre=false"},
                    {"sinusoidal", "source=sinusoidal"}};
  schema.claims = {{"O6", 40, "dimensions", std::string(kGpt2Small), "centre=false"}};
  schema.without_model = {"", "source=sinusoidal"};
  schema.leads = {
      {"dimensions", "study=position_dimension"}, {"values", "study=spectrum"}, {"overlap", "study=subspace_overlap"}};
  return with_fields<Params, Output>(std::move(schema));
}

}  // namespace helix::studies::position_vectors
