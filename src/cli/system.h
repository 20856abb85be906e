// The program's standard output and error: what a command leaves there, and what it says while it works.
#pragma once

#include <string>

#include "cli/cli.h"

namespace helix::cli {

/// Puts a placeholder in place of a standard output that was closed: otherwise a file opened later would get its
/// descriptor and receive its text. Writing to the placeholder fails, and the failure is noticed.
void keep_outputs_apart();
/// Writes a command's outcome and returns the exit status: a failure where the output did not take it all.
int leave(const Outcome& outcome);
/// A sentence on stderr; the program continues.
void warn(const std::string& sentence);

}  // namespace helix::cli
