#include "base/edits/form.h"

namespace helix::forms {

EditForm zero_mlp() {
  return {.group = kParts,
          .label = "Switch an MLP off",
          .sentence = "Sets what the MLP of the layer adds to the residual stream to 0, bias included.",
          .told = "MLP of layer {layer} off",
          .fields = {kLayer}};
}

}  // namespace helix::forms
