#include "base/edits/form.h"

namespace helix::forms {

EditForm freeze_norms() {
  return {.group = kParts,
          .label = "Keep the scales of the LayerNorms",
          .sentence =
              "Every LayerNorm divides by the scale that it has in the run without edits, whatever the other "
              "edits change.",
          .told = "LayerNorm scales as without edits"};
}

}  // namespace helix::forms
