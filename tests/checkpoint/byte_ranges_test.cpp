#include "checkpoint/byte_ranges.h"

#include <bitset>
#include <catch_amalgamated.hpp>
#include <random>

namespace byte_ranges_test {

using helix::ByteRange;
using namespace helix::checkpoint;

TEST_CASE("byte ranges agree with a list of bits", "[model]") {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    ByteRanges ranges;
    std::bitset<64> bits;
    for (int step = 0; step < 20; ++step) {
      const std::uint64_t begin = random() % 64;
      const std::uint64_t end = std::min<std::uint64_t>(64, begin + random() % 12);
      const bool adds = random() % 3 > 0;
      if (adds)
        ranges.add({begin, end});
      else
        ranges.remove({begin, end});
      for (auto i = static_cast<std::size_t>(begin); i < end; ++i) bits.set(i, adds);

      const std::uint64_t from = random() % 64;
      const std::uint64_t to = from + random() % (64 - from);
      std::bitset<64> absent;
      for (const ByteRange& gap : ranges.gaps({from, to})) {
        REQUIRE(gap.begin < gap.end);
        REQUIRE((gap.begin >= from && gap.end <= to));
        for (auto i = static_cast<std::size_t>(gap.begin); i < gap.end; ++i) absent.set(i);
      }
      for (auto i = static_cast<std::size_t>(from); i < to; ++i) REQUIRE(absent[i] != bits[i]);
      REQUIRE(ranges.count({from, to}) == to - from - absent.count());
      REQUIRE(ranges.covers({from, to}) == absent.none());
      for (std::size_t i = 1; i < ranges.ranges().size(); ++i)
        REQUIRE(ranges.ranges()[i - 1].end < ranges.ranges()[i].begin);
    }
  }
}

TEST_CASE("ranges are joined up to a distance", "[model]") {
  CHECK(merged({}, 5).empty());
  CHECK(merged({{20, 30}, {0, 10}}, 9) == std::vector<ByteRange>{{0, 10}, {20, 30}});
  CHECK(merged({{20, 30}, {0, 10}}, 10) == std::vector<ByteRange>{{0, 30}});
  CHECK(merged({{0, 50}, {5, 10}, {50, 60}}, 0) == std::vector<ByteRange>{{0, 60}});
}

}  // namespace byte_ranges_test
