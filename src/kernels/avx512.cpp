// AVX-512: compiled with its flags (src/CMakeLists.txt), called where the processor has it.
#if defined(__AVX512F__)
#include <immintrin.h>

#include "kernels/elementwise_body.h"
#include "kernels/matmul_body.h"
#include "kernels/tables.h"

namespace helix::kernels {
namespace {

struct Avx512 {
  static constexpr std::size_t kWidth = 16, kRows = 12;
  typedef float Floats __attribute__((vector_size(64)));
  typedef unsigned Bits __attribute__((vector_size(64)));
  typedef float Half __attribute__((vector_size(32)));
  typedef double Doubles __attribute__((vector_size(64)));

  [[gnu::always_inline]] static inline Floats multiply_add(Floats a, Floats b, Floats c) {
    return _mm512_fmadd_ps(a, b, c);
  }
};

constexpr Table kTable = table_of<Avx512>("avx512", true);

}  // namespace

const Table& avx512_table() { return kTable; }

}  // namespace helix::kernels
#endif
