// The engine's speed on the machine it runs on. Declared like a study, so that it is requested and answered like one; but
// its numbers change from run to run, so it has no view, no link, and no place in the menu.
#pragma once

#include "studies/registry_compute.h"

namespace helix::engine {

const studies::ComputeStudy& bench();

}  // namespace helix::engine
