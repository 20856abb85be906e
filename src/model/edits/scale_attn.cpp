#include "model/edits/effect.h"

namespace helix::model::effects {
namespace {

Change change(const ParsedEdit& edit, const checkpoint::Config&) {
  const auto factor = static_cast<float>(edit.numbers[0]);
  return {{{{HookKind::attn_out, edit.first_layer},
            [=](const Chunk& chunk) { scale(chunk.rows, 0, chunk.rows.cols, factor); }}}};
}

}  // namespace

Effect scale_attn() { return InPass{change}; }

}  // namespace helix::model::effects
