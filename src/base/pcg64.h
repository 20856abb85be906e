// The random numbers of `numpy.random.default_rng(SEED)`, bit for bit: what is drawn here can be drawn again there.
//
//   numbers between 0 and 1:  rng.random(n)
//   normal numbers:           u = rng.random(2 * ((n + 1) // 2)).reshape(-1, 2)
//                             r, a = np.sqrt(-2 * np.log(1 - u[:, 0])), 2 * np.pi * u[:, 1]
//                             np.stack([r * np.cos(a), r * np.sin(a)], 1).ravel()[:n]
//   an order of n things:     for i in range(n - 1, 0, -1): j = int(rng.random() * (i + 1)); swap things i and j
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/box_muller.h"

namespace helix {

/// PCG XSL RR 128/64 (O'Neill 2014), seeded through numpy's SeedSequence.
class Pcg64 {
 public:
  explicit Pcg64(std::uint32_t seed) : Pcg64(std::span<const std::uint32_t>(&seed, 1)) {}
  /// default_rng([w0, w1, …]) of numbers below 2³².
  explicit Pcg64(std::span<const std::uint32_t> words) {
    const std::array<std::uint64_t, 4> start = seeded(words);
    increment_ = wide(start[2], start[3]) << 1 | 1u;
    advance();
    state_ += wide(start[0], start[1]);
    advance();
  }
  /// A stream that a name picks out of a seed: default_rng([seed, *name.encode()]).
  Pcg64(std::uint32_t seed, std::string_view name) : Pcg64(std::span<const std::uint32_t>(words_of(seed, name))) {}

  std::uint64_t next() {
    advance();
    const auto high = static_cast<std::uint64_t>(state_ >> 64), low = static_cast<std::uint64_t>(state_);
    const std::uint64_t mixed = high ^ low;
    const auto turn = static_cast<unsigned>(high >> 58);
    return turn == 0 ? mixed : mixed >> turn | mixed << (64 - turn);
  }

  /// In [0, 1).
  double random() { return static_cast<double>(next() >> 11) * 0x1p-53; }

  /// Normal numbers of mean 0 and variance 1, a pair at a time; of an odd count the last sine is not used.
  template <class Number>
  void normal(std::span<Number> out) {
    constexpr std::size_t kPairs = 256;
    std::array<double, kPairs> cosines, sines;
    for (std::size_t at = 0; at < out.size(); at += 2 * kPairs) {
      const std::size_t left = std::min(2 * kPairs, out.size() - at), pairs = (left + 1) / 2;
      for (std::size_t i = 0; i < pairs; ++i) cosines[i] = random(), sines[i] = random();
      box_muller(std::span(cosines).first(pairs), std::span(sines).first(pairs));
      for (std::size_t i = 0; i < left; ++i)
        out[at + i] = static_cast<Number>(i % 2 == 0 ? cosines[i / 2] : sines[i / 2]);
    }
  }

  /// 0 … count−1 in a random order (Fisher and Yates).
  std::vector<std::size_t> order(std::size_t count) {
    std::vector<std::size_t> out(count);
    for (std::size_t i = 0; i < count; ++i) out[i] = i;
    for (std::size_t i = count; i > 1; --i)
      std::swap(out[i - 1], out[static_cast<std::size_t>(random() * static_cast<double>(i))]);
    return out;
  }

 private:
  __extension__ using Wide = unsigned __int128;

  static Wide wide(std::uint64_t high, std::uint64_t low) { return static_cast<Wide>(high) << 64 | low; }
  void advance() { state_ = state_ * wide(2549297995355413924u, 4865540595714422341u) + increment_; }

  static std::vector<std::uint32_t> words_of(std::uint32_t seed, std::string_view name) {
    std::vector<std::uint32_t> words{seed};
    for (const char c : name) words.push_back(static_cast<unsigned char>(c));
    return words;
  }

  /// numpy's SeedSequence(words).generate_state(4, numpy.uint64).
  static std::array<std::uint64_t, 4> seeded(std::span<const std::uint32_t> words) {
    constexpr std::size_t kPool = 4;
    std::uint32_t factor = 0x43b0d7e5u;
    const auto hashed = [&](std::uint32_t value) {
      value ^= factor;
      factor *= 0x931e8875u;
      value *= factor;
      return value ^ value >> 16;
    };
    const auto mixed = [](std::uint32_t x, std::uint32_t y) {
      const std::uint32_t sum = 0xca01f9ddu * x - 0x4973f715u * y;
      return sum ^ sum >> 16;
    };
    std::array<std::uint32_t, kPool> pool{};
    for (std::size_t i = 0; i < kPool; ++i) pool[i] = hashed(i < words.size() ? words[i] : 0);
    for (std::size_t from = 0; from < kPool; ++from)
      for (std::size_t to = 0; to < kPool; ++to)
        if (from != to) pool[to] = mixed(pool[to], hashed(pool[from]));
    for (std::size_t from = kPool; from < words.size(); ++from)
      for (std::uint32_t& to : pool) to = mixed(to, hashed(words[from]));

    factor = 0x8b51f9ddu;
    std::array<std::uint64_t, 4> out{};
    for (std::size_t i = 0; i < 2 * out.size(); ++i) {
      std::uint32_t value = pool[i % kPool] ^ factor;
      factor *= 0x58f38dedu;
      value *= factor;
      out[i / 2] |= static_cast<std::uint64_t>(value ^ value >> 16) << (32 * (i % 2));
    }
    return out;
  }

  Wide state_ = 0, increment_ = 1;
};

}  // namespace helix
