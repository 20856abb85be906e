// e to the power of a vocabulary's logits, in double, by loops that the compiler can turn into vectors.
#pragma once

#include <span>

namespace helix::model {

/// e^x in place, of numbers of at most 0: within one unit in the last place, 0 below −708, NaN of NaN. The same bits on
/// every machine.
void exponentials(std::span<double> x);

/// ln Σ e^x: a logit less it is ln p.
double log_sum_exp(std::span<const float> logits);

/// KL(p ‖ q) in nats, of two rows of logits over one vocabulary; never below 0, as rounding would have it.
double divergence(std::span<const float> p, std::span<const float> q);

}  // namespace helix::model
