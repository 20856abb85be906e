#include "geometry/orthonormal.h"

#include <cfloat>

#include "base/random.h"
#include "geometry/dense.h"

namespace helix::geometry {

double orthonormalise(std::span<double> vector, MatrixView<const double> basis) {
  auto x = map(vector);
  const auto known = map(basis);
  const double largest = vector.empty() ? 0 : x.cwiseAbs().maxCoeff<Eigen::PropagateNaN>();
  if (!(largest > 0 && largest <= DBL_MAX)) return 0;
  x /= largest;
  const double before = x.norm();
  double share = 0;
  for (int pass = 0; pass < 2; ++pass) {  // "twice is enough" (Parlett, The Symmetric Eigenvalue Problem, §6.9)
    const Eigen::VectorXd along = known * x;
    for (std::size_t i = 0; i < basis.rows; ++i) x -= along[i] * map(basis.row(i));
    const double after = x.norm();
    if (!(after > 0)) return 0;
    x /= after;
    if (pass == 0) share = after / before;
    if (share > 0.7) break;  // little was taken out, so little was lost to cancellation
  }
  return share;
}

void FixedNoise::fill(std::span<double> values) {
  for (double& value : values) value = random_unit(state_) - 0.5;
}

}  // namespace helix::geometry
