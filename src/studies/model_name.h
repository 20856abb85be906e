// A model's name in a sentence.
#pragma once

#include <string>

#include "base/control_name.h"

namespace helix::studies {

/// "GPT-2", "minihelix", "a random walk with the steps of minihelix".
inline std::string spoken_name(const std::string& model) { return spoken_model(model); }

}  // namespace helix::studies
