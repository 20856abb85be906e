#include "model/edits/effect.h"

namespace helix::model::effects {

Effect no_mask() { return WithoutMask{}; }

}  // namespace helix::model::effects
