// The claims of the source texts about these numbers, each judged with its convention.
#pragma once

#include <string>
#include <vector>

#include "base/matrix.h"
#include "studies/position_helix/position_helix.h"

namespace helix::studies::position_helix {

/// What the claims need to know about the original rows.
struct ClaimContext {
  std::size_t rows = 0;
  std::vector<double> norms;  // [position] of the learned rows; empty for the sinusoidal ones
};

ClaimContext claim_context(MatrixView<const double> rows, bool learned);

/// Whether claim H5 is judged, which needs the share without its cut for comparison.
bool wants_baseline(const Params& params, std::size_t rows);

/// Only claims that these parameters can judge. `baseline`: share of the variance in three components of rows 1..n-1.
std::vector<protocol::Claim> claims(const Params& params, const std::string& convention, bool refitted,
                                    const ClaimContext& context, const Output& output, double baseline);

}  // namespace helix::studies::position_helix
