#include "base/edits/form.h"

namespace helix::forms {

EditForm average_extended() {
  const EditField token{.value = EditValue::whole,
                        .name = "token",
                        .label = "Token id",
                        .bound = Bound::last_token,
                        .optional = true,
                        .told = ", from token {}"};
  return {.group = kStreams,
          .label = "Average the positions in the residual stream",
          .sentence =
              "Before the layer, extended positions 1 to g, g + 1 to 2g and so on are moved to their mean; "
              "position 0 is kept. They are the residual stream there of <|endoftext|> and one token repeated "
              "(without an id: the first token of “hello”), run without edits.",
          .told = "Extended positions before layer {layer} averaged in groups of {g}{token}",
          .fields = {kLayer, kGroup, token},
          .idle = [](const ParsedEdit& edit, const EditRoom&) { return edit.numbers[0] == 1; }};
}

}  // namespace helix::forms
