// What an edit reaches: how far every state of the residual stream moves, and which of them carry the effect on the
// prediction. The second is causal tracing (Meng et al., "Locating and Editing Factual Associations in GPT", 2022, with
// an edit in place of noise): one state at a time is put back to what it is without the edit.
#pragma once

#include "studies/study.h"

namespace helix::studies::edit_reach {

inline constexpr Words say{"edit_reach"};

struct Params {
  int position = -1, by = 0;

  static void fields(ParamVisitor& v, Params& p) {
    v(Field{"position", "position"}, p.position, Whole{-1, 65535, Bound::last_position});
    v(Field{"by", "position"}, p.by, Whole{0, 65535, Bound::last_position});
  }
};

struct Output : OutputBase {
  protocol::Quantity probability, probability_as_is, reached, handover, restored_there, chance;
  protocol::Grid moved, restored, token, as_is, here;
  protocol::Texts text;

  std::size_t layers() const { return moved.rows(); }
  std::size_t positions() const { return moved.cols(); }

  static void fields(protocol::OutputVisitor& v, Output& o) {
    using protocol::Out;
    v(Out{"probability", "fraction"}.headline().of("token"), o.probability);
    v(Out{"probability_as_is", "fraction"}.of("token"), o.probability_as_is);
    v(Out{"reached", "fraction"}, o.reached);
    v(Out{"handover", "layer"}.of("token"), o.handover);
    v(Out{"restored_there", "fraction"}.of("token"), o.restored_there);
    v(Out{"chance", "fraction"}.of("token"), o.chance);
    v(Out{"moved", "fraction", {"layer", "position"}}, o.moved);
    v(Out{"restored", "fraction", {"layer", "position"}}.of("token"), o.restored);
    v(Out{"token", "", {"rank"}}.key(), o.token);
    v(Out{"text", "", {"rank"}}, o.text);
    v(Out{"as_is", "fraction", {"rank"}}, o.as_is);
    v(Out{"here", "fraction", {"rank"}}, o.here);
  }
};

inline StudySchema describe() {
  StudySchema schema;
  schema.id = "edit_reach";
  schema.group = "Heads";
  schema.reads = Reads::forward;
  const std::string list =
      "prompt= money garden mother morning river music summer street captain money garden mother morning";
  schema.presets = {{"word", list + "&position=4"},
                    {"neighbour", ""},
                    {"head", list + "&edit=ablate_head:5.0"},
                    {"unplaced", list + "&edit=zero_positions"}};
  schema.leads = {{"surprise", "from=here&study=surprise"},
                  {"predictions", "from=here&study=predictions"},
                  {"logit_lens", "from=here&study=logit_lens"}};
  return with_fields<Params, Output>(std::move(schema));
}

}  // namespace helix::studies::edit_reach
