#include "base/edits/form.h"

namespace helix::forms {

EditForm ablate_head() {
  const EditField mean{.value = EditValue::flag,
                       .name = "mean",
                       .label = "its mean over the prompt instead of 0",
                       .optional = true,
                       .told = ", its mean instead"};
  return {.group = kHeads,
          .label = "Switch a head off",
          .sentence =
              "Sets the head's output to 0, or to its mean over the prompt. Its attention pattern is still computed.",
          .told = "Head {layer}.{head} off{mean}",
          .fields = {kLayer, kHead, mean},
          .silences_head = [](const ParsedEdit& edit) { return !edit.flag; }};
}

}  // namespace helix::forms
