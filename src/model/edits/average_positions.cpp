#include <algorithm>

#include "model/edits/effect.h"

namespace helix::model::effects {
namespace {

Task<Matrix<double>> changed(Matrix<double> rows, ParsedEdit edit) {
  const auto [first, last] = std::minmax({edit.index(0), edit.index(1)});
  if (first == last) co_return rows;
  std::vector<double> mean(rows.cols);
  for (std::size_t i = first; i <= last; ++i)
    for (std::size_t j = 0; j < rows.cols; ++j) mean[j] += rows(i, j);
  for (double& x : mean) x /= static_cast<double>(last - first + 1);
  for (std::size_t i = first; i <= last; ++i) std::ranges::copy(mean, rows.row(i).begin());
  co_return rows;
}

}  // namespace

Effect average_positions() { return OnPositions{changed}; }

}  // namespace helix::model::effects
