// e^x over a machine's vectors, and the constants of that and of GELU. Multiplications and additions are not fused, as
// everywhere in elementwise_body.h.
#pragma once

#include <array>
#include <cstddef>
#include <cstring>

namespace helix::kernels {

template <class V, class T>
[[gnu::always_inline]] static inline V load_as(const T* from) {
  V v;
  std::memcpy(&v, from, sizeof v);
  return v;
}

template <class Isa>
struct Exponential {
  using Floats = typename Isa::Floats;
  using Bits = typename Isa::Bits;
  static constexpr std::size_t kWidth = Isa::kWidth;
  static constexpr float kInfinity = __builtin_inff();

  /// The constants of exp and gelu, each filling a vector. They are in memory because WebAssembly builds a vector
  /// constant again each time a loop uses it (a GELU took 2.8 ns a number that way, and takes half of that with
  /// constants from memory).
  enum Constant : std::size_t {
    kMagic,
    kLog2E,
    kLn2High,
    kLn2Low,
    kP0,
    kP1,
    kP2,
    kP3,
    kP4,
    kP5,
    kOne,
    kMost,
    kLeast,
    kInfinite,
    kCube,
    kTwice,
    kConstants
  };
  static constexpr std::array<float, kConstants> kValues{
      12582912.0f,  // 1.5·2^23: adding it to a number rounds the number to an integer, in the last bits
      1.44269504088896341f,
      0.693359375f,
      2.12194440e-4f,
      1.9875691500e-4f,
      1.3981999507e-3f,
      8.3334519073e-3f,
      4.1665795894e-2f,
      1.6666665459e-1f,
      5.0000001201e-1f,
      1.0f,
      88.72283f,
      -87.33f,
      kInfinity,
      0.044715f,
      -1.5957691216057308f};  // the last: −2·√(2/π)
  static constexpr auto kInVectors = [] {
    std::array<float, kConstants * kWidth> all{};
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = kValues[i / kWidth];
    return all;
  }();
  struct Constants {
    const float* at = kInVectors.data();
    /// Hides the address from the compiler, which would otherwise turn the numbers into constants again.
    Constants() { asm("" : "+r"(at)); }
    [[gnu::always_inline]] Floats operator[](Constant which) const { return load_as<Floats>(at + which * kWidth); }
  };

  /// e^x within 2 units of the last place; 0 below −87.33, where the result would be denormal; ∞ from 88.73; NaN stays.
  /// e^x = 2^n·e^r with |r| ≤ ln 2/2 (Cody & Waite: n·0.693359375 is exact), e^r by the polynomial of Cephes' expf.
  [[gnu::always_inline]] static inline Floats exp(Floats x, const Constants& k) {
    const Floats shifted = x * k[kLog2E] + k[kMagic], n = shifted - k[kMagic];
    const Floats r = x - n * k[kLn2High] + n * k[kLn2Low];
    Floats p = r * k[kP0] + k[kP1];
    p = p * r + k[kP2];
    p = p * r + k[kP3];
    p = p * r + k[kP4];
    p = p * r + k[kP5];
    p = p * (r * r) + r + k[kOne];
    // n added to the exponent. Where n is meaningless, one of the two lines after it replaces the result.
    const Floats power = (Floats)((Bits)p + ((Bits)shifted << 23));
    const Floats whole = x <= k[kMost] ? power : x + k[kInfinite];
    return x < k[kLeast] ? Floats{} : whole;
  }
};

}  // namespace helix::kernels
