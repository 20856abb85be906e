// How a product is cut into tiles, whatever its numbers are: blocks of rows and of inputs that stay in the caches, panels
// in small groups, rows in tiles of nearly the same height. The cuts leave every output's chain of additions as it is.
#pragma once

#include <cstddef>
#include <utility>

namespace helix::kernels {

/// `Kernel` gives
///   Operands                 what is multiplied
///   kRows, kPanel, kDepth    most rows of a tile, columns of a panel, most inputs of a call (in the kernel's own unit)
///   panels_at_once(rows)     panels of a tile so high; that or one
///   tile<R, P>(operands, row, panel, from, depth, start, ldstart, y, ldy)
///       y [R, P·kPanel] = start + the products of R rows and P panels over the inputs from .. from+depth-1; y may be start
template <class Kernel>
struct Tiled {
  using Operands = typename Kernel::Operands;
  static constexpr std::size_t kRows = Kernel::kRows, kPanel = Kernel::kPanel;
  // So many rows at once: their share of x stays in the second cache while all panels pass by.
  static constexpr std::size_t kBlockRows = 192;
  // So many panels share a tile's rows of x while those are in the first cache.
  static constexpr std::size_t kGroup = 4;

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

  using Tile = void (*)(const Operands&, std::size_t, std::size_t, std::size_t, std::size_t, const float*, std::size_t,
                        float*, std::size_t);
  template <std::size_t... R>
  static Tile tile_of(std::size_t rows, bool several, std::index_sequence<R...>) {
    static constexpr Tile one[] = {Kernel::template tile<R + 1, 1>...};
    static constexpr Tile more[] = {Kernel::template tile<R + 1, Kernel::panels_at_once(R + 1)>...};
    return several ? more[rows - 1] : one[rows - 1];
  }

  /// A tile of a panel that holds only `cols` columns of the matrix: y keeps what is beyond.
  static void edge(Tile tile, const Operands& operands, Span rows, std::size_t panel, Span inputs, std::size_t cols,
                   const float* start, std::size_t ldstart, float* y, std::size_t ldy) {
    float whole[kRows * kPanel] = {};
    for (std::size_t r = 0; r < rows.size; ++r)
      for (std::size_t j = 0; j < cols; ++j) whole[r * kPanel + j] = start[r * ldstart + j];
    tile(operands, rows.from, panel, inputs.from, inputs.size, whole, kPanel, whole, kPanel);
    for (std::size_t r = 0; r < rows.size; ++r)
      for (std::size_t j = 0; j < cols; ++j) y[r * ldy + j] = whole[r * kPanel + j];
  }

  /// A tile's rows for some panels.
  static void strip(const Product& p, Span rows, Span panels, Span inputs) {
    static constexpr float kNone[kGroup * kPanel] = {};
    const std::size_t several = Kernel::panels_at_once(rows.size);
    for (std::size_t panel = panels.from; panel < panels.end();) {
      const std::size_t j = panel * kPanel, cols = p.out - j;
      const std::size_t count = panel + several <= panels.end() && several * kPanel <= cols ? several : 1;
      const Tile tile = tile_of(rows.size, count > 1, std::make_index_sequence<kRows>());
      float* y = p.y + rows.from * p.ldy + j;
      const bool begins = inputs.from == 0;
      const float* start = !begins ? y : p.bias ? p.bias + j : kNone;
      const std::size_t ldstart = begins ? 0 : p.ldy;
      if (cols < kPanel)
        edge(tile, p.operands, rows, panel, inputs, cols, start, ldstart, y, p.ldy);
      else
        tile(p.operands, rows.from, panel, inputs.from, inputs.size, start, ldstart, y, p.ldy);
      panel += count;
    }
  }

  static void block(const Product& p, Span rows, std::size_t first_panel, std::size_t end_panel, Span inputs) {
    // 7 rows are 4 and 3, not 6 and a lonely one.
    const std::size_t tiles = (rows.size + kRows - 1) / kRows;
    for (std::size_t panel = first_panel; panel < end_panel; panel += kGroup) {
      const Span panels{panel, panel + kGroup < end_panel ? kGroup : end_panel - panel};
      for (std::size_t t = 0; t < tiles; ++t) {
        const std::size_t r = t * rows.size / tiles;
        strip(p, {rows.from + r, (t + 1) * rows.size / tiles - r}, panels, inputs);
      }
    }
  }

  static void run(const Product& p, std::size_t rows, std::size_t in, std::size_t first_panel, std::size_t end_panel) {
    for (std::size_t r = 0; r < rows; r += kBlockRows) {
      const std::size_t height = rows - r < kBlockRows ? rows - r : kBlockRows;
      // One or two rows have nothing to keep in a cache, and read a panel from end to end.
      const std::size_t most = height <= 2 ? in : Kernel::kDepth;
      std::size_t from = 0;
      do {  // once also without inputs: y is the bias then
        const std::size_t depth = in - from < most ? in - from : most;
        block(p, {r, height}, first_panel, end_panel, {from, depth});
        from += depth;
      } while (from < in);
    }
  }
};

}  // namespace helix::kernels
