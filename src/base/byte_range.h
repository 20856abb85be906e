// A piece of a file: what the engine asks for and the page fetches.
#pragma once

#include <cstdint>

namespace helix {

/// Bytes begin .. end-1 of a file.
struct ByteRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint64_t size() const { return end - begin; }
  bool operator==(const ByteRange&) const = default;
};

}  // namespace helix
