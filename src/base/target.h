// What this build runs on, by name: part of every result's provenance.
#pragma once

#include <string_view>

namespace helix {

/// The instruction set the numbers were computed with.
inline constexpr std::string_view target_name() {
#if defined(__wasm_relaxed_simd__)
  return "wasm relaxed-simd";
#elif defined(__wasm_simd128__)
  return "wasm simd128";
#elif defined(__wasm__)
  return "wasm";
#elif defined(__x86_64__)
  return "native x86-64";
#elif defined(__aarch64__)
  return "native arm64";
#else
  return "native";
#endif
}

/// The version of the page and the program, from the build.
inline constexpr std::string_view version_name() { return HELIXSCOPE_VERSION; }

}  // namespace helix
