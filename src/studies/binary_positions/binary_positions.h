// Positions written in binary: each bit is a square wave, and beside it stands a sinusoid of the same period.
// "Positional embeddings are strange", claim P2.
#pragma once

#include "studies/study.h"

namespace helix::studies::binary_positions {

struct Params {
  int bits = 5;

  template <class V, class Self>
  static void fields(V&& v, Self& p) {
    v(Field{"bits", "Bits", "Bits of the counter; bit 0 changes at every position.", "bits"}, p.bits, Whole{1, 8});
  }
};

struct Output : OutputBase {
  protocol::Quantity agreement, chance, correlation, largest_jump, sinusoid_step;
  protocol::Grid bit, sinusoid, period, agreement_by_bit, chance_by_bit, correlation_by_bit, flips;

  template <class V, class Self>
  static void fields(V&& v, Self& o) {
    using protocol::Out;
    v(Out{"agreement", "fraction", "of positions where bit and sinusoid have the same sign"}.headline(), o.agreement);
    v(Out{"chance", "fraction", "the same with sinusoids of twice the period"}, o.chance);
    v(Out{"correlation", "correlation", "of a bit with its sinusoid, mean over the bits"}, o.correlation);
    v(Out{"largest_jump", "vector length", "largest distance of neighbours, bits as −1 and +1"}, o.largest_jump);
    v(Out{"sinusoid_step", "vector length", "distance of neighbours, a sine and a cosine for each bit"},
      o.sinusoid_step);
    v(Out{"bit", "", "0 or 1", {"bit", "position"}}, o.bit);
    v(Out{"sinusoid", "", "sinusoid of the bit's period", {"bit", "position"}}, o.sinusoid);
    v(Out{"period", "positions", "after which the bit repeats", {"bit"}}.setting(), o.period);
    v(Out{"agreement_by_bit", "fraction", "positions of equal sign", {"bit"}}, o.agreement_by_bit);
    v(Out{"chance_by_bit", "fraction", "with the sinusoid of twice the period", {"bit"}}, o.chance_by_bit);
    v(Out{"correlation_by_bit", "correlation", "of bit and sinusoid", {"bit"}}, o.correlation_by_bit);
    v(Out{"flips", "bits", "that change from the position before", {"position"}}, o.flips);
  }
};

inline StudySchema describe() {
  StudySchema schema;
  schema.id = "binary_positions";
  schema.title = "Positions in binary";
  schema.group = "Positions";
  schema.no_difference = "Bits are set by a rule, so two settings are read beside each other, not subtracted.";
  schema.question = "What do the sinusoids of a positional encoding have to do with counting?";
  schema.source = "Positional embeddings are strange; Vaswani et al., Attention Is All You Need, 2017";
  schema.reads = Reads::positions;
  schema.presets = {{"default", "Five bits", "positions 0 to 31", ""},
                    {"four", "Four bits", "the text's example: position 8 is 1000", "bits=4"},
                    {"eight", "Eight bits", "positions 0 to 255", "bits=8"}};
  schema.claims = {
      {"P2",
       "The bits of a counter are square waves whose periods double, and a sinusoid of the same period has "
       "the same sign.",
       {},
       "fraction",
       "",
       ""}};
  schema.leads = {
      {"cosine", "Similarity of sinusoidal positions", "What even steps are good for",
       "study=position_cosine&position_cosine.source=sinusoidal"},
      {"learned", "Positions that were learned", "GPT-2's helix is made of slow sinusoids", "study=position_helix"}};
  return with_fields<Params, Output>(std::move(schema));
}

}  // namespace helix::studies::binary_positions
