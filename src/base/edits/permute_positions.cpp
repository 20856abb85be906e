#include "base/edits/form.h"

namespace helix::forms {

EditForm permute_positions() {
  const EditField seed{.value = EditValue::whole, .name = "seed", .label = "Seed", .start = "1"};
  const EditField triples{.value = EditValue::flag,
                          .name = "3",
                          .label = "only within 1 2 3, 4 5 6, …",
                          .optional = true,
                          .told = " within threes"};
  return {.group = kPositions,
          .label = "Shuffle positions",
          .sentence = "Shuffles the rows of the table of positions from row 1 on; the same seed gives the same order.",
          .told = "Positions shuffled{3}, seed {seed}",
          .fields = {seed, triples}};
}

}  // namespace helix::forms
