#include <algorithm>

#include "model/edits/effect.h"

namespace helix::model::effects {
namespace {

Task<Matrix<double>> changed(Matrix<double> rows, ParsedEdit) {
  std::ranges::fill(rows.data, 0.0);
  co_return rows;
}

}  // namespace

Effect zero_positions() { return OnPositions{changed}; }

}  // namespace helix::model::effects
