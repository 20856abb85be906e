// Whether a head's W_Q W_Kᵀ is close to its own transpose, and its scores to those of the identity.
// F. Bezzi, Dissecting the frog, 2025: claim F4.
#pragma once

#include "studies/study.h"

namespace helix::studies::qk_symmetry {

struct Params {
  int layer = 0, head = 0;
  bool identity = false, gain = false, centre = false;

  template <class V, class Self>
  static void fields(V&& v, Self& p) {
    v(Field{"layer", "Layer", "Layer of the shown head, counted from 0.", "layer"}, p.layer,
      Whole{0, 999, Bound::last_layer});
    v(Field{"head", "Head", "The shown head, counted from 0.", "head"}, p.head, Whole{0, 999, Bound::last_head});
    v(Field{"identity", "Compare with the identity",
            "Also compare X M Xᵀ with X Xᵀ, X being all token embeddings: needs wte, 154 MB in GPT-2 small."},
      p.identity);
    v(Field{"gain", "Fold the LayerNorm gain", "Multiply the inputs of W_Q and W_K by the gain of ln_1."}, p.gain);
    v(Field{"centre", "Tokens centred", "Subtract the mean token from X first.", "", "identity=1"}, p.centre);
  }
};

struct Output : OutputBase {
  protocol::Quantity distance_transpose, distance_identity, cosine_transpose, cosine_identity, random_transpose,
      random_identity, bound_identity, mean_transpose, mean_identity, close_heads, heads;
  protocol::Grid by_head, by_head_identity;

  template <class V, class Self>
  static void fields(V&& v, Self& o) {
    using protocol::Out;
    v(Out{"distance_transpose", "distance", "d(M, Mᵀ) of the chosen head"}.headline(), o.distance_transpose);
    v(Out{"distance_identity", "distance", "smallest d(X Xᵀ, c X M Xᵀ) over c > 0 of the chosen head"},
      o.distance_identity);
    v(Out{"cosine_transpose", "cosine", "between M and Mᵀ, as vectors of numbers"}, o.cosine_transpose);
    v(Out{"cosine_identity", "cosine", "between X Xᵀ and X M Xᵀ"}, o.cosine_identity);
    v(Out{"random_transpose", "distance", "d(M, Mᵀ) of random matrices of these shapes"}, o.random_transpose);
    v(Out{"random_identity", "distance", "the smallest d(X Xᵀ, c X M Xᵀ) of random matrices"}, o.random_identity);
    v(Out{"bound_identity", "distance", "the smallest that any M of this rank can reach"}, o.bound_identity);
    v(Out{"mean_transpose", "distance", "mean of d(M, Mᵀ) over all heads"}, o.mean_transpose);
    v(Out{"mean_identity", "distance", "mean distance from the identity over all heads"}, o.mean_identity);
    v(Out{"close_heads", "heads", "heads whose d(M, Mᵀ) is at most half that of random matrices"}, o.close_heads);
    v(Out{"heads", "heads", "heads whose weights are loaded"}.setting(), o.heads);
    v(Out{"by_head", "distance", "d(M, Mᵀ)", {"layer", "head"}}, o.by_head);
    v(Out{"by_head_identity", "distance", "smallest d(X Xᵀ, c X M Xᵀ)", {"layer", "head"}}, o.by_head_identity);
  }
};

inline StudySchema describe() {
  StudySchema schema;
  schema.id = "qk_symmetry";
  schema.title = "Symmetry of W_Q W_Kᵀ";
  schema.group = "Heads";
  schema.question = "Do a head's queries and keys say more than the dot product of two tokens?";
  schema.source = "F. Bezzi, Dissecting the frog, 2025";
  schema.text_run = "study=predictions&top=50";
  schema.presets = {{"default", "All heads", "how far is each head's matrix from its transpose?", ""},
                    {"gain", "LayerNorm gain folded in",
                     "is the matrix closer to symmetric with the gain of the LayerNorm?", "gain=1"},
                    {"identity", "Against the identity",
                     "do the scores differ from plain dot products of tokens? Needs wte", "identity=1"},
                    {"identity_centred", "Against the identity, centred",
                     "the same without the mean that all tokens share", "identity=1&centre=1"}};
  schema.claims = {{"F4",
                    "The matrix W_Q W_Kᵀ of a head is close to symmetric, or gives scores close to those of the "
                    "identity.",
                    {},
                    "distance",
                    std::string(kGpt2Small),
                    "identity=1",
                    {"gain=0|1&centre=0|1", "mean_identity"}}};
  schema.leads = {
      {"attention", "What a head attends to", "On a text of your own", "study=attention&from=text"},
      {"spectrum", "Singular values of W_Q", "How many directions the queries use", "study=spectrum&matrix=q"}};
  return with_fields<Params, Output>(std::move(schema));
}

}  // namespace helix::studies::qk_symmetry
