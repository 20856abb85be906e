#include <algorithm>

#include "base/edits/form.h"

namespace helix::forms {

EditForm average_positions() {
  const EditField first{EditValue::row, "first", "First row", "1"}, last{EditValue::row, "last", "Last row", "5"};
  return {.group = kPositions,
          .label = "Average some positions",
          .sentence = "The rows from the first to the last, in either order, become their mean.",
          .told = "Positions {first} to {last} averaged",
          .fields = {first, last},
          .rows_of =
              [](const ParsedEdit& edit, std::size_t row, std::size_t count) {
                const auto [low, high] = std::minmax({edit.index(0), edit.index(1)});
                return row < low || row > high ? std::vector{row} : rows_between(low, high, count);
              },
          .idle = [](const ParsedEdit& edit, const EditRoom&) { return edit.numbers[0] == edit.numbers[1]; }};
}

}  // namespace helix::forms
