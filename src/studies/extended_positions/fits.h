// Three-dimensional subspaces of two matrices, the canonical angles between them, and what random ones have.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "base/matrix.h"
#include "base/task.h"
#include "geometry/pca.h"
#include "studies/extended_positions/extended_positions.h"

namespace helix::studies::extended_positions {

using Rows = std::shared_ptr<const Matrix<double>>;
using Angles =
    std::array<double, kAxes>;  // degrees, smallest first; NaN where a matrix has fewer than three directions

/// The leading components of a matrix, and how far each row is along them, as unit vectors over the rows.
struct Fit {
  geometry::Pca pca;
  Matrix<double> profiles;  // [3, row]; without rows where there are no three directions beside rounding

  const Matrix<double>& basis(Side side) const { return side == Side::left ? profiles : pca.directions; }
  std::size_t bytes() const { return (pca.directions.data.size() + pca.mean.size() + profiles.data.size()) * 8; }
};
Task<Fit> fit_of(Rows rows, bool centre);

/// The canonical angles of what the three directions, or the three profiles, span.
Task<Angles> angles_between(const Fit* a, const Fit* b, Side side);

/// Over the seeds: two random subspaces of three dimensions in a space of this many; [seed, 3].
Task<std::vector<double>> random_angles(std::size_t dimension);

/// Random walks with the steps of these rows, less their mean as extended positions are, measured as they are.
struct Walks {
  std::array<std::vector<double>, 2> angles;  // by side: [seed, 3]
  std::vector<double> explained_first3, turns, along, effective;
  std::size_t bytes() const { return (angles[0].size() + angles[1].size() + 4 * turns.size()) * 8; }
};
Task<Expected<Walks>> walks_beside(Rows rows, bool centre, const Fit* positions);

/// Rows less their mean.
Rows less_mean(const Matrix<double>& rows);

/// (Σ v)² / Σ v² of the dimensions' mean squares v: as many dimensions as would hold the rows evenly, at any scale.
double effective_dimensions(const Matrix<double>& rows);

}  // namespace helix::studies::extended_positions
