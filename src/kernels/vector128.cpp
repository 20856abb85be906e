// Vectors of four floats, as every compiler has them: WebAssembly's two flavours, and natively the fallback.
#include "kernels/elementwise_body.h"
#include "kernels/matmul_body.h"
#include "kernels/tables.h"

#if defined(__wasm_relaxed_simd__)
#include <wasm_simd128.h>
#endif

namespace helix::kernels {
namespace {

struct Vector128 {
#if defined(__wasm_relaxed_simd__)
  static constexpr std::size_t kWidth = 4, kRows = 6;
#else
  // A product that is not fused needs a register of its own: taller tiles would not fit the 16 of x86-64.
  static constexpr std::size_t kWidth = 4, kRows = 4;
#endif
  typedef float Floats __attribute__((vector_size(16)));
  typedef unsigned Bits __attribute__((vector_size(16)));
  typedef float Half __attribute__((vector_size(8)));
  typedef double Doubles __attribute__((vector_size(16)));

  [[gnu::always_inline]] static inline Floats multiply_add(Floats a, Floats b, Floats c) {
#if defined(__wasm_relaxed_simd__)
    return reinterpret_cast<Floats>(
        wasm_f32x4_relaxed_madd(reinterpret_cast<v128_t>(a), reinterpret_cast<v128_t>(b), reinterpret_cast<v128_t>(c)));
#else
    return a * b + c;
#endif
  }
};

#if defined(__wasm_relaxed_simd__)
constexpr const char* kName = "relaxed simd128";
#elif defined(__wasm__)
constexpr const char* kName = "simd128";
#else
constexpr const char* kName = "generic128";
#endif

/// Does a·b+c round once? (1 + ε)(1 − ε) − 1 is −ε² then, and otherwise 0. Relaxed SIMD leaves it to the machine.
bool is_fused() {
  volatile float epsilon = 1.0f / 8192;  // unknown to the compiler, which might fold it the other way
  const Vector128::Floats e = epsilon - Vector128::Floats{}, one = 1.0f - Vector128::Floats{};
  return Vector128::multiply_add(one + e, one - e, -one)[0] != 0;
}

}  // namespace

Table vector_table() { return table_of<Vector128>(kName, is_fused()); }

}  // namespace helix::kernels
