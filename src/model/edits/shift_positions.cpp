#include <algorithm>

#include "model/edits/effect.h"

namespace helix::model::effects {
namespace {

Task<Matrix<double>> changed(Matrix<double> rows, ParsedEdit edit) {
  const std::size_t gone = std::min(edit.index(0), rows.rows);
  rows.data.erase(rows.data.begin(), rows.data.begin() + static_cast<std::ptrdiff_t>(gone * rows.cols));
  rows.rows -= gone;
  co_return rows;
}

}  // namespace

Effect shift_positions() { return OnPositions{changed}; }

}  // namespace helix::model::effects
