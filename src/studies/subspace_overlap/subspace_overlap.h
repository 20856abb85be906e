// How the singular directions of two matrices overlap: squared dot products of every pair of directions.
// "Insights into GPT-2's positional encodings"; claims O3, O4, O5.
#pragma once

#include "studies/matrix_fields.h"
#include "studies/study.h"

namespace helix::studies::subspace_overlap {

/// One matrix (those of MatrixId, in its order), or several, shown side by side in a grid of panels.
enum class Matrices { wpe, wte, q, k, v, o, fc, mlp, tables, attention, weights };
enum class Side { residual, other };

/// A panel of the grid has at most this many cells per side; more directions are averaged.
inline constexpr std::size_t kPanelCells = 128;
/// "The very top" of both: the corner in which the text sees a dark dot.
inline constexpr std::size_t kCorner = 5;

struct Params {
  Matrices a = Matrices::wpe, b = Matrices::wte;
  int layer = 0, head = -1;
  Side side = Side::residual;
  bool gain = false, centre = false;
  double blur = 0;
  int count_a = 100, count_b = 30;

  template <class V, class Self>
  static void fields(V&& v, Self& p) {
    OneOf matrices{matrix_choices()};
    for (const Choice& several : {Choice{"tables", "positions and tokens"}, Choice{"attention", "Q, K, V and output"},
                                  Choice{"weights", "all matrices of the layer"}})
      matrices.choices.push_back(several);
    v(Field{"a", "Directions of", "The matrix, or matrices, whose directions are the rows."}, p.a, matrices);
    v(Field{"b", "against", "The matrix, or matrices, whose directions are the columns."}, p.b, matrices);
    layer_and_head_fields(v, p.layer, p.head);
    v(Field{"side", "Side",
            "Of a weight matrix: the side of the residual stream, or the other one (heads, neurons). The embeddings "
            "share only the residual stream with other matrices."},
      p.side, OneOf{{{"residual", "residual stream"}, {"other", "other side"}}});
    gain_and_centre_fields(v, p.gain, p.centre);
    v(Field{"blur", "Blur",
            "Standard deviation of a Gaussian blur of the picture; the numbers are taken before the blur.",
            "directions"},
      p.blur, Real{0, 20});
    v(Field{"count_a", "Counted rows", "How many of the first, and of the last, rows are counted together.",
            "directions", "", true},
      p.count_a, Whole{1, 65535});
    v(Field{"count_b", "Counted columns", "How many of the first columns are counted together.", "directions", "",
            true},
      p.count_b, Whole{1, 65535});
  }
};

struct Output : OutputBase {
  protocol::Quantity row_sum_error, chance, corner, held_first, held_last, held_chance, pooled;
  protocol::Grid overlap, panels, corners, random_corner, held_first_by_pair, held_last_by_pair, directions_a,
      directions_b;
  protocol::Texts names_a, names_b, ids_a, ids_b;

  template <class V, class Self>
  static void fields(V&& v, Self& o) {
    using protocol::Out;
    v(Out{"row_sum_error", "fraction", "largest distance of a row's or column's sum from 1"}, o.row_sum_error);
    v(Out{"chance", "fraction", "mean overlap of two random directions"}, o.chance);
    v(Out{"corner", "fraction", "largest overlap among the first five directions of both"}.headline(), o.corner);
    v(Out{"held_first", "directions", "of the counted columns, within the first rows"}, o.held_first);
    v(Out{"held_last", "directions", "of the counted columns, within the last rows"}, o.held_last);
    v(Out{"held_chance", "directions", "of the counted columns, within as many random directions"}, o.held_chance);
    v(Out{"pooled", "directions", "directions in a cell of the panels, each way"}.setting(), o.pooled);
    v(Out{"overlap", "fraction", "squared dot products of the first pair of matrices, blurred", {"a", "b"}}, o.overlap);
    v(Out{"panels",
          "fraction",
          "mean of each cell, all pairs of matrices",
          {"matrix_a", "matrix_b", "cell_a", "cell_b"}},
      o.panels);
    v(Out{"corners", "fraction", "largest overlap among the first five of both", {"matrix_a", "matrix_b"}}, o.corners);
    v(Out{"random_corner", "fraction", "largest overlap among the first five of two random bases", {"seed"}},
      o.random_corner);
    v(Out{"held_first_by_pair",
          "directions",
          "of the counted columns, within the first rows",
          {"matrix_a", "matrix_b"}},
      o.held_first_by_pair);
    v(Out{"held_last_by_pair", "directions", "of the counted columns, within the last rows", {"matrix_a", "matrix_b"}},
      o.held_last_by_pair);
    v(Out{"directions_a", "directions", "directions of each matrix of the rows", {"matrix_a"}}.setting(),
      o.directions_a);
    v(Out{"directions_b", "directions", "directions of each matrix of the columns", {"matrix_b"}}.setting(),
      o.directions_b);
    v(Out{"names_a", "", "matrices of the rows", {"matrix_a"}}, o.names_a);
    v(Out{"names_b", "", "matrices of the columns", {"matrix_b"}}, o.names_b);
    v(Out{"ids_a", "", "the rows' matrices, as the parameter names them", {"matrix_a"}}.key(), o.ids_a);
    v(Out{"ids_b", "", "the columns' matrices, as the parameter names them", {"matrix_b"}}.key(), o.ids_b);
  }
};

inline std::vector<ClaimSpec> declared_claims() {
  const std::string small{kGpt2Small};
  return {
      {"O3",
       "The top subspace of the positions is aligned with the bottom subspace of the token embeddings, and vice "
       "versa.",
       {},
       "directions",
       small,
       ""},
      {"O4",
       "The query and key matrices of the first layer are well aligned with the very top subspace of the positions.",
       {},
       "fraction",
       small,
       "a=attention&b=wpe",
       {"a=q|k|v|o&gain=0|1&centre=0|1", "corner"}},
      {"O5",
       "The first MLP is sensitive to the top directions of the token embeddings and insensitive to those of the "
       "positions.",
       {},
       "directions",
       small,
       "a=fc&b=tables"}};
}

inline StudySchema describe() {
  StudySchema schema;
  schema.id = "subspace_overlap";
  schema.title = "Overlap of subspaces";
  schema.group = "Layers";
  schema.question = "Which directions of the residual stream do two matrices share?";
  schema.source = "Insights into GPT-2's positional encodings, 2024";
  schema.presets = {
      {"default", "Positions × tokens", "every direction of wpe against every direction of wte", ""},
      {"blurred", "Positions × tokens, blurred", "a Gaussian blur of three directions shows where the mass lies",
       "blur=3"},
      {"first_layer", "The first layer, eight panels", "Q, K, V and output of layer 0 against positions and tokens",
       "a=attention&b=tables"},
      {"first_layer_positions", "The first layer against positions", "four panels that need no token embeddings",
       "a=attention&b=wpe"},
      {"queries", "Queries × positions", "a bright dot at the top left: queries read the largest directions of wpe",
       "a=q&b=wpe"},
      {"queries_gain", "Queries × positions, gain folded in",
       "the dot is gone: the gain of ln_1 changes the largest directions of the queries", "a=q&b=wpe&gain=1"},
      {"keys", "Keys × positions", "the same dot", "a=k&b=wpe"},
      {"values", "Values × positions", "no more than chance at the top", "a=v&b=wpe"},
      {"output", "Attention output × positions", "attention writes along the largest directions of wpe", "a=o&b=wpe"},
      {"output_inputs", "Inputs of the attention output × positions",
       "the other side of W_O, which is not the residual stream: chance", "a=o&b=wpe&side=other"},
      {"mlp", "MLP input × positions and tokens", "what the MLP of layer 0 reads", "a=fc&b=tables"}};
  schema.claims = declared_claims();
  return with_fields<Params, Output>(std::move(schema));
}

}  // namespace helix::studies::subspace_overlap
