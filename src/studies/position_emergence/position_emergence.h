// How positions are learned: `wpe` at some checkpoints of a training, in the axes of the last one, and the trainer's
// measurements at each.
// The record comes with the model (emergence.safetensors, written by the trainer); nothing is trained here.
#pragma once

#include "studies/study.h"

namespace helix::studies::position_emergence {

/// More than any record has: stands for the last checkpoint.
inline constexpr int kLast = 9999;

struct Params {
  int step = kLast;
  int compare = -1;
  int first = 1;

  template <class V, class Self>
  static void fields(V&& v, Self& p) {
    v(Field{"step", "Checkpoint",
            "Which of the recorded checkpoints is shown; they lie evenly in the logarithm of the steps.", "checkpoint"},
      p.step, Whole{0, kLast, Bound::last_moment, "", true});
    v(Field{"compare", "Compare with", "Another checkpoint, drawn faintly in the same axes; −1: none.", "checkpoint"},
      p.compare, Whole{-1, kLast, Bound::last_moment});
    v(Field{"first", "Rows from", "The first position that is drawn: row 0 is an outlier and would shrink the rest.",
            "position", "", true},
      p.first, Whole{0, 65535, Bound::last_position});
  }
};

struct Output : OutputBase {
  protocol::Quantity tokens_read, loss, training_loss, previous, induction, explained_first3, adjacent_cosine,
      shuffled_cosine, moments, rank, table_rank;
  protocol::Grid points, explained, rank_by_step, shuffled_cosine_by_step;
  protocol::Grid tokens_by_step, loss_by_step, training_loss_by_step, previous_by_step, induction_by_step,
      explained_first3_by_step, adjacent_cosine_by_step;

  template <class V, class Self>
  static void fields(V&& v, Self& o) {
    using protocol::Out;
    v(Out{"tokens_read", "tokens", "tokens read in training so far"}.setting(), o.tokens_read);
    v(Out{"loss", "nats", "loss per token, on held-out books"}.headline(), o.loss);
    v(Out{"training_loss", "nats", "loss per token, in recent training"}, o.training_loss);
    v(Out{"previous", "fraction", "attention to the previous token, best head"}, o.previous);
    v(Out{"induction", "fraction", "attention to what followed the same token earlier, best head"}, o.induction);
    v(Out{"explained_first3", "fraction", "variance explained by its own first three components"}, o.explained_first3);
    v(Out{"adjacent_cosine", "cosine", "cosine of neighbouring positions"}, o.adjacent_cosine);
    v(Out{"shuffled_cosine", "cosine", "cosine of neighbours if the rows were in random order"}, o.shuffled_cosine);
    v(Out{"moments", "checkpoints", "recorded checkpoints"}.setting(), o.moments);
    v(Out{"rank", "components", "recorded components of each checkpoint"}.setting(), o.rank);
    v(Out{"table_rank", "components", "components of the table at this checkpoint; any others are rounding"},
      o.table_rank);
    v(Out{"points", "", "coordinates along the last step's components", {"step", "position", "component"}}.coordinate(),
      o.points);
    v(Out{"explained", "fraction", "share of the variance along those", {"step", "component"}}, o.explained);
    v(Out{"rank_by_step", "components", "components of the table", {"step"}}, o.rank_by_step);
    v(Out{"shuffled_cosine_by_step", "", "cosine of neighbours, rows in random order", {"step"}},
      o.shuffled_cosine_by_step);
    v(Out{"tokens_by_step", "tokens", "tokens read in training", {"step"}}.setting(), o.tokens_by_step);
    v(Out{"loss_by_step", "nats", "loss per token, on held-out books", {"step"}}, o.loss_by_step);
    v(Out{"training_loss_by_step", "nats", "loss per token, in training", {"step"}}, o.training_loss_by_step);
    v(Out{"previous_by_step", "", "attention to the previous token, best head", {"step"}}, o.previous_by_step);
    v(Out{"induction_by_step", "", "induction, best head", {"step"}}, o.induction_by_step);
    v(Out{"explained_first3_by_step", "fraction", "variance in three components", {"step"}},
      o.explained_first3_by_step);
    v(Out{"adjacent_cosine_by_step", "", "cosine of neighbouring positions", {"step"}}, o.adjacent_cosine_by_step);
  }
};

inline StudySchema describe() {
  StudySchema schema;
  schema.id = "position_emergence";
  schema.title = "Learning the positions";
  schema.group = "Positions";
  schema.question = "How do position embeddings change during training?";
  schema.source = "our own record of a training run; previous-token and induction heads: C. Olsson et al., 2022";
  schema.reads = Reads::training;
  schema.presets = {{"end", "At the end", "the model as it is published", ""},
                    {"noise", "At the start",
                     "every position is zero; the loss is that of a uniform guess over 4,096 tokens", "step=0"},
                    {"before_the_end", "Before the end",
                     "nine tenths of the way, at a high learning rate; the last checkpoint is drawn faintly",
                     "step=42&position_emergence.compare=9999"}};
  return with_fields<Params, Output>(std::move(schema));
}

}  // namespace helix::studies::position_emergence
