// The result as the view reads it: names and numbers of each pair of matrices.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>

#include "base/text.h"
#include "studies/subspace_overlap/subspace_overlap.h"

namespace helix::studies::subspace_overlap {

using protocol::Grid;
using protocol::Texts;

/// The result.
struct Scene {
  Output out;
  Params params;
  bool difference = false, complete = true;
  std::size_t rows = 0, cols = 0;  // matrices; 0 without a result
  std::size_t cells = 0, pool = 1;

  bool empty() const { return rows == 0; }
  bool single() const { return rows * cols == 1; }
  double chance() const { return out.chance.value; }
};

inline bool is_whole(const Grid& grid, std::size_t axes) {
  if (grid.shape.size() != axes) return false;
  std::size_t size = 1;
  for (const std::size_t extent : grid.shape) size *= extent;
  return size > 0 && grid.data.size() == size;
}

inline Scene read(const protocol::Result& result) {
  Scene s{protocol::read_outputs<Output>(result),
          read_params<Params>(result.params.empty() ? defaults(describe()) : result.params), result.difference,
          result.complete};
  const auto& shape = s.out.panels.shape;
  const double pool = s.out.pooled.value;
  if (!is_whole(s.out.panels, 4) || shape[2] != shape[3] || !is_whole(s.out.overlap, 2)) return s;
  if (s.out.names_a.size() != shape[0] || s.out.names_b.size() != shape[1]) return s;
  if (s.out.ids_a.size() != shape[0] || s.out.ids_b.size() != shape[1]) return s;
  s.rows = shape[0], s.cols = shape[1], s.cells = shape[2];
  const std::size_t longest = std::max(s.out.overlap.rows(), s.out.overlap.cols());
  s.pool = std::isfinite(pool) && pool >= 1 && pool < 1e4 ? static_cast<std::size_t>(pool)
                                                          : std::max<std::size_t>((longest + s.cells - 1) / s.cells, 1);
  return s;
}

/// "W_Q" of "W_Q of layer 0, ln_1 gain folded in".
inline std::string short_name(const std::string& name) {
  return name.substr(0, std::min(name.find(" of "), name.find(',')));
}

/// "W_Q, W_K and W_V".
inline std::string listed(const Texts& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i)
    text += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + short_name(names[i]);
  return text;
}

inline std::string pair_name(const Scene& s, std::size_t i, std::size_t j) {
  return short_name(s.out.names_a[i]) + " × " + short_name(s.out.names_b[j]);
}

inline std::string overlap_text(double value) { return number_text(value, 4); }

inline std::string against_chance(const Scene& s, double value) {
  return !(s.chance() > 0) ? std::string() : number_text(value / s.chance(), 1) + " × chance";
}

/// The number of directions of a matrix.
inline std::size_t directions(const Scene& s, const Grid& counts, std::size_t matrix) {
  const double n = matrix < counts.data.size() ? counts.data[matrix] : std::nan("");
  const std::size_t most = s.cells * s.pool;
  return std::isfinite(n) && n >= 1 && n <= static_cast<double>(most) ? static_cast<std::size_t>(n) : most;
}

struct Extent {
  std::size_t rows = 0, cols = 0;  // directions
};
inline Extent extent_of(const Scene& s, std::size_t i, std::size_t j) {
  if (s.single()) return {s.out.overlap.rows(), s.out.overlap.cols()};
  return {directions(s, s.out.directions_a, i), directions(s, s.out.directions_b, j)};
}

inline double of_pair(const Scene& s, const Grid& grid, std::size_t i, std::size_t j) {
  const std::size_t at = i * s.cols + j;
  return at < grid.data.size() ? grid.data[at] : std::nan("");
}

inline double held_chance(const Scene& s, std::size_t i, std::size_t j) {
  const Extent e = extent_of(s, i, j);
  return static_cast<double>(std::min(static_cast<std::size_t>(s.params.count_a), e.rows) *
                             std::min(static_cast<std::size_t>(s.params.count_b), e.cols)) *
         s.chance();
}

/// The number for two directions, counted from 1; in a grid the mean of their cell.
inline double value_at(const Scene& s, std::size_t i, std::size_t j, int a, int b) {
  const Extent e = extent_of(s, i, j);
  if (a < 1 || b < 1 || static_cast<std::size_t>(a) > e.rows || static_cast<std::size_t>(b) > e.cols)
    return std::nan("");
  const auto row = static_cast<std::size_t>(a - 1), col = static_cast<std::size_t>(b - 1);
  if (s.single()) return s.out.overlap(row, col);
  return s.out.panels.data[((i * s.cols + j) * s.cells + row / s.pool) * s.cells + col / s.pool];
}

inline constexpr std::size_t kFirst = 30;  // directions of one matrix in which those of the other are sought

/// The share of each direction of one matrix that lies in the other's first.
inline std::vector<double> shares_inside(const Grid& m, bool of_rows) {
  const std::size_t n = of_rows ? m.rows() : m.cols(), first = std::min(kFirst, of_rows ? m.cols() : m.rows());
  std::vector<double> shares(n, 0);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < first; ++j) shares[i] += of_rows ? m(i, j) : m(j, i);
  return shares;
}

}  // namespace helix::studies::subspace_overlap
