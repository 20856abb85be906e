// Positions of ticks, and how their numbers are written.
#pragma once

#include <string>
#include <vector>

#include "figure/scale.h"

namespace helix::figure {

/// A step of 1, 2 or 5 times a power of ten that divides `span` into about `count` parts.
double nice_step(double span, int count);

/// "−0.25": a multiple of `step`, with as many decimals as the step has.
std::string tick_text(double value, double step);
/// A number for the end of a scale: three digits or so, with a true minus; powers of ten where it is very small or large.
std::string short_number(double value);
/// A number in a list of different quantities: integers as they are, others with four decimals, very small and large
/// ones as short_number writes them.
std::string plain_number(double value);

struct Tick {
  double value = 0;
  std::string text;
};

/// About `count` ticks between low and high; on a logarithmic scale at powers of ten.
std::vector<Tick> ticks(const Scale& scale, double low, double high, int count);

/// The domain widened to whole steps of its ticks.
struct Domain {
  double low = 0, high = 1;
};
Domain nice_domain(const Scale& scale, Domain domain, int count);

/// A value mapped so that the scale is linear in it: its logarithm on log scales, else the value.
double straightened(ScaleKind kind, double value);

}  // namespace helix::figure
