// Which bytes of a file have arrived: pieces come in any order, overlap and repeat.
#pragma once

#include <cstdint>
#include <vector>

#include "base/byte_range.h"

namespace helix::checkpoint {

/// A set of bytes, kept as sorted ranges that neither overlap nor touch.
class ByteRanges {
 public:
  void add(ByteRange range);
  void remove(ByteRange range);
  bool covers(ByteRange range) const;
  /// The parts of `within` that are not in the set, in order.
  std::vector<ByteRange> gaps(ByteRange within) const;
  /// How many bytes of `within` are in the set.
  std::uint64_t count(ByteRange within) const;
  const std::vector<ByteRange>& ranges() const { return ranges_; }

 private:
  /// The first kept range that ends at or after `at`.
  std::size_t first_reaching(std::uint64_t at) const;

  std::vector<ByteRange> ranges_;
};

/// Sorts, and joins ranges that overlap or lie at most `distance` bytes apart.
std::vector<ByteRange> merged(std::vector<ByteRange> ranges, std::uint64_t distance);

}  // namespace helix::checkpoint
