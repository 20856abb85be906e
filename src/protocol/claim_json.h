// A claim in the one form that results, the page and the command line write.
#pragma once

#include "protocol/json.h"
#include "protocol/result.h"

namespace helix::protocol {

Json claim_json(const Claim& claim, const ClaimSpec& declared);

}  // namespace helix::protocol
