// How the singular directions of two matrices overlap: squared dot products of every pair of directions.
// "Insights into GPT-2's positional encodings"; claims O3, O4, O5.
#pragma once

#include "studies/matrix_fields.h"
#include "studies/study.h"

namespace helix::studies::subspace_overlap {

inline constexpr Words say{"subspace_overlap"};

/// One matrix (those of MatrixId, in its order), or several, shown side by side in a grid of panels.
enum class Matrices { wpe, wte, q, k, v, o, fc, mlp, tables, attention, weights };
inline constexpr std::initializer_list<const char*> kMatrices = {"wpe", "wte", "q",      "k",         "v",      "o",
                                                                 "fc",  "mlp", "tables", "attention", "weights"};
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

  static void fields(ParamVisitor& v, Params& p) {
    v(Field{"a"}, p.a, OneOf{kMatrices});
    v(Field{"b"}, p.b, OneOf{kMatrices});
    layer_and_head_fields(v, p.layer, p.head);
    v(Field{"side"}, p.side, OneOf{{"residual", "other"}});
    gain_and_centre_fields(v, p.gain, p.centre);
    v(Field{"blur", "directions"}, p.blur, Real{0, 20});
    v(Field{"count_a", "directions", "", true}, p.count_a, Whole{1, 65535});
    v(Field{"count_b", "directions", "", true}, p.count_b, Whole{1, 65535});
  }
};

struct Output : OutputBase {
  protocol::Quantity row_sum_error, chance, corner, held_first, held_last, held_chance, pooled;
  protocol::Grid overlap, panels, corners, random_corner, held_first_by_pair, held_last_by_pair, directions_a,
      directions_b;
  protocol::Texts names_a, names_b, ids_a, ids_b;

  static void fields(protocol::OutputVisitor& v, Output& o) {
    using protocol::Out;
    v(Out{"row_sum_error", "fraction"}, o.row_sum_error);
    v(Out{"chance", "fraction"}, o.chance);
    v(Out{"corner", "fraction"}.headline(), o.corner);
    v(Out{"held_first", "directions"}, o.held_first);
    v(Out{"held_last", "directions"}, o.held_last);
    v(Out{"held_chance", "directions"}, o.held_chance);
    v(Out{"pooled", "directions"}.setting(), o.pooled);
    v(Out{"overlap", "fraction", {"a", "b"}}, o.overlap);
    v(Out{"panels", "fraction", {"matrix_a", "matrix_b", "cell_a", "cell_b"}}, o.panels);
    v(Out{"corners", "fraction", {"matrix_a", "matrix_b"}}, o.corners);
    v(Out{"random_corner", "fraction", {"seed"}}, o.random_corner);
    v(Out{"held_first_by_pair", "directions", {"matrix_a", "matrix_b"}}, o.held_first_by_pair);
    v(Out{"held_last_by_pair", "directions", {"matrix_a", "matrix_b"}}, o.held_last_by_pair);
    v(Out{"directions_a", "directions", {"matrix_a"}}.setting(), o.directions_a);
    v(Out{"directions_b", "directions", {"matrix_b"}}.setting(), o.directions_b);
    v(Out{"names_a", "", {"matrix_a"}}, o.names_a);
    v(Out{"names_b", "", {"matrix_b"}}, o.names_b);
    v(Out{"ids_a", "", {"matrix_a"}}.key(), o.ids_a);
    v(Out{"ids_b", "", {"matrix_b"}}.key(), o.ids_b);
  }
};

inline Claims declared_claims() {
  constexpr std::string_view small = kGpt2Small;
  return {{"O3", {}, "directions", small, ""},
          {"O4", {}, "fraction", small, "a=attention&b=wpe", {"a=q|k|v|o&gain=0|1&centre=0|1", "corner"}},
          {"O5", {}, "directions", small, "a=fc&b=tables"}};
}

inline StudySchema describe() {
  StudySchema schema;
  schema.id = "subspace_overlap";
  schema.group = "Layers", schema.reads = Reads::words;
  schema.presets = {{"default", ""},
                    {"blurred", "blur=3"},
                    {"first_layer", "a=attention&b=tables"},
                    {"first_layer_positions", "a=attention&b=wpe"},
                    {"queries", "a=q&b=wpe"},
                    {"queries_gain", "a=q&b=wpe&gain=1"},
                    {"keys", "a=k&b=wpe"},
                    {"values", "a=v&b=wpe"},
                    {"output", "a=o&b=wpe"},
                    {"output_inputs", "a=o&b=wpe&side=other"},
                    {"mlp", "a=fc&b=tables"}};
  schema.claims = declared_claims();
  return with_fields<Params, Output>(std::move(schema));
}

}  // namespace helix::studies::subspace_overlap
