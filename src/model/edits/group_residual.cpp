#include <algorithm>

#include "model/edits/effect.h"

namespace helix::model::effects {
namespace {

/// Rows 1 .. size, size+1 .. 2·size, … become the mean of their group, of which the last may be shorter; row 0 is kept.
void average_groups(MatrixView<float> rows, std::size_t size) {
  for (std::size_t first = 1; first < rows.rows; first += std::min(size, rows.rows - first)) {
    const std::size_t count = std::min(size, rows.rows - first);
    for (std::size_t j = 0; j < rows.cols; ++j) {
      double sum = 0;
      for (std::size_t i = 0; i < count; ++i) sum += static_cast<double>(rows(first + i, j));
      for (std::size_t i = 0; i < count; ++i) rows(first + i, j) = static_cast<float>(sum / static_cast<double>(count));
    }
  }
}

Change change(const ParsedEdit& edit, const checkpoint::Config&) {
  const std::size_t size = edit.index(0);
  return {{{{HookKind::resid_pre, edit.first_layer}, [=](const Chunk& chunk) { average_groups(chunk.rows, size); }}},
          true};
}

}  // namespace

Effect group_residual() { return InPass{change}; }

}  // namespace helix::model::effects
