// The innermost loop of a product alone, in one shape: the probe tries each and keeps the fastest.
#pragma once

#include <cstddef>

namespace helix::kernels {

struct RoofTile {
  // kSteps steps read at most kBytes of a and of b, and write at most kBytes of c.
  static constexpr std::size_t kSteps = 64, kBytes = 16384;
  double operations = 0;  // multiplications and additions of a call
  void (*run)(const void* a, const void* b, void* c) = nullptr;
};

}  // namespace helix::kernels
