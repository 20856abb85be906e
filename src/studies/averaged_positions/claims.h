// The sentences of the source text about averaged positions, judged where the model and the setting are those that it names.
#pragma once

#include <string>
#include <vector>

#include "studies/averaged_positions/averaged_positions.h"

namespace helix::studies::averaged_positions {

/// `likeliest`: the token that the prompt's likeliest next token is; `repeats`: whether the prompt is the claim's.
std::vector<protocol::Claim> claims(const Params& params, const Output& output, const std::string& likeliest,
                                    bool repeats);

}  // namespace helix::studies::averaged_positions
