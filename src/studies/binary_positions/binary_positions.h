// Positions written in binary: each bit is a square wave, and beside it stands a sinusoid of the same period.
// "Positional embeddings are strange", claim P2.
#pragma once

#include "studies/study.h"

namespace helix::studies::binary_positions {

inline constexpr Words say{"binary_positions"};

struct Params {
  int bits = 5;

  static void fields(ParamVisitor& v, Params& p) { v(Field{"bits", "bits"}, p.bits, Whole{1, 8}); }
};

struct Output : OutputBase {
  protocol::Quantity agreement, chance, correlation, largest_jump, sinusoid_step;
  protocol::Grid bit, sinusoid, period, agreement_by_bit, chance_by_bit, correlation_by_bit, flips;

  static void fields(protocol::OutputVisitor& v, Output& o) {
    using protocol::Out;
    v(Out{"agreement", "fraction"}.headline(), o.agreement);
    v(Out{"chance", "fraction"}, o.chance);
    v(Out{"correlation", "correlation"}, o.correlation);
    v(Out{"largest_jump", "vector length"}, o.largest_jump);
    v(Out{"sinusoid_step", "vector length"}, o.sinusoid_step);
    v(Out{"bit", "", {"bit", "position"}}, o.bit);
    v(Out{"sinusoid", "", {"bit", "position"}}, o.sinusoid);
    v(Out{"period", "positions", {"bit"}}.setting(), o.period);
    v(Out{"agreement_by_bit", "fraction", {"bit"}}, o.agreement_by_bit);
    v(Out{"chance_by_bit", "fraction", {"bit"}}, o.chance_by_bit);
    v(Out{"correlation_by_bit", "correlation", {"bit"}}, o.correlation_by_bit);
    v(Out{"flips", "bits", {"position"}}, o.flips);
  }
};

inline StudySchema describe() {
  StudySchema schema;
  schema.id = "binary_positions";
  schema.group = "Positions";
  schema.reads = Reads::nothing;
  schema.presets = {{"default", ""}, {"four", "bits=4"}, {"eight", "bits=8"}};
  schema.claims = {{"P2", {}, "fraction", "", ""}};
  schema.leads = {{"cosine", "study=position_cosine&position_cosine.source=sinusoidal"},
                  {"learned", "study=position_helix"}};
  return with_fields<Params, Output>(std::move(schema));
}

}  // namespace helix::studies::binary_positions
