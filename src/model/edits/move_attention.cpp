#include "model/edits/effect.h"

namespace helix::model::effects {
namespace {

Change change(const ParsedEdit& edit, const checkpoint::Config&) {
  const std::size_t query = edit.index(0), from = edit.index(1), to = edit.index(2);
  return {{at_scores(edit, query, [=](std::span<float> row) { row[to] = row[from], row[from] = 0; })}};
}

}  // namespace

Effect move_attention() { return InPass{change}; }

}  // namespace helix::model::effects
