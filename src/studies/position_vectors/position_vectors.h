// The largest singular vectors of the table of positions: waves over positions, and few entries over dimensions. "Insights
// into GPT-2's positional encodings", 2024: claim O6.
#pragma once

#include <string>

#include "studies/position_fields.h"
#include "studies/study.h"

namespace helix::studies::position_vectors {

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

  template <class V, class Self>
  static void fields(V&& v, Self& p) {
    v(Field{"count", "Singular vectors", "How many are shown, the largest singular values first.", "vectors"}, p.count,
      Whole{1, kMost});
    v(Field{"threshold", "Threshold", "An entry of a unit vector counts as large where its size is above this."},
      p.threshold, Real{0, 1, true, 0.01});
    v(Field{"sorted", "Sort the dimensions", "Each vector's entries by their size, the largest first."}, p.sorted);
    v(Field{"centre", "Centred",
            "Subtract the mean row first; otherwise one of the largest vectors is mostly the mean row."},
      p.centre);
    position_source_fields(v, p.source, p.base);
  }
};

struct Output : OutputBase {
  protocol::Quantity participation_1, participation_2, participation_3, participation_4, participation_5;
  protocol::Quantity over_threshold_1, over_threshold_2, over_threshold_3, over_threshold_4, over_threshold_5;
  protocol::Quantity union_90, random_participation, random_over_threshold, random_union_90;
  protocol::Grid left, right, participation, over_threshold, singular_values, wave_r2, shuffled_wave_r2, wave_cycles;
  protocol::Grid mass, random_sorted, walk_wave_r2;

  template <class V, class Self>
  static void fields(V&& v, Self& o) {
    using protocol::Out;
    const char* ratio = "participation ratio over dimensions";
    v(Out{"participation_1", "dimensions", ratio}, o.participation_1);
    v(Out{"participation_2", "dimensions", ratio}, o.participation_2);
    v(Out{"participation_3", "dimensions", ratio}, o.participation_3);
    v(Out{"participation_4", "dimensions", ratio}, o.participation_4);
    v(Out{"participation_5", "dimensions", ratio}, o.participation_5);
    const char* over = "dimensions above the threshold";
    v(Out{"over_threshold_1", "dimensions", over}, o.over_threshold_1);
    v(Out{"over_threshold_2", "dimensions", over}, o.over_threshold_2);
    v(Out{"over_threshold_3", "dimensions", over}, o.over_threshold_3);
    v(Out{"over_threshold_4", "dimensions", over}, o.over_threshold_4);
    v(Out{"over_threshold_5", "dimensions", over}, o.over_threshold_5);
    v(Out{"union_90", "dimensions", "dimensions that hold 90 % of the shown vectors' mass"}.headline(), o.union_90);
    v(Out{"random_participation", "dimensions", "participation ratio of random directions, mean"},
      o.random_participation);
    v(Out{"random_over_threshold", "dimensions", "of random directions, mean"}, o.random_over_threshold);
    v(Out{"random_union_90", "dimensions", "the same of as many random directions"}, o.random_union_90);
    v(Out{"left", "", "left singular vectors, over positions", {"direction", "position"}}.coordinate(), o.left);
    v(Out{"right", "", "right singular vectors, over dimensions", {"direction", "dimension"}}.coordinate(), o.right);
    v(Out{"participation", "dimensions", "(Σv²)² / Σv⁴ of each right vector", {"direction"}}, o.participation);
    v(Out{"over_threshold", "dimensions", "entries above the threshold", {"direction"}}, o.over_threshold);
    v(Out{"singular_values", "", "σ of each vector", {"direction"}}, o.singular_values);
    v(Out{"wave_r2", "fraction", "R² of the sinusoid nearest to each left vector", {"direction"}}, o.wave_r2);
    v(Out{"shuffled_wave_r2", "fraction", "the same, its positions shuffled", {"direction"}}, o.shuffled_wave_r2);
    v(Out{"walk_wave_r2", "fraction", "the same of the first five left vectors of random walks", {"direction", "seed"}},
      o.walk_wave_r2);
    v(Out{"wave_cycles", "cycles", "cycles of that sinusoid over the positions", {"direction"}}, o.wave_cycles);
    v(Out{"mass", "fraction", "share of the shown right vectors' mass", {"dimension"}}, o.mass);
    v(Out{"random_sorted", "", "sizes of a random direction's entries, largest first", {"rank"}}, o.random_sorted);
  }
};

inline StudySchema describe() {
  StudySchema schema;
  schema.id = "position_vectors";
  schema.title = "Singular vectors";
  schema.group = "Positions";
  schema.question = "What do the strongest patterns among the positions look like, and which dimensions carry them?";
  schema.source = "Insights into GPT-2's positional encodings, 2024";
  schema.reads = Reads::positions;
  schema.presets = {
      {"default", "The top five", "waves over positions, few large entries over dimensions", ""},
      {"sorted", "Dimensions sorted", "how fast the entries fall, beside a random direction", "sorted=true"},
      {"ten", "The next five", "are the smaller patterns waves as well?", "count=10"},
      {"raw", "Not centred", "the plain matrix, as the text says", "centre=false"},
      {"sinusoidal", "Sinusoidal, base 10,000", "the fixed encoding of 2017 spreads over far more dimensions",
       "source=sinusoidal"}};
  schema.claims = {{"O6",
                    "The top five singular vectors are sinusoids over positions and sparse over dimensions: about 40 "
                    "indices.",
                    40, "dimensions", std::string(kGpt2Small), "centre=false"}};
  schema.without_model = {"", "",
                          "No model is at hand, so these are singular vectors of the sinusoidal encoding, which needs "
                          "none. Open a GPT-2 (.safetensors) to see those of learned positions.",
                          "source=sinusoidal"};
  schema.leads = {
      {"dimensions", "Follow single dimensions", "The six dimensions that hold most of these vectors",
       "study=position_dimension"},
      {"values", "How many are there?", "All singular values, and those of a random matrix", "study=spectrum"},
      {"overlap", "Do tokens use these directions?", "Singular directions of positions and of tokens",
       "study=subspace_overlap"}};
  return with_fields<Params, Output>(std::move(schema));
}

}  // namespace helix::studies::position_vectors
