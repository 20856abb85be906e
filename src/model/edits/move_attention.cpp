#include <limits>

#include "model/edits/effect.h"

namespace helix::model::effects {
namespace {

/// −∞ leaves the first key nothing. With a 0 it keeps a share, and a larger one where its score was negative.
Change change(const ParsedEdit& edit, const checkpoint::Config&) {
  const std::size_t query = edit.index(0), from = edit.index(1), to = edit.index(2);
  const float left = edit.flag ? 0 : -std::numeric_limits<float>::infinity();
  return {{at_scores(edit, query, [=](std::span<float> row) {
    if (from != to) row[to] = row[from], row[from] = left;
  })}};
}

}  // namespace

Effect move_attention() { return InPass{change}; }

}  // namespace helix::model::effects
