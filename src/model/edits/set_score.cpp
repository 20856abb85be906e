#include "model/edits/effect.h"

namespace helix::model::effects {
namespace {

Change change(const ParsedEdit& edit, const checkpoint::Config&) {
  const std::size_t query = edit.index(0), key = edit.index(1);
  const auto value = static_cast<float>(edit.numbers[2]);
  return {{at_scores(edit, query, [=](std::span<float> row) { row[key] = value; })}};
}

}  // namespace

Effect set_score() { return InPass{change}; }

}  // namespace helix::model::effects
