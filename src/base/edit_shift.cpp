#include "base/edit_shift.h"

#include <string>

#include "base/edit_forms.h"

namespace helix {
namespace {

/// The rows that an edit shifts by; nothing for an edit of another kind.
Expected<std::size_t> shift_by(const Edit& edit) {
  const auto parsed = parse_edit(edit.spec);
  if (!parsed) return parsed.error();
  if (parsed->kind != EditKind::shift_positions) return Error{"The edit does not shift positions."};
  return static_cast<std::size_t>(parsed->numbers[0]);
}

}  // namespace

std::size_t shift_of(const std::vector<Edit>& edits) {
  std::size_t shift = 0;
  for (const Edit& edit : edits)
    if (const auto rows = shift_by(edit); edit.on && rows) shift += *rows;
  return shift;
}

std::vector<Edit> with_shift(std::vector<Edit> edits, std::size_t rows) {
  std::erase_if(edits, [](const Edit& edit) { return shift_by(edit).ok(); });
  if (rows > 0) edits.push_back({"shift_positions:" + std::to_string(rows)});
  return edits;
}

std::vector<std::size_t> rows_after(const std::vector<Edit>& edits, std::size_t position, std::size_t count) {
  std::vector<std::size_t> rows{position};
  for (auto edit = edits.rbegin(); edit != edits.rend(); ++edit) {
    const auto parsed = edit->on ? parse_edit(edit->spec) : Error{""};
    if (!parsed) continue;
    std::vector<std::size_t> before;
    for (const std::size_t row : rows) {
      const auto of_row = helix::rows_of(*parsed, row, count);
      before.insert(before.end(), of_row.begin(), of_row.end());
    }
    rows = std::move(before);
  }
  return rows;
}

}  // namespace helix
