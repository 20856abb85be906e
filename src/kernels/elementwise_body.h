// The element-wise functions, written once in terms of a machine's vectors (matmul_body.h lists what `Isa` provides;
// here also Half, of kWidth/2 floats, and Doubles, of as many doubles). Multiplications and additions are not fused,
// and every sum has 16 lanes, with element i in lane i mod 16, for any width of vector: so all machines give the same
// bits.
#pragma once

#include <cstddef>
#include <cstring>

#include "kernels/exponential_body.h"
#include "kernels/kernels.h"
#include "kernels/matmul_body.h"
#include "kernels/roof_body.h"

namespace helix::kernels {

template <class Isa>
struct Elementwise : Exponential<Isa> {
  using typename Exponential<Isa>::Constants;
  using typename Exponential<Isa>::Floats;
  using Exponential<Isa>::exp, Exponential<Isa>::kOne, Exponential<Isa>::kCube, Exponential<Isa>::kTwice;
  using Half = typename Isa::Half;
  using Doubles = typename Isa::Doubles;
  static constexpr std::size_t kWidth = Isa::kWidth;
  static constexpr std::size_t kLanes = 16;
  static constexpr float kInfinity = __builtin_inff();

  template <class V, class T>
  [[gnu::always_inline]] static inline void store(T* to, V v) {
    std::memcpy(to, &v, sizeof v);
  }
  [[gnu::always_inline]] static inline Floats splat(float x) { return x - Floats{}; }

  static void gelu(const float* x, float* y, std::size_t n) {
    const Constants k;
    std::size_t i = 0;
    for (; i + kWidth <= n; i += kWidth) store(y + i, gelu(load_as<Floats>(x + i), k));
    if (i == n) return;
    float rest[kWidth] = {};
    std::memcpy(rest, x + i, (n - i) * sizeof(float));
    store(rest, gelu(load_as<Floats>(rest), k));
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
    for (i = 0; i + kWidth <= n; i += kWidth) store(x + i, load_as<Floats>(x + i) / total);
    for (; i < n; ++i) x[i] /= total;
  }
  [[gnu::always_inline]] static inline void exp_and_add(float* x, float top, Floats* sums, const Constants& k) {
    for (std::size_t v = 0; v < kLanes / kWidth; ++v) {
      const Floats e = exp(load_as<Floats>(x + v * kWidth) - top, k);
      store(x + v * kWidth, e);
      sums[v] += e;
    }
  }
  /// The largest number; NaN is skipped.
  static float maximum(const float* x, std::size_t n) {
    Floats top[4];
    for (Floats& t : top) t = splat(-kInfinity);
    std::size_t i = 0;
    for (; i + 4 * kWidth <= n; i += 4 * kWidth)
      for (std::size_t v = 0; v < 4; ++v) {
        const Floats at = load_as<Floats>(x + i + v * kWidth);
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
      const Doubles v = __builtin_convertvector(load_as<Half>(x + i), Doubles);
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
        sums[v] += f(__builtin_convertvector(load_as<Half>(x + i + v * kWidth / 2), Doubles));
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
