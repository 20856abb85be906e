// How positions are learned: `wpe` at some checkpoints of a training, in the axes of the last one, and the trainer's
// measurements at each.
// The record comes with the model (emergence.safetensors, written by the trainer); nothing is trained here.
#pragma once

#include "studies/study.h"

namespace helix::studies::position_emergence {

inline constexpr Words say{"position_emergence"};

/// More than any record has: stands for the last checkpoint.
inline constexpr int kLast = 9999;

struct Params {
  int step = kLast;
  int compare = -1;
  int first = 1;

  static void fields(ParamVisitor& v, Params& p) {
    v(Field{"step", "checkpoint"}, p.step, Whole{0, kLast, Bound::last_moment, "", true});
    v(Field{"compare", "checkpoint"}, p.compare, Whole{-1, kLast, Bound::last_moment});
    v(Field{"first", "position", "", true}, p.first, Whole{0, 65535, Bound::last_position});
  }
};

struct Output : OutputBase {
  protocol::Quantity tokens_read, loss, training_loss, previous, induction, explained_first3, adjacent_cosine,
      shuffled_cosine, moments, rank, table_rank;
  protocol::Grid points, explained, rank_by_step, shuffled_cosine_by_step;
  protocol::Grid tokens_by_step, loss_by_step, training_loss_by_step, previous_by_step, induction_by_step,
      explained_first3_by_step, adjacent_cosine_by_step;

  static void fields(protocol::OutputVisitor& v, Output& o) {
    using protocol::Out;
    v(Out{"tokens_read", "tokens"}.setting(), o.tokens_read);
    v(Out{"loss", "nats"}.headline(), o.loss);
    v(Out{"training_loss", "nats"}, o.training_loss);
    v(Out{"previous", "fraction"}, o.previous);
    v(Out{"induction", "fraction"}, o.induction);
    v(Out{"explained_first3", "fraction"}, o.explained_first3);
    v(Out{"adjacent_cosine", "cosine"}, o.adjacent_cosine);
    v(Out{"shuffled_cosine", "cosine"}, o.shuffled_cosine);
    v(Out{"moments", "checkpoints"}.setting(), o.moments);
    v(Out{"rank", "components"}.setting(), o.rank);
    v(Out{"table_rank", "components"}, o.table_rank);
    v(Out{"points", "", {"step", "position", "component"}}.coordinate(), o.points);
    v(Out{"explained", "fraction", {"step", "component"}}, o.explained);
    v(Out{"rank_by_step", "components", {"step"}}, o.rank_by_step);
    v(Out{"shuffled_cosine_by_step", "", {"step"}}, o.shuffled_cosine_by_step);
    v(Out{"tokens_by_step", "tokens", {"step"}}.setting(), o.tokens_by_step);
    v(Out{"loss_by_step", "nats", {"step"}}, o.loss_by_step);
    v(Out{"training_loss_by_step", "nats", {"step"}}, o.training_loss_by_step);
    v(Out{"previous_by_step", "", {"step"}}, o.previous_by_step);
    v(Out{"induction_by_step", "", {"step"}}, o.induction_by_step);
    v(Out{"explained_first3_by_step", "fraction", {"step"}}, o.explained_first3_by_step);
    v(Out{"adjacent_cosine_by_step", "", {"step"}}, o.adjacent_cosine_by_step);
  }
};

inline StudySchema describe() {
  StudySchema schema;
  schema.id = "position_emergence";
  schema.group = "Positions";
  schema.reads = Reads::training;
  schema.presets = {{"end", ""}, {"noise", "step=0"}, {"before_the_end", "step=42&position_emergence.compare=9999"}};
  return with_fields<Params, Output>(std::move(schema));
}

}  // namespace helix::studies::position_emergence
