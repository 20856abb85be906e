// Next-token prediction: the probabilities of the whole vocabulary, and their entropy. Claim F1, and what others have
// found that GPT-2 small predicts.
#pragma once

#include "studies/study.h"

namespace helix::studies::predictions {

inline constexpr Words say{"predictions"};

struct Params {
  int top = 10;
  int position = -1;
  double temperature = 1;

  static void fields(ParamVisitor& v, Params& p) {
    v(Field{"top", "tokens"}, p.top, Whole{1, 100});
    v(Field{"position", "position"}, p.position, Whole{-1, 65535, Bound::last_position});
    v(Field{"temperature"}, p.temperature, Real{0.05, 10, true});
  }
};

struct Output : OutputBase {
  protocol::Quantity entropy_nats, entropy_bits, listed, position, intact;
  protocol::Grid probability, logit, token;
  protocol::Texts text, bytes;

  static void fields(protocol::OutputVisitor& v, Output& o) {
    using protocol::Out;
    v(Out{"entropy_nats", "nats"}, o.entropy_nats);
    v(Out{"entropy_bits", "bits"}.headline(), o.entropy_bits);
    v(Out{"listed", "fraction"}, o.listed);
    v(Out{"position", "position"}.setting(), o.position);
    // Its note is that token.
    v(Out{"intact", "fraction"}.setting(), o.intact);
    v(Out{"probability", "fraction", {"rank"}}, o.probability);
    v(Out{"logit", "", {"rank"}}, o.logit);
    v(Out{"token", "", {"rank"}}.key(), o.token);
    v(Out{"text", "", {"rank"}}, o.text);
    v(Out{"bytes", "", {"rank"}}, o.bytes);
  }
};

/// The experiments of A. Yedidia, "GPT-2's positional embedding matrix is a helix" (2023), on a list that minihelix repeats.
inline Presets declared_presets() {
  const auto list = [](std::vector<std::string> edits) {
    std::string fragment =
        "prompt= money garden mother morning river music summer street captain money garden mother morning";
    for (const std::string& edit : edits) fragment += "&edit=" + edit;
    return fragment;
  };
  return {{"list", list({})},
          {"averaged", list({"group_positions:10"})},
          {"threes", list({"permute_positions:1:3"})},
          {"unplaced", list({"zero_positions"})},
          {"hidden", list({"mask_previous:0-3:1"})},
          {"neighbour", list({"set_pattern:4.4:4:3:0", "set_pattern:4.4:5:3:1", "scale_head:4.4:2"})}};
}

/// Copy suppression by head 10.7: McDougall et al. 2023. The probability of “ Mary”: TransformerLens' notebook of
/// exploratory analysis. Both read BOS first.
inline Claims declared_claims() {
  constexpr std::string_view small = kGpt2Small, love = "bos=1&prompt=All's fair in love and",
                             without = "bos=1&prompt=All's fair in love and&edit=ablate_head:10.7";
  return {{"LOVE", 1175, "token id", small, love, {"", "token[1]", 0.5}},
          {"LOVE-10.7", 1842, "token id", small, without, {"", "token[1]", 0.5}},
          {"NAMES-store",
           0.7007,
           "fraction",
           small,
           "bos=1&prompt=After John and Mary went to the store, John gave a bottle of milk to",
           {"", "probability[1]", 0.00005}}};
}

inline StudySchema describe() {
  StudySchema schema;
  schema.id = "predictions";
  schema.group = "Text";
  schema.reads = Reads::forward;
  schema.presets = declared_presets();
  schema.claims = declared_claims();
  return with_fields<Params, Output>(std::move(schema));
}

}  // namespace helix::studies::predictions
