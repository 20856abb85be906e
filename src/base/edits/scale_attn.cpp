#include "base/edits/form.h"

namespace helix::forms {

EditForm scale_attn() {
  return {.group = kHeads,
          .label = "Scale all heads of a layer",
          .sentence = "Multiplies the whole attention output of the layer, bias included, by a factor.",
          .told = "Attention of layer {layer} × {factor}",
          .fields = {kLayer, kFactor},
          .idle = [](const ParsedEdit& edit, const EditRoom&) { return edit.numbers[0] == 1; }};
}

}  // namespace helix::forms
