// A check of the compiler: the final relaxed-SIMD opcodes, compiled and run.
#include <stdio.h>
#include <wasm_simd128.h>

int main(void) {
  int failures = 0;
  for (int a = -128; a < 128; a += 3) {
    for (int b = 0; b < 128; b += 5) {
      v128_t sum = wasm_i32x4_relaxed_dot_i8x16_i7x16_add(wasm_i8x16_splat((signed char)a),
                                                          wasm_i8x16_splat((signed char)b), wasm_i32x4_splat(7));
      if (wasm_i32x4_extract_lane(sum, 0) != 4 * a * b + 7 || wasm_i32x4_extract_lane(sum, 3) != 4 * a * b + 7) ++failures;
    }
  }
  v128_t fused = wasm_f32x4_relaxed_madd(wasm_f32x4_splat(2.5f), wasm_f32x4_splat(3.f), wasm_f32x4_splat(1.f));
  if (wasm_f32x4_extract_lane(fused, 2) != 8.5f) ++failures;
  printf(failures ? "wrong\n" : "right\n");
  return failures != 0;
}
