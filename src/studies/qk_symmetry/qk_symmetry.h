// Whether a head's W_Q W_Kᵀ is close to its own transpose, and its scores to those of the identity.
// A. Bortolato et al., Dissecting the frog, 2025: claim F4.
#pragma once

#include "studies/study.h"

namespace helix::studies::qk_symmetry {

inline constexpr Words say{"qk_symmetry"};

struct Params {
  int layer = 0, head = 0;
  bool identity = false, gain = false, centre = false;

  static void fields(ParamVisitor& v, Params& p) {
    v(Field{"layer", "layer"}, p.layer, Whole{0, 999, Bound::last_layer});
    v(Field{"head", "head"}, p.head, Whole{0, 999, Bound::last_head});
    v(Field{"identity"}, p.identity);
    v(Field{"gain"}, p.gain);
    v(Field{"centre", "", "identity=1"}, p.centre);
  }
};

struct Output : OutputBase {
  protocol::Quantity distance_transpose, distance_identity, cosine_transpose, cosine_identity, random_transpose,
      random_identity, bound_identity, mean_transpose, mean_identity, close_heads, heads;
  protocol::Grid by_head, by_head_identity;

  static void fields(protocol::OutputVisitor& v, Output& o) {
    using protocol::Out;
    v(Out{"distance_transpose", "distance"}.headline(), o.distance_transpose);
    v(Out{"distance_identity", "distance"}, o.distance_identity);
    v(Out{"cosine_transpose", "cosine"}, o.cosine_transpose);
    v(Out{"cosine_identity", "cosine"}, o.cosine_identity);
    v(Out{"random_transpose", "distance"}, o.random_transpose);
    v(Out{"random_identity", "distance"}, o.random_identity);
    v(Out{"bound_identity", "distance"}, o.bound_identity);
    v(Out{"mean_transpose", "distance"}, o.mean_transpose);
    v(Out{"mean_identity", "distance"}, o.mean_identity);
    v(Out{"close_heads", "heads"}, o.close_heads);
    v(Out{"heads", "heads"}.setting(), o.heads);
    v(Out{"by_head", "distance", {"layer", "head"}}.brief("d(M, Mᵀ)"), o.by_head);
    v(Out{"by_head_identity", "distance", {"layer", "head"}}.brief("from the identity"), o.by_head_identity);
  }
};

inline StudySchema describe() {
  StudySchema schema;
  schema.id = "qk_symmetry";
  schema.group = "Heads";
  schema.text_run = "study=predictions&top=50";
  schema.presets = {
      {"default", ""}, {"gain", "gain=1"}, {"identity", "identity=1"}, {"identity_centred", "identity=1&centre=1"}};
  schema.claims = {
      {"F4", {}, "distance", std::string(kGpt2Small), "identity=1", {"gain=0|1&centre=0|1", "mean_identity"}}};
  schema.leads = {{"attention", "study=attention&from=text"}, {"spectrum", "study=spectrum&matrix=q"}};
  return with_fields<Params, Output>(std::move(schema));
}

}  // namespace helix::studies::qk_symmetry
