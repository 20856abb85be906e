#include "model/edits/effect.h"

namespace helix::model::effects {
namespace {

/// A query that looks nowhere else has nothing to share the rest among: its row stays.
void give(std::span<float> row, std::size_t key, float share) {
  double others = 0;
  for (std::size_t i = 0; i < row.size(); ++i)
    if (i != key) others += static_cast<double>(row[i]);
  if (!(others > 0)) return;
  const auto factor = static_cast<float>((1 - static_cast<double>(share)) / others);
  for (std::size_t i = 0; i < row.size(); ++i) row[i] = i == key ? share : row[i] * factor;
}

Change change(const ParsedEdit& edit, const checkpoint::Config&) {
  const std::size_t query = edit.index(0), key = edit.index(1);
  const auto share = static_cast<float>(edit.numbers[2]);
  const auto at_row = [=](std::span<float> row) {
    const bool seen = key <= query || row[key] > 0;  // a later key is masked
    if (seen) give(row, key, share);
  };
  return {{{{HookKind::pattern, edit.first_layer},
            [=](const Chunk& chunk) { at_query(chunk, query, at_row); },
            edit.head}}};
}

}  // namespace

Effect set_pattern() { return InPass{change}; }

}  // namespace helix::model::effects
