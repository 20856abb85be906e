#include <Eigen/Core>
#include <catch_amalgamated.hpp>
#include <cstdint>
#include <cstring>

#include "geometry/orthonormal.h"
#include "geometry/pca.h"
#include "geometry/singular.h"
#include "geometry/symmetric.h"
#include "tests/geometry/samples.h"

namespace bits_test {

using namespace helix;
using namespace helix::geometry;
using namespace helix::geometry::samples;

namespace {

/// Noise without the standard library's distributions, which differ between implementations.
Matrix<double> fixed(std::size_t n, std::size_t d) {
  Matrix<double> out(n, d);
  FixedNoise(n + d).fill(out.data);
  return out;
}

std::uint64_t bits_of(const std::vector<double>& values, std::uint64_t hash = 14695981039346656037u) {
  for (const double value : values) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    hash = (hash ^ bits) * 1099511628211u;
    hash ^= hash >> 32;
  }
  return hash;
}

std::uint64_t bits_of(const Pca& p) { return bits_of(p.directions.data, bits_of(p.variances)); }

}  // namespace

// This makes the page and the program print the same digits. The numbers are recorded; other tests check that they are
// correct. The sizes are odd, so that vectors begin at every alignment.
TEST_CASE("geometry has the same bits natively and in WebAssembly", "[geometry][bits]") {
#ifndef EIGEN_VECTORIZE_SSE2
  SKIP("Eigen's two lanes are not SSE2's here, and may round otherwise");
#endif
  // Another version of Eigen may add in another order: its bits are others, and not wrong.
  INFO("The recorded bits need Eigen 5.0.1; this build has " << EIGEN_MAJOR_VERSION << '.' << EIGEN_MINOR_VERSION << '.'
                                                             << EIGEN_PATCH_VERSION
                                                             << ". ./dev build takes the right one.");
  REQUIRE((EIGEN_MAJOR_VERSION == 5 && EIGEN_MINOR_VERSION == 0 && EIGEN_PATCH_VERSION == 1));
  const auto tall = shared(fixed(151, 107)), wide = shared(fixed(61, 133));
  CHECK(bits_of(run_to_end(pca(tall, true, 7))) == 0x34223592225d6701u);
  CHECK(bits_of(run_to_end(pca(tall, true, 107))) == 0x4738129c551c63d8u);
  CHECK(bits_of(run_to_end(pca(wide, false, 61))) == 0xc6d84bceedbe3911u);
  CHECK(bits_of(run_to_end(top_components(tall, true, 5, {}))) == 0x4bcc72c93b011438u);
  const auto blocks = run_to_end(right_singular(row_blocks(shared(fixed(2501, 33))), true, 33));
  REQUIRE(blocks);
  CHECK(bits_of(blocks->directions.data, bits_of(blocks->values)) == 0xb76d1e68845b7e7du);
  const Pca fit = run_to_end(pca(tall, true, 5));
  CHECK(bits_of(residuals(*tall, fit, 3), bits_of(project(*tall, fit, 5).data)) == 0x9d1ea8fc650843beu);
}

}  // namespace bits_test
