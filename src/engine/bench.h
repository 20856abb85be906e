// The engine measured where it runs. Made like a study, so that it is asked for and answered like one; but its numbers are
// of a moment, so it has no view, no link, and no place in the menu.
#pragma once

#include "studies/registry_compute.h"

namespace helix::engine {

const studies::ComputeStudy& bench();

}  // namespace helix::engine
