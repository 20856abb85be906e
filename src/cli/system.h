// Where the program meets the system: what it leaves on its output, and what it says while it works.
#pragma once

#include <string>

#include "cli/cli.h"

namespace helix::cli {

/// Puts something in place of an output that was closed, so that no file that is opened later takes its number and the
/// output with it. Writing there fails, and is noticed.
void keep_outputs_apart();
/// Writes what a command leaves and gives the exit status: a failure where the output did not take it all.
int leave(const Outcome& outcome);
/// A sentence on stderr that ends nothing.
void warn(const std::string& sentence);

}  // namespace helix::cli
