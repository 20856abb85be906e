// What is read off the mean diagonals of a head.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>

namespace helix::studies::head_taxonomy {

/// The two largest of a head's mean diagonals; of equal ones, the one with the smaller lag comes first.
struct Largest {
  std::size_t lag = 0;
  double first = 0, second = std::nan("");

  double ratio() const { return first > 0 ? second / first : std::nan(""); }
  /// Of a head whose diagonals are all zero, because it attends to the first token alone, none is the largest.
  double where() const { return first > 0 ? static_cast<double>(lag) : std::nan(""); }
};

inline Largest largest_of(std::span<const double> means) {
  Largest out{0, means[0], std::nan("")};
  for (std::size_t lag = 1; lag < means.size(); ++lag) {
    if (means[lag] > out.first)
      out = {lag, means[lag], out.first};
    else if (!(means[lag] <= out.second))
      out.second = means[lag];
  }
  return out;
}

}  // namespace helix::studies::head_taxonomy
