// Normal numbers from even ones, many at a time, so that the compiler can use vectors: studies draw millions for their
// random walks.
#pragma once

#include <span>

namespace helix {

/// Box and Muller 1958: numbers u and v in [0, 1) become √(−2 ln(1 − u)) · cos 2πv and √(−2 ln(1 − u)) · sin 2πv, two
/// independent normal numbers of mean 0 and variance 1, in their places; within 1e-15 of the radius of what numpy's
/// functions give. The spans are of one length.
void box_muller(std::span<double> u, std::span<double> v);

}  // namespace helix
