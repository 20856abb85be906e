// How much of each singular direction of a matrix lies within the largest directions of the positions.
// "Insights into GPT-2's positional encodings", 2024: claim O2.
#pragma once

#include "studies/matrix_fields.h"
#include "studies/study.h"

namespace helix::studies::subspace_capture {

enum class Side { residual, other };

/// Directions at each end that are counted together, and those that claim O2 calls "low indices". For a matrix with
/// fewer directions: a quarter of them, and a tenth of that.
inline constexpr std::size_t kEnds = 100, kTop = 10;

struct Params {
  MatrixId matrix = MatrixId::wte;
  int layer = 0, head = -1;
  Side side = Side::residual;
  int k = 30;
  bool gain = false, centre = false;

  template <class V, class Self>
  static void fields(V&& v, Self& p) {
    v(Field{"matrix", "Matrix", "The matrix whose directions are compared with those of the positions."}, p.matrix,
      OneOf{matrix_choices()});
    layer_and_head_fields(v, p.layer, p.head);
    v(Field{"side", "Side",
            "Of a weight matrix: the side of the residual stream, where the positions are, or the other one (heads, "
            "neurons)."},
      p.side, OneOf{{{"residual", "residual stream"}, {"other", "other side"}}});
    v(Field{"k", "Directions of wpe", "How many of the positions' largest directions span their subspace.",
            "directions"},
      p.k, Whole{1, 65535, Bound::last_dimension});
    gain_and_centre_fields(v, p.gain, p.centre);
  }
};

struct Output : OutputBase {
  protocol::Quantity total, chance, ends, held_first, held_last, held_chance, top_mean, middle_mean, mean_captured,
      mean_direction;
  protocol::Grid capture, along_mean;
  protocol::Texts name;

  template <class V, class Self>
  static void fields(V&& v, Self& o) {
    using protocol::Out;
    v(Out{"total", "directions", "sum of all captures: k where the directions are a whole basis"}, o.total);
    v(Out{"chance", "fraction", "mean capture of a random direction, k / d_model"}, o.chance);
    v(Out{"ends", "directions", "counted together at each end"}.setting(), o.ends);
    v(Out{"held_first", "directions", "of the positions' k, within the first directions"}, o.held_first);
    v(Out{"held_last", "directions", "of the positions' k, within the last directions"}.headline(), o.held_last);
    v(Out{"held_chance", "directions", "of the positions' k, within as many random directions"}, o.held_chance);
    v(Out{"top_mean", "fraction", "mean capture of the very first directions"}, o.top_mean);
    v(Out{"middle_mean", "fraction", "mean capture of the directions between the ends"}, o.middle_mean);
    v(Out{"mean_captured", "fraction", "capture of the direction that centring removes"}, o.mean_captured);
    v(Out{"mean_direction", "direction", "the direction nearest to the one that centring removes"}.setting(),
      o.mean_direction);
    v(Out{"capture", "fraction", "within the positions' first k directions", {"direction"}}, o.capture);
    v(Out{"along_mean", "fraction", "along the direction that centring removes", {"direction"}}, o.along_mean);
    v(Out{"name", "", "the matrix", {"matrix"}}, o.name);
  }
};

inline StudySchema describe() {
  StudySchema schema;
  schema.id = "subspace_capture";
  schema.title = "Positions within a matrix";
  schema.group = "Layers";
  schema.question = "Which directions of a matrix lie where the positions are?";
  schema.source = "Insights into GPT-2's positional encodings, 2024";
  schema.presets = {
      {"default", "Tokens", "do words and positions use the same directions? Needs wte, 154 MB in GPT-2 small", ""},
      {"centred", "Tokens, centred", "is the mass at the first directions the mean that all words share?", "centre=1"},
      {"queries", "Queries of layer 0", "do the queries read the positions?", "matrix=q"},
      {"queries_gain", "Queries of layer 0, gain folded in", "the same with the gain of the LayerNorm",
       "matrix=q&gain=1"},
      {"keys_gain", "Keys of layer 0, gain folded in", "do the keys read them?", "matrix=k&gain=1"},
      {"mlp", "MLP input of layer 0", "does the first MLP read the positions?", "matrix=fc"}};
  schema.claims = {{"O2",
                    "The bottom directions of the token embeddings hold the positions; there is a small mass at the "
                    "top.",
                    {},
                    "directions",
                    std::string(kGpt2Small),
                    "",
                    {"centre=0|1&gain=0|1", "held_last"}}};
  schema.leads = {
      {"overlap", "Every pair of directions", "The same comparison, one cell a pair", "study=subspace_overlap"},
      {"spectrum", "How large the directions are", "Singular values of wpe", "study=spectrum"}};
  return with_fields<Params, Output>(std::move(schema));
}

}  // namespace helix::studies::subspace_capture
