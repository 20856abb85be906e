#include <utility>

#include "model/edits/effect.h"

namespace helix::model::effects {
namespace {

Change change(const ParsedEdit& edit, const checkpoint::Config&) {
  const std::size_t query = edit.index(0), a = edit.index(1), b = edit.index(2);
  return {{at_scores(edit, query, [=](std::span<float> row) { std::swap(row[a], row[b]); })}};
}

}  // namespace

Effect swap_scores() { return InPass{change}; }

}  // namespace helix::model::effects
