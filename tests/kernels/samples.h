// Numbers for the kernels' tests: plain generators, the same on every machine.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include "kernels/kernels.h"

namespace helix::kernels::samples {

/// Numbers between −1 and 1.
inline std::vector<float> noise(std::size_t n, unsigned seed) {
  std::minstd_rand engine(seed);
  std::vector<float> numbers(n);
  for (float& x : numbers) x = static_cast<float>(static_cast<double>(engine()) / 1073741823.5 - 1);
  return numbers;
}

inline Packed packed_noise(std::size_t in, std::size_t out, std::size_t panel, unsigned seed) {
  const std::vector<float> numbers = noise(in * out, seed);
  return Packed::from({numbers.data(), in, out}, panel);
}

inline std::uint32_t bits(float x) {
  std::uint32_t b;
  std::memcpy(&b, &x, sizeof b);
  return b;
}
inline bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0);
}

/// |x − exact| in units in the last place (ulps) of a float of that size.
inline double ulps(float x, double exact) {
  int exponent = 0;
  std::frexp(exact, &exponent);
  return std::fabs(x - exact) / std::ldexp(1.0, std::max(exponent, -125) - 24);
}

/// Numbers that begin `shift` floats after a cache line, with guard values before and after.
class Guarded {
 public:
  Guarded(std::size_t n, std::size_t shift, float fill = kMark)
      : shift_(shift), n_(n), memory_(aligned_floats(n + 32 + shift)) {
    for (std::size_t i = 0; i < n + 32 + shift; ++i) memory_[i] = kMark;
    for (std::size_t i = 0; i < n; ++i) data()[i] = fill;
  }
  Guarded(const std::vector<float>& numbers, std::size_t shift) : Guarded(numbers.size(), shift) {
    std::copy(numbers.begin(), numbers.end(), data());
  }
  float* data() { return memory_.get() + 16 + shift_; }
  bool untouched_around() const {
    for (std::size_t i = 0; i < 16 + shift_; ++i)
      if (memory_[i] != kMark) return false;
    for (std::size_t i = 16 + shift_ + n_; i < 32 + shift_ + n_; ++i)
      if (memory_[i] != kMark) return false;
    return true;
  }
  static constexpr float kMark = 12345.0f;

 private:
  std::size_t shift_, n_;
  Aligned<float> memory_;
};

}  // namespace helix::kernels::samples
