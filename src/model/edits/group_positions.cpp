#include "geometry/positions.h"
#include "model/edits/effect.h"

namespace helix::model::effects {
namespace {

Task<Matrix<double>> changed(Matrix<double> rows, ParsedEdit edit) {
  geometry::average_groups(rows, edit.index(0));
  co_return rows;
}

}  // namespace

Effect group_positions() { return OnPositions{changed}; }

}  // namespace helix::model::effects
