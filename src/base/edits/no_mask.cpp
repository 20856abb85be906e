#include "base/edits/form.h"

namespace helix::forms {

EditForm no_mask() {
  return {.group = kScores,
          .label = "Let tokens see the future",
          .sentence = "Removes the causal mask: every token can attend to every other, later ones included.",
          .told = "No causal mask"};
}

}  // namespace helix::forms
