// What a claim says where its number is not defined: nothing. Its convention says why.
#pragma once

#include <cmath>
#include <optional>

namespace helix::studies {

inline std::optional<double> here_of(double number) {
  return std::isfinite(number) ? std::optional(number) : std::nullopt;
}

inline std::optional<bool> judged(double number, bool holds) {
  return std::isfinite(number) ? std::optional(holds) : std::nullopt;
}

}  // namespace helix::studies
