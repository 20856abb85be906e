// How a product is cut into tiles, whatever its numbers are: blocks of rows and of inputs that stay in the caches,
// columns in slices, a few slices in a group, rows in tiles of nearly the same height. The cuts leave every output's
// chain of additions as it is.
#pragma once

#include <cstddef>
#include <utility>

namespace helix::kernels {

/// Weights that are needed soon: before each tile, one byte of some of their cache lines is read. Otherwise a slice's
/// first tile would wait for memory, and memory would be idle during the others. Several streams are read side by side,
/// because the first lines of each page are slow to arrive.
struct Ahead {
  const char* at = nullptr;
  std::size_t lines = 0;  // of each stream
  std::size_t streams = 0, apart = 0;
  std::size_t at_once = 0;  // lines of each stream before a tile
  static constexpr std::size_t kLine = 64;

  /// Spreads the lines over this many tiles.
  void share(std::size_t turns) { at_once = (lines + turns - 1) / turns; }
  [[gnu::always_inline]] inline void touch() {
    if (lines < at_once) at_once = lines;
    for (std::size_t s = 0; s < streams; ++s)
      for (std::size_t i = 0; i < at_once; ++i) {
        const char* line = at + s * apart + i * kLine;
#if defined(__wasm__)
        static_cast<void>(*static_cast<const volatile char*>(line));
#else
        __builtin_prefetch(line);
#endif
      }
    at += at_once * kLine, lines -= at_once;
  }
};

/// Interleaves the words of R rows: the first of each, then the second of each. `apart` and Word count bytes; returns
/// the end.
template <std::size_t R, std::size_t Word>
[[gnu::always_inline]] inline char* by_turns(const char* rows, std::size_t apart, std::size_t words, char* to) {
  for (std::size_t i = 0; i < words; ++i, rows += Word, to += R * Word)
#pragma GCC unroll 16
    for (std::size_t r = 0; r < R; ++r) __builtin_memcpy(to + r * Word, rows + r * apart, Word);
  return to;
}

/// `Kernel` gives
///   Operands, X              what is multiplied; what its rows are made of
///   kRows, kSlice, kDepth    most rows and columns of a tile, most inputs of a call (in the kernel's own unit)
///   kSize                    most X of an input of a row
///   kGroup                   slices that share a tile's rows of x while those are in the first cache
///   slices_at_once(rows)     slices of a tile so high; that or one
///   row(operands, row, from) a row's inputs from `from` on
///   gather<R>(operands, row, from, depth, to)
///       R rows side by side, in the order in which a tile reads them: one stream, whatever lies between the rows;
///       returns the end
///   weights(operands, slice, slices, from, depth)
///       where a group's weights for the inputs from .. from+depth-1 lie
///   tile<R, S>(operands, x, row, slice, from, depth, start, ldstart, y, ldy)
///       y [R, S·kSlice] = start + the products of R rows and S slices over the inputs from .. from+depth-1; x is one
///       row, or what was gathered of several; y may be start
template <class Kernel>
struct Tiled {
  using Operands = typename Kernel::Operands;
  using X = typename Kernel::X;
  static constexpr std::size_t kRows = Kernel::kRows, kSlice = Kernel::kSlice, kGroup = Kernel::kGroup;
  // Rows gathered at once: the more, the less often weights are read from memory; half a megabyte fits on the stack.
  static constexpr std::size_t kBlockRows = 256;

  struct Product {
    const Operands& operands;
    std::size_t out;
    const float* bias;
    float* y;
    std::size_t ldy;
  };
  struct Span {
    std::size_t from, size;
    std::size_t end() const { return from + size; }
  };

  using Tile = void (*)(const Operands&, const X*, std::size_t, std::size_t, std::size_t, std::size_t, const float*,
                        std::size_t, float*, std::size_t);
  template <std::size_t... R>
  static Tile tile_of(std::size_t rows, bool several, std::index_sequence<R...>) {
    static constexpr Tile one[] = {Kernel::template tile<R + 1, 1>...};
    static constexpr Tile more[] = {Kernel::template tile<R + 1, Kernel::slices_at_once(R + 1)>...};
    return several ? more[rows - 1] : one[rows - 1];
  }

  using Gather = X* (*)(const Operands&, std::size_t, std::size_t, std::size_t, X*);
  template <std::size_t... R>
  static Gather gather_of(std::size_t rows, std::index_sequence<R...>) {
    static constexpr Gather all[] = {Kernel::template gather<R + 1>...};
    return all[rows - 1];
  }

  /// A tile of a slice that holds only `cols` columns of the matrix: y beyond them is unchanged.
  static void edge(Tile tile, const Operands& operands, const X* x, Span rows, std::size_t slice, Span inputs,
                   std::size_t cols, const float* start, std::size_t ldstart, float* y, std::size_t ldy) {
    float whole[kRows * kSlice] = {};
    for (std::size_t r = 0; r < rows.size; ++r)
      for (std::size_t j = 0; j < cols; ++j) whole[r * kSlice + j] = start[r * ldstart + j];
    tile(operands, x, rows.from, slice, inputs.from, inputs.size, whole, kSlice, whole, kSlice);
    for (std::size_t r = 0; r < rows.size; ++r)
      for (std::size_t j = 0; j < cols; ++j) y[r * ldy + j] = whole[r * kSlice + j];
  }

  /// A tile's rows for some slices.
  static void strip(const Product& p, const X* x, Span rows, Span slices, Span inputs, Ahead& ahead) {
    static constexpr float kNone[kGroup * kSlice] = {};
    const std::size_t several = Kernel::slices_at_once(rows.size);
    for (std::size_t slice = slices.from; slice < slices.end();) {
      const std::size_t j = slice * kSlice, cols = p.out - j;
      const std::size_t count = slice + several <= slices.end() && several * kSlice <= cols ? several : 1;
      const Tile tile = tile_of(rows.size, count > 1, std::make_index_sequence<kRows>());
      float* y = p.y + rows.from * p.ldy + j;
      const bool begins = inputs.from == 0;
      const float* start = !begins ? y : p.bias ? p.bias + j : kNone;
      const std::size_t ldstart = begins ? 0 : p.ldy;
      ahead.touch();
      if (cols < kSlice)
        edge(tile, p.operands, x, rows, slice, inputs, cols, start, ldstart, y, p.ldy);
      else
        tile(p.operands, x, rows.from, slice, inputs.from, inputs.size, start, ldstart, y, p.ldy);
      slice += count;
    }
  }

  static Span tile_rows(Span rows, std::size_t t, std::size_t tiles) {
    const std::size_t r = t * rows.size / tiles;
    return {rows.from + r, (t + 1) * rows.size / tiles - r};
  }

  /// `x` gives a tile's rows.
  template <class F>
  static void block(const Product& p, Span rows, std::size_t tiles, std::size_t first_slice, std::size_t end_slice,
                    Span inputs, F x) {
    for (std::size_t slice = first_slice; slice < end_slice; slice += kGroup) {
      const Span slices{slice, slice + kGroup < end_slice ? kGroup : end_slice - slice};
      const std::size_t left = end_slice - slices.end(), next = rows.size == 1 ? 0 : left < kGroup ? left : kGroup;
      Ahead ahead = next ? Kernel::weights(p.operands, slices.end(), next, inputs.from, inputs.size) : Ahead{};
      ahead.share(tiles * slices.size);
      for (std::size_t t = 0; t < tiles; ++t) {
        const Span tile = tile_rows(rows, t, tiles);
        strip(p, x(tile), tile, slices, inputs, ahead);
      }
    }
  }

  [[gnu::noinline]] static void gathered(const Product& p, Span rows, std::size_t first_slice, std::size_t end_slice,
                                         Span inputs) {
    // 7 rows become 4 and 3, not 6 and 1.
    const std::size_t tiles = (rows.size + kRows - 1) / kRows;
    alignas(64) X room[kBlockRows * Kernel::kDepth * Kernel::kSize];
    X* end = room;
    for (std::size_t t = 0; t < tiles; ++t) {
      const Span tile = tile_rows(rows, t, tiles);
      const Gather gather = gather_of(tile.size, std::make_index_sequence<kRows>());
      end = gather(p.operands, tile.from, inputs.from, inputs.size, end);
    }
    const std::size_t row = static_cast<std::size_t>(end - room) / rows.size;
    block(p, rows, tiles, first_slice, end_slice, inputs,
          [&](Span tile) { return room + (tile.from - rows.from) * row; });
  }

  static void run(const Product& p, std::size_t rows, std::size_t in, std::size_t first_slice, std::size_t end_slice) {
    const std::size_t blocks = (rows + kBlockRows - 1) / kBlockRows;
    for (std::size_t b = 0; b < blocks; ++b) {
      const std::size_t r = b * rows / blocks, height = (b + 1) * rows / blocks - r;
      // A single row has nothing to keep in a cache: it reads a group from start to end.
      const std::size_t most = height == 1 ? in : Kernel::kDepth;
      std::size_t from = 0;
      do {  // runs once even without inputs: y is then the bias
        const std::size_t depth = in - from < most ? in - from : most;
        const Span rows_here{r, height}, inputs{from, depth};
        if (height == 1)
          block(p, rows_here, 1, first_slice, end_slice, inputs,
                [&](Span) { return Kernel::row(p.operands, r, from); });
        else
          gathered(p, rows_here, first_slice, end_slice, inputs);
        from += depth;
      } while (from < in);
    }
  }
};

}  // namespace helix::kernels
