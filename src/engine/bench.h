// Measures the engine where it runs. Built as a study, so that it is requested and answered like one; but its numbers
// hold only for the moment, so it has no view, no link, and no place in the menu.
#pragma once

#include "studies/registry_compute.h"

namespace helix::engine {

const studies::ComputeStudy& bench();

}  // namespace helix::engine
