// The sinusoidal encoding of Vaswani et al. 2017: its waves, its norm, and the rotation that maps the encoding of one
// position to another's. A. Bortolato et al., "Dissecting the frog", 2025: claim F6; "Positional Embeddings are Strange": P3.
#pragma once

#include "studies/position_fields.h"
#include "studies/study.h"

namespace helix::studies::sinusoid {

inline constexpr Words say{"sinusoid"};

/// Pairs of dimensions whose curves are drawn at once.
inline constexpr std::size_t kMostPairs = 8;

struct Params {
  double base = 10000;
  int dimensions = kSinusoidDimensions;
  int shift = 1;
  int positions = kSinusoidPositions;
  std::vector<int> pairs{96, 144, 192, 240};

  static void fields(ParamVisitor& v, Params& p) {
    v(Field{"base"}, p.base, Real{2, 1e6, true});
    v(Field{"dimensions", "dimensions"}, p.dimensions, Whole{2, 2048});
    v(Field{"shift", "positions"}, p.shift, Whole{0, 1023, Bound::none, "", true});
    v(Field{"positions", "rows"}, p.positions, Whole{2, 2048});
    v(Field{"pairs", "", "", true}, p.pairs, Wholes{0, 1023, 0, kMostPairs});
  }
};

struct Output : OutputBase {
  protocol::Quantity norm, neighbour_cosine, rotation_residual;
  protocol::Quantity norm_spread, neighbour_spread, shuffled_residual, shuffled_neighbour_cosine;
  protocol::Quantity shortest_period, longest_period, slow_pairs, pairs;
  protocol::Grid encoding, shown_pairs, curves, period, angle, residual;

  static void fields(protocol::OutputVisitor& v, Output& o) {
    using protocol::Out;
    v(Out{"norm", "vector length"}, o.norm);
    v(Out{"neighbour_cosine", "cosine"}.headline(), o.neighbour_cosine);
    v(Out{"rotation_residual", "vector length"}, o.rotation_residual);
    v(Out{"norm_spread", "vector length"}, o.norm_spread);
    v(Out{"neighbour_spread", "cosine"}, o.neighbour_spread);
    v(Out{"shuffled_residual", "vector length"}, o.shuffled_residual);
    v(Out{"shuffled_neighbour_cosine", "cosine"}, o.shuffled_neighbour_cosine);
    v(Out{"shortest_period", "positions"}, o.shortest_period);
    v(Out{"longest_period", "positions"}, o.longest_period);
    v(Out{"slow_pairs", "pairs"}, o.slow_pairs);
    v(Out{"pairs", "pairs"}, o.pairs);
    v(Out{"encoding", "", {"position", "dimension"}}.f32(), o.encoding);
    v(Out{"shown_pairs", "", {"curve"}}.key(), o.shown_pairs);
    v(Out{"curves", "", {"curve", "position"}}, o.curves);
    v(Out{"period", "positions", {"pair"}}.brief("period"), o.period);
    v(Out{"angle", "degrees", {"pair"}}.brief("turned by"), o.angle);
    v(Out{"residual", "", {"position"}}, o.residual);
  }
};

inline StudySchema describe() {
  StudySchema schema;
  schema.id = "sinusoid";
  schema.group = "Positions";
  schema.reads = Reads::nothing;
  schema.presets = {{"default", ""},
                    {"base_1000", "base=1000"},
                    {"far", "shift=100"},
                    {"clock", "dimensions=16&positions=128&pairs=0,1,2,3"},
                    {"base_2", "base=2"}};
  schema.claims = {{"F6", 19.5959, "vector length", "", ""}, {"P3", {}, "vector length", "", ""}};
  schema.leads = {{"helix", "study=position_helix&source=sinusoidal&first=0"},
                  {"cosine", "study=position_cosine&source=sinusoidal"},
                  {"learned", "study=position_dimension"}};
  return with_fields<Params, Output>(std::move(schema));
}

}  // namespace helix::studies::sinusoid
