// The functions that treat one number after the other, written once over a machine's vectors (matmul_body.h says what `Isa`
// gives; here also Half, of kWidth/2 floats, and Doubles, of as many doubles). They multiply and add without fusing, and
// every sum has 16 lanes, element i in lane i mod 16, whatever the vectors' width: so all machines give the same bits.
#pragma once

#include <array>
#include <cstddef>
#include <cstring>

#include "kernels/kernels.h"
#include "kernels/matmul_body.h"
#include "kernels/roof_body.h"

namespace helix::kernels {

template <class Isa>
struct Elementwise {
  using Floats = typename Isa::Floats;
  using Bits = typename Isa::Bits;
  using Half = typename Isa::Half;
  using Doubles = typename Isa::Doubles;
  static constexpr std::size_t kWidth = Isa::kWidth;
  static constexpr std::size_t kLanes = 16;
  static constexpr float kInfinity = __builtin_inff();

  template <class V, class T>
  [[gnu::always_inline]] static inline V load(const T* from) {
    V v;
    std::memcpy(&v, from, sizeof v);
    return v;
  }
  template <class V, class T>
  [[gnu::always_inline]] static inline void store(T* to, V v) {
    std::memcpy(to, &v, sizeof v);
  }
  [[gnu::always_inline]] static inline Floats splat(float x) { return x - Floats{}; }

  /// What exp and gelu multiply and add, each filling a vector: in memory, because WebAssembly makes a vector constant anew
  /// each time a loop uses it (a GELU took 2.8 ns a number so, and takes half of it from memory).
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
      12582912.0f,  // 1.5·2^23: a number added to it is rounded to an integer in its last bits
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
    /// Whoever compiles must not see through the address: it would make constants of them again.
    Constants() { asm("" : "+r"(at)); }
    [[gnu::always_inline]] Floats operator[](Constant which) const { return load<Floats>(at + which * kWidth); }
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
    // n added to the exponent. Where n is nonsense one of the two lines after it replaces the result.
    const Floats power = (Floats)((Bits)p + ((Bits)shifted << 23));
    const Floats whole = x <= k[kMost] ? power : x + k[kInfinite];
    return x < k[kLeast] ? Floats{} : whole;
  }

  static void gelu(const float* x, float* y, std::size_t n) {
    const Constants k;
    std::size_t i = 0;
    for (; i + kWidth <= n; i += kWidth) store(y + i, gelu(load<Floats>(x + i), k));
    if (i == n) return;
    float rest[kWidth] = {};
    std::memcpy(rest, x + i, (n - i) * sizeof(float));
    store(rest, gelu(load<Floats>(rest), k));
    std::memcpy(y + i, rest, (n - i) * sizeof(float));
  }
  /// (1 + tanh u)/2 = 1/(1 + exp(−2u)), which does not cancel on the left.
  [[gnu::always_inline]] static inline Floats gelu(Floats x, const Constants& k) {
    const Floats twice = (x + x * x * x * k[kCube]) * k[kTwice];
    return x / (exp(twice, k) + k[kOne]);
  }

  static void softmax(float* x, std::size_t n) {
    const float top = maximum(x, n);
    if (top == -kInfinity && only_minus_infinity(x, n)) {
      std::memset(x, 0, n * sizeof(float));
      return;
    }
    const Constants k;
    Floats sums[kLanes / kWidth] = {};
    std::size_t i = 0;
    for (; i + kLanes <= n; i += kLanes) exp_and_add(x + i, top, sums, k);
    if (i < n) {
      float rest[kLanes];
      for (std::size_t j = 0; j < kLanes; ++j) rest[j] = i + j < n ? x[i + j] : -kInfinity;
      exp_and_add(rest, top, sums, k);
      std::memcpy(x + i, rest, (n - i) * sizeof(float));
    }
    const float total = total_of<float>(sums);
    for (i = 0; i + kWidth <= n; i += kWidth) store(x + i, load<Floats>(x + i) / total);
    for (; i < n; ++i) x[i] /= total;
  }
  [[gnu::always_inline]] static inline void exp_and_add(float* x, float top, Floats* sums, const Constants& k) {
    for (std::size_t v = 0; v < kLanes / kWidth; ++v) {
      const Floats e = exp(load<Floats>(x + v * kWidth) - top, k);
      store(x + v * kWidth, e);
      sums[v] += e;
    }
  }
  /// The largest number, whatever NaN there may be.
  static float maximum(const float* x, std::size_t n) {
    Floats top[4];
    for (Floats& t : top) t = splat(-kInfinity);
    std::size_t i = 0;
    for (; i + 4 * kWidth <= n; i += 4 * kWidth)
      for (std::size_t v = 0; v < 4; ++v) {
        const Floats at = load<Floats>(x + i + v * kWidth);
        top[v] = at > top[v] ? at : top[v];
      }
    float best = -kInfinity;
    for (const Floats& t : top)
      for (std::size_t j = 0; j < kWidth; ++j) best = t[j] > best ? t[j] : best;
    for (; i < n; ++i) best = x[i] > best ? x[i] : best;
    return best;
  }
  static bool only_minus_infinity(const float* x, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i)
      if (!(x[i] == -kInfinity)) return false;
    return true;
  }

  static float layer_norm(const float* x, std::size_t n, double epsilon, float* normalized) {
    const double mean = over(x, n, [](Doubles v) { return v; }) / static_cast<double>(n);
    const double variance = over(x, n, [mean](Doubles v) { return (v - mean) * (v - mean); }) / static_cast<double>(n);
    const double scale = __builtin_sqrt(variance + epsilon), inverse = 1 / scale;
    std::size_t i = 0;
    for (; i + kWidth / 2 <= n; i += kWidth / 2) {
      const Doubles v = __builtin_convertvector(load<Half>(x + i), Doubles);
      store(normalized + i, __builtin_convertvector((v - mean) * inverse, Half));
    }
    for (; i < n; ++i) normalized[i] = static_cast<float>((static_cast<double>(x[i]) - mean) * inverse);
    return static_cast<float>(scale);
  }
  /// Σ f(x[i]), in double.
  template <class F>
  [[gnu::always_inline]] static inline double over(const float* x, std::size_t n, F f) {
    constexpr std::size_t kVectors = 2 * kLanes / kWidth;
    Doubles sums[kVectors] = {};
    std::size_t i = 0;
    for (; i + kLanes <= n; i += kLanes)
      for (std::size_t v = 0; v < kVectors; ++v)
        sums[v] += f(__builtin_convertvector(load<Half>(x + i + v * kWidth / 2), Doubles));
    for (std::size_t lane = 0; i < n; ++i, ++lane)
      sums[lane / (kWidth / 2)][lane % (kWidth / 2)] += f(static_cast<double>(x[i]) - Doubles{})[0];
    return total_of<double>(sums);
  }
  /// The 16 lanes added by halves: 0 and 8, 1 and 9, …
  template <class T, class V>
  [[gnu::always_inline]] static inline T total_of(const V* sums) {
    T lanes[kLanes];
    std::memcpy(lanes, sums, sizeof lanes);
    for (std::size_t half = kLanes / 2; half > 0; half /= 2)
      for (std::size_t j = 0; j < half; ++j) lanes[j] += lanes[j + half];
    return lanes[0];
  }
};

/// A constant: the code that copies a table is compiled for every machine.
template <class Isa>
constexpr Table table_of(std::string_view name, bool fused) {
  using E = Elementwise<Isa>;
  using M = Matmul<Isa>;
  return {name, M::kPanel, fused, M::matmul, E::layer_norm, E::gelu, E::softmax, FloatRoof<Isa>::kShapes, {}};
}

}  // namespace helix::kernels
