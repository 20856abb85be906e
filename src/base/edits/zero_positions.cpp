#include "base/edits/form.h"

namespace helix::forms {

EditForm zero_positions() {
  return {.group = kPositions,
          .label = "Remove positions",
          .sentence = "Sets every row of the table of positions to 0, so that tokens carry no position.",
          .told = "No positions"};
}

}  // namespace helix::forms
