#include <algorithm>

#include "model/edits/effect.h"

namespace helix::model::effects {
namespace {

Task<Matrix<double>> changed(Matrix<double> rows, ParsedEdit edit) {
  std::ranges::copy(rows.row(edit.index(1)), rows.row(edit.index(0)).begin());
  co_return rows;
}

}  // namespace

Effect replace_position() { return OnPositions{changed}; }

}  // namespace helix::model::effects
