// What a head's scores are made of: its queries and keys as sums of a part of the position, a part of the tokens and one that
// is the same everywhere, so that every score is a sum of their products. Claim T11's head, taken apart.
#pragma once

#include "studies/study.h"

namespace helix::studies::score_parts {

/// Query's part × key's part. The last one is what keys share: it leaves the pattern alone, but for LayerNorm's scale.
enum class Part {
  position_position,
  position_token,
  token_position,
  token_token,
  shared_position,
  shared_token,
  any_shared
};
inline constexpr std::size_t kParts = 7;

struct Params {
  int layer = -1, head = -1;

  template <class V, class Self>
  static void fields(V&& v, Self& p) {
    v(Field{"layer", "Layer", "Counted from 0; −1: that of the head that looks back one token most.", "layer"}, p.layer,
      Whole{-1, 999, Bound::last_layer});
    v(Field{"head", "Head", "Counted from 0; −1: the one that looks back one token most.", "head"}, p.head,
      Whole{-1, 999, Bound::last_head});
  }
};

struct Output : OutputBase {
  protocol::Quantity position_share, token_share, mixed_share, peak_lag, previous, even_previous, residual_error, layer,
      head, prompts;
  protocol::Grid share, random_share, by_lag, score_by_lag, parts, score, previous_by_head;
  protocol::Texts part;

  template <class V, class Self>
  static void fields(V&& v, Self& o) {
    using protocol::Out;
    v(Out{"position_share", "fraction", "of what its scores differ by comes from positions alone"}.headline(),
      o.position_share);
    v(Out{"token_share", "fraction", "comes from tokens alone"}, o.token_share);
    v(Out{"mixed_share", "fraction", "comes from a position on one side and a token on the other"}, o.mixed_share);
    v(Out{"peak_lag", "tokens", "back to the key that positions alone favour most, mean over queries"}, o.peak_lag);
    v(Out{"previous", "fraction", "attention to the previous token, mean"}, o.previous);
    v(Out{"even_previous", "fraction", "of a head that attends to every key equally"}, o.even_previous);
    v(Out{"residual_error", "fraction", "the parts' sum less the score, of the largest score"}, o.residual_error);
    v(Out{"layer", "layer", "layer of the head"}.setting(), o.layer);
    v(Out{"head", "head", "the head"}.setting(), o.head);
    v(Out{"prompts", "texts", "of the text's tokens in random places, over which a position's part is the mean"}
          .setting(),
      o.prompts);
    v(Out{"part", "", "query's part × key's part", {"part"}}.key(), o.part);
    v(Out{"share", "fraction", "of what the scores of a query differ by", {"part"}}, o.share);
    v(Out{"random_share", "fraction", "the same with random W_Q and W_K", {"seed", "part"}}, o.random_share);
    v(Out{"by_lag", "score", "each part less its mean over the query's keys, mean by lag", {"part", "lag"}}, o.by_lag);
    v(Out{"score_by_lag", "score", "the score, the same way", {"lag"}}, o.score_by_lag);
    v(Out{"parts", "score", "each part less its mean over the query's keys", {"part", "query", "key"}}.f32(), o.parts);
    v(Out{"score", "score", "the score, the same way", {"query", "key"}}.f32(), o.score);
    v(Out{"previous_by_head", "fraction", "attention to the previous token, mean", {"layer", "head"}},
      o.previous_by_head);
  }
};

inline StudySchema describe() {
  StudySchema schema;
  schema.id = "score_parts";
  schema.title = "Position and token in a score";
  schema.group = "Heads";
  schema.question = "What of a head's scores comes from positions, and what from tokens?";
  schema.source = "after A. Yedidia, The positional embedding matrix and previous-token heads, 2023";
  schema.reads = Reads::forward;
  const std::string repeats =
      "&prompt= river stone window captain letter green horse summer river stone window captain letter green horse";
  schema.presets = {{"default", "The clearest previous-token head", "what its scores are made of on your text", ""},
                    {"previous", "Head 4.4", "of minihelix looks at the previous token; in another model it may not",
                     "layer=4&head=4"},
                    {"induction", "An induction head",
                     "head 5.0 of minihelix finds what followed the same word earlier; in another model it may not",
                     "layer=5&head=0" + repeats},
                    {"first", "The first layer", "where a position's part is its row of the table", "layer=0&head=0"},
                    {"without", "Without positions", "the same head, and no token knows where it is",
                     "layer=4&head=4&edit=zero_positions"}};
  schema.leads = {
      {"attention", "See the pattern", "Every query and key of the head", "study=attention&from=text"},
      {"sources", "What the head reads", "Which earlier heads write what it looks for", "study=head_sources&from=text"},
      {"positions", "Positions without any token", "What layer 0 makes of the table alone", "study=position_scores"}};
  return with_fields<Params, Output>(std::move(schema));
}

}  // namespace helix::studies::score_parts
