// Shuffle the tokens, run the model, undo the shuffle: the change is what the model knows of their order. In all four
// cases of positions and causal mask on or off. "Positional embeddings are strange", claim P1.
#pragma once

#include <array>

#include "studies/study.h"

namespace helix::studies::permutation {

/// The largest change that counts as none, relative to the attention output. Reordered sums round to about 1e-7.
inline constexpr double kNoChange = 1e-5;

/// The four cases, in the order of the arrays: 2 if positions are off, plus 1 if the mask is.
inline constexpr std::size_t kCases = 4;
inline constexpr std::array<const char*, kCases> kCaseNames{"both", "positions", "mask", "neither"};
inline constexpr std::array<const char*, kCases> kCasePhrases{"with positions and mask", "with positions alone",
                                                              "with the mask alone", "with neither"};

struct Params {
  int seed = 1;
  bool positions = true, mask = true;

  std::size_t chosen() const { return (positions ? 0u : 2u) + (mask ? 0u : 1u); }

  template <class V, class Self>
  static void fields(V&& v, Self& p) {
    v(Field{"seed", "Seed", "Seed of the shuffle."}, p.seed, Whole{0, 999'999});
    v(Field{"positions", "Positions", "Off: the rows of wpe are zero."}, p.positions);
    v(Field{"mask", "Causal mask", "Off: every token sees every other."}, p.mask);
  }
};

struct Output : OutputBase {
  protocol::Quantity max_change, output_change, logit_change, not_undone;
  protocol::Grid change, outputs, logits, unmatched, by_token, order;

  template <class V, class Self>
  static void fields(V&& v, Self& o) {
    using protocol::Out;
    v(Out{"max_change", "ratio", "layer 0: largest change of a token's attention output, relative to its length"}
          .headline(),
      o.max_change);
    v(Out{"output_change", "ratio", "largest change of a token's output after all layers"}, o.output_change);
    v(Out{"logit_change", "ratio", "change of the last token's logits"}, o.logit_change);
    v(Out{"not_undone", "ratio", "layer 0: mean change at a position, shuffle not undone"}, o.not_undone);
    v(Out{"change", "ratio", "layer 0: largest change of a token's attention output", {"case"}}, o.change);
    v(Out{"outputs", "ratio", "largest change of an output after all layers", {"case"}}, o.outputs);
    v(Out{"logits", "ratio", "change of the last token's logits", {"case"}}, o.logits);
    v(Out{"unmatched", "ratio", "layer 0: mean change at a position, shuffle not undone", {"case"}}, o.unmatched);
    v(Out{"by_token", "ratio", "layer 0: change of each token's attention output", {"case", "position"}}, o.by_token);
    v(Out{"order", "positions", "where the token in this place of the shuffled text was", {"place"}}.setting(),
      o.order);
  }
};

inline StudySchema describe() {
  StudySchema schema;
  schema.id = "permutation";
  schema.title = "Shuffled tokens";
  schema.group = "Text";
  schema.question = "How does the model know the order of the tokens?";
  schema.source = "Positional embeddings are strange; Vaswani et al., Attention Is All You Need, 2017";
  schema.reads = Reads::forward;
  schema.presets = {
      {"default", "As the model is", "with positions and the causal mask", ""},
      {"neither", "Neither", "attention alone, which does not see the order", "positions=0&mask=0"},
      {"mask", "The mask alone", "a later token sees more tokens, which reveals the order", "positions=0"},
      {"positions", "Positions alone", "every token sees every other", "mask=0"}};
  schema.claims = {{"P1",
                    "Without positions, attention does not see the order of the tokens.",
                    {},
                    "ratio",
                    "",
                    "positions=0&mask=0"}};
  schema.leads = {
      {"attention", "Attention of a head", "Which token attends to which in this text", "study=attention&from=text"},
      {"predictions", "Predictions without positions", "The same text with wpe set to zero",
       "study=predictions&from=text&edit=zero_positions"},
      {"helix", "The table of positions", "The table that is zero when positions are off", "study=position_helix"}};
  return with_fields<Params, Output>(std::move(schema));
}

}  // namespace helix::studies::permutation
