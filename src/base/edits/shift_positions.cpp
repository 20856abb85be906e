#include "base/edits/form.h"

namespace helix::forms {

EditForm shift_positions() {
  const EditField by{
      .value = EditValue::whole, .name = "K", .label = "Rows", .start = "10", .bound = Bound::last_position};
  return {
      .group = kPositions,
      .label = "Shift positions",
      .sentence = "The token at position i takes row i + K of the table of positions.",
      .told = "Positions shifted by {K}",
      .fields = {by},
      .rows_shifted = [](const ParsedEdit& edit) { return edit.numbers[0]; },
      .rows_of = [](const ParsedEdit& edit, std::size_t row, std::size_t) { return std::vector{row + edit.index(0)}; },
      .idle = [](const ParsedEdit& edit, const EditRoom&) { return edit.numbers[0] == 0; }};
}

}  // namespace helix::forms
