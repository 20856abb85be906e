#include "base/edits/form.h"

namespace helix::forms {

EditForm ablate_head() {
  return {.group = kHeads,
          .label = "Switch a head off",
          .sentence = "Sets the head's output to 0. Its attention pattern is still computed.",
          .told = "Head {layer}.{head} off",
          .fields = {kLayer, kHead},
          .silences_head = [](const ParsedEdit&) { return true; }};
}

}  // namespace helix::forms
