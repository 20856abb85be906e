// The sentences of the source text about frames, judged on the prompt that ran.
#pragma once

#include <vector>

#include "studies/layer_frames/layer_frames.h"

namespace helix::studies::layer_frames {

/// Its prompts are unknown: where it says how numbers grow with the prompt, that is judged and not their digits.
std::vector<protocol::Claim> claims(const Output& output);

}  // namespace helix::studies::layer_frames
