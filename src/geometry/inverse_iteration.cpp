#include "geometry/inverse_iteration.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <span>
#include <vector>

#include "geometry/orthonormal.h"

namespace helix::geometry {
namespace {

using Eigen::Index, Eigen::VectorXd;

/// T - shift = P L U with partial pivoting; pivots lost in rounding are raised to `floor`. Eigen has no LU
/// decomposition of a tridiagonal matrix.
class ShiftedLu {
 public:
  ShiftedLu(const Tridiagonal& t, double shift, double floor)
      : d0_(t.diagonal.array() - shift),
        d1_(t.off),
        d2_(VectorXd::Zero(t.off.size())),
        factor_(VectorXd::Zero(t.off.size())),
        swapped_(t.off.size(), false) {
    for (Index i = 0; i < t.off.size(); ++i) eliminate(i, t.off[i], floor);
    double& last = d0_[d0_.size() - 1];
    if (std::fabs(last) < floor) last = std::copysign(floor, last);
  }

  void solve(std::span<double> x) const {
    const std::size_t n = x.size();
    for (std::size_t i = 0; i + 1 < n; ++i) {
      if (swapped_[i]) std::swap(x[i], x[i + 1]);
      x[i + 1] -= factor_[i] * x[i];
    }
    for (std::size_t i = n; i-- > 0;) {
      double rest = x[i];
      if (i + 1 < n) rest -= d1_[i] * x[i + 1];
      if (i + 2 < n) rest -= d2_[i] * x[i + 2];
      x[i] = rest / d0_[i];
    }
  }

 private:
  void eliminate(Index i, double below, double floor) {
    const double next = i + 1 < d1_.size() ? d1_[i + 1] : 0;
    if (std::fabs(d0_[i]) >= std::fabs(below)) {
      if (std::fabs(d0_[i]) < floor) d0_[i] = std::copysign(floor, d0_[i]);
      factor_[i] = below / d0_[i];
      d0_[i + 1] -= factor_[i] * d1_[i];
      return;
    }
    swapped_[i] = true;
    factor_[i] = d0_[i] / below;
    const double above = d1_[i];
    d0_[i] = below;
    d1_[i] = d0_[i + 1];
    d2_[i] = next;
    d0_[i + 1] = above - factor_[i] * d1_[i];
    if (i + 1 < d1_.size()) d1_[i + 1] = -factor_[i] * next;
  }

  VectorXd d0_, d1_, d2_, factor_;  // U's three diagonals, L's multipliers
  std::vector<bool> swapped_;
};

/// ‖T x - value x‖ for a unit x.
double residual_of(const Tridiagonal& t, double value, const Eigen::Ref<const VectorXd>& x) {
  const Index coupled = t.off.size();
  VectorXd r = (t.diagonal.array() - value) * x.array();
  r.tail(coupled).array() += t.off.array() * x.head(coupled).array();
  r.head(coupled).array() += t.off.array() * x.tail(coupled).array();
  return r.norm();
}

}  // namespace

double norm_of(const Tridiagonal& t) {
  const Index coupled = t.off.size();
  VectorXd sums = t.diagonal.cwiseAbs();
  sums.tail(coupled) += t.off.cwiseAbs();
  sums.head(coupled) += t.off.cwiseAbs();
  return sums.maxCoeff<Eigen::PropagateNaN>();
}

void inverse_iteration(const Tridiagonal& t, double value, double norm, std::size_t index, Eigen::MatrixXd& vectors) {
  constexpr int kMostSolves = 6;  // two or three are usual
  const auto n = static_cast<std::size_t>(vectors.rows());
  const double floor = norm > 0 ? DBL_EPSILON * norm : 1;
  const ShiftedLu lu(t, value, floor);
  FixedNoise noise(index + 1);
  const std::span<double> x(vectors.col(index).data(), n);
  const MatrixView<const double> before(vectors.data(), index, n);  // columns one after the other are rows
  noise.fill(x);
  for (int i = 0; i < kMostSolves; ++i) {
    lu.solve(x);
    // Removing all earlier vectors after every solve separates the vectors of equal eigenvalues: each starts from other
    // noise, and only its new part is kept.
    for (int fresh = 0; fresh < 4 && orthonormalise(x, before) < 1e-8; ++fresh) noise.fill(x);
    if (i > 0 && residual_of(t, value, vectors.col(index)) <= 16 * floor) break;
  }
}

}  // namespace helix::geometry
