// The nearest of some fifty million sums, exactly, without forming them all.
#pragma once

#include <memory>
#include <vector>

#include "base/expected.h"
#include "base/matrix.h"
#include "base/task.h"
#include "geometry/singular.h"

namespace helix::studies::collisions {

/// One sum e(t') + p(i') and how far it is from e(t) + p(i).
struct Near {
  std::size_t token = 0, position = 0;
  double distance = 0, token_distance = 0, position_distance = 0;
};

struct Found {
  std::vector<Near> nearest;  // nearest first
  Near same_position;         // the nearest other token at the same position
  double same_token = 0;      // distance of the nearest other position
  double typical = 0;         // root mean square over all pairs that differ in both token and position
  double compared = 0;        // share of the tokens that were compared at every position
};

struct Asked {
  std::size_t token = 0, position = 0, count = 1;
};

/// `tokens` [n, d] are read in blocks; `positions` [m, d]; n and m at least 2. With Δe and Δp the differences from the asked
/// token and position, ‖Δe + Δp‖² = ‖Δe‖² + 2 Δe·Δp + ‖Δp‖². Tokens are taken in the order of a lower bound: with Π the
/// projection on the main directions of the positions, no sum of a token is nearer than ‖(1−Π)Δe‖ − max ‖(1−Π)Δp‖. Once the
/// bound exceeds the farthest of the nearest found, no other token needs comparing. An error is a read error.
Task<Expected<Found>> search(std::shared_ptr<const geometry::RowBlocks> tokens,
                             std::shared_ptr<const Matrix<double>> positions, Asked asked);

}  // namespace helix::studies::collisions
