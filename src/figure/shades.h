// A matrix as shades: one byte a cell, what a texture and a PNG are made of; and the same pooled, for small sizes, so that
// no bright cell is lost between two pixels.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace helix::figure {

/// Tiles of equal size, `down` x `across` of them, each `rows` x `cols` cells; a plain matrix is one tile. Row-major over
/// the whole: (tile row, row, tile column, column).
struct Shades {
  std::size_t rows = 0, cols = 0, down = 1, across = 1;
  std::size_t pooled = 1;          // cells of the matrix that became one, each way
  std::vector<std::uint8_t> data;  // 0: nothing to show; 1..255: from the low to the high end of the scale

  std::size_t height() const { return rows * down; }
  std::size_t width() const { return cols * across; }
  std::uint8_t operator()(std::size_t i, std::size_t j) const { return data[i * width() + j]; }
};

/// What the shades stand for. Diverging: zero has the middle shade, whatever the ends.
struct ShadeScale {
  double low = 0, high = 1;
  bool diverging = false;
};

/// 0 for what is no number or minus infinity, else 1..255.
std::uint8_t shade(double value, const ShadeScale& scale);

/// Finest first; each next one half as fine, a cell being the most prominent of four. Never empty; of no cells for none.
using Pyramid = std::vector<std::shared_ptr<const Shades>>;

/// `values`: rows x cols. Too few of them: no cells.
Pyramid pyramid_of(std::span<const double> values, std::size_t rows, std::size_t cols, const ShadeScale& scale);
/// `values`: [down, across, rows, cols].
Pyramid pyramid_of_tiles(std::span<const double> values, std::size_t down, std::size_t across, std::size_t rows,
                         std::size_t cols, const ShadeScale& scale);

/// The finest of which no more than about one cell falls on a pixel.
const std::shared_ptr<const Shades>& finest_for(const Pyramid& pyramid, double cells, double pixels);

/// The scale that holds all numbers of a matrix: from 0 where nothing is negative, evenly about 0 when `diverging`.
ShadeScale scale_of(std::span<const double> values, bool diverging);

}  // namespace helix::figure
