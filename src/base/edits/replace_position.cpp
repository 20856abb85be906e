#include "base/edits/form.h"

namespace helix::forms {

EditForm replace_position() {
  const EditField row{EditValue::row, "row", "Row", "0"}, by{EditValue::row, "by", "Becomes row", "1"};
  return {.group = kPositions,
          .label = "Replace one position",
          .sentence = "One row of the table of positions becomes a copy of another.",
          .told = "Position {row} replaced by {by}",
          .fields = {row, by},
          .rows_of = [](const ParsedEdit& edit, std::size_t taken,
                        std::size_t) { return std::vector{taken == edit.index(0) ? edit.index(1) : taken}; },
          .idle = [](const ParsedEdit& edit, const EditRoom&) { return edit.numbers[0] == edit.numbers[1]; }};
}

}  // namespace helix::forms
