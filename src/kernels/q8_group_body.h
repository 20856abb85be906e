// A group of 8-bit weights times rows of digits, in integers: what a tile of q8_body.h does between two scales. `Isa`
// is as there; the rules of matmul_body.h hold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "kernels/q8.h"

namespace helix::kernels {

template <class Isa>
struct GroupQ8 {
  using Ints = typename Isa::Ints;
  using Sums = typename Isa::Sums;
  static constexpr std::size_t kWidth = Isa::kWidth, kVectors = Isa::kVectors;
  static constexpr std::size_t kPanel = kVectors * kWidth;
  static constexpr bool kShorts = Isa::kForm == Q8RowsView::Form::kShorts;
  static constexpr std::size_t kFour = kShorts ? 8 : 4;  // bytes of four inputs of a row

  // With few rows, several steps run at once: their integers may be added in any order.
  static constexpr std::size_t steps_at_once(std::size_t sums) { return sums <= 2 ? 4 : sums <= 4 ? 2 : 1; }

  template <class V, class T>
  [[gnu::always_inline]] static inline V load(const T* from) {
    V v;
    std::memcpy(&v, from, sizeof v);
    return v;
  }
  template <class T, class V>
  [[gnu::always_inline]] static inline void store(T* to, V v) {
    std::memcpy(to, &v, sizeof v);
  }

  /// sums += D digits of a group of R rows, times a group of a panel; S steps in each iteration.
  template <std::size_t R, std::size_t S, std::size_t D>
  [[gnu::always_inline]] static inline void multiply(const std::uint8_t* x, const std::int8_t* w,
                                                     Sums (&sums)[D][S][R][kVectors]) {
    // Pointers advance once an iteration: the distance from a pointer to an operand is then part of the instruction.
    // When unrolled further, compilers keep the numbers of several steps at once, for which there are not enough
    // registers.
#pragma GCC unroll 1
    for (std::size_t k = 0; k < kQ8Group / 4; k += S, x += S * R * kFour, w += S * kPanel * 4)
#pragma GCC unroll 16
      for (std::size_t s = 0; s < S; ++s) {
        typename Isa::Weights b[kVectors];
#pragma GCC unroll 16
        for (std::size_t v = 0; v < kVectors; ++v) b[v] = Isa::weights(w + (s * kPanel + v * kWidth) * 4);
#pragma GCC unroll 16
        for (std::size_t i = 0; i < D * R; ++i) {
          const typename Isa::Inputs a = Isa::inputs(x + i / R * R * kQ8Group + (s * R + i % R) * kFour);
#pragma GCC unroll 16
          for (std::size_t v = 0; v < kVectors; ++v) Isa::add(sums[i / R][s][i % R][v], b[v], a);
        }
      }
  }

  /// The initial sums of R rows' group: low·Σw, which the unsigned digits leave out.
  template <std::size_t R>
  [[gnu::always_inline]] static inline void begin(const Q8Grid* grids, const std::int8_t* weight_sums,
                                                  Sums (&sums)[R][kVectors]) {
#pragma GCC unroll 16
    for (std::size_t v = 0; v < kVectors; ++v) {
      const auto narrow = load<typename Isa::Halves>(weight_sums + v * kWidth * sizeof(std::int16_t));
      const Ints wide = __builtin_convertvector(narrow, Ints);
#pragma GCC unroll 16
      for (std::size_t r = 0; r < R; ++r) sums[r][v] = Isa::times(wide, grids[r].low);
    }
  }

  template <std::size_t R, std::size_t S>
  [[gnu::always_inline]] static inline Ints total(const Sums (&sums)[S][R][kVectors], std::size_t r, std::size_t v) {
    Ints sum = Isa::total(sums[0][r][v]);
#pragma GCC unroll 16
    for (std::size_t s = 1; s < S; ++s) sum += Isa::total(sums[s][r][v]);
    return sum;
  }

  /// The integers of a group of R rows and a panel: low·Σw + Σ digit·w.
  template <std::size_t R>
  [[gnu::always_inline]] static inline void product(int digits, const std::uint8_t* x, const Q8Grid* grids,
                                                    const std::int8_t* w, const std::int8_t* weight_sums,
                                                    Ints (&totals)[R][kVectors]) {
    constexpr std::size_t kOfSums = R * kVectors * sizeof(Sums) / sizeof(Ints), kSteps = steps_at_once(kOfSums);
    if constexpr (R == 1 && !kShorts)
      if (digits == 2) {  // both digits of a single row while its weights are loaded
        Sums sums[2][steps_at_once(2 * kOfSums)][R][kVectors] = {};
        begin<R>(grids, weight_sums, sums[0][0]);
        multiply(x, w, sums);
        for (std::size_t v = 0; v < kVectors; ++v) totals[0][v] = (total(sums[0], 0, v) << 7) + total(sums[1], 0, v);
        return;
      }
    Sums sums[1][kSteps][R][kVectors] = {};
    if constexpr (!kShorts) begin<R>(grids, weight_sums, sums[0][0]);
    multiply(x, w, sums);
    if constexpr (!kShorts)
      if (digits == 2) {
        for (auto& step : sums[0])
          for (auto& of_row : step)
            for (Sums& sum : of_row) sum <<= 7;
        multiply(x + R * kQ8Group, w, sums);
      }
#pragma GCC unroll 16
    for (std::size_t i = 0; i < R * kVectors; ++i)
      totals[i / kVectors][i % kVectors] = total(sums[0], i / kVectors, i % kVectors);
  }
};

}  // namespace helix::kernels
