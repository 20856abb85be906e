// The matrix product, written once over a machine's vectors and compiled for each machine. `Isa` gives
//   kWidth, kRows          floats of a vector; most rows of a tile
//   Floats, Bits           vectors of kWidth floats, of as many unsigned
//   multiply_add(a, b, c)  a·b + c
// Everything here is a template on it, the smallest helper too, and nothing of the standard library is called: a function
// compiled for one machine must never be the one the linker keeps for all.
#pragma once

#include <cstddef>
#include <cstring>
#include <type_traits>
#include <utility>

#include "kernels/packed.h"

namespace helix::kernels {

template <class Isa>
struct Matmul {
  using Floats = typename Isa::Floats;

  static constexpr std::size_t kWidth = Isa::kWidth, kRows = Isa::kRows;
  static constexpr std::size_t kPanel = 2 * kWidth;
  // So many inputs at once: a panel's share stays in the first cache while all rows pass by, and a tile is a call short
  // enough for an engine that compiles hot functions anew. Its sums wait in y meanwhile, unrounded, which leaves the
  // chain of additions as it was. One or two rows have nothing to keep, and read a panel from end to end.
  static constexpr std::size_t kDepth = 384;
  // So many rows at once: their share of x stays in the second cache while all panels pass by.
  static constexpr std::size_t kBlockRows = 192;

  [[gnu::always_inline]] static inline Floats load(const float* from) {
    Floats v;
    std::memcpy(&v, from, sizeof v);
    return v;
  }
  [[gnu::always_inline]] static inline void store(float* to, Floats v) { std::memcpy(to, &v, sizeof v); }
  // x − 0 is x, also for −0; x + 0 would not be.
  [[gnu::always_inline]] static inline Floats splat(float x) { return x - Floats{}; }

  /// y [R, P·kPanel] = start + x [R, depth]·(P panels). y may be start.
  template <std::size_t R, std::size_t P>
  [[gnu::noinline]] static void tile(const float* x, std::size_t ldx, const float* w, std::size_t stride,
                                     std::size_t depth, const float* start, std::size_t ldstart, float* y,
                                     std::size_t ldy) {
    Floats sum[R][2 * P];
#pragma GCC unroll 16
    for (std::size_t r = 0; r < R; ++r)
#pragma GCC unroll 16
      for (std::size_t v = 0; v < 2 * P; ++v) sum[r][v] = load(start + r * ldstart + v * kWidth);

    const auto step = [&](std::size_t i) __attribute__((always_inline)) {
      Floats b[2 * P];
#pragma GCC unroll 16
      for (std::size_t v = 0; v < 2 * P; ++v) b[v] = load(w + (v / 2) * stride + i * kPanel + (v % 2) * kWidth);
#pragma GCC unroll 16
      for (std::size_t r = 0; r < R; ++r) {
        const Floats a = splat(x[r * ldx + i]);
#pragma GCC unroll 16
        for (std::size_t v = 0; v < 2 * P; ++v) sum[r][v] = Isa::multiply_add(a, b[v], sum[r][v]);
      }
    };
    for (std::size_t i = 0; i < depth; ++i) step(i);

#pragma GCC unroll 16
    for (std::size_t r = 0; r < R; ++r)
#pragma GCC unroll 16
      for (std::size_t v = 0; v < 2 * P; ++v) store(y + r * ldy + v * kWidth, sum[r][v]);
  }
  using Tile = void (*)(const float*, std::size_t, const float*, std::size_t, std::size_t, const float*, std::size_t,
                        float*, std::size_t);

  // So many panels share a tile's rows of x while those are in the first cache.
  static constexpr std::size_t kGroup = 4;
  // One or two rows take several panels in one tile: a sum waits for the one before it, so eight must be under way.
  static constexpr std::size_t panels_at_once(std::size_t rows) { return rows == 1 ? 4 : rows == 2 ? 2 : 1; }

  template <std::size_t... R>
  static Tile tile_of(std::size_t rows, bool several, std::index_sequence<R...>) {
    static constexpr Tile one[] = {tile<R + 1, 1>...};
    static constexpr Tile more[] = {tile<R + 1, panels_at_once(R + 1)>...};
    return several ? more[rows - 1] : one[rows - 1];
  }

  /// The same for a panel that holds only `cols` columns of the matrix: y keeps what is beyond.
  static void edge(Tile tile, const float* x, std::size_t ldx, std::size_t rows, const float* w, std::size_t depth,
                   std::size_t cols, const float* start, std::size_t ldstart, float* y, std::size_t ldy) {
    float whole[kRows * kPanel] = {};
    for (std::size_t r = 0; r < rows; ++r)
      for (std::size_t j = 0; j < cols; ++j) whole[r * kPanel + j] = start[r * ldstart + j];
    tile(x, ldx, w, 0, depth, whole, kPanel, whole, kPanel);
    for (std::size_t r = 0; r < rows; ++r)
      for (std::size_t j = 0; j < cols; ++j) y[r * ldy + j] = whole[r * kPanel + j];
  }

  /// Rows of x and y, and the inputs from .. from+depth-1.
  struct Block {
    const float* x;
    std::size_t ldx, rows, from, depth;
    const PackedView& w;
    const float* bias;
    float* y;
    std::size_t ldy;
  };

  /// The rows r .. r+rows-1 of a block, a tile's, for the panels p .. end-1.
  static void strip(const Block& b, std::size_t r, std::size_t rows, std::size_t p, std::size_t end) {
    static constexpr float kNone[4 * kPanel] = {};
    const float* x = b.x + r * b.ldx + b.from;
    float* y = b.y + r * b.ldy;
    const std::size_t several = panels_at_once(rows);
    while (p < end) {
      const std::size_t j = p * kPanel, cols = b.w.out - j;
      const std::size_t count = p + several <= end && several * kPanel <= cols ? several : 1;
      const Tile multiply = tile_of(rows, count > 1, std::make_index_sequence<kRows>());
      const float* w = b.w.data + p * b.w.stride + b.from * kPanel;
      const float* start = b.from != 0 ? y + j : b.bias ? b.bias + j : kNone;
      const std::size_t ldstart = b.from != 0 ? b.ldy : 0;
      if (cols < kPanel)
        edge(multiply, x, b.ldx, rows, w, b.depth, cols, start, ldstart, y + j, b.ldy);
      else
        multiply(x, b.ldx, w, b.w.stride, b.depth, start, ldstart, y + j, b.ldy);
      p += count;
    }
  }

  static void block(const Block& b, std::size_t first_panel, std::size_t end_panel) {
    // Tiles of nearly the same height: 7 rows are 4 and 3, not 6 and a lonely one.
    const std::size_t tiles = (b.rows + kRows - 1) / kRows;
    for (std::size_t p = first_panel; p < end_panel; p += kGroup) {
      const std::size_t end = p + kGroup < end_panel ? p + kGroup : end_panel;
      for (std::size_t t = 0; t < tiles; ++t) {
        const std::size_t r = t * b.rows / tiles;
        strip(b, r, (t + 1) * b.rows / tiles - r, p, end);
      }
    }
  }

  static void matmul(const float* x, std::size_t ldx, std::size_t rows, const PackedView& w, std::size_t first_panel,
                     std::size_t end_panel, const float* bias, float* y, std::size_t ldy) {
    for (std::size_t r = 0; r < rows; r += kBlockRows) {
      const std::size_t height = rows - r < kBlockRows ? rows - r : kBlockRows;
      const std::size_t most = height <= 2 ? w.in : kDepth;
      std::size_t from = 0;
      do {  // once also without inputs: y is the bias then
        const std::size_t depth = w.in - from < most ? w.in - from : most;
        block({x + r * ldx, ldx, height, from, depth, w, bias, y + r * ldy, ldy}, first_panel, end_panel);
        from += depth;
      } while (from < w.in);
    }
  }
};

}  // namespace helix::kernels
