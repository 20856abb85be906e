#include "base/edits/form.h"

namespace helix::forms {

EditForm move_attention() {
  const EditField from{EditValue::token, "from", "From key"}, to{EditValue::token, "to", "To key"};
  return {.group = kScores,
          .label = "Move attention to another key",
          .sentence =
              "Gives the score that a query has for one key to another key, and 0 to the first, before the softmax.",
          .told = "Head {layer}.{head}: query {query} attends to {to} instead of {from}",
          .fields = {kLayer, kHead, kQuery, from, to}};
}

}  // namespace helix::forms
