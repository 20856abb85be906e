// What a smooth curve gives that learned nothing: random walks with a table's own steps, measured like the table. A walk in
// many dimensions has cosines as its components, 61, 15 and 7 % of its variance in the first three (Antognini and
// Sohl-Dickstein, "PCA of high dimensional random walks", 2018), so shuffled columns are no chance level for a curve.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/expected.h"
#include "base/matrix.h"
#include "base/task.h"
#include "geometry/pca.h"

namespace helix::studies {

/// Walk number `seed` from the first row of a table on: control:walk:SEED of it, in double.
Matrix<double> walk_like(const Matrix<double>& rows, std::uint32_t seed);

/// The k leading components of a walk; they are near cosines of the position, which is where the search starts.
Task<geometry::Pca> walk_components(std::shared_ptr<const Matrix<double>> walk, bool centre, std::size_t k);

/// Walks that are measured as the study of one curve measures its rows; one number for each seed.
struct WalkNumbers {
  std::vector<double> explained_first3, turns, along;  // along: |r| of the third component with the row

  std::size_t bytes() const { return 3 * turns.size() * sizeof(double); }
};

/// What the walks depend on, as a hash: equal steps in as many dimensions give equal walks, whatever their table.
std::string walk_key(const Matrix<double>& rows, bool centre, std::size_t a, std::size_t b);

/// kNullSeeds walks. `plane`: components a and b, counted from 0.
Task<Expected<WalkNumbers>> walk_numbers(std::shared_ptr<const Matrix<double>> rows, bool centre, std::size_t a,
                                         std::size_t b);

/// The number of components a table has: where its singular values fall to less than a hundredth from one to the next,
/// within the first half, the rest is rounding. All of them where they do not fall so. `values`: largest first.
std::size_t rank_of(const std::vector<double>& values);

}  // namespace helix::studies
