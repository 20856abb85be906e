// Rotary positions: pairs of dimensions of a query and a key are rotated by angles that grow with their positions. The
// score depends on the distance alone. Su et al., RoFormer, 2021; "Positional embeddings are strange", claim P4.
#pragma once

#include "studies/study.h"

namespace helix::studies::rope {

inline constexpr Words say{"rope"};

/// interleaved: dimensions 2i and 2i + 1 are a pair (RoFormer, GPT-J, Meta's Llama). half: i and i + 32 are (GPT-NeoX, and
/// Llama as Hugging Face stores it).
enum class Pairing { interleaved, half };

/// Of the query and the key: d_head, as in GPT-2.
inline constexpr std::size_t kDimensions = 64;

struct Params {
  double base = 10000;
  Pairing pairing = Pairing::interleaved;
  int shift = 3;
  int seed = 0;

  static void fields(ParamVisitor& v, Params& p) {
    v(Field{"base"}, p.base, Real{2, 1e6, true});
    v(Field{"pairing"}, p.pairing, OneOf{{"interleaved", "half"}});
    v(Field{"shift", "positions"}, p.shift, Whole{1, 100, Bound::none, "", true});
    v(Field{"seed", "", "", true}, p.seed, Whole{0, 999'999});
  }
};

struct Output : OutputBase {
  protocol::Quantity score_residual, added_spread, score_range, pairing_difference;
  protocol::Quantity dot_before, dot_after, added_before, added_after;
  protocol::Grid start, rotary, added, angle, wavelength;

  static void fields(protocol::OutputVisitor& v, Output& o) {
    using protocol::Out;
    v(Out{"score_residual", "score"}.headline(), o.score_residual);
    v(Out{"added_spread", "score"}, o.added_spread);
    v(Out{"score_range", "score"}, o.score_range);
    v(Out{"pairing_difference", "score"}, o.pairing_difference);
    v(Out{"dot_before", "dot product"}, o.dot_before);
    v(Out{"dot_after", "dot product"}, o.dot_after);
    v(Out{"added_before", "dot product"}, o.added_before);
    v(Out{"added_after", "dot product"}, o.added_after);
    v(Out{"start", "positions", {"place"}}.setting(), o.start);
    v(Out{"rotary", "score", {"place", "lag"}}, o.rotary);
    v(Out{"added", "score", {"place", "lag"}}, o.added);
    v(Out{"angle", "degrees", {"place", "token"}}, o.angle);
    v(Out{"wavelength", "positions", {"pair"}}, o.wavelength);
  }
};

inline StudySchema describe() {
  StudySchema schema;
  schema.id = "rope";
  schema.group = "Positions";
  schema.reads = Reads::nothing;
  schema.presets = {
      {"default", ""}, {"half", "pairing=half"}, {"llama", "base=500000"}, {"small", "base=100"}, {"far", "shift=100"}};
  schema.claims = {{"P4", {}, "score", "", ""}};
  schema.leads = {{"cosine", "study=position_cosine&position_cosine.source=sinusoidal"},
                  {"helix", "study=position_helix"}};
  return with_fields<Params, Output>(std::move(schema));
}

}  // namespace helix::studies::rope
