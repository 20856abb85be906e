#include "model/edits/effect.h"

namespace helix::model::effects {
namespace {

Change change(const ParsedEdit& edit, const checkpoint::Config&) {
  return {
      {{{HookKind::mlp_out, edit.first_layer}, [](const Chunk& chunk) { scale(chunk.rows, 0, chunk.rows.cols, 0); }}}};
}

}  // namespace

Effect zero_mlp() { return InPass{change}; }

}  // namespace helix::model::effects
