// The loops of the probe, for the machines of matmul_body.h and q8_body.h, whose rules hold here. They do not share
// code with the products, so that a slower product cannot lower the limit it is measured against.
#pragma once

#include <cstring>
#include <span>

#include "kernels/roof_tile.h"

namespace helix::kernels {

template <class Isa>
struct FloatRoof {
  using Floats = typename Isa::Floats;

  template <std::size_t R, std::size_t V>
  [[gnu::noinline]] static void run(const void* a, const void* b, void* c) {
    const float* x = static_cast<const float*>(a);
    const char* w = static_cast<const char*>(b);
    Floats sums[R][V] = {};
    for (std::size_t k = 0; k < RoofTile::kSteps; ++k, x += R, w += V * sizeof(Floats)) {
      Floats row[V];
#pragma GCC unroll 16
      for (std::size_t v = 0; v < V; ++v) std::memcpy(&row[v], w + v * sizeof(Floats), sizeof(Floats));
#pragma GCC unroll 16
      for (std::size_t r = 0; r < R; ++r) {
        const Floats s = x[r] - Floats{};
#pragma GCC unroll 16
        for (std::size_t v = 0; v < V; ++v) sums[r][v] = Isa::multiply_add(s, row[v], sums[r][v]);
      }
    }
    // One by one: a copy of the whole array would keep it in memory.
#pragma GCC unroll 16
    for (std::size_t r = 0; r < R; ++r)
#pragma GCC unroll 16
      for (std::size_t v = 0; v < V; ++v)
        std::memcpy(static_cast<char*>(c) + (r * V + v) * sizeof sums[r][v], &sums[r][v], sizeof sums[r][v]);
  }

  template <std::size_t R, std::size_t V>
  static constexpr RoofTile shape() {
    static_assert(R * V * sizeof(Floats) <= RoofTile::kBytes &&
                  V * sizeof(Floats) * RoofTile::kSteps <= RoofTile::kBytes);
    return {2.0 * R * V * Isa::kWidth * RoofTile::kSteps, run<R, V>};
  }
  static_assert(Isa::kRows * 8 * RoofTile::kSteps <= RoofTile::kBytes);
  static constexpr RoofTile kShapes[] = {shape<4, 2>(), shape<6, 2>(), shape<8, 1>(), shape<Isa::kRows, 2>()};
};

template <class Isa>
struct IntegerRoof {
  using Sums = typename Isa::Sums;
  using Ints = typename Isa::Ints;

  template <std::size_t R, std::size_t V>
  [[gnu::noinline]] static void run(const void* a, const void* b, void* c) {
    const std::uint8_t* x = static_cast<const std::uint8_t*>(a);
    const std::int8_t* w = static_cast<const std::int8_t*>(b);
    Sums sums[R][V] = {};
    for (std::size_t k = 0; k < RoofTile::kSteps; ++k, x += 8 * R, w += 4 * Isa::kWidth * V) {
      typename Isa::Weights row[V];
#pragma GCC unroll 16
      for (std::size_t v = 0; v < V; ++v) row[v] = Isa::weights(w + 4 * Isa::kWidth * v);
#pragma GCC unroll 16
      for (std::size_t r = 0; r < R; ++r) {
        const typename Isa::Inputs s = Isa::inputs(x + 8 * r);
#pragma GCC unroll 16
        for (std::size_t v = 0; v < V; ++v) Isa::add(sums[r][v], row[v], s);
      }
    }
    // One by one: a copy of the whole array would keep it in memory.
#pragma GCC unroll 16
    for (std::size_t r = 0; r < R; ++r)
#pragma GCC unroll 16
      for (std::size_t v = 0; v < V; ++v)
        std::memcpy(static_cast<char*>(c) + (r * V + v) * sizeof sums[r][v], &sums[r][v], sizeof sums[r][v]);
  }

  template <std::size_t R, std::size_t V>
  static constexpr RoofTile shape() {
    static_assert(R * V * sizeof(Sums) <= RoofTile::kBytes &&
                  4 * Isa::kWidth * V * RoofTile::kSteps <= RoofTile::kBytes);
    return {8.0 * R * V * Isa::kWidth * RoofTile::kSteps, run<R, V>};
  }
  static_assert(Isa::kRows * 8 * RoofTile::kSteps <= RoofTile::kBytes);
  static constexpr RoofTile kShapes[] = {shape<2, 4>(), shape<4, 1>(), shape<4, 2>(), shape<3, 3>(),
                                         shape<Isa::kRows, 2>()};
};

}  // namespace helix::kernels
