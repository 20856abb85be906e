// The matrix product, written once over a machine's vectors and compiled for each machine. `Isa` gives
//   kWidth, kRows          floats of a vector; most rows of a tile
//   Floats, Bits           vectors of kWidth floats, of as many unsigned
//   multiply_add(a, b, c)  a·b + c
// Everything here, even the smallest helper, is a template on `Isa`, and nothing of the standard library is called:
// otherwise the linker could keep a function compiled for one machine and use it on all of them.
#pragma once

#include <cstddef>
#include <cstring>

#include "kernels/packed.h"
#include "kernels/tiled_body.h"

namespace helix::kernels {

template <class Isa>
struct Matmul {
  using Floats = typename Isa::Floats;

  static constexpr std::size_t kWidth = Isa::kWidth, kRows = Isa::kRows;
  // kSlice: columns of a tile. kPanel: columns that lie side by side in memory; a single row takes a whole panel, which
  // is one stream.
  static constexpr std::size_t kSlice = 2 * kWidth, kSlices = 4, kPanel = kSlices * kSlice;
  // Inputs of one step: a panel's share of them stays in the first cache while all rows are multiplied with it, and the
  // call for a tile is short enough for an engine that recompiles hot functions. Between steps the sums wait in y,
  // unrounded.
  static constexpr std::size_t kDepth = 384;

  using X = float;
  static constexpr std::size_t kSize = 1, kGroup = kSlices;
  struct Operands {
    const float* x;
    std::size_t ldx;
    const PackedView& w;
  };

  [[gnu::always_inline]] static inline Floats load(const float* from) {
    Floats v;
    std::memcpy(&v, from, sizeof v);
    return v;
  }
  [[gnu::always_inline]] static inline void store(float* to, Floats v) { std::memcpy(to, &v, sizeof v); }
  // x − 0 is x, also for −0; x + 0 would not be.
  [[gnu::always_inline]] static inline Floats splat(float x) { return x - Floats{}; }

  // One or two rows take several slices in one tile: each addition waits for the one before it, so eight sums must be
  // in flight.
  static constexpr std::size_t slices_at_once(std::size_t rows) { return rows == 1 ? 4 : rows == 2 ? 2 : 1; }

  static const float* weights_at(const Operands& operands, std::size_t slice, std::size_t from) {
    return operands.w.data + slice / kSlices * operands.w.stride + from * kPanel + slice % kSlices * kSlice;
  }
  static Ahead weights(const Operands& operands, std::size_t slice, std::size_t, std::size_t from, std::size_t depth) {
    const std::size_t lines = depth * kPanel * sizeof(float) / Ahead::kLine / kSlices;
    return {reinterpret_cast<const char*>(weights_at(operands, slice, from)), lines, kSlices, lines * Ahead::kLine, 0};
  }

  static const float* row(const Operands& operands, std::size_t row, std::size_t from) {
    return operands.x + row * operands.ldx + from;
  }

  template <std::size_t R>
  static float* gather(const Operands& operands, std::size_t row, std::size_t from, std::size_t depth, float* to) {
    const float* x = Matmul::row(operands, row, from);
    by_turns<R, sizeof(float)>(reinterpret_cast<const char*>(x), operands.ldx * sizeof(float), depth,
                               reinterpret_cast<char*>(to));
    return to + R * depth;
  }

  template <std::size_t R, std::size_t S>
  [[gnu::noinline]] static void tile(const Operands& operands, const float* x, std::size_t, std::size_t slice,
                                     std::size_t from, std::size_t depth, const float* start, std::size_t ldstart,
                                     float* y, std::size_t ldy) {
    const float* w = weights_at(operands, slice, from);
    Floats sum[R][2 * S];
#pragma GCC unroll 16
    for (std::size_t r = 0; r < R; ++r)
#pragma GCC unroll 16
      for (std::size_t v = 0; v < 2 * S; ++v) sum[r][v] = load(start + r * ldstart + v * kWidth);

    // Pointers advance once a step: the distance from a pointer to an operand is then part of the instruction.
    const auto step = [&]() __attribute__((always_inline)) {
      Floats b[2 * S];
#pragma GCC unroll 16
      for (std::size_t v = 0; v < 2 * S; ++v) b[v] = load(w + v * kWidth);
      w += kPanel;
#pragma GCC unroll 16
      for (std::size_t r = 0; r < R; ++r) {
        const Floats a = splat(x[r]);
#pragma GCC unroll 16
        for (std::size_t v = 0; v < 2 * S; ++v) sum[r][v] = Isa::multiply_add(a, b[v], sum[r][v]);
      }
      x += R;
    };
    for (std::size_t i = 0; i < depth; ++i) step();

#pragma GCC unroll 16
    for (std::size_t r = 0; r < R; ++r)
#pragma GCC unroll 16
      for (std::size_t v = 0; v < 2 * S; ++v) store(y + r * ldy + v * kWidth, sum[r][v]);
  }

  static void matmul(const float* x, std::size_t ldx, std::size_t rows, const PackedView& w, std::size_t first_panel,
                     std::size_t end_panel, const float* bias, float* y, std::size_t ldy) {
    const std::size_t slices = (w.out + kSlice - 1) / kSlice, end = end_panel * kSlices;
    Tiled<Matmul>::run({{x, ldx, w}, w.out, bias, y, ldy}, rows, w.in, first_panel * kSlices,
                       end < slices ? end : slices);
  }
};

}  // namespace helix::kernels
