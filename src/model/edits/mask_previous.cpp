#include <limits>

#include "model/edits/effect.h"

namespace helix::model::effects {
namespace {

Change change(const ParsedEdit& edit, const checkpoint::Config&) {
  const std::size_t step = edit.index(0);
  const float put = edit.flag ? 0.0f : -std::numeric_limits<float>::infinity();
  const HookKind kind = edit.flag ? HookKind::pattern : HookKind::scores;
  Change out;
  for (std::size_t layer = edit.first_layer; layer <= edit.last_layer; ++layer)
    out.taps.push_back({{kind, layer}, [=](const Chunk& chunk) {
                          for (std::size_t query = step; query < chunk.first + chunk.rows.rows; query += step)
                            at_query(chunk, query, [&](std::span<float> row) { row[query - 1] = put; });
                        }});
  return out;
}

}  // namespace

Effect mask_previous() { return InPass{change}; }

}  // namespace helix::model::effects
