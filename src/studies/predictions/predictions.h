// Next-token prediction: the probabilities of the whole vocabulary, and their entropy. Claim F1, and what others have
// found that GPT-2 small predicts.
#pragma once

#include "studies/study.h"

namespace helix::studies::predictions {

struct Params {
  int top = 10;
  int position = -1;
  double temperature = 1;

  template <class V, class Self>
  static void fields(V&& v, Self& p) {
    v(Field{"top", "Most likely",
            "How many of the most likely tokens are listed; probabilities are always over the whole vocabulary.",
            "tokens"},
      p.top, Whole{1, 100});
    v(Field{"position", "After position", "The token after which to predict; −1: the last one.", "position"},
      p.position, Whole{-1, 65535, Bound::last_position});
    v(Field{"temperature", "Temperature",
            "Logits are divided by it: below 1 the likeliest token gains, above 1 all tokens become more alike."},
      p.temperature, Real{0.05, 10, true});
  }
};

struct Output : OutputBase {
  protocol::Quantity entropy_nats, entropy_bits, listed, position, intact;
  protocol::Grid probability, logit, token;
  protocol::Texts text, bytes;

  template <class V, class Self>
  static void fields(V&& v, Self& o) {
    using protocol::Out;
    v(Out{"entropy_nats", "nats", "entropy of the next token"}, o.entropy_nats);
    v(Out{"entropy_bits", "bits", "the same in bits"}.headline(), o.entropy_bits);
    v(Out{"listed", "fraction", "probability of all that is listed"}, o.listed);
    v(Out{"position", "position", "after the token at"}.setting(), o.position);
    // Its note is that token.
    v(Out{"intact", "fraction", "probability of the likeliest token without the edits"}.setting(), o.intact);
    v(Out{"probability", "fraction", "softmax of the logits over the temperature", {"rank"}}, o.probability);
    v(Out{"logit", "", "before the softmax", {"rank"}}, o.logit);
    v(Out{"token", "", "id in the vocabulary", {"rank"}}.key(), o.token);
    v(Out{"text", "", "the token", {"rank"}}, o.text);
    v(Out{"bytes", "", "its bytes, hexadecimal", {"rank"}}, o.bytes);
  }
};

/// The experiments of A. Yedidia, "GPT-2's positional embedding matrix is a helix" (2023), on a list that minihelix repeats.
inline std::vector<Preset> declared_presets() {
  const auto list = [](std::vector<std::string> edits) {
    std::string fragment =
        "prompt= money garden mother morning river music summer street captain money garden mother morning";
    for (const std::string& edit : edits) fragment += "&edit=" + edit;
    return fragment;
  };
  return {{"list", "A list, repeated", "what followed the same word before", list({})},
          {"averaged", "Positions averaged in tens", "ten neighbours share one position: the list goes on all the same",
           list({"group_positions:10"})},
          {"threes", "Positions shuffled in threes", "rows change places within each three",
           list({"permute_positions:1:3"})},
          {"unplaced", "Without positions", "no token knows where it is", list({"zero_positions"})},
          {"hidden", "No look at the previous token", "in layers 0 to 3 no token sees the one before it",
           list({"mask_previous:0-3:1"})},
          {"neighbour", "The wrong neighbour",
           "head 4.4 of minihelix, twice as strong, looks from “music” at the word two back: the list skips one; other "
           "lists and models may not",
           list({"set_pattern:4.4:4:3:0", "set_pattern:4.4:5:3:1", "scale_head:4.4:2"})}};
}

/// Copy suppression by head 10.7: McDougall et al. 2023. The probability of “ Mary”: TransformerLens' notebook of
/// exploratory analysis. Both read BOS first.
inline std::vector<ClaimSpec> declared_claims() {
  const std::string small{kGpt2Small}, love = "bos=1&prompt=All's fair in love and";
  return {{"LOVE",
           "“All's fair in love and” is continued with “ war” (token 1175).",
           1175,
           "token id",
           small,
           love,
           {"", "token[1]", 0.5}},
          {"LOVE-10.7",
           "Without head 10.7, which suppresses copies, “All's fair in love and” is continued with “ love” (token "
           "1842).",
           1842,
           "token id",
           small,
           love + "&edit=ablate_head:10.7",
           {"", "token[1]", 0.5}},
          {"NAMES-store",
           "“After John and Mary went to the store, John gave a bottle of milk to” is continued with “ Mary”, with a "
           "probability of 70.07 %.",
           0.7007,
           "fraction",
           small,
           "bos=1&prompt=After John and Mary went to the store, John gave a bottle of milk to",
           {"", "probability[1]", 0.00005}}};
}

inline StudySchema describe() {
  StudySchema schema;
  schema.id = "predictions";
  schema.title = "Next-token prediction";
  schema.group = "Text";
  schema.question = "Which token does the model predict next, and with what probability?";
  schema.source =
      "Radford et al., Language Models are Unsupervised Multitask Learners, 2019; McDougall et al., Copy Suppression, "
      "2023; TransformerLens, demos/Exploratory_Analysis_Demo.ipynb";
  schema.reads = Reads::forward;
  schema.presets = declared_presets();
  schema.claims = declared_claims();
  return with_fields<Params, Output>(std::move(schema));
}

}  // namespace helix::studies::predictions
