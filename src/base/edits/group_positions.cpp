#include "base/edits/form.h"

namespace helix::forms {

EditForm group_positions() {
  return {.group = kPositions,
          .label = "Average neighbouring positions",
          .sentence = "Replaces rows 1 to g, g + 1 to 2g and so on of the table by their mean; row 0 is kept.",
          .told = "Positions averaged in groups of {g}",
          .fields = {kGroup},
          .idle = [](const ParsedEdit& edit, const EditRoom&) { return edit.numbers[0] == 1; }};
}

}  // namespace helix::forms
