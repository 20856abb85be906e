// Positions other than the learned ones: sinusoids to compare with, and the learned rows blurred in groups.
#pragma once

#include <cstddef>

#include "base/matrix.h"

namespace helix::geometry {

/// PE[p, 2i] = sin(p / base^(2i/d)), PE[p, 2i + 1] = cos(the same) (Vaswani et al. 2017, §3.5, with base
/// 10000).
Matrix<double> sinusoidal_positions(std::size_t n, std::size_t d, double base);  // [n, d]

/// Keeps row 0; rows 1..g, g+1..2g, ... each become their group's mean. The last group may be shorter; g <= 1
/// changes nothing.
void average_groups(Matrix<double>& rows, std::size_t g);

}  // namespace helix::geometry
