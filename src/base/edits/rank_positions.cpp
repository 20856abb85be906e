#include "base/edits/form.h"

namespace helix::forms {

EditForm rank_positions() {
  const EditField kept{.value = EditValue::whole,
                       .name = "k",
                       .label = "Components",
                       .start = "3",
                       .min = 1,
                       .bound = Bound::last_dimension};
  return {.group = kPositions,
          .label = "Keep few components of the positions",
          .sentence = "Keeps the mean of the table of positions and its first k principal components.",
          .told = "Positions: {k} components kept",
          .fields = {kept}};
}

}  // namespace helix::forms
