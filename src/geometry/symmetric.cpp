#include "geometry/symmetric.h"

#include <Eigen/Eigenvalues>
#include <Eigen/Householder>
#include <algorithm>
#include <cfloat>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#include "geometry/dense.h"
#include "geometry/inverse_iteration.h"
#include "geometry/pace.h"

namespace helix::geometry {
namespace {

using Eigen::Index, Eigen::MatrixXd, Eigen::VectorXd;

/// Q of A = Q T Qᵀ, kept as Eigen::Tridiagonalization keeps it.
struct Reflectors {
  MatrixXd vectors;  // [n, n] column j holds, below row j + 1, the reflector that cleared it
  VectorXd factors;  // [n - 1]
};

/// One step of Eigen::Tridiagonalization: clears column j below the subdiagonal, whose entry it returns.
double reflect_column(Reflectors& q, Index j, VectorXd& work) {
  const Index left = q.vectors.rows() - j - 1;
  auto v = q.vectors.col(j).tail(left);
  auto w = work.tail(left);
  double factor = 0, beta = 0;
  v.makeHouseholderInPlace(factor, beta);
  v[0] = 1;
  auto rest = q.vectors.bottomRightCorner(left, left);
  w.noalias() = rest.selfadjointView<Eigen::Lower>() * (factor * v);
  w += (-0.5 * factor * w.dot(v)) * v;
  rest.selfadjointView<Eigen::Lower>().rankUpdate(v, w, -1);
  q.factors[j] = factor;
  return beta;
}

/// What Eigen::Tridiagonalization does, with pauses, in the same time. A version of ours that read the matrix once a
/// step instead of twice was 1.2 times as fast natively and 1.3 times in WebAssembly.
Task<Tridiagonal> tridiagonalise(std::shared_ptr<Reflectors> q) {
  const Index n = q->vectors.rows();
  const double total = std::pow(static_cast<double>(n), 3);
  Tridiagonal t{VectorXd(n), VectorXd(n - 1)};
  q->factors.resize(n - 1);
  VectorXd work(n);
  Pace pace;
  for (Index j = 0; j + 1 < n; ++j) {
    t.diagonal[j] = q->vectors(j, j);
    t.off[j] = reflect_column(*q, j, work);
    const auto left = static_cast<double>(n - j - 1);
    if (pace.due(4 * left * left)) co_await pause_point(total - left * left * left, total, "tridiagonal form");
  }
  t.diagonal[n - 1] = q->vectors(n - 1, n - 1);
  co_return std::move(t);
}

/// x [n, m] = Q x, some columns at a time, which stay in the cache while the reflectors stream past. An identity stays
/// one above the rows that a reflector reaches. Eigen's HouseholderSequence joins reflectors into products of matrices:
/// no faster here, and 21 kB more to download.
Task<MatrixXd> through_reflectors(std::shared_ptr<const Reflectors> q, MatrixXd x, bool is_identity) {
  constexpr Index kColumns = 16;
  const Index n = x.rows();
  Eigen::RowVectorXd work(kColumns);
  Pace pace;
  for (Index c = 0; c < x.cols(); c += kColumns) {
    const Index width = std::min(kColumns, x.cols() - c);
    for (Index j = is_identity ? std::min(n - 1, c + width) : n - 1; j-- > 0;) {
      const Index left = n - j - 1;
      x.block(j + 1, c, left, width)
          .applyHouseholderOnTheLeft(q->vectors.col(j).tail(left - 1), q->factors[j], work.data());
      if (!pace.due(4 * static_cast<double>(left * width))) continue;
      co_await pause_point(static_cast<double>(c), static_cast<double>(x.cols()), "directions");
    }
  }
  co_return std::move(x);
}

/// Eigen's QR counts a coupling as lost beside numbers near 1.
double power_of_two_above(double size) {
  int exponent = 0;
  std::frexp(size, &exponent);
  return std::ldexp(1.0, std::clamp(exponent, -1000, 1000));
}

struct Decomposed {
  VectorXd values;   // in no order
  MatrixXd vectors;  // a column each, or none
};

/// Sets couplings to 0 that are lost in rounding, by Eigen's rule.
void drop_lost(const VectorXd& d, VectorXd& e, Index last) {
  for (Index i = 0; i < last; ++i) {
    const double size = e[i] / DBL_EPSILON;
    if (size * size <= std::fabs(d[i]) + std::fabs(d[i + 1])) e[i] = 0;
  }
}

/// Eigen's QR with its own sweep, but with pauses between sweeps: like SelfAdjointEigenSolver, it takes 0.25 s for 768
/// vectors. Turns the columns of q, which may have none, into the eigenvectors. A version of ours for values alone was
/// 1.2 to 1.4 times as fast.
Task<Decomposed> by_sweeps(Tridiagonal t, double norm, MatrixXd q) {
  constexpr Index kMostSweeps = 30;     // per value, as in Eigen; 1.5 are usual
  constexpr double kRotationCost = 80;  // square roots and divisions that wait for each other
  const Index n = t.diagonal.size();
  double* turned = q.size() > 0 ? q.data() : nullptr;
  const double scale = power_of_two_above(norm), cost = turned ? 6 * static_cast<double>(n) : kRotationCost;
  VectorXd d = t.diagonal / scale, e = t.off / scale;
  Pace pace;
  Index last = n - 1;
  for (Index sweep = 0; sweep < kMostSweeps * n; ++sweep) {
    drop_lost(d, e, last);
    while (last > 0 && e[last - 1] == 0) --last;
    if (last == 0) break;
    Index first = last - 1;
    while (first > 0 && e[first - 1] != 0) --first;
    Eigen::internal::tridiagonal_qr_step<Eigen::ColMajor>(d.data(), e.data(), first, last, turned, n);
    if (!pace.due(cost * static_cast<double>(last - first))) continue;
    co_await pause_point(static_cast<double>(n - 1 - last), static_cast<double>(n), "eigenvalues");
  }
  co_return Decomposed{d * scale, std::move(q)};
}

/// All values, largest first, and the columns of the k largest as rows.
Spectrum sorted(Decomposed found, std::size_t k) {
  Spectrum out{{found.values.begin(), found.values.end()}, Matrix<double>(k, found.values.size())};
  std::vector<double>& values = out.values;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto at = static_cast<std::size_t>(std::max_element(values.begin() + i, values.end()) - values.begin());
    std::swap(values[i], values[at]);
    if (found.vectors.size() == 0) continue;
    found.vectors.col(i).swap(found.vectors.col(at));
    if (i < k) map(out.vectors.row(i)) = found.vectors.col(i);
  }
  return out;
}

Spectrum no_numbers(std::size_t n, std::size_t k) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  Spectrum out{std::vector<double>(n, kNan), Matrix<double>(k, n)};
  map(out.vectors).setConstant(kNan);
  return out;
}

/// For a few vectors: inverse iteration, which Eigen does not have. 8 of 768 vectors are found 4.1 times as fast (3.9
/// times in WebAssembly) as all 768 by SelfAdjointEigenSolver, which offers all or none (./dev bench --geometry).
Task<Spectrum> with_few_vectors(Tridiagonal t, double norm, std::shared_ptr<const Reflectors> q, std::size_t k) {
  Spectrum out = sorted(co_await by_sweeps(t, norm, MatrixXd()), k);
  MatrixXd vectors(t.diagonal.size(), k);
  Pace pace;
  for (std::size_t i = 0; i < k; ++i) {
    inverse_iteration(t, out.values[i], norm, i, vectors);
    if (!pace.due(3 * static_cast<double>((60 + 8 * i) * out.values.size()))) continue;
    co_await pause_point(static_cast<double>(i), static_cast<double>(k), "directions");
  }
  vectors = co_await through_reflectors(q, std::move(vectors), false);
  for (std::size_t i = 0; i < k; ++i) map(out.vectors.row(i)) = vectors.col(i);
  co_return std::move(out);
}

}  // namespace

Task<Spectrum> symmetric_spectrum(Matrix<double> matrix, std::size_t k) {
  const auto n = static_cast<Index>(matrix.rows);
  k = std::min(k, matrix.rows);
  if (n == 0) co_return Spectrum{};
  const auto q = std::make_shared<Reflectors>();
  q->vectors = map(matrix).transpose();  // whose lower triangle is read
  matrix = {};
  Tridiagonal t = co_await tridiagonalise(q);
  const double norm = norm_of(t);
  if (!std::isfinite(norm)) co_return no_numbers(n, k);
  if (2 * k <= static_cast<std::size_t>(n)) co_return co_await with_few_vectors(std::move(t), norm, q, k);
  MatrixXd turns = MatrixXd::Identity(n, n);
  turns = co_await through_reflectors(q, std::move(turns), true);
  co_return sorted(co_await by_sweeps(std::move(t), norm, std::move(turns)), k);
}

}  // namespace helix::geometry
