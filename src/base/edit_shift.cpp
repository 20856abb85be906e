#include "base/edit_shift.h"

#include <string>

#include "base/edit_forms.h"

namespace helix {
namespace {

/// The rows that an edit shifts by; nothing for an edit of another kind.
Expected<std::size_t> rows_of(const Edit& edit) {
  const auto parsed = parse_edit(edit.spec);
  if (!parsed) return parsed.error();
  if (parsed->kind != EditKind::shift_positions) return Error{"The edit does not shift positions."};
  return static_cast<std::size_t>(parsed->numbers[0]);
}

}  // namespace

std::size_t shift_of(const std::vector<Edit>& edits) {
  std::size_t shift = 0;
  for (const Edit& edit : edits)
    if (const auto rows = rows_of(edit); edit.on && rows) shift += *rows;
  return shift;
}

std::vector<Edit> with_shift(std::vector<Edit> edits, std::size_t rows) {
  std::erase_if(edits, [](const Edit& edit) { return rows_of(edit).ok(); });
  if (rows > 0) edits.push_back({"shift_positions:" + std::to_string(rows)});
  return edits;
}

}  // namespace helix
