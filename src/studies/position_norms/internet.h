// Claim F8: the slides' norms of “internet”, tried with each id and base that they may have used.
#pragma once

#include <span>
#include <vector>

#include "studies/position_norms/position_norms.h"

namespace helix::studies::position_norms {

/// A token's embedding, [d_model].
struct Candidate {
  int token = 0;
  std::vector<double> embedding;
};

/// No candidate: nothing is claimed. Each number is that of the candidate, and base, that comes closest.
std::vector<protocol::Claim> internet_claims(std::span<const Candidate> candidates);

}  // namespace helix::studies::position_norms
