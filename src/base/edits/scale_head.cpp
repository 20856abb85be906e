#include "base/edits/form.h"

namespace helix::forms {

EditForm scale_head() {
  return {.group = kHeads,
          .label = "Scale a head",
          .sentence = "Multiplies the head's output by a factor: 0 switches the head off, −1 reverses it.",
          .told = "Head {layer}.{head} × {factor}",
          .fields = {kLayer, kHead, kFactor},
          .silences_head = [](const ParsedEdit& edit) { return edit.numbers[0] == 0; },
          .idle = [](const ParsedEdit& edit, const EditRoom&) { return edit.numbers[0] == 1; }};
}

}  // namespace helix::forms
