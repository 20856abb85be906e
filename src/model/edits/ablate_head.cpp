#include "model/edits/effect.h"

namespace helix::model::effects {
namespace {

/// Each number of the head's output becomes its mean over the positions.
void average(MatrixView<float> z) {
  for (std::size_t j = 0; j < z.cols; ++j) {
    double sum = 0;
    for (std::size_t i = 0; i < z.rows; ++i) sum += static_cast<double>(z(i, j));
    for (std::size_t i = 0; i < z.rows; ++i) z(i, j) = static_cast<float>(sum / static_cast<double>(z.rows));
  }
}

Change change(const ParsedEdit& edit, const checkpoint::Config& config) {
  if (!edit.flag) return {{scaled_head(edit, config, 0)}};
  const auto average_head = [head = edit.head, d_head = config.d_head](const Chunk& chunk) {
    average({&chunk.rows(0, head * d_head), chunk.rows.rows, d_head, chunk.rows.stride});
  };
  return {{{{HookKind::z, edit.first_layer}, average_head}}, true};
}

}  // namespace

Effect ablate_head() { return InPass{change}; }

}  // namespace helix::model::effects
