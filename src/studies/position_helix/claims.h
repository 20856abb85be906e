// The sentences of the source texts that these numbers bear on, each judged with its convention.
#pragma once

#include <string>
#include <vector>

#include "base/matrix.h"
#include "studies/position_helix/position_helix.h"

namespace helix::studies::position_helix {

/// What the claims need to know of the rows as they are stored.
struct ClaimContext {
  std::size_t rows = 0;
  std::vector<double> norms;  // [position] of the learned rows; empty for the sinusoidal ones
};

ClaimContext claim_context(MatrixView<const double> rows, bool learned);

/// Whether claim H5 is at stake, so that the share without its cut is needed for comparison.
bool wants_baseline(const Params& params, std::size_t rows);

/// Only claims that these parameters say something about. `baseline`: share in three components of rows 1..n-1.
std::vector<protocol::Claim> claims(const Params& params, const std::string& convention, bool refitted,
                                    const ClaimContext& context, const Output& output, double baseline);

}  // namespace helix::studies::position_helix
