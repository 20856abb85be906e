// How far two distributions are apart at least, of which only the likeliest entries are known.
#pragma once

#include <span>

namespace helix {

/// An entry's probability in each of two distributions; not a number where its list does not have it, and then no larger
/// there than the last one of that list.
struct Probabilities {
  double p = 0, q = 0;
};

/// The least KL(p ‖ q), in nats, of all distributions that agree with the lists: over the entries of both as they are, and
/// over those of p's list alone, those of q's alone and all others as one each, with what is not known about these three
/// chosen so that it is least. By the log sum inequality the divergence over all entries is no smaller.
double least_divergence(std::span<const Probabilities> listed);

}  // namespace helix
