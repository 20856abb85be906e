#include "base/edits/form.h"

namespace helix::forms {

EditForm move_attention() {
  const EditField from{EditValue::token, "from", "From key"}, to{EditValue::token, "to", "To key"};
  const EditField zero{.value = EditValue::flag,
                       .name = "zero",
                       .label = "leave the first key a score of 0 instead of −∞",
                       .optional = true,
                       .told = ", score 0 left"};
  return {.group = kScores,
          .label = "Move attention to another key",
          .sentence =
              "Gives the score that a query has for one key to another key, and −∞ to the first, before the softmax.",
          .told = "Head {layer}.{head}: query {query} attends to {to} instead of {from}{zero}",
          .fields = {kLayer, kHead, kQuery, from, to, zero},
          .idle = [](const ParsedEdit& edit, const EditRoom&) { return edit.numbers[1] == edit.numbers[2]; }};
}

}  // namespace helix::forms
