// One table for each machine, each in a source file of its own that may be compiled for that machine only.
#pragma once

#include "kernels/kernels.h"

namespace helix::kernels {

/// Vectors of four floats, which every machine has. WebAssembly's table is "simd128" or "relaxed simd128", depending on
/// the build; elsewhere it is "generic128".
Table vector_table();

// x86-64 only, and only where the processor has what the name says.
const Table& avx2_table();
const Table& avx512_table();

/// The 8-bit products, likewise.
Q8Kernels q8_scalar();
Q8Kernels q8_vector();
const Q8Kernels& q8_avx2();
const Q8Kernels& q8_avxvnni();
const Q8Kernels& q8_avx512vnni();

}  // namespace helix::kernels
