// One attention weight at every height: what of the prediction hangs on it. The dose–response curve of one edge of the
// attention graph; claim T15 moves such a weight by hand.
#pragma once

#include "studies/study.h"

namespace helix::studies::attention_dose {

inline constexpr Words say{"attention_dose"};

/// Heights of the weight at which the curves are computed: 0, 5 %, …, 100 %.
inline constexpr std::size_t kSteps = 21;

struct Params {
  int layer = 0, head = 0;
  int query = -1, key = -1;
  int height = -1;

  static void fields(ParamVisitor& v, Params& p) {
    v(Field{"layer", "layer"}, p.layer, Whole{0, 999, Bound::last_layer});
    v(Field{"head", "head"}, p.head, Whole{0, 999, Bound::last_head});
    v(Field{"query", "position"}, p.query, Whole{-1, 65535, Bound::last_position});
    v(Field{"key", "position"}, p.key, Whole{-1, 65535, Bound::last_position});
    v(Field{"height"}, p.height, Whole{-1, 100, Bound::none, "", true});
  }
};

struct Output : OutputBase {
  protocol::Quantity probability, probability_as_is, share_as_is, share, divergence, lowest, highest, largest_change,
      others_largest, query, key;
  protocol::Grid row_as_is, row, height, curves, token, now, divergence_at, by_head;
  protocol::Texts text;

  static void fields(protocol::OutputVisitor& v, Output& o) {
    using protocol::Out;
    v(Out{"probability", "fraction"}.headline().of("token"), o.probability);
    v(Out{"probability_as_is", "fraction"}.of("token"), o.probability_as_is);
    v(Out{"share_as_is", "fraction"}, o.share_as_is);
    v(Out{"share", "fraction"}.setting(), o.share);
    v(Out{"divergence", "nats"}, o.divergence);
    v(Out{"lowest", "fraction"}.of("token"), o.lowest);
    v(Out{"highest", "fraction"}.of("token"), o.highest);
    v(Out{"largest_change", "fraction"}.of("token"), o.largest_change);
    v(Out{"others_largest", "fraction"}.of("token"), o.others_largest);
    v(Out{"query", "position"}.setting(), o.query);
    v(Out{"key", "position"}.setting(), o.key);
    v(Out{"row_as_is", "fraction", {"key"}}, o.row_as_is);
    v(Out{"row", "fraction", {"key"}}.brief("attention"), o.row);
    v(Out{"height", "fraction", {"step"}}.setting(), o.height);
    v(Out{"curves", "fraction", {"step", "rank"}}, o.curves);
    v(Out{"divergence_at", "nats", {"step"}}, o.divergence_at);
    v(Out{"token", "", {"rank"}}.key(), o.token);
    v(Out{"text", "", {"rank"}}, o.text);
    v(Out{"now", "fraction", {"rank"}}, o.now);
    v(Out{"by_head", "fraction", {"head"}}.of("token"), o.by_head);
  }
};

inline StudySchema describe() {
  StudySchema schema;
  schema.id = "attention_dose";
  schema.group = "Heads";
  schema.reads = Reads::forward;
  schema.presets = {
      {"induction",
       "layer=5&head=0&key=7&prompt= river stone window captain letter green horse summer river stone window captain "
       "letter green horse"},
      {"previous", "layer=4&head=4&prompt=The old house stood by the river. The old house stood by the"}};
  schema.leads = {{"attention", "study=attention"}, {"predictions", "study=predictions"}};
  return with_fields<Params, Output>(std::move(schema));
}

}  // namespace helix::studies::attention_dose
