// One claim as a line of text.
#pragma once

#include <string>

#include "base/schema.h"
#include "protocol/result.h"

namespace helix::cli {

/// "H1  holds: A three-dimensional subspace …  stated 0.9  here 0.91 fraction  (rows 1..1023, centred)"
std::string claim_line(const ClaimSpec& declared, const protocol::Claim& found);

}  // namespace helix::cli
