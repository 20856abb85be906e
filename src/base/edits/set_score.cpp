#include "base/edits/form.h"

namespace helix::forms {

EditForm set_score() {
  const EditField key{EditValue::token, "key", "Key position"};
  const EditField value{.value = EditValue::real,
                        .name = "value",
                        .label = "Score",
                        .start = "-inf",
                        .min = -kLargest,
                        .max = kLargest,
                        .endless = true};
  return {.group = kScores,
          .label = "Set one attention score",
          .sentence =
              "Replaces the score of one query and one key before the softmax; −∞ keeps the query from seeing the key.",
          .told = "Head {layer}.{head}: score {query} → {key} is {value}",
          .fields = {kLayer, kHead, kQuery, key, value}};
}

}  // namespace helix::forms
