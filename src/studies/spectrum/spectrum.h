// The singular values of one matrix: how many directions it really uses. "Insights into GPT-2's positional encodings",
// claim O1; A. Bortolato et al., "Dissecting the frog", 2025, claim F5.
#pragma once

#include "studies/matrix_fields.h"
#include "studies/study.h"

namespace helix::studies::spectrum {

inline constexpr Words say{"spectrum"};

/// "The top 30" of claim O1.
inline constexpr std::size_t kTop = 30;

struct Params {
  MatrixId matrix = MatrixId::wpe;
  int layer = 0, head = -1;
  bool gain = false, centre = false;

  static void fields(ParamVisitor& v, Params& p) {
    v(Field{"matrix"}, p.matrix, OneOf{kMatrixChoices});
    layer_and_head_fields(v, p.layer, p.head);
    gain_and_centre_fields(v, p.gain, p.centre);
  }
};

struct Output : OutputBase {
  protocol::Quantity effective_rank, condition, log_volume, entropy, energy_top30, random_effective_rank, random_top30;
  protocol::Grid singular_values, random_values, energy;

  static void fields(protocol::OutputVisitor& v, Output& o) {
    using protocol::Out;
    v(Out{"effective_rank", "directions"}.headline(), o.effective_rank);
    v(Out{"condition", "ratio"}, o.condition);
    v(Out{"log_volume", "nats"}, o.log_volume);
    v(Out{"entropy", "nats"}, o.entropy);
    v(Out{"energy_top30", "fraction"}, o.energy_top30);
    v(Out{"random_effective_rank", "directions"}, o.random_effective_rank);
    v(Out{"random_top30", "fraction"}, o.random_top30);
    v(Out{"singular_values", "", {"direction"}}.brief("σ"), o.singular_values);
    v(Out{"random_values", "", {"direction"}}.brief("random matrix"), o.random_values);
    v(Out{"energy", "fraction", {"direction"}}.brief("held so far"), o.energy);
  }
};

inline StudySchema describe() {
  StudySchema schema;
  schema.id = "spectrum";
  schema.group = "Positions";
  schema.reads = Reads::positions;
  constexpr std::string_view small = kGpt2Small;
  schema.presets = {
      {"default", ""}, {"centred", "centre=true"}, {"tokens", "matrix=wte"}, {"queries_5", "matrix=q&layer=5"}};
  schema.claims = {{"O1", {}, "fraction", small, "", {"centre=0|1", "energy_top30"}},
                   {"F5",
                    535.5224,
                    "directions",
                    small,
                    "matrix=q&layer=5",
                    {"matrix=q|k|v|o&layer=4|5|6&gain=0|1", "effective_rank", 0.0005}}};
  schema.leads = {{"vectors", "study=position_vectors"}, {"overlap", "study=subspace_overlap"}};
  return with_fields<Params, Output>(std::move(schema));
}

}  // namespace helix::studies::spectrum
