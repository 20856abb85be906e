#include <algorithm>

#include "base/edits/form.h"

namespace helix::forms {

EditForm group_positions() {
  return {.group = kPositions,
          .label = "Average neighbouring positions",
          .sentence = "Replaces rows 1 to g, g + 1 to 2g and so on of the table by their mean; row 0 is kept.",
          .told = "Positions averaged in groups of {g}",
          .fields = {kGroup},
          .rows_of =
              [](const ParsedEdit& edit, std::size_t row, std::size_t count) {
                const std::size_t g = std::max<std::size_t>(edit.index(0), 1);
                if (row == 0) return std::vector{row};
                const std::size_t first = (row - 1) / g * g + 1;
                return rows_between(first, first + g - 1, count);
              },
          .idle = [](const ParsedEdit& edit, const EditRoom&) { return edit.numbers[0] == 1; }};
}

}  // namespace helix::forms
