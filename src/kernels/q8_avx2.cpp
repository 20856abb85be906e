// 8-bit products with AVX2. Digits of 7 bits keep the pairs of products within 16 bits: nothing saturates.
#if defined(__AVX2__)
#include <immintrin.h>

#include "kernels/q8_body.h"
#include "kernels/tables.h"

namespace helix::kernels {
namespace {

struct Avx2 {
  static constexpr std::size_t kWidth = 8, kRows = 4, kVectors = 2;
  static constexpr Q8RowsView::Form kForm = Q8RowsView::Form::kDigits;
  typedef float Floats __attribute__((vector_size(32)));
  typedef int Ints __attribute__((vector_size(32)));
  typedef unsigned short Halves __attribute__((vector_size(16)));
  using Weights = __m256i;
  using Inputs = __m256i;
  using Sums = Ints;

  [[gnu::always_inline]] static inline Weights weights(const std::int8_t* from) {
    return _mm256_loadu_si256(reinterpret_cast<const Weights*>(from));
  }
  [[gnu::always_inline]] static inline Inputs inputs(const std::uint8_t* from) {
    int four;
    std::memcpy(&four, from, sizeof four);
    return _mm256_set1_epi32(four);
  }
  [[gnu::always_inline]] static inline void add(Sums& sums, Weights w, Inputs x) {
    const __m256i pairs = _mm256_maddubs_epi16(x, w);
    sums += (Ints)_mm256_madd_epi16(pairs, _mm256_set1_epi16(1));
  }
  [[gnu::always_inline]] static inline Ints total(Sums sums) { return sums; }
  [[gnu::always_inline]] static inline Ints times(Ints shorts, std::int32_t low) {
    return (Ints)_mm256_madd_epi16((__m256i)shorts, _mm256_set1_epi32(low));
  }
};

constexpr Q8Kernels kKernels = q8_of<Avx2>("avx2");

}  // namespace

const Q8Kernels& q8_avx2() { return kKernels; }

}  // namespace helix::kernels
#endif
