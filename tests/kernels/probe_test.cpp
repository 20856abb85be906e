#include "kernels/probe.h"

#include <catch_amalgamated.hpp>

#include "tests/kernels/samples.h"

namespace probe_test {

using namespace helix;
using namespace helix::kernels;
using namespace helix::kernels::samples;

TEST_CASE("the probe's loops keep to their memory, and count what they do", "[kernels][probe]") {
  std::vector<std::span<const RoofTile>> all;
  for (const Table& table : tables()) all.insert(all.end(), {table.roof, table.q8.roof});
  for (const Q8Kernels& kernels : q8_kernels()) all.push_back(kernels.roof);
  constexpr std::size_t kFloats = RoofTile::kBytes / sizeof(float);
  for (auto tiles : all)
    for (const RoofTile& tile : tiles) {
      Guarded a(kFloats, 0, 1.0f), b(kFloats, 0, 1.0f), c(kFloats, 0);
      tile.run(a.data(), b.data(), c.data());
      CHECK(a.untouched_around());
      CHECK(b.untouched_around());
      CHECK(c.untouched_around());
      CHECK(c.data()[0] != Guarded::kMark);
      CHECK(tile.operations >= 2.0 * RoofTile::kSteps);
    }
  // Ones times ones: every sum is the number of steps, and the sums are half the operations.
  for (const RoofTile& tile : tables().back().roof) {
    Guarded a(kFloats, 0, 1.0f), b(kFloats, 0, 1.0f), c(kFloats, 0, 0.0f);
    tile.run(a.data(), b.data(), c.data());
    double sum = 0;
    for (std::size_t i = 0; i < kFloats; ++i) sum += c.data()[i];
    CHECK(2 * sum == tile.operations);
  }
}

TEST_CASE("the probe finds roofs above zero, and every vector table has loops for it", "[kernels][probe]") {
  for (const Table& table : tables()) {
    CHECK(table.roof.empty() == (table.name == "scalar"));
    CHECK(table.q8.roof.empty() == (table.name == "scalar"));
  }
  Threads one;
  const Roofs roofs = probe(one);
  CHECK(roofs.f32 > 0.1);
  CHECK(roofs.int8 > 0.1);
  CHECK(roofs.reading > 0.1);
}

}  // namespace probe_test
