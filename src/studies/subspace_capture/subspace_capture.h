// How much of each singular direction of a matrix lies within the largest directions of the positions.
// "Insights into GPT-2's positional encodings", 2024: claim O2.
#pragma once

#include "studies/matrix_fields.h"
#include "studies/study.h"

namespace helix::studies::subspace_capture {

inline constexpr Words say{"subspace_capture"};

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

  static void fields(ParamVisitor& v, Params& p) {
    v(Field{"matrix"}, p.matrix, OneOf{kMatrixChoices});
    layer_and_head_fields(v, p.layer, p.head);
    v(Field{"side"}, p.side, OneOf{{"residual", "other"}});
    v(Field{"k", "directions"}, p.k, Whole{1, 65535, Bound::last_dimension});
    gain_and_centre_fields(v, p.gain, p.centre);
  }
};

struct Output : OutputBase {
  protocol::Quantity total, chance, ends, held_first, held_last, held_chance, top_mean, middle_mean, mean_captured,
      mean_direction;
  protocol::Grid capture, along_mean;
  protocol::Texts name;

  static void fields(protocol::OutputVisitor& v, Output& o) {
    using protocol::Out;
    v(Out{"total", "directions"}, o.total);
    v(Out{"chance", "fraction"}, o.chance);
    v(Out{"ends", "directions"}.setting(), o.ends);
    v(Out{"held_first", "directions"}, o.held_first);
    v(Out{"held_last", "directions"}.headline(), o.held_last);
    v(Out{"held_chance", "directions"}, o.held_chance);
    v(Out{"top_mean", "fraction"}, o.top_mean);
    v(Out{"middle_mean", "fraction"}, o.middle_mean);
    v(Out{"mean_captured", "fraction"}, o.mean_captured);
    v(Out{"mean_direction", "direction"}.setting(), o.mean_direction);
    v(Out{"capture", "fraction", {"direction"}}, o.capture);
    v(Out{"along_mean", "fraction", {"direction"}}, o.along_mean);
    v(Out{"name", "", {"matrix"}}, o.name);
  }
};

inline StudySchema describe() {
  StudySchema schema;
  schema.id = "subspace_capture";
  schema.group = "Layers", schema.reads = Reads::words;
  schema.presets = {{"default", ""},
                    {"centred", "centre=1"},
                    {"queries", "matrix=q"},
                    {"queries_gain", "matrix=q&gain=1"},
                    {"keys_gain", "matrix=k&gain=1"},
                    {"mlp", "matrix=fc"}};
  schema.claims = {{"O2", {}, "directions", std::string(kGpt2Small), "", {"centre=0|1&gain=0|1", "held_last"}}};
  schema.leads = {{"overlap", "study=subspace_overlap"}, {"spectrum", "study=spectrum"}};
  return with_fields<Params, Output>(std::move(schema));
}

}  // namespace helix::studies::subspace_capture
