// What an edit reaches: how far every state of the residual stream moves, and which of them carry the effect on the
// prediction. The second is causal tracing (Meng et al., "Locating and Editing Factual Associations in GPT", 2022, with
// an edit in place of noise): one state at a time is put back to what it is without the edit.
#pragma once

#include "studies/study.h"

namespace helix::studies::edit_reach {

struct Params {
  int position = -1, by = 0;

  template <class V, class Self>
  static void fields(V&& v, Self& p) {
    v(Field{"position", "Position",
            "Without an edit of yours, the token at this position is placed elsewhere; −1: the one before the last.",
            "position"},
      p.position, Whole{-1, 65535, Bound::last_position});
    v(Field{"by", "Placed at", "The position that it gets: a row of the table of positions.", "position"}, p.by,
      Whole{0, 65535, Bound::last_position});
  }
};

struct Output : OutputBase {
  protocol::Quantity probability, probability_as_is, reached, handover, restored_there, chance;
  protocol::Grid moved, restored, token, as_is, here;
  protocol::Texts text;

  std::size_t layers() const { return moved.rows(); }
  std::size_t positions() const { return moved.cols(); }

  template <class V, class Self>
  static void fields(V&& v, Self& o) {
    using protocol::Out;
    v(Out{"probability", "fraction", "probability of the token that is likeliest without the edit"}.headline().of(
          "token"),
      o.probability);
    v(Out{"probability_as_is", "fraction", "the same without the edit"}.of("token"), o.probability_as_is);
    v(Out{"reached", "fraction", "share of the states that the edit moves"}, o.reached);
    v(Out{"handover", "layer", "first layer before which the last token's state carries at least half of the effect"}
          .of("token"),
      o.handover);
    v(Out{"restored_there", "fraction", "share of the effect that is undone by restoring it there"}.of("token"),
      o.restored_there);
    v(Out{"chance", "fraction", "median share of the effect that a moved state undoes"}.of("token"), o.chance);
    v(Out{"moved",
          "fraction",
          "length of the state's change, relative to the state, before each layer and after the last",
          {"layer", "position"}},
      o.moved);
    v(Out{"restored",
          "fraction",
          "probability of the likeliest token if only this state is as it is without the edit",
          {"layer", "position"}}
          .of("token"),
      o.restored);
    v(Out{"token", "", "id in the vocabulary", {"rank"}}.key(), o.token);
    v(Out{"text", "", "the token", {"rank"}}, o.text);
    v(Out{"as_is", "fraction", "its probability without the edit", {"rank"}}, o.as_is);
    v(Out{"here", "fraction", "its probability with the edit", {"rank"}}, o.here);
  }
};

inline StudySchema describe() {
  StudySchema schema;
  schema.id = "edit_reach";
  schema.title = "What an edit reaches";
  schema.group = "Heads";
  schema.question = "Which states does an edit move, and which of them change the prediction?";
  schema.source = "after K. Meng et al., Locating and Editing Factual Associations in GPT, 2022 (causal tracing)";
  schema.reads = Reads::forward;
  const std::string list =
      "prompt= money garden mother morning river music summer street captain money garden mother morning";
  schema.presets = {
      {"word", "A word of a list", "“river” gets the position of the first word, and the list is not continued",
       list + "&position=4"},
      {"neighbour", "The last token but one", "it gets the position of the first token", ""},
      {"head", "A head switched off",
       "head 5.0 of minihelix finds what followed the same word; in another model it may not",
       list + "&edit=ablate_head:5.0"},
      {"unplaced", "Without positions", "no token knows where it is", list + "&edit=zero_positions"}};
  schema.leads = {
      {"surprise", "See the loss of every token", "What the edit costs, token by token", "from=here&study=surprise"},
      {"predictions", "See the whole prediction", "All likely next tokens", "from=here&study=predictions"},
      {"logit_lens", "Read out every layer", "What each state would predict", "from=here&study=logit_lens"}};
  return with_fields<Params, Output>(std::move(schema));
}

}  // namespace helix::studies::edit_reach
