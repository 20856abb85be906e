// Numbers that scale with a model, for reading.
#pragma once

#include <string>

namespace helix {

/// As number_text, for lengths: `digits` after the point, and more where fewer than four significant digits would be left:
/// "3.3901", "0.0003390". A length may be of any size, so decimals that suit one model hide another's.
std::string length_text(double value, int digits);

}  // namespace helix
