// The highest speed that this machine reaches, measured in the running build: what a benchmark's figures are compared
// with.
#pragma once

#include "kernels/kernels.h"
#include "kernels/threads.h"

namespace helix::kernels {

struct Roofs {
  double f32 = 0;      // 10⁹ float multiplications and additions a second, on numbers in the first cache
  double int8 = 0;     // 10⁹ 8-bit multiplications and additions a second, likewise
  double reading = 0;  // 10⁹ bytes a second, read in order from memory
};

/// Measures the fastest kernels available, even if others were forced, on these threads together. Takes half a second
/// and, meanwhile, 64 MB of memory; with caches larger than that, `reading` is the speed of the caches.
Roofs probe(Threads& threads);

}  // namespace helix::kernels
