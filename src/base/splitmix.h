// Random numbers that are the same on every machine, unlike those of the standard library's distributions.
#pragma once

#include <cstdint>

namespace helix {

/// splitmix64 (Steele, Lea, Flood 2014): the next 64 bits of a state, which it moves on.
inline std::uint64_t splitmix(std::uint64_t& state) {
  std::uint64_t z = state += 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

}  // namespace helix
