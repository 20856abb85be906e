#include <algorithm>

#include "model/edits/effect.h"

namespace helix::model::effects {
namespace {

Task<Matrix<double>> changed(Matrix<double> rows, ParsedEdit edit) {
  const std::size_t kept = rows.rows - std::min(edit.index(0), rows.rows);
  std::copy(rows.data.end() - static_cast<std::ptrdiff_t>(kept * rows.cols), rows.data.end(), rows.data.begin());
  std::fill(rows.data.begin() + static_cast<std::ptrdiff_t>(kept * rows.cols), rows.data.end(), 0.0);
  co_return rows;
}

}  // namespace

Effect shift_positions() { return OnPositions{changed}; }

}  // namespace helix::model::effects
