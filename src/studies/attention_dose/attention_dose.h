// One attention weight at every height: what of the prediction hangs on it. The dose–response curve of one edge of the
// attention graph; claim T15 moves such a weight by hand.
#pragma once

#include "studies/study.h"

namespace helix::studies::attention_dose {

/// Heights of the weight at which the curves are computed: 0, 5 %, …, 100 %.
inline constexpr std::size_t kSteps = 21;

struct Params {
  int layer = 0, head = 0;
  int query = -1, key = -1;
  int height = -1;

  template <class V, class Self>
  static void fields(V&& v, Self& p) {
    v(Field{"layer", "Layer", "Counted from 0.", "layer"}, p.layer, Whole{0, 999, Bound::last_layer});
    v(Field{"head", "Head", "Counted from 0.", "head"}, p.head, Whole{0, 999, Bound::last_head});
    v(Field{"query", "Query position", "The token that looks; −1: the last one.", "position"}, p.query,
      Whole{-1, 65535, Bound::last_position});
    v(Field{"key", "Key position", "The token that it looks at; −1: the one before the query.", "position"}, p.key,
      Whole{-1, 65535, Bound::last_position});
    v(Field{"height", "Its attention, in percent",
            "The share of the query's attention that the key gets; the other keys share the rest as before. −1: as the "
            "model has it."},
      p.height, Whole{-1, 100, Bound::none, "", true});
  }
};

struct Output : OutputBase {
  protocol::Quantity probability, probability_as_is, share_as_is, share, divergence, lowest, highest, largest_change,
      others_largest, query, key;
  protocol::Grid row_as_is, row, height, curves, token, now, divergence_at, by_head;
  protocol::Texts text;

  template <class V, class Self>
  static void fields(V&& v, Self& o) {
    using protocol::Out;
    v(Out{"probability", "fraction", "probability of the token that is likeliest as the model is"}.headline().of(
          "token"),
      o.probability);
    v(Out{"probability_as_is", "fraction", "the same with the weight as the model has it"}.of("token"),
      o.probability_as_is);
    v(Out{"share_as_is", "fraction", "attention from the query to the key, as the model has it"}, o.share_as_is);
    v(Out{"share", "fraction", "attention from the query to the key, as it is set"}.setting(), o.share);
    v(Out{"divergence", "nats", "KL divergence of the prediction from what it is as the model has it"}, o.divergence);
    v(Out{"lowest", "fraction", "the likeliest token's probability at the height where it is lowest"}.of("token"),
      o.lowest);
    v(Out{"highest", "fraction", "the likeliest token's probability at the height where it is highest"}.of("token"),
      o.highest);
    v(Out{"largest_change", "fraction", "largest change of the likeliest token's probability at any height"}.of(
          "token"),
      o.largest_change);
    v(Out{"others_largest", "fraction", "largest change between 0 and 100 % in the layer's other heads"}.of("token"),
      o.others_largest);
    v(Out{"query", "position", "the token that looks"}.setting(), o.query);
    v(Out{"key", "position", "the token that it looks at"}.setting(), o.key);
    v(Out{"row_as_is", "fraction", "the query's attention as the model has it", {"key"}}, o.row_as_is);
    v(Out{"row", "fraction", "the query's attention as it is set", {"key"}}, o.row);
    v(Out{"height", "fraction", "heights of the weight", {"step"}}.setting(), o.height);
    v(Out{"curves", "fraction", "probability of each listed token at each height", {"step", "rank"}}, o.curves);
    v(Out{"divergence_at", "nats", "KL divergence at each height", {"step"}}, o.divergence_at);
    v(Out{"token", "", "id in the vocabulary", {"rank"}}.key(), o.token);
    v(Out{"text", "", "the token", {"rank"}}, o.text);
    v(Out{"now", "fraction", "its probability as the weight is set", {"rank"}}, o.now);
    v(Out{"by_head",
          "fraction",
          "change of the likeliest token's probability from 0 to 100 %, the same weight of each head",
          {"head"}}
          .of("token"),
      o.by_head);
  }
};

inline StudySchema describe() {
  StudySchema schema;
  schema.id = "attention_dose";
  schema.title = "One attention weight";
  schema.group = "Heads";
  schema.question = "What of the prediction hangs on a single attention weight?";
  schema.source = "after A. Yedidia, GPT-2's positional embedding matrix is a helix, 2023";
  schema.reads = Reads::forward;
  schema.presets = {
      {"induction", "The word that follows",
       "head 5.0 of minihelix finds what followed the same word earlier; in another model it may not",
       "layer=5&head=0&key=7&prompt= river stone window captain letter green horse summer river stone window captain "
       "letter green horse"},
      {"previous", "The token before", "head 4.4 of minihelix looks at the previous token; in another model it may not",
       "layer=4&head=4&prompt=The old house stood by the river. The old house stood by the"}};
  schema.leads = {{"attention", "See the whole pattern", "Every query and key of every head", "study=attention"},
                  {"predictions", "See the whole prediction", "All likely next tokens", "study=predictions"}};
  return with_fields<Params, Output>(std::move(schema));
}

}  // namespace helix::studies::attention_dose
