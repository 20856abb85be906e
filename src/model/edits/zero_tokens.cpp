#include "model/edits/effect.h"

namespace helix::model::effects {
namespace {

Change change(const ParsedEdit&, const checkpoint::Config&) {
  return {{{{HookKind::embed}, [](const Chunk& chunk) { scale(chunk.rows, 0, chunk.rows.cols, 0); }}}};
}

}  // namespace

Effect zero_tokens() { return InPass{change}; }

}  // namespace helix::model::effects
