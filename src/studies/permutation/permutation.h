// Shuffle the tokens, run the model, undo the shuffle: the change is what the model knows of their order. In all four
// cases of positions and causal mask on or off. "Positional embeddings are strange", claim P1.
#pragma once

#include <array>

#include "studies/study.h"

namespace helix::studies::permutation {

inline constexpr Words say{"permutation"};

/// The largest change that counts as none, relative to the attention output. Reordered sums round to about 1e-7.
inline constexpr double kNoChange = 1e-5;

/// The four cases, in the order of the arrays: 2 if positions are off, plus 1 if the mask is.
inline constexpr std::size_t kCases = 4;
inline constexpr std::array<const char*, kCases> kCaseNames{"both", "positions", "mask", "neither"};

struct Params {
  int seed = 1;
  bool positions = true, mask = true;

  std::size_t chosen() const { return (positions ? 0u : 2u) + (mask ? 0u : 1u); }

  static void fields(ParamVisitor& v, Params& p) {
    v(Field{"seed"}, p.seed, Whole{0, 999'999});
    v(Field{"positions"}, p.positions);
    v(Field{"mask"}, p.mask);
  }
};

struct Output : OutputBase {
  protocol::Quantity max_change, output_change, logit_change, not_undone;
  protocol::Grid change, outputs, logits, unmatched, by_token, order;

  static void fields(protocol::OutputVisitor& v, Output& o) {
    using protocol::Out;
    v(Out{"max_change", "ratio"}.headline(), o.max_change);
    v(Out{"output_change", "ratio"}, o.output_change);
    v(Out{"logit_change", "ratio"}, o.logit_change);
    v(Out{"not_undone", "ratio"}, o.not_undone);
    v(Out{"change", "ratio", {"case"}}.brief("attention of layer 0"), o.change);
    v(Out{"outputs", "ratio", {"case"}}.brief("after all layers"), o.outputs);
    v(Out{"logits", "ratio", {"case"}}.brief("last token's logits"), o.logits);
    v(Out{"unmatched", "ratio", {"case"}}.brief("shuffle not undone"), o.unmatched);
    v(Out{"by_token", "ratio", {"case", "position"}}, o.by_token);
    v(Out{"order", "positions", {"place"}}.setting(), o.order);
  }
};

inline StudySchema describe() {
  StudySchema schema;
  schema.id = "permutation";
  schema.group = "Text";
  schema.reads = Reads::forward;
  schema.presets = {
      {"default", ""}, {"neither", "positions=0&mask=0"}, {"mask", "positions=0"}, {"positions", "mask=0"}};
  schema.claims = {{"P1", {}, "ratio", "", "positions=0&mask=0"}};
  schema.leads = {{"attention", "study=attention&from=text"},
                  {"predictions", "study=predictions&from=text&edit=zero_positions"},
                  {"helix", "study=position_helix"}};
  return with_fields<Params, Output>(std::move(schema));
}

}  // namespace helix::studies::permutation
