#include "base/edits/form.h"

namespace helix::forms {

EditForm group_residual() {
  return {.group = kStreams,
          .label = "Average the residual stream",
          .sentence =
              "Before the layer, rows 1 to g, g + 1 to 2g and so on of the residual stream become their mean; row 0 is "
              "kept.",
          .told = "Residual stream before layer {layer} averaged in groups of {g}",
          .fields = {kLayer, kGroup},
          .idle = [](const ParsedEdit& edit, const EditRoom&) { return edit.numbers[0] == 1; }};
}

}  // namespace helix::forms
