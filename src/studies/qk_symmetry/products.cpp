#include "studies/qk_symmetry/products.h"

#include <algorithm>
#include <cmath>

#include "base/random.h"
#include "geometry/dense.h"
#include "geometry/symmetric.h"

namespace helix::studies::qk_symmetry {
namespace {

using geometry::RowMatrix;

constexpr std::size_t kRows = 96;  // of a Gram matrix between two pauses: about 2 ms of 768 × 64

/// G · columns, in steps.
Task<RowMatrix> through(std::shared_ptr<const Gram> gram, std::shared_ptr<const Head> head, bool queries) {
  const Matrix<double>& g = gram->products;
  const Matrix<double>& columns = queries ? head->q : head->k;
  RowMatrix out(static_cast<Eigen::Index>(g.rows), static_cast<Eigen::Index>(columns.cols));
  for (std::size_t first = 0; first < g.rows; first += kRows) {
    const std::size_t count = std::min(kRows, g.rows - first);
    out.middleRows(static_cast<Eigen::Index>(first), static_cast<Eigen::Index>(count)).noalias() =
        geometry::map(g.view().slice(first, count)) * geometry::map(columns);
    co_await pause_point();
  }
  co_return std::move(out);
}

double cosine(double inner, double a, double b) {
  return a > 0 && b > 0 ? std::clamp(inner / a / b, -1.0, 1.0) : std::nan("");
}

/// The square root of tr(A B), with A, B symmetric and positive: rounding may leave a little less than 0.
double root(double square) { return std::sqrt(std::max(square, 0.0)); }

}  // namespace

Task<Cosines> cosines_of(std::shared_ptr<const Head> head, std::shared_ptr<const Gram> gram) {
  const auto q = geometry::map(head->q), k = geometry::map(head->k);
  const RowMatrix qq = q.transpose() * q;
  co_await pause_point();
  const RowMatrix kk = k.transpose() * k;
  co_await pause_point();
  const RowMatrix kq = k.transpose() * q;
  const double square = qq.cwiseProduct(kk).sum(), inner = kq.cwiseProduct(kq.transpose()).sum();
  Cosines out{cosine(inner, root(square), root(square)), std::nan("")};
  co_await pause_point();
  if (!gram) co_return out;
  const RowMatrix gq = co_await through(gram, head, true), gk = co_await through(gram, head, false);
  const RowMatrix qgq = q.transpose() * gq;
  co_await pause_point();
  const RowMatrix kgk = k.transpose() * gk;
  out.identity = cosine(gk.cwiseProduct(gq).sum(), gram->norm, root(qgq.cwiseProduct(kgk).sum()));
  co_return out;
}

double distance_at(double cosine) {
  const double apart = std::sqrt(std::max(2 - 2 * cosine, 0.0));
  return std::isnan(cosine) ? cosine : apart / (2 + apart);
}

Head random_head(std::size_t d_model, std::size_t d_head, std::uint64_t seed) {
  Head head{Matrix<double>(d_model, d_head), Matrix<double>(d_model, d_head)};
  for (Matrix<double>* part : {&head.q, &head.k})
    for (double& x : part->data) x = random_normal(seed);
  return head;
}

Task<double> best_cosine(std::shared_ptr<const Gram> gram, std::size_t rank) {
  Matrix<double> scaled = gram->products;
  double largest = 0;
  for (std::size_t i = 0; i < scaled.rows; ++i) largest = std::max(largest, scaled(i, i));
  if (!(largest > 0)) co_return std::nan("");
  for (double& x : scaled.data) x /= largest;
  const geometry::Spectrum spectrum = co_await geometry::symmetric_spectrum(std::move(scaled), 0);
  double first = 0, all = 0;
  for (std::size_t i = 0; i < spectrum.values.size(); ++i) {
    all += spectrum.values[i] * spectrum.values[i];
    if (i < rank) first = all;
  }
  co_return std::sqrt(first / all);
}

}  // namespace helix::studies::qk_symmetry
