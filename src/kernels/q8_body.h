// The product of 8-bit weights, written once over a machine's integers and compiled for each machine. `Isa` gives
//   kWidth, kRows              32-bit numbers of a vector; most rows of a tile
//   kVectors                   vectors of a panel
//   Floats, Ints, Halves       vectors of kWidth floats, 32-bit integers, unsigned 16-bit integers
//   kForm                      the form it wants x in
//   Weights, weights(from)     four inputs of kWidth columns, kWidth·4 bytes
//   Inputs, inputs(from)       four inputs of a row, for every column
//   Sums, add(sums, w, x)      running sums of kWidth columns, and what a step adds to them
//   total(sums)                one integer a column
//   times(shorts, low)         of digits alone: 16-bit integers, with zeros above them in 32 bits, times one of 16 bits
// For the rest the rules of matmul_body.h hold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "kernels/q8.h"
#include "kernels/q8_group_body.h"
#include "kernels/roof_body.h"
#include "kernels/tiled_body.h"

namespace helix::kernels {

template <class Isa>
struct MatmulQ8 {
  using Group = GroupQ8<Isa>;
  using Floats = typename Isa::Floats;
  static constexpr std::size_t kWidth = Isa::kWidth, kRows = Isa::kRows, kVectors = Isa::kVectors;
  static constexpr std::size_t kPanel = Group::kPanel, kSlice = kPanel;
  static constexpr std::size_t kBlock = kPanel * Q8View::kColumnBytes;
  // In groups: 768 inputs of a panel and a tile's rows stay in the first cache.
  static constexpr std::size_t kDepth = 12;

  using X = std::uint8_t;
  static constexpr std::size_t kFour = Group::kFour;
  static constexpr std::size_t kSize = kQ8Group * 2 + sizeof(Q8Grid), kGroup = 8;
  struct Operands {
    const std::uint8_t* x;  // the first row's group 0
    const Q8Grid* grids;
    std::size_t ldx, ldgrids;  // from row to row
    int digits;
    const std::int8_t* w;
    std::size_t stride;  // from panel to panel
  };

  static std::size_t bytes_of(int digits) { return kQ8Group * (Group::kShorts || digits == 2 ? 2 : 1); }

  static Ahead weights(const Operands& operands, std::size_t panel, std::size_t panels, std::size_t from,
                       std::size_t depth) {
    const std::int8_t* at = operands.w + panel * operands.stride + from * kBlock;
    return {reinterpret_cast<const char*>(at), depth * kBlock / Ahead::kLine, panels, operands.stride, 0};
  }

  static const std::uint8_t* row(const Operands& operands, std::size_t row, std::size_t from) {
    return operands.x + row * operands.ldx + from * bytes_of(operands.digits);
  }

  /// Group after group: the integers of all rows, then their grids.
  template <std::size_t R>
  static std::uint8_t* gather(const Operands& operands, std::size_t row, std::size_t from, std::size_t depth,
                              std::uint8_t* to) {
    const std::size_t bytes = bytes_of(operands.digits);
    const char* x = reinterpret_cast<const char*>(MatmulQ8::row(operands, row, from));
    const char* grids = reinterpret_cast<const char*>(operands.grids + row * operands.ldgrids + from);
    char* end = reinterpret_cast<char*>(to);
    for (std::size_t g = 0; g < depth; ++g, x += bytes, grids += sizeof(Q8Grid)) {
      end = by_turns<R, kFour>(x, operands.ldx, bytes / kFour, end);
      end = by_turns<R, sizeof(Q8Grid)>(grids, operands.ldgrids * sizeof(Q8Grid), 1, end);
    }
    return reinterpret_cast<std::uint8_t*>(end);
  }

  // One panel at a time, so that weights are read in the order in which they lie in memory, which is fastest.
  static constexpr std::size_t slices_at_once(std::size_t) { return 1; }

  template <std::size_t R, std::size_t S>
  [[gnu::noinline]] static void tile(const Operands& operands, const std::uint8_t* x, std::size_t row,
                                     std::size_t panel, std::size_t from, std::size_t depth, const float* start,
                                     std::size_t ldstart, float* y, std::size_t ldy) {
    static_assert(S == 1);
    const std::size_t bytes = R * bytes_of(operands.digits);
    const std::int8_t* w = operands.w + panel * operands.stride + from * kBlock;
    const Q8Grid* lonely = operands.grids + row * operands.ldgrids + from;  // a single row is not gathered
    alignas(64) float sums[R * kPanel];                                     // side by side, unlike the rows of y
    for (std::size_t r = 0; r < R; ++r) std::memcpy(sums + r * kPanel, start + r * ldstart, kPanel * sizeof(float));

    for (std::size_t g = 0; g < depth; ++g, w += kBlock) {
      const std::int8_t* w_scales = w + kPanel * kQ8Group;
      const Q8Grid* grids = R == 1 ? lonely + g : reinterpret_cast<const Q8Grid*>(x + bytes);
      typename Isa::Ints totals[R][kVectors];
      Group::template product<R>(operands.digits, x, grids, w, w_scales + kPanel * sizeof(float), totals);
      x += R == 1 ? bytes : bytes + R * sizeof(Q8Grid);
#pragma GCC unroll 16
      for (std::size_t v = 0; v < kVectors; ++v) {
        const Floats scale = Group::template load<Floats>(w_scales + v * kWidth * sizeof(float));
#pragma GCC unroll 16
        for (std::size_t r = 0; r < R; ++r) {
          float* to = sums + r * kPanel + v * kWidth;
          const Floats share = __builtin_convertvector(totals[r][v], Floats) * (grids[r].scale * scale);
          Group::store(to, Group::template load<Floats>(to) + share);
        }
      }
    }
    for (std::size_t r = 0; r < R; ++r) std::memcpy(y + r * ldy, sums + r * kPanel, kPanel * sizeof(float));
  }

  static void matmul(const Q8RowsView& x, std::size_t first_row, std::size_t rows, const Q8View& w,
                     std::size_t first_panel, std::size_t end_panel, const float* bias, float* y, std::size_t ldy) {
    const std::size_t groups = (w.in + kQ8Group - 1) / kQ8Group, ldx = groups * bytes_of(x.digits);
    const Operands operands{x.data + first_row * ldx, x.grids + first_row * groups, ldx, groups, x.digits, w.data,
                            groups * kBlock};
    Tiled<MatmulQ8>::run({operands, w.out, bias, y, ldy}, rows, groups, first_panel, end_panel);
  }
};

template <class Isa>
constexpr Q8Kernels q8_of(std::string_view name) {
  return {name, MatmulQ8<Isa>::kPanel, Isa::kForm, MatmulQ8<Isa>::matmul, IntegerRoof<Isa>::kShapes};
}

}  // namespace helix::kernels
