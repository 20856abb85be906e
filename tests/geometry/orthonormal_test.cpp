#include "geometry/orthonormal.h"

#include <catch_amalgamated.hpp>

#include "tests/geometry/samples.h"

namespace orthonormal_test {

using namespace helix;
using namespace helix::geometry;
using namespace helix::geometry::samples;

TEST_CASE("orthonormalise says how much was new", "[geometry][symmetric]") {
  const Matrix<double> basis = matrix(orthonormal_columns(20, 3, 1).transpose());
  std::vector<double> inside(20), fresh(noise(1, 20, 2).data);
  for (std::size_t j = 0; j < 20; ++j) inside[j] = 2 * basis(0, j) - basis(2, j);
  CHECK(orthonormalise(inside, basis) < 1e-14);
  CHECK(orthonormalise(fresh, basis) > 0.5);
  for (std::size_t i = 0; i < 3; ++i) {
    double along = 0;
    for (std::size_t j = 0; j < 20; ++j) along += fresh[j] * basis(i, j);
    CHECK(std::fabs(along) < 1e-15);
  }
  std::vector<double> zero(20, 0), bad(20, std::nan(""));
  CHECK(orthonormalise(zero, basis) == 0);
  CHECK(orthonormalise(bad, Matrix<double>(0, 20)) == 0);
  std::vector<double> first(5), second(5);
  FixedNoise(1).fill(first);
  FixedNoise(1).fill(second);
  CHECK(first == second);
  FixedNoise(2).fill(second);
  CHECK(first != second);
}

}  // namespace orthonormal_test
