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

}  // namespace helix::geometry
