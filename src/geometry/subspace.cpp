#include <algorithm>
#include <cmath>
#include <utility>

#include "geometry/dense.h"
#include "geometry/directions.h"
#include "geometry/orthonormal.h"
#include "geometry/pca.h"
#include "geometry/products.h"
#include "geometry/scaled_rows.h"
#include "geometry/symmetric.h"

namespace helix::geometry {
namespace {

constexpr double kTolerance = 1e-9;  // of ‖C v - λ v‖, relative to the largest λ
constexpr int kMostSteps = 60;       // a helix takes 5; isotropic noise of 1023 x 768 about 50
constexpr std::size_t kSpare = 2;    // random starting directions beyond k: no wanted one is missed by accident

/// An orthonormal basis q of the subspace searched so far, its image under XᵀX, and XᵀX restricted to it.
struct Searched {
  Matrix<double> q, image;  // [m, d]
  Matrix<double> inside;    // [m, m] q XᵀX qᵀ
};

/// The best approximations of eigenvectors that the searched subspace holds, and their errors.
struct Ritz {
  std::vector<double> values;  // [m]
  Matrix<double> weights;      // [k, m] of the basis
  Matrix<double> remainders;   // [k, d] C v - λ v
  std::vector<double> error;   // [k] length of each, relative to the largest λ
};

void append_row(Matrix<double>& to, std::span<const double> row) {
  to.data.insert(to.data.end(), row.begin(), row.end());
  to.cols = row.size();
  ++to.rows;
}

void append_rows(Matrix<double>& to, const Matrix<double>& rows) {
  for (std::size_t i = 0; i < rows.rows; ++i) append_row(to, rows.row(i));
}

/// The rows of `candidates` made orthonormal to the basis and to each other; those that add nothing are left
/// out.
Matrix<double> new_directions(const Matrix<double>& basis, const Matrix<double>& candidates) {
  Matrix<double> all = basis;
  for (std::size_t i = 0; i < candidates.rows && all.rows < candidates.cols; ++i) {
    std::vector<double> row(candidates.row(i).begin(), candidates.row(i).end());
    if (orthonormalise(row, all) > 1e-8) append_row(all, row);
  }
  Matrix<double> out(all.rows - basis.rows, candidates.cols);
  std::copy(all.data.begin() + static_cast<std::ptrdiff_t>(basis.data.size()), all.data.end(), out.data.begin());
  return out;
}

/// The warm directions, with one of noise beside them, or noise alone; noise also replaces warm ones that are
/// unusable.
Matrix<double> starting_block(const Matrix<double>& warm, std::size_t k, std::size_t d) {
  const bool usable = warm.cols == d && warm.rows > 0;
  const std::size_t count = std::min(d, usable ? k + 1 : k + kSpare);
  Matrix<double> block(0, d), candidates(0, d), fresh(1, d);
  for (std::size_t i = 0; usable && i < std::min(warm.rows, k); ++i) append_row(candidates, warm.row(i));
  block = new_directions(block, candidates);
  FixedNoise noise(1);
  while (block.rows < count) {
    noise.fill(fresh.row(0));
    append_rows(block, new_directions(block, fresh));
  }
  return block;
}

void extend(Searched& s, const Matrix<double>& block, const Matrix<double>& image) {
  const std::size_t before = s.q.rows;
  append_rows(s.q, block);
  append_rows(s.image, image);
  Matrix<double> inside(s.q.rows, s.q.rows), added(s.q.rows, block.rows);
  map(inside).topLeftCorner(before, before) = map(s.inside);
  inner_products(s.q, image, added.view());
  for (std::size_t i = 0; i < s.q.rows; ++i) {
    for (std::size_t j = std::max(i, before); j < s.q.rows; ++j) inside(i, j) = inside(j, i) = added(i, j - before);
  }
  s.inside = std::move(inside);
}

/// weights [k, m] · basis [m, d].
Matrix<double> combined(const Matrix<double>& weights, const Matrix<double>& basis) {
  Matrix<double> by_row(weights.cols, weights.rows), out(weights.rows, basis.cols);
  map(by_row) = map(weights).transpose();
  add_weighted_rows(basis, by_row, out.view());
  return out;
}

Task<Ritz> rayleigh_ritz(std::shared_ptr<const Searched> s, std::size_t k) {
  Matrix<double> inside = s->inside;
  Spectrum spectrum = co_await symmetric_spectrum(std::move(inside), k);
  Ritz out;
  out.values = std::move(spectrum.values);
  out.weights = std::move(spectrum.vectors);
  const Matrix<double> v = combined(out.weights, s->q);
  out.remainders = combined(out.weights, s->image);
  for (std::size_t i = 0; i < v.rows; ++i) {
    auto r = map(out.remainders.row(i));
    r -= out.values[i] * map(v.row(i));
    const double length = r.norm();
    out.error.push_back(length > 0 ? length / std::fabs(out.values[0]) : 0);
  }
  co_return std::move(out);
}

/// Forgets all but the best approximations once the basis has grown long.
void keep_best(Searched& s, const Ritz& ritz) {
  s.q = combined(ritz.weights, s.q);
  s.image = combined(ritz.weights, s.image);
  s.inside = Matrix<double>(s.q.rows, s.q.rows);
  for (std::size_t i = 0; i < s.q.rows; ++i) s.inside(i, i) = ritz.values[i];
}

/// The remainders worth searching next: of all approximations at first, then of the wanted ones still in
/// error.
Matrix<double> next_candidates(const Ritz& ritz, std::size_t wanted, bool first) {
  Matrix<double> out(0, ritz.remainders.cols);
  for (std::size_t i = 0; i < (first ? ritz.error.size() : wanted); ++i) {
    if (first || ritz.error[i] > kTolerance / 4) append_row(out, ritz.remainders.row(i));
  }
  return out;
}

struct Found {
  std::vector<double> values;  // [k] of XᵀX
  Matrix<double> directions;   // [k, d]
  bool converged = false;
};

Task<Found> search(std::shared_ptr<const Matrix<double>> rows, std::size_t k, Matrix<double> block) {
  const auto s = std::make_shared<Searched>();
  const std::size_t kept = k + 2 * kSpare, longest = 8 * kept;
  s->q = s->image = Matrix<double>(0, rows->cols);
  Found out;
  for (int step = 0;; ++step) {
    const Matrix<double> image = co_await through_covariance(rows, block);
    extend(*s, block, image);
    co_await pause_point(step, kMostSteps, "directions");
    const Ritz ritz = co_await rayleigh_ritz(s, kept);
    const double worst = *std::max_element(ritz.error.begin(), ritz.error.begin() + static_cast<std::ptrdiff_t>(k));
    out.converged = worst <= kTolerance;
    const Matrix<double> candidates = next_candidates(ritz, k, step == 0);
    block = new_directions(s->q, candidates);
    if ((out.converged && step > 0) || block.rows == 0 || step == kMostSteps) {
      out.values.assign(ritz.values.begin(), ritz.values.begin() + static_cast<std::ptrdiff_t>(k));
      out.directions = combined(ritz.weights, s->q);
      co_return std::move(out);
    }
    if (s->q.rows + block.rows > longest) keep_best(*s, ritz);
  }
}

Task<double> sum_of_squares(std::shared_ptr<const Matrix<double>> rows) {
  double total = 0;
  for (std::size_t i = 0; i < rows->rows; ++i) {
    total += map(rows->row(i)).squaredNorm();
    if (i % 1024 == 1023) co_await pause_point();
  }
  co_return total;
}

}  // namespace

Task<Pca> top_components(std::shared_ptr<const Matrix<double>> rows, bool centre, std::size_t k, Matrix<double> start) {
  const std::size_t n = rows->rows, d = rows->cols;
  k = std::min({k, n, d});
  ScaledRows x = co_await scaled_rows(rows, centre);
  if (!x.finite) co_return not_a_number(d, k, k);
  Pca out;
  out.mean = std::move(x.mean);
  out.directions = Matrix<double>(k, d);
  if (n == 0 || d == 0) co_return std::move(out);

  const auto count = static_cast<double>(n);
  const double squares = co_await sum_of_squares(x.rows);
  out.total_variance = x.unscaled(squares / count);
  if (k == 0) co_return std::move(out);
  Matrix<double> block = starting_block(start, k, d);
  const Found found = co_await search(x.rows, k, std::move(block));
  for (const double value : found.values) out.variances.push_back(x.unscaled(std::max(value, 0.0) / count));
  std::copy_n(found.directions.data.begin(), k * d, out.directions.data.begin());
  out.converged = found.converged;
  fix_signs(out.directions);
  co_return std::move(out);
}

}  // namespace helix::geometry
