// Where ticks stand, and how numbers are written beside them.
#pragma once

#include <string>
#include <vector>

#include "figure/scale.h"

namespace helix::figure {

/// A step of 1, 2 or 5 times a power of ten that divides `span` into about `count` parts.
double nice_step(double span, int count);

/// "−0.25": a multiple of `step`, with as many digits as the step has.
std::string tick_text(double value, double step);
/// A number for the end of a scale: three digits or so, with a true minus; powers of ten where it is very small or large.
std::string short_number(double value);
/// A number for a list of different quantities: whole ones as they are, others with four digits after the point, as
/// short_number where it is very small or large.
std::string plain_number(double value);

struct Tick {
  double value = 0;
  std::string text;
};

/// Of a quantity between low and high, about `count` of them; on a logarithmic scale powers of ten.
std::vector<Tick> ticks(const Scale& scale, double low, double high, int count);

/// The domain widened to whole steps of its ticks.
struct Domain {
  double low = 0, high = 1;
};
Domain nice_domain(const Scale& scale, Domain domain, int count);

/// Where a value lies on a scale on which equal steps are equally long: its logarithm, or itself.
double straightened(ScaleKind kind, double value);

}  // namespace helix::figure
