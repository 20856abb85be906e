// Random numbers that are the same on every machine, unlike those of the standard library's distributions.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <ranges>

namespace helix {

/// splitmix64 (Steele, Lea, Flood 2014): returns the next 64 bits and advances the state.
inline std::uint64_t splitmix(std::uint64_t& state) {
  std::uint64_t z = state += 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

/// Uniform in [0, 1).
inline double random_unit(std::uint64_t& state) { return static_cast<double>(splitmix(state) >> 11) * 0x1p-53; }

/// Normal, of mean 0 and variance 1 (Box and Muller 1958).
inline double random_normal(std::uint64_t& state) {
  const auto inside = [&] { return (static_cast<double>(splitmix(state) >> 11) + 0.5) * 0x1p-53; };  // never 0
  const double length = std::sqrt(-2 * std::log(inside()));
  return length * std::cos(2 * std::numbers::pi * inside());
}

/// Shuffles `count` things; all orders are equally likely (Fisher and Yates). `swap(i, j)` exchanges two of them.
template <class Swap>
void shuffle(std::size_t count, std::uint64_t& state, Swap&& swap) {
  for (std::size_t i = count; i > 1; --i) swap(i - 1, static_cast<std::size_t>(splitmix(state) % i));
}

template <std::ranges::random_access_range Values>
void shuffle(Values& values, std::uint64_t& state) {
  shuffle(std::ranges::size(values), state,
          [&](std::size_t i, std::size_t j) { std::ranges::swap(values[i], values[j]); });
}

}  // namespace helix
