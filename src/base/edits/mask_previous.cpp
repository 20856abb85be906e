#include "base/edits/form.h"

namespace helix::forms {

EditForm mask_previous() {
  const EditField first{.value = EditValue::layer, .name = "layer", .label = "First layer", .start = "0"};
  const EditField last{.value = EditValue::last_layer,
                       .name = "last",
                       .label = "Last layer",
                       .start = "0",
                       .optional = true,
                       .before = '-',
                       .told = "–{}"};
  const EditField every{.value = EditValue::whole,
                        .name = "n",
                        .label = "Every … tokens",
                        .start = "1",
                        .min = 1,
                        .bound = Bound::last_position};
  const EditField after{.value = EditValue::flag,
                        .name = "after",
                        .label = "after the softmax: the rest of the row keeps its shares",
                        .optional = true,
                        .told = ", after the softmax"};
  return {.group = kScores,
          .label = "Hide the previous token",
          .sentence = "In these layers every n-th token cannot attend to the token before it.",
          .told = "Layer {layer}{last}: previous token hidden, every {n}{after}",
          .fields = {first, last, every, after},
          .idle = [](const ParsedEdit& edit, const EditRoom& room) {
            return room.n_tokens > 0 && edit.numbers[0] >= static_cast<double>(room.n_tokens);
          }};
}

}  // namespace helix::forms
