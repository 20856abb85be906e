#include "base/edits/form.h"

namespace helix::forms {

EditForm set_pattern() {
  const EditField key{EditValue::token, "key", "Key position"};
  const EditField share{
      .value = EditValue::real, .name = "share", .label = "Attention, 0 to 1", .start = "1", .min = 0, .max = 1};
  return {.group = kScores,
          .label = "Set one attention weight",
          .sentence =
              "Gives one key a share of a query's attention after the softmax; the other keys share the rest as "
              "before.",
          .told = "Head {layer}.{head}: attention {query} → {key} is {share}",
          .fields = {kLayer, kHead, kQuery, key, share}};
}

}  // namespace helix::forms
