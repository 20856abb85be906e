// Rotary positions: pairs of dimensions of a query and a key are rotated by angles that grow with their positions. The
// score depends on the distance alone. Su et al., RoFormer, 2021; "Positional embeddings are strange", claim P4.
#pragma once

#include "studies/study.h"

namespace helix::studies::rope {

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

  template <class V, class Self>
  static void fields(V&& v, Self& p) {
    v(Field{"base", "Base", "L in the angle p / L^(2i/d) of pair i at position p."}, p.base, Real{2, 1e6, true});
    v(Field{"pairing", "Pairing", "Which two dimensions are turned together: neighbours, or i and i + 32."}, p.pairing,
      OneOf{{{"interleaved", "neighbours"}, {"half", "halves"}}});
    v(Field{"shift", "Shift", "Both tokens move by this many positions, and by 10 and 100 times as many.", "positions"},
      p.shift, Whole{1, 100, Bound::none, "", true});
    v(Field{"seed", "Seed", "Seed of the query and the key, which are Gaussian.", "", "", true}, p.seed,
      Whole{0, 999'999});
  }
};

struct Output : OutputBase {
  protocol::Quantity score_residual, added_spread, score_range, pairing_difference;
  protocol::Quantity dot_before, dot_after, added_before, added_after;
  protocol::Grid start, rotary, added, angle, wavelength;

  template <class V, class Self>
  static void fields(V&& v, Self& o) {
    using protocol::Out;
    v(Out{"score_residual", "score", "rotary: largest difference between places, over all distances"}.headline(),
      o.score_residual);
    v(Out{"added_spread", "score", "added sinusoids: largest difference between places, over all distances"},
      o.added_spread);
    v(Out{"score_range", "score", "rotary: largest minus smallest score over the distances"}, o.score_range);
    v(Out{"pairing_difference", "score", "largest difference between the two pairings at one distance"},
      o.pairing_difference);
    v(Out{"dot_before", "dot product", "blue · dog, rotated, at positions 1 and 2"}, o.dot_before);
    v(Out{"dot_after", "dot product", "blue · dog, rotated, after the shift"}, o.dot_after);
    v(Out{"added_before", "dot product", "blue · dog, positions added, at positions 1 and 2"}, o.added_before);
    v(Out{"added_after", "dot product", "blue · dog, positions added, after the shift"}, o.added_after);
    v(Out{"start", "positions", "position of the key", {"place"}}.setting(), o.start);
    v(Out{"rotary", "score", "rotary score of a query at this distance after the key", {"place", "lag"}}, o.rotary);
    v(Out{"added", "score", "the same with sinusoidal positions added", {"place", "lag"}}, o.added);
    v(Out{"angle", "degrees", "of blue and of dog, before and after the shift", {"place", "token"}}, o.angle);
    v(Out{"wavelength", "positions", "in which a pair turns once", {"pair"}}, o.wavelength);
  }
};

inline StudySchema describe() {
  StudySchema schema;
  schema.id = "rope";
  schema.title = "Rotary positions";
  schema.group = "Positions";
  schema.question = "What changes when positions rotate queries and keys instead of being added to the tokens?";
  schema.source = "Positional embeddings are strange; Su et al., RoFormer, 2021";
  schema.reads = Reads::positions;
  schema.presets = {{"default", "“blue dog”, three positions later", "the text's example", ""},
                    {"half", "The other pairing", "the same vectors, dimensions i and i + 32 paired", "pairing=half"},
                    {"llama", "Base 500,000", "Llama 3: slower turns for longer texts", "base=500000"},
                    {"small", "Base 100", "fast turns: the score swings with the distance", "base=100"},
                    {"far", "Far away", "places up to 10,000 positions apart", "shift=100"}};
  schema.claims = {{"P4",
                    "With rotary embeddings the score of a query and a key depends only on their distance.",
                    {},
                    "score",
                    "",
                    ""}};
  schema.leads = {
      {"cosine", "Similarity of sinusoidal positions", "Rotations relate these positions, too",
       "study=position_cosine&position_cosine.source=sinusoidal"},
      {"helix", "Positions that were learned", "GPT-2 adds a table of positions instead", "study=position_helix"}};
  return with_fields<Params, Output>(std::move(schema));
}

}  // namespace helix::studies::rope
