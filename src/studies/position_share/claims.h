// What the authors found in GPT-2 small, beside the numbers here.
#pragma once

#include <vector>

#include "studies/position_share/position_share.h"

namespace helix::studies::position_share {

/// Their texts are others, so the later layers are compared in their trend; the table of positions to its last digit.
std::vector<protocol::Claim> claims(const Params& params, const Output& output);

}  // namespace helix::studies::position_share
