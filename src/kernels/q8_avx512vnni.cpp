// 8-bit products with AVX-512 VNNI: four products and their sum in one instruction.
#if defined(__AVX512VNNI__)
#include <immintrin.h>

#include "kernels/q8_body.h"
#include "kernels/tables.h"

namespace helix::kernels {
namespace {

struct Avx512Vnni {
  static constexpr std::size_t kWidth = 16, kRows = 12, kVectors = 2;
  static constexpr Q8RowsView::Form kForm = Q8RowsView::Form::kDigits;
  typedef float Floats __attribute__((vector_size(64)));
  typedef int Ints __attribute__((vector_size(64)));
  typedef unsigned short Halves __attribute__((vector_size(32)));
  using Weights = __m512i;
  using Inputs = __m512i;
  using Sums = Ints;

  [[gnu::always_inline]] static inline Weights weights(const std::int8_t* from) {
    return _mm512_loadu_si512(reinterpret_cast<const Weights*>(from));
  }
  [[gnu::always_inline]] static inline Inputs inputs(const std::uint8_t* from) {
    int four;
    std::memcpy(&four, from, sizeof four);
    return _mm512_set1_epi32(four);
  }
  [[gnu::always_inline]] static inline void add(Sums& sums, Weights w, Inputs x) {
    sums = (Ints)_mm512_dpbusd_epi32((__m512i)sums, x, w);
  }
  [[gnu::always_inline]] static inline Ints total(Sums sums) { return sums; }
  [[gnu::always_inline]] static inline Ints times(Ints shorts, std::int32_t low) {
    return (Ints)_mm512_dpwssd_epi32(_mm512_setzero_si512(), (__m512i)shorts, _mm512_set1_epi32(low));
  }
};

constexpr Q8Kernels kKernels = q8_of<Avx512Vnni>("avx512-vnni");

}  // namespace

const Q8Kernels& q8_avx512vnni() { return kKernels; }

}  // namespace helix::kernels
#endif
