// 8-bit products with AVX-VNNI: four products and their sum in one instruction.
#if defined(__AVXVNNI__)
#include <immintrin.h>

#include "kernels/q8_body.h"
#include "kernels/tables.h"

namespace helix::kernels {
namespace {

struct AvxVnni {
  static constexpr std::size_t kWidth = 8, kRows = 6, kVectors = 2;
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
    sums = (Ints)_mm256_dpbusd_avx_epi32((__m256i)sums, x, w);
  }
  [[gnu::always_inline]] static inline Ints total(Sums sums) { return sums; }
  [[gnu::always_inline]] static inline Ints times(Ints shorts, std::int32_t low) {
    return (Ints)_mm256_madd_epi16((__m256i)shorts, _mm256_set1_epi32(low));
  }
};

constexpr Q8Kernels kKernels = q8_of<AvxVnni>("avx-vnni");

}  // namespace

const Q8Kernels& q8_avxvnni() { return kKernels; }

}  // namespace helix::kernels
#endif
