#include "checkpoint/byte_ranges.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace helix::checkpoint {

std::size_t ByteRanges::first_reaching(std::uint64_t at) const {
  const auto it = std::lower_bound(ranges_.begin(), ranges_.end(), at,
                                   [](const ByteRange& range, std::uint64_t value) { return range.end < value; });
  return static_cast<std::size_t>(it - ranges_.begin());
}

void ByteRanges::add(ByteRange range) {
  if (range.begin >= range.end) return;
  const std::size_t first = first_reaching(range.begin);
  std::size_t last = first;
  while (last < ranges_.size() && ranges_[last].begin <= range.end) {
    range.begin = std::min(range.begin, ranges_[last].begin);
    range.end = std::max(range.end, ranges_[last].end);
    ++last;
  }
  const auto at = ranges_.begin() + static_cast<std::ptrdiff_t>(first);
  if (first == last) {
    ranges_.insert(at, range);
  } else {
    *at = range;
    ranges_.erase(at + 1, ranges_.begin() + static_cast<std::ptrdiff_t>(last));
  }
}

void ByteRanges::remove(ByteRange range) {
  if (range.begin >= range.end) return;
  std::vector<ByteRange> rest;
  for (const ByteRange& one : ranges_) {
    if (one.begin < range.begin) rest.push_back({one.begin, std::min(one.end, range.begin)});
    if (one.end > range.end) rest.push_back({std::max(one.begin, range.end), one.end});
  }
  ranges_ = std::move(rest);
}

bool ByteRanges::covers(ByteRange range) const { return gaps(range).empty(); }

std::vector<ByteRange> ByteRanges::gaps(ByteRange within) const {
  std::vector<ByteRange> found;
  std::uint64_t at = within.begin;
  for (std::size_t i = first_reaching(within.begin); i < ranges_.size() && ranges_[i].begin < within.end; ++i) {
    if (ranges_[i].begin > at) found.push_back({at, ranges_[i].begin});
    at = std::max(at, ranges_[i].end);
  }
  if (at < within.end) found.push_back({at, within.end});
  return found;
}

std::uint64_t ByteRanges::count(ByteRange within) const {
  if (within.begin >= within.end) return 0;
  std::uint64_t absent = 0;
  for (const ByteRange& gap : gaps(within)) absent += gap.size();
  return within.size() - absent;
}

std::vector<ByteRange> merged(std::vector<ByteRange> ranges, std::uint64_t distance) {
  std::sort(ranges.begin(), ranges.end(), [](const ByteRange& a, const ByteRange& b) { return a.begin < b.begin; });
  std::vector<ByteRange> joined;
  for (const ByteRange& range : ranges) {
    if (!joined.empty() && (range.begin <= joined.back().end || range.begin - joined.back().end <= distance)) {
      joined.back().end = std::max(joined.back().end, range.end);
    } else {
      joined.push_back(range);
    }
  }
  return joined;
}

}  // namespace helix::checkpoint
