#include <algorithm>
#include <cstdint>

#include "base/random.h"
#include "model/edits/effect.h"

namespace helix::model::effects {
namespace {

Task<Matrix<double>> changed(Matrix<double> rows, ParsedEdit edit) {
  std::uint64_t seed = edit.index(0);
  const std::size_t step = edit.flag ? 3 : std::max<std::size_t>(rows.rows, 1);
  for (std::size_t first = 1; first < rows.rows; first += step)
    shuffle(std::min(step, rows.rows - first), seed,
            [&](std::size_t i, std::size_t j) { std::ranges::swap_ranges(rows.row(first + i), rows.row(first + j)); });
  co_return rows;
}

}  // namespace

Effect permute_positions() { return OnPositions{changed}; }

}  // namespace helix::model::effects
