// A matrix as shades: one byte per cell, as used by textures and PNGs; and pooled versions for small sizes, so that
// a bright cell does not disappear between two pixels.
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
  std::size_t pooled = 1;          // cells of the matrix pooled into one, in each direction
  std::vector<std::uint8_t> data;  // 0: nothing to show; 1..255: from the low to the high end of the scale

  std::size_t height() const { return rows * down; }
  std::size_t width() const { return cols * across; }
  std::uint8_t operator()(std::size_t i, std::size_t j) const { return data[i * width() + j]; }
};

/// The range that the shades cover. Diverging: zero has the middle shade, whatever the ends.
struct ShadeScale {
  double low = 0, high = 1;
  bool diverging = false;
};

/// 0 for NaN and minus infinity, else 1..255.
std::uint8_t shade(double value, const ShadeScale& scale);

/// Finest first; each level keeps the most prominent of every four cells. Never empty; without cells for no data.
using Pyramid = std::vector<std::shared_ptr<const Shades>>;

/// `values`: rows x cols. Too few values: no cells.
Pyramid pyramid_of(std::span<const double> values, std::size_t rows, std::size_t cols, const ShadeScale& scale);
/// `values`: [down, across, rows, cols].
Pyramid pyramid_of_tiles(std::span<const double> values, std::size_t down, std::size_t across, std::size_t rows,
                         std::size_t cols, const ShadeScale& scale);

/// The finest level with no more than about one cell per pixel.
const std::shared_ptr<const Shades>& finest_for(const Pyramid& pyramid, double cells, double pixels);

/// The scale that covers all numbers of a matrix: from 0 if none is negative, symmetric about 0 when `diverging`.
ShadeScale scale_of(std::span<const double> values, bool diverging);

}  // namespace helix::figure
