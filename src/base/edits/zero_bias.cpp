#include "base/edits/form.h"

namespace helix::forms {

EditForm zero_bias() {
  const EditField which{.value = EditValue::choice, .name = "q|k", .label = "Bias of", .start = "q"};
  return {.group = kParts,
          .label = "Remove the bias of queries or keys",
          .sentence =
              "Sets the bias of the queries or of the keys to 0, for all heads of the layer. That of the keys "
              "adds the same number to all scores of a query, so no pattern changes by it.",
          .told = "Bias of {q|k} in layer {layer} is 0",
          .fields = {which, kLayer}};
}

}  // namespace helix::forms
