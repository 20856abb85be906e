// AVX2 and FMA: compiled with their flags (src/CMakeLists.txt), called where the processor has them.
#if defined(__AVX2__) && defined(__FMA__)
#include <immintrin.h>

#include "kernels/elementwise_body.h"
#include "kernels/matmul_body.h"
#include "kernels/tables.h"

namespace helix::kernels {
namespace {

struct Avx2 {
  static constexpr std::size_t kWidth = 8, kRows = 6;
  typedef float Floats __attribute__((vector_size(32)));
  typedef unsigned Bits __attribute__((vector_size(32)));
  typedef float Half __attribute__((vector_size(16)));
  typedef double Doubles __attribute__((vector_size(32)));

  [[gnu::always_inline]] static inline Floats multiply_add(Floats a, Floats b, Floats c) {
    return _mm256_fmadd_ps(a, b, c);
  }
};

constexpr Table kTable = table_of<Avx2>("avx2", true);

}  // namespace

const Table& avx2_table() { return kTable; }

}  // namespace helix::kernels
#endif
