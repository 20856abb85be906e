// How fast this machine could be at best, measured in the running build: what a benchmark's figures are a share of.
#pragma once

#include "kernels/kernels.h"
#include "kernels/threads.h"

namespace helix::kernels {

struct Roofs {
  double f32 = 0;      // 10⁹ float multiplications and additions a second, on numbers in the first cache
  double int8 = 0;     // 10⁹ 8-bit multiplications and additions a second, likewise
  double reading = 0;  // 10⁹ bytes a second, read in order from memory
};

/// Of the fastest kernels there are, whatever was forced, and of these threads together. Takes half a second and, meanwhile,
/// 64 MB, which is read by nothing else: on a machine with caches beyond that `reading` is theirs.
Roofs probe(Threads& threads);

}  // namespace helix::kernels
