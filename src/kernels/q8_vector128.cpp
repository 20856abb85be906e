// 8-bit products with vectors of 16 bytes: the dot product of relaxed SIMD if the build has it, otherwise 16-bit
// products.
#include "kernels/q8_body.h"
#include "kernels/tables.h"

#if defined(__wasm__)
#include <wasm_simd128.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace helix::kernels {
namespace {

struct Vectors {
  static constexpr std::size_t kWidth = 4;
  typedef float Floats __attribute__((vector_size(16)));
  typedef int Ints __attribute__((vector_size(16)));
  typedef unsigned short Halves __attribute__((vector_size(8)));
  typedef short Shorts __attribute__((vector_size(16)));
  typedef signed char Bytes8 __attribute__((vector_size(8)));

  template <class V>
  [[gnu::always_inline]] static inline V load(const void* from) {
    V v;
    std::memcpy(&v, from, sizeof v);
    return v;
  }
};

#if defined(__wasm_relaxed_simd__)
struct Vector128 : Vectors {
  static constexpr std::size_t kRows = 6, kVectors = 2;
  static constexpr Q8RowsView::Form kForm = Q8RowsView::Form::kDigits;
  using Weights = v128_t;
  using Inputs = v128_t;
  using Sums = Ints;
  [[gnu::always_inline]] static inline Weights weights(const std::int8_t* from) { return wasm_v128_load(from); }
  [[gnu::always_inline]] static inline Inputs inputs(const std::uint8_t* from) { return wasm_v128_load32_splat(from); }
  [[gnu::always_inline]] static inline void add(Sums& sums, Weights w, Inputs x) {
    sums = (Ints)wasm_i32x4_relaxed_dot_i8x16_i7x16_add(w, x, (v128_t)sums);
  }
  [[gnu::always_inline]] static inline Ints total(Sums sums) { return sums; }
  [[gnu::always_inline]] static inline Ints times(Ints shorts, std::int32_t low) {
    return (Ints)wasm_i32x4_dot_i16x8((v128_t)shorts, wasm_i32x4_splat(low));
  }
};
#else
/// The instruction adds neighbouring inputs in pairs; the two pairs of a column are added at the end.
struct Vector128 : Vectors {
  static constexpr std::size_t kRows = 4, kVectors = 1;
  static constexpr Q8RowsView::Form kForm = Q8RowsView::Form::kShorts;
  struct Weights {
    Shorts low, high;  // columns 0 and 1, 2 and 3
  };
  using Inputs = Shorts;
  struct Sums {
    Ints low, high;
  };
  [[gnu::always_inline]] static inline Weights weights(const std::int8_t* from) {
    return {__builtin_convertvector(load<Bytes8>(from), Shorts),
            __builtin_convertvector(load<Bytes8>(from + 8), Shorts)};
  }
  [[gnu::always_inline]] static inline Inputs inputs(const std::uint8_t* from) {
    typedef long long Longs __attribute__((vector_size(16)));
    long long four;
    std::memcpy(&four, from, sizeof four);
    return (Inputs)Longs{four, four};
  }
  [[gnu::always_inline]] static inline Ints dot(Shorts a, Shorts b) {
#if defined(__wasm__)
    return (Ints)wasm_i32x4_dot_i16x8((v128_t)a, (v128_t)b);
#elif defined(__SSE2__)
    return (Ints)_mm_madd_epi16((__m128i)a, (__m128i)b);
#else
    // The even and the odd elements, each in the lower or upper half of a 32-bit integer.
    const Ints even = ((Ints)a << 16 >> 16) * ((Ints)b << 16 >> 16), odd = ((Ints)a >> 16) * ((Ints)b >> 16);
    return even + odd;
#endif
  }
  [[gnu::always_inline]] static inline void add(Sums& sums, const Weights& w, Inputs x) {
    sums.low += dot(w.low, x);
    sums.high += dot(w.high, x);
  }
  [[gnu::always_inline]] static inline Ints total(const Sums& s) {
    return __builtin_shufflevector(s.low, s.high, 0, 2, 4, 6) + __builtin_shufflevector(s.low, s.high, 1, 3, 5, 7);
  }
};
#endif

}  // namespace

Q8Kernels q8_vector() { return q8_of<Vector128>(vector_table().name); }

}  // namespace helix::kernels
