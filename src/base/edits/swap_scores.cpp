#include "base/edits/form.h"

namespace helix::forms {

EditForm swap_scores() {
  const EditField a{EditValue::token, "a", "First key"}, b{EditValue::token, "b", "Second key"};
  return {.group = kScores,
          .label = "Swap two attention scores",
          .sentence = "Exchanges the scores that a query has for two keys, before the softmax.",
          .told = "Head {layer}.{head}: query {query}'s scores for {a} and {b} swapped",
          .fields = {kLayer, kHead, kQuery, a, b},
          .idle = [](const ParsedEdit& edit, const EditRoom&) { return edit.numbers[1] == edit.numbers[2]; }};
}

}  // namespace helix::forms
