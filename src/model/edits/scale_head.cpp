#include "model/edits/effect.h"

namespace helix::model::effects {
namespace {

Change change(const ParsedEdit& edit, const checkpoint::Config& config) {
  return {{scaled_head(edit, config, static_cast<float>(edit.numbers[0]))}};
}

}  // namespace

Effect scale_head() { return InPass{change}; }

}  // namespace helix::model::effects
