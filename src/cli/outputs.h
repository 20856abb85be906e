// The files that a command writes.
#pragma once

#include "base/expected.h"
#include "cli/cli.h"

namespace helix::cli {

/// An error where an output has the place of a file that the command reads: the model would be lost.
Expected<void> check_outputs(const Options& options);

}  // namespace helix::cli
