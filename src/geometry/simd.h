// Two doubles at a time, in an order of additions that is the same natively and in WebAssembly, to the last
// bit.
#pragma once

#include <cstddef>
#include <cstring>

namespace helix::geometry {

typedef double V2 __attribute__((vector_size(16)));

inline V2 load(const double* from) {
  V2 v;
  std::memcpy(&v, from, sizeof v);
  return v;
}
inline void store(double* to, V2 v) { std::memcpy(to, &v, sizeof v); }
inline V2 splat(double x) { return V2{x, x}; }
inline double sum(V2 v) { return v[0] + v[1]; }

/// Σ a[i] b[i]. Eight running sums: one chain of additions would wait for its own latency.
inline double dot(const double* a, const double* b, std::size_t n) {
  V2 s0 = splat(0), s1 = splat(0), s2 = splat(0), s3 = splat(0);
  std::size_t i = 0;
  for (; i + 8 <= n; i += 8) {
    s0 += load(a + i) * load(b + i);
    s1 += load(a + i + 2) * load(b + i + 2);
    s2 += load(a + i + 4) * load(b + i + 4);
    s3 += load(a + i + 6) * load(b + i + 6);
  }
  double total = sum((s0 + s1) + (s2 + s3));
  for (; i < n; ++i) total += a[i] * b[i];
  return total;
}

/// y += scale * x.
inline void add_scaled(double* y, double scale, const double* x, std::size_t n) {
  const V2 s = splat(scale);
  std::size_t i = 0;
  for (; i + 2 <= n; i += 2) store(y + i, load(y + i) + s * load(x + i));
  for (; i < n; ++i) y[i] += scale * x[i];
}

}  // namespace helix::geometry
