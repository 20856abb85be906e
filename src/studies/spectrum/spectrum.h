// The singular values of one matrix: how many directions it really uses. "Insights into GPT-2's positional encodings",
// claim O1; F. Bezzi, "Dissecting the frog", 2023, claim F5.
#pragma once

#include "studies/matrix_fields.h"
#include "studies/study.h"

namespace helix::studies::spectrum {

/// "The top 30" of claim O1.
inline constexpr std::size_t kTop = 30;

struct Params {
  MatrixId matrix = MatrixId::wpe;
  int layer = 0, head = -1;
  bool gain = false, centre = false;

  template <class V, class Self>
  static void fields(V&& v, Self& p) {
    v(Field{"matrix", "Matrix", "The matrix whose singular values are shown."}, p.matrix, OneOf{matrix_choices()});
    layer_and_head_fields(v, p.layer, p.head);
    gain_and_centre_fields(v, p.gain, p.centre);
  }
};

struct Output : OutputBase {
  protocol::Quantity effective_rank, condition, log_volume, entropy, energy_top30, random_effective_rank, random_top30;
  protocol::Grid singular_values, random_values, energy;

  template <class V, class Self>
  static void fields(V&& v, Self& o) {
    using protocol::Out;
    v(Out{"effective_rank", "directions", "exp of the entropy of σ / Σσ"}.headline(), o.effective_rank);
    v(Out{"condition", "ratio", "largest over smallest singular value"}, o.condition);
    v(Out{"log_volume", "nats", "sum of ln σ"}, o.log_volume);
    v(Out{"entropy", "nats", "entropy of σ / Σσ"}, o.entropy);
    v(Out{"energy_top30", "fraction", "of Σσ² in the 30 largest"}, o.energy_top30);
    v(Out{"random_effective_rank", "directions", "the same of a Gaussian matrix of this shape and norm"},
      o.random_effective_rank);
    v(Out{"random_top30", "fraction", "of its Σσ² in the 30 largest"}, o.random_top30);
    v(Out{"singular_values", "", "largest first", {"direction"}}, o.singular_values);
    v(Out{"random_values", "", "of a Gaussian matrix of this shape and norm", {"direction"}}, o.random_values);
    v(Out{"energy", "fraction", "of Σσ² in the directions so far", {"direction"}}, o.energy);
  }
};

inline StudySchema describe() {
  StudySchema schema;
  schema.id = "spectrum";
  schema.title = "Singular values";
  schema.group = "Positions";
  schema.question = "How many directions does a matrix really use?";
  schema.source = "Insights into GPT-2's positional encodings, 2024; F. Bezzi, Dissecting the frog, 2025";
  schema.reads = Reads::positions;
  const std::string small{kGpt2Small};
  schema.presets = {
      {"default", "Positions", "a table of 768 columns that uses few of them", ""},
      {"centred", "Positions, centred", "without what all positions share", "centre=true"},
      {"tokens", "Tokens", "the table of word embeddings; needs its 154 MB in GPT-2 small", "matrix=wte"},
      {"queries_5", "W_Q of layer 5", "the matrix behind the slides' effective rank 535.5", "matrix=q&layer=5"}};
  schema.claims = {{"O1",
                    "The positional embeddings are captured by their top 30 singular directions.",
                    {},
                    "fraction",
                    small,
                    "",
                    {"centre=0|1", "energy_top30"}},
                   {"F5",
                    "The effective rank of W at layer 5 is 535.5224.",
                    535.5224,
                    "directions",
                    small,
                    "matrix=q&layer=5",
                    {"matrix=q|k|v|o&layer=4|5|6&gain=0|1", "effective_rank", 0.0005}}};
  return with_fields<Params, Output>(std::move(schema));
}

}  // namespace helix::studies::spectrum
