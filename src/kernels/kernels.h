// The loops that take most of the time, one version for each machine: a scalar one written to be read, and SIMD ones
// that must agree with it. The layers above see one table of functions.
//
// Accumulation. Every output of `matmul` is one chain of additions: the bias, then the inputs, first to last. So a
// row's result does not depend on how many rows are multiplied at once, on which panels, or on the number of threads.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "base/expected.h"
#include "kernels/packed.h"
#include "kernels/q8.h"
#include "kernels/roof_tile.h"

namespace helix::kernels {

struct Table {
  std::string_view name;  // "scalar", "simd128", "relaxed simd128", "generic128", "avx2", "avx512"
  std::size_t panel = 0;  // columns of the panels it reads
  bool fused = false;     // a·b+c rounds once

  /// y [rows, out] = x [rows, in]·W + bias, for the columns of the panels first_panel .. end_panel-1; the rows of x and
  /// y lie ldx and ldy numbers apart. `bias` [out], or null for none. y and x do not overlap.
  void (*matmul)(const float* x, std::size_t ldx, std::size_t rows, const PackedView& w, std::size_t first_panel,
                 std::size_t end_panel, const float* bias, float* y, std::size_t ldy) = nullptr;

  /// One row of n: normalized = (x − mean) / scale, scale = sqrt(variance + epsilon) with the variance over n; returns
  /// the scale. Sums are taken in double. No gain, no bias. `normalized` may be x.
  float (*layer_norm)(const float* x, std::size_t n, double epsilon, float* normalized) = nullptr;

  /// y = x/2·(1 + tanh(√(2/π)·(x + 0.044715·x³))): GPT-2's "gelu_new" (Hendrycks & Gimpel 2016). y may be x.
  void (*gelu)(const float* x, float* y, std::size_t n) = nullptr;

  /// One row in place: exp(x − max) / Σ exp(x − max). −∞ gives exactly 0; a row of nothing but −∞ becomes zeros: it
  /// attends to nothing. n ≥ 1.
  void (*softmax)(float* x, std::size_t n) = nullptr;

  /// Loops for the probe; none for the scalar table.
  std::span<const RoofTile> roof;
  /// The fastest 8-bit products available with these kernels; they have panels of their own.
  Q8Kernels q8;
};

/// What this build and this machine can run, the scalar one first, the fastest last.
const std::vector<Table>& tables();
/// The table in use: the fastest, unless one was forced. Weights packed for another panel must be packed anew.
const Table& active();
/// Uses the table of this name from now on; an error names the available ones.
Expected<void> force(std::string_view name);

/// The plain C++ form, on every machine.
Table scalar_table();

}  // namespace helix::kernels
