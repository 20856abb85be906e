// The sinusoidal encoding of Vaswani et al. 2017: its waves, its norm, and the rotation that maps the encoding of one
// position to another's. F. Bezzi, "Dissecting the frog", 2023: claim F6; "Positional Embeddings are Strange": P3.
#pragma once

#include "studies/position_fields.h"
#include "studies/study.h"

namespace helix::studies::sinusoid {

/// Pairs of dimensions whose curves are drawn at once.
inline constexpr std::size_t kMostPairs = 8;

struct Params {
  double base = 10000;
  int dimensions = kSinusoidDimensions;
  int shift = 1;
  int positions = kSinusoidPositions;
  std::vector<int> pairs{96, 144, 192, 240};

  template <class V, class Self>
  static void fields(V&& v, Self& p) {
    v(Field{"base", "Base", "L in the angle p / L^(2i/d). The slides' 153 components belong to 1000, not to 10000."},
      p.base, Real{2, 1e6, true});
    v(Field{"dimensions", "Dimensions", "Numbers in the encoding of one position; 768 as in GPT-2 small.",
            "dimensions"},
      p.dimensions, Whole{2, 2048});
    v(Field{"shift", "Shift", "k: the rotation takes position p to position p + k.", "positions"}, p.shift,
      Whole{0, 1023, Bound::none, "", true});
    v(Field{"positions", "Number of positions", "How many positions are encoded; 1,024 as in GPT-2 small.", "rows"},
      p.positions, Whole{2, 2048});
    v(Field{"pairs", "Pairs drawn",
            "Pairs i of a sine and a cosine whose curves are shown, separated by commas; none: "
            "four that are evenly spaced.",
            "", "", true},
      p.pairs, Wholes{0, 1023, 0, kMostPairs});
  }
};

struct Output : OutputBase {
  protocol::Quantity norm, neighbour_cosine, rotation_residual;
  protocol::Quantity norm_spread, neighbour_spread, shuffled_residual, shuffled_neighbour_cosine;
  protocol::Quantity shortest_period, longest_period, slow_pairs, pairs;
  protocol::Grid encoding, shown_pairs, curves, period, angle, residual;

  template <class V, class Self>
  static void fields(V&& v, Self& o) {
    using protocol::Out;
    v(Out{"norm", "vector length", "mean norm of the positions"}, o.norm);
    v(Out{"neighbour_cosine", "cosine", "cosine of neighbouring positions, mean"}.headline(), o.neighbour_cosine);
    v(Out{"rotation_residual", "vector length", "largest distance from M_k PE(p) to PE(p + k)"}, o.rotation_residual);
    v(Out{"norm_spread", "vector length", "largest norm minus smallest"}, o.norm_spread);
    v(Out{"neighbour_spread", "cosine", "largest cosine of neighbours minus smallest"}, o.neighbour_spread);
    v(Out{"shuffled_residual", "vector length", "mean distance from M_k PE(p) to a random position"},
      o.shuffled_residual);
    v(Out{"shuffled_neighbour_cosine", "cosine", "cosine of neighbours in random order, mean"},
      o.shuffled_neighbour_cosine);
    v(Out{"shortest_period", "positions", "period of the fastest pair"}, o.shortest_period);
    v(Out{"longest_period", "positions", "period of the slowest pair"}, o.longest_period);
    v(Out{"slow_pairs", "pairs", "pairs that do not complete one period"}, o.slow_pairs);
    v(Out{"pairs", "pairs", "pairs of a sine and a cosine"}, o.pairs);
    v(Out{"encoding", "", "the encoding", {"position", "dimension"}}.f32(), o.encoding);
    v(Out{"shown_pairs", "", "pairs whose curves are shown", {"curve"}}.key(), o.shown_pairs);
    v(Out{"curves", "", "sine of each shown pair", {"curve", "position"}}, o.curves);
    v(Out{"period", "positions", "period of each pair", {"pair"}}, o.period);
    v(Out{"angle", "degrees", "angle by which M_k turns each pair", {"pair"}}, o.angle);
    v(Out{"residual", "", "distance from M_k PE(p) to PE(p + k)", {"position"}}, o.residual);
  }
};

inline StudySchema describe() {
  StudySchema schema;
  schema.id = "sinusoid";
  schema.title = "The sinusoidal encoding";
  schema.group = "Positions";
  schema.question = "How did the first transformer tell positions apart, before positions were learned?";
  schema.source =
      "Vaswani et al., Attention Is All You Need, 2017; F. Bezzi, Dissecting the frog, 2025; Positional "
      "Embeddings are Strange";
  schema.reads = Reads::positions;
  schema.presets = {
      {"default", "Base 10,000", "the encoding of 2017, in GPT-2's size", ""},
      {"base_1000", "Base 1,000", "fewer pairs are slower than the context is long", "base=1000"},
      {"far", "A shift by 100", "one rotation moves every position by 100", "shift=100"},
      {"clock", "Like the hands of a clock", "sixteen dimensions: eight hands, each slower than the one before",
       "dimensions=16&positions=128&pairs=0,1,2,3"},
      {"base_2", "Base 2", "no pair is slow: every period is shorter than 13 positions", "base=2"}};
  schema.claims = {{"F6", "‖p‖ = 19.5959 for every position; a shift is a rotation.", 19.5959, "vector length", "", ""},
                   {"P3", "Rotations relate positions.", {}, "vector length", "", ""}};
  schema.leads = {{"helix", "Its principal components", "137 directions where learned positions need 3",
                   "study=position_helix&source=sinusoidal&first=0"},
                  {"cosine", "Similarity by distance", "The cosine of every two positions of this encoding",
                   "study=position_cosine&source=sinusoidal"},
                  {"learned", "And learned positions?", "Single dimensions of GPT-2 beside their nearest sinusoids",
                   "study=position_dimension"}};
  return with_fields<Params, Output>(std::move(schema));
}

}  // namespace helix::studies::sinusoid
