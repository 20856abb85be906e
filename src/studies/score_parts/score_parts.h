// What a head's scores are made of: its queries and keys as sums of a part of the position, a part of the tokens and one that
// is the same everywhere, so that every score is a sum of their products. Claim T11's head, taken apart.
#pragma once

#include "studies/study.h"

namespace helix::studies::score_parts {

inline constexpr Words say{"score_parts"};

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

  static void fields(ParamVisitor& v, Params& p) {
    v(Field{"layer", "layer"}, p.layer, Whole{-1, 999, Bound::last_layer});
    v(Field{"head", "head"}, p.head, Whole{-1, 999, Bound::last_head});
  }
};

struct Output : OutputBase {
  protocol::Quantity position_share, token_share, mixed_share, peak_lag, previous, even_previous, residual_error, layer,
      head, prompts;
  protocol::Grid share, random_share, by_lag, score_by_lag, parts, score, previous_by_head;
  protocol::Texts part;

  static void fields(protocol::OutputVisitor& v, Output& o) {
    using protocol::Out;
    v(Out{"position_share", "fraction"}.headline(), o.position_share);
    v(Out{"token_share", "fraction"}, o.token_share);
    v(Out{"mixed_share", "fraction"}, o.mixed_share);
    v(Out{"peak_lag", "tokens"}, o.peak_lag);
    v(Out{"previous", "fraction"}, o.previous);
    v(Out{"even_previous", "fraction"}, o.even_previous);
    v(Out{"residual_error", "fraction"}, o.residual_error);
    v(Out{"layer", "layer"}.setting(), o.layer);
    v(Out{"head", "head"}.setting(), o.head);
    v(Out{"prompts", "texts"}.setting(), o.prompts);
    v(Out{"part", "", {"part"}}.key(), o.part);
    v(Out{"share", "fraction", {"part"}}, o.share);
    v(Out{"random_share", "fraction", {"seed", "part"}}, o.random_share);
    v(Out{"by_lag", "score", {"part", "lag"}}, o.by_lag);
    v(Out{"score_by_lag", "score", {"lag"}}, o.score_by_lag);
    v(Out{"parts", "score", {"part", "query", "key"}}.f32(), o.parts);
    v(Out{"score", "score", {"query", "key"}}.f32(), o.score);
    v(Out{"previous_by_head", "fraction", {"layer", "head"}}, o.previous_by_head);
  }
};

inline StudySchema describe() {
  StudySchema schema;
  schema.id = "score_parts";
  schema.group = "Heads";
  schema.reads = Reads::forward;
  const std::string repeats =
      "&prompt= river stone window captain letter green horse summer river stone window captain letter green horse";
  schema.presets = {{"default", ""},
                    {"previous", "layer=4&head=4"},
                    {"induction", "layer=5&head=0" + repeats},
                    {"first", "layer=0&head=0"},
                    {"without", "layer=4&head=4&edit=zero_positions"}};
  schema.leads = {{"attention", "study=attention&from=text"},
                  {"sources", "study=head_sources&from=text"},
                  {"positions", "study=position_scores"}};
  return with_fields<Params, Output>(std::move(schema));
}

}  // namespace helix::studies::score_parts
