// The mean cosine by the distance of two rows, of a table and of random walks with its steps.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "base/expected.h"
#include "base/matrix.h"
#include "base/task.h"

namespace helix::studies::position_cosine {

/// Subtracts the mean row if requested, and scales each row to length 1. A row of which nothing is left has no direction:
/// it becomes NaN, and so do its cosines. Returns how many there are.
std::size_t make_directions(Matrix<double>& rows, bool centre);

/// The lag at which a profile, after falling to a minimum, reaches its next maximum (0: none).
struct Period {
  std::size_t lag = 0, trough = 0;  // the lag of the minimum before it
  bool known = false;               // there are enough lags to tell
};

/// Of a profile with a value for every `step` lags, from lag 0 on. It is smoothed over 21 lags, so that no single lag
/// decides; the last tenth has few pairs and is left out.
Period period_of(const std::vector<double>& profile, std::size_t step);

/// kNullSeeds random walks with a table's steps.
struct WalkProfiles {
  std::size_t step = 1;             // lags from one entry of a profile to the next, the first of lag 0
  std::vector<double> adjacent;     // [seed] mean cosine of neighbours
  std::vector<double> least, most;  // [entry] over the walks
  std::size_t rising = 0;           // walks whose mean cosine rises to a maximum again

  std::size_t bytes() const { return (adjacent.size() + least.size() + most.size()) * sizeof(double); }
};

Task<Expected<WalkProfiles>> walk_profiles(std::shared_ptr<const Matrix<double>> rows, bool centre);

}  // namespace helix::studies::position_cosine
