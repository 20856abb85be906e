#include "figure/shades.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace helix::figure {
namespace {

constexpr std::size_t kCoarsest = 8;  // cells per side: no coarser level is needed
constexpr int kMiddle = 128;

/// Whether `a` is more prominent than `b`.
bool more(std::uint8_t a, std::uint8_t b, bool diverging) {
  if (a == 0 || b == 0) return b == 0 && a != 0;
  return diverging ? std::abs(a - kMiddle) > std::abs(b - kMiddle) : a > b;
}

Shades halved(const Shades& from, bool diverging) {
  Shades to;
  to.rows = (from.rows + 1) / 2, to.cols = (from.cols + 1) / 2;
  to.down = from.down, to.across = from.across, to.pooled = 2 * from.pooled;
  to.data.assign(to.height() * to.width(), 0);
  for (std::size_t i = 0; i < from.height(); ++i) {
    const std::size_t row = i / from.rows * to.rows + i % from.rows / 2;
    for (std::size_t tile = 0; tile < from.across; ++tile)
      for (std::size_t j = 0; j < from.cols; ++j) {
        const std::uint8_t s = from(i, tile * from.cols + j);
        std::uint8_t& into = to.data[row * to.width() + tile * to.cols + j / 2];
        if (more(s, into, diverging)) into = s;
      }
  }
  return to;
}

}  // namespace

std::uint8_t shade(double value, const ShadeScale& scale) {
  if (std::isnan(value) || (std::isinf(value) && value < 0)) return 0;
  const double span = scale.high - scale.low;
  const double t = span > 0 ? std::clamp((value - scale.low) / span, 0.0, 1.0) : 0.5;
  return static_cast<std::uint8_t>(1.5 + t * 254);
}

Pyramid pyramid_of_tiles(std::span<const double> values, std::size_t down, std::size_t across, std::size_t rows,
                         std::size_t cols, const ShadeScale& scale) {
  Shades finest;
  if (rows && cols && down && across && values.size() >= rows * cols * down * across) {
    finest.rows = rows, finest.cols = cols, finest.down = down, finest.across = across;
    finest.data.resize(finest.height() * finest.width());
    const double* from = values.data();
    for (std::size_t l = 0; l < down; ++l)
      for (std::size_t h = 0; h < across; ++h)
        for (std::size_t i = 0; i < rows; ++i)
          for (std::size_t j = 0; j < cols; ++j)
            finest.data[(l * rows + i) * finest.width() + h * cols + j] = shade(*from++, scale);
  }
  Pyramid levels{std::make_shared<const Shades>(std::move(finest))};
  while (std::max(levels.back()->rows, levels.back()->cols) > kCoarsest)
    levels.push_back(std::make_shared<const Shades>(halved(*levels.back(), scale.diverging)));
  return levels;
}

Pyramid pyramid_of(std::span<const double> values, std::size_t rows, std::size_t cols, const ShadeScale& scale) {
  return pyramid_of_tiles(values, 1, 1, rows, cols, scale);
}

const std::shared_ptr<const Shades>& finest_for(const Pyramid& pyramid, double cells, double pixels) {
  std::size_t level = 0;
  while (level + 1 < pyramid.size() && cells / static_cast<double>(pyramid[level]->pooled) > 1.1 * pixels) ++level;
  return pyramid[level];
}

ShadeScale scale_of(std::span<const double> values, bool diverging) {
  double low = 0, high = 0;
  for (const double v : values)
    if (std::isfinite(v)) low = std::min(low, v), high = std::max(high, v);
  if (diverging) high = std::max(high, -low), low = -high;
  if (!(high > low))
    low = diverging ? -1 : low, high = low + (diverging ? 2 : 1);  // nothing but zeros: zero in the middle
  return {low, high, diverging};
}

}  // namespace helix::figure
