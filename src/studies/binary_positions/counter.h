// A counter's bits and their sinusoids as functions of the position.
#pragma once

#include <cstddef>
#include <functional>

namespace helix::studies::binary_positions {

/// 0 or 1.
int bit_of(std::size_t position, std::size_t bit);

/// −sin(2π (position + ½) / period): negative in the first half of a period, where the bit is 0. The half position of
/// phase keeps it from being 0 at any position.
double sinusoid_at(double position, double period);

/// The shortest shift that maps a wave to itself over all `count` positions, including the shifted ones; 0: none.
std::size_t period_of(const std::function<int(std::size_t)>& wave, std::size_t count);

/// Share of the positions 0 .. count − 1 where a bit is 1 and the sinusoid above 0, or the bit 0 and the sinusoid below.
double sign_agreement(std::size_t bit, double period, std::size_t count);

/// Pearson's correlation of a bit and a sinusoid over the positions 0 .. count − 1.
double correlation(std::size_t bit, double period, std::size_t count);

}  // namespace helix::studies::binary_positions
