#include "base/edits/form.h"

namespace helix::forms {

EditForm freeze_patterns() {
  return {.group = kScores,
          .label = "Keep the attention patterns",
          .sentence = "Every head attends as in the run without edits, whatever the other edits change.",
          .told = "Attention patterns as without edits"};
}

}  // namespace helix::forms
