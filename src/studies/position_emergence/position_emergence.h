// How position comes about: `wpe` at some moments of training, in the axes of the last one, with what was measured then.
// The record comes with the model (emergence.safetensors, made by the trainer); nothing is trained here.
#pragma once

#include "studies/study.h"

namespace helix::studies::position_emergence {

/// More than any record has: the last moment there is.
inline constexpr int kLast = 9999;

struct Params {
  int step = kLast;
  int compare = -1;
  int first = 1;

  template <class V, class Self>
  static void fields(V&& v, Self& p) {
    v(Field{"step", "Moment", "Which of the recorded moments is shown; they lie evenly in the logarithm of the steps.",
            "moment"},
      p.step, Whole{0, kLast, Bound::last_moment, "", true});
    v(Field{"compare", "Beside it", "Another moment, drawn faintly in the same axes; −1: none.", "moment"}, p.compare,
      Whole{-1, kLast, Bound::last_moment});
    v(Field{"first", "Rows from",
            "The first position that is drawn: row 0 lies far off, and all others would be small beside it.",
            "position", "", true},
      p.first, Whole{0, 65535, Bound::last_position});
  }
};

struct Output : OutputBase {
  protocol::Quantity tokens_read, loss, training_loss, previous, induction, explained_first3, adjacent_cosine, moments,
      rank;
  protocol::Grid points, explained;
  protocol::Grid tokens_by_step, loss_by_step, training_loss_by_step, previous_by_step, induction_by_step,
      explained_first3_by_step, adjacent_cosine_by_step;

  template <class V, class Self>
  static void fields(V&& v, Self& o) {
    using protocol::ArrayField, protocol::ScalarField;
    v(ScalarField{"tokens_read", "tokens", "tokens read in training so far"}, o.tokens_read);
    v(ScalarField{"loss", "nats", "loss a token, on books kept back"}, o.loss);
    v(ScalarField{"training_loss", "nats", "loss a token, in training lately"}, o.training_loss);
    v(ScalarField{"previous", "fraction", "attention to the token before, best head"}, o.previous);
    v(ScalarField{"induction", "fraction", "attention to what followed the first time, best head"}, o.induction);
    v(ScalarField{"explained_first3", "fraction", "variance in three components of its own"}, o.explained_first3);
    v(ScalarField{"adjacent_cosine", "cosine", "cosine of neighbouring positions"}, o.adjacent_cosine);
    v(ScalarField{"moments", "moments", "moments there are"}, o.moments);
    v(ScalarField{"rank", "components", "components of each moment that are on record"}, o.rank);
    v(ArrayField{"points", "", "coordinates along the last step's components", {"step", "position", "component"}},
      o.points);
    v(ArrayField{"explained", "fraction", "share of the variance along those", {"step", "component"}}, o.explained);
    v(ArrayField{"tokens_by_step", "tokens", "tokens read in training", {"step"}}, o.tokens_by_step);
    v(ArrayField{"loss_by_step", "nats", "loss a token, on books kept back", {"step"}}, o.loss_by_step);
    v(ArrayField{"training_loss_by_step", "nats", "loss a token, in training", {"step"}}, o.training_loss_by_step);
    v(ArrayField{"previous_by_step", "", "attention to the token before, best head", {"step"}}, o.previous_by_step);
    v(ArrayField{"induction_by_step", "", "induction, best head", {"step"}}, o.induction_by_step);
    v(ArrayField{"explained_first3_by_step", "fraction", "variance in three components", {"step"}},
      o.explained_first3_by_step);
    v(ArrayField{"adjacent_cosine_by_step", "", "cosine of neighbouring positions", {"step"}},
      o.adjacent_cosine_by_step);
  }
};

inline StudySchema describe() {
  StudySchema schema;
  schema.id = "position_emergence";
  schema.title = "Positions in training";
  schema.group = "Positions";
  schema.question = "How does a model come to know where its words are?";
  schema.source = "our own record of a training; previous-token and induction heads: C. Olsson et al., 2022";
  schema.reads = Reads::training;
  schema.presets = {
      {"end", "At the end", "the model as it is", ""},
      {"noise", "At the start", "every position is zero, and the loss that of a coin with 4,096 sides", "step=0"},
      {"before_the_end", "Before the end",
       "nine tenths of the way, the learning rate still high; the end lies faintly beside it", "step=42&compare=9999"}};
  return with_fields<Params, Output>(std::move(schema));
}

}  // namespace helix::studies::position_emergence
