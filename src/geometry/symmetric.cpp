#include "geometry/symmetric.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <memory>
#include <utility>

#include "geometry/pace.h"
#include "geometry/simd.h"

namespace helix::geometry {
namespace {

struct Tridiagonal {
  std::vector<double> diagonal;  // [n]
  std::vector<double> off;       // [n], off[i] couples i and i + 1; the last is 0
};

/// H = I - factor v vᵀ with v[0] = 1, which maps the vector it was made from to (image, 0, ..., 0).
struct Reflector {
  double factor = 0;
  double image = 0;
};

/// Overwrites x with the reflector's v.
Reflector make_reflector(std::span<double> x) {
  const double head = x[0], rest = dot(x.data() + 1, x.data() + 1, x.size() - 1);
  x[0] = 1;
  if (rest == 0) return {0, head};
  const double image = -std::copysign(std::sqrt(head * head + rest), head);  // the sign that does not cancel
  const double scale = 1 / (head - image);
  for (std::size_t i = 1; i < x.size(); ++i) x[i] *= scale;
  return {(image - head) / image, image};
}

/// The rank-two update A -= v wᵀ + w vᵀ that a finished step owes to the rows it has not reached.
struct Update {
  std::vector<double> v, w;  // [n]
};

void update_row(double* row, std::size_t i, std::size_t n, const Update& owed) {
  const double vi = owed.v[i], wi = owed.w[i];
  for (std::size_t c = i; c < n; ++c) row[c] -= vi * owed.w[c] + wi * owed.v[c];
}

/// Rows i and i + 1 of the upper triangle: pays the update they are owed and adds their part of product = A
/// u. One pass over the matrix in place of two: its memory traffic is what a step costs.
void update_and_multiply_pair(double* row0, double* row1, std::size_t i, std::size_t n, const Update& owed,
                              const double* u, double* product) {
  const double *v = owed.v.data(), *w = owed.w.data();
  row0[i] -= 2 * v[i] * w[i];
  row0[i + 1] -= v[i] * w[i + 1] + w[i] * v[i + 1];
  row1[i + 1] -= 2 * v[i + 1] * w[i + 1];
  const V2 v0 = splat(v[i]), w0 = splat(w[i]), u0 = splat(u[i]);
  const V2 v1 = splat(v[i + 1]), w1 = splat(w[i + 1]), u1 = splat(u[i + 1]);
  V2 s0 = splat(0), s1 = splat(0);
  std::size_t c = i + 2;
  for (; c + 2 <= n; c += 2) {
    const V2 vc = load(v + c), wc = load(w + c), uc = load(u + c);
    const V2 a0 = load(row0 + c) - (v0 * wc + w0 * vc);
    const V2 a1 = load(row1 + c) - (v1 * wc + w1 * vc);
    store(row0 + c, a0);
    store(row1 + c, a1);
    s0 += a0 * uc;
    s1 += a1 * uc;
    store(product + c, load(product + c) + (a0 * u0 + a1 * u1));
  }
  double t0 = sum(s0), t1 = sum(s1);
  for (; c < n; ++c) {
    row0[c] -= v[i] * w[c] + w[i] * v[c];
    row1[c] -= v[i + 1] * w[c] + w[i + 1] * v[c];
    t0 += row0[c] * u[c];
    t1 += row1[c] * u[c];
    product[c] += row0[c] * u[i] + row1[c] * u[i + 1];
  }
  product[i] += row0[i] * u[i] + row0[i + 1] * u[i + 1] + t0;
  product[i + 1] += row0[i + 1] * u[i] + row1[i + 1] * u[i + 1] + t1;
}

/// product = A u over rows and columns first..n-1, A being brought up to date on the way.
void update_and_multiply(Matrix<double>& a, std::size_t first, const Update& owed, const std::vector<double>& u,
                         std::vector<double>& product) {
  const std::size_t n = a.rows;
  std::fill(product.begin(), product.end(), 0.0);
  std::size_t i = first;
  for (; i + 2 <= n; i += 2)
    update_and_multiply_pair(a.row(i).data(), a.row(i + 1).data(), i, n, owed, u.data(), product.data());
  if (i == n) return;
  update_row(a.row(i).data(), i, n, owed);
  product[i] += a(i, i) * u[i];
}

/// A similar tridiagonal matrix and, in `a` right of the diagonal, the vectors of the n - 2 reflectors that
/// lead to it.
Task<Tridiagonal> tridiagonalise(std::shared_ptr<Matrix<double>> matrix, std::shared_ptr<std::vector<double>> factors) {
  Matrix<double>& a = *matrix;
  const std::size_t n = a.rows;
  const double total = static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(n);
  Tridiagonal t{std::vector<double>(n, 0), std::vector<double>(n, 0)};
  factors->assign(n, 0);
  Update owed{std::vector<double>(n, 0), std::vector<double>(n, 0)};
  std::vector<double> u(n, 0), product(n, 0);
  Pace pace;
  for (std::size_t j = 0; j < n; ++j) {
    update_row(a.row(j).data(), j, n, owed);
    t.diagonal[j] = a(j, j);
    if (j + 1 < n) t.off[j] = a(j, j + 1);
    if (j + 2 >= n) continue;
    const Reflector h = make_reflector(a.row(j).subspan(j + 1));
    t.off[j] = h.image;
    (*factors)[j] = h.factor;
    std::copy(a.row(j).begin() + static_cast<std::ptrdiff_t>(j + 1), a.row(j).end(),
              u.begin() + static_cast<std::ptrdiff_t>(j + 1));
    u[j] = 0;
    update_and_multiply(a, j + 1, owed, u, product);
    for (double& x : product) x *= h.factor;
    add_scaled(product.data(), -h.factor / 2 * dot(product.data(), u.data(), n), u.data(), n);
    std::swap(owed.v, u);
    std::swap(owed.w, product);
    const auto left = static_cast<double>(n - j);
    if (pace.due(4 * left * left)) co_await pause_point(total - left * left * left, total, "tridiagonal form");
  }
  co_return std::move(t);
}

/// First m >= from at which the coupling m, m + 1 is lost in rounding.
std::size_t block_end(const Tridiagonal& t, std::size_t from, double norm) {
  std::size_t m = from;
  for (; m + 1 < t.diagonal.size(); ++m) {
    const double size = std::fabs(t.off[m]);
    if (size <= DBL_EPSILON * (std::fabs(t.diagonal[m]) + std::fabs(t.diagonal[m + 1]))) break;
    if (size <= 0x1p-60 * norm) break;
  }
  return m;
}

/// One implicit QL sweep over the unreduced block first..last with Wilkinson's shift.
void ql_sweep(Tridiagonal& t, std::size_t first, std::size_t last) {
  std::vector<double>&d = t.diagonal, &e = t.off;
  const double half = (d[first + 1] - d[first]) / (2 * e[first]);
  const double root = std::sqrt(half * half + 1);
  double g = d[last] - d[first] + e[first] / (half + std::copysign(root, half));
  double sine = 1, cosine = 1, carried = 0;
  for (std::size_t i = last; i-- > first;) {
    const double f = sine * e[i], b = cosine * e[i];
    const double r = std::sqrt(f * f + g * g);
    e[i + 1] = r;
    if (r == 0) {  // the bulge vanished: the block splits here
      d[i + 1] -= carried;
      e[last] = 0;
      return;
    }
    sine = f / r;
    cosine = g / r;
    g = d[i + 1] - carried;
    const double turn = (d[i] - g) * sine + 2 * cosine * b;
    carried = sine * turn;
    d[i + 1] = g + carried;
    g = cosine * turn - b;
  }
  d[first] -= carried;
  e[first] = g;
  e[last] = 0;
}

double norm_of(const Tridiagonal& t) {
  double norm = 0;
  for (std::size_t i = 0; i < t.diagonal.size(); ++i)
    norm = std::max(norm, std::fabs(t.diagonal[i]) + std::fabs(t.off[i]) + (i > 0 ? std::fabs(t.off[i - 1]) : 0));
  return norm;
}

/// All eigenvalues, largest first.
Task<std::vector<double>> tridiagonal_values(Tridiagonal t) {
  constexpr int kMostSweeps = 60;       // per value; two are usual
  constexpr double kRotationCost = 80;  // a square root and two divisions that wait for each other
  const std::size_t n = t.diagonal.size();
  if (n > 1 && std::fabs(t.diagonal.front()) > std::fabs(t.diagonal.back())) {  // QL wants the small end first
    std::reverse(t.diagonal.begin(), t.diagonal.end());
    std::reverse(t.off.begin(), t.off.end() - 1);
  }
  const double norm = norm_of(t);
  Pace pace;
  for (std::size_t first = 0; first < n; ++first) {
    for (int sweep = 0; sweep < kMostSweeps; ++sweep) {
      const std::size_t last = block_end(t, first, norm);
      if (last == first) break;
      ql_sweep(t, first, last);
      if (!pace.due(kRotationCost * static_cast<double>(last - first))) continue;
      co_await pause_point(static_cast<double>(first), static_cast<double>(n), "eigenvalues");
    }
  }
  std::sort(t.diagonal.begin(), t.diagonal.end(), [](double a, double b) { return a > b; });
  co_return std::move(t.diagonal);
}

/// T - shift = P L U with partial pivoting; pivots lost in rounding are lifted to `floor`.
class ShiftedLu {
 public:
  ShiftedLu(const Tridiagonal& t, double shift, double floor)
      : d0_(t.diagonal), d1_(t.off), d2_(t.off.size(), 0), factor_(t.off.size(), 0), swapped_(t.off.size(), false) {
    const std::size_t n = d0_.size();
    for (double& x : d0_) x -= shift;
    for (std::size_t i = 0; i + 1 < n; ++i) eliminate(i, t.off[i], floor);
    if (std::fabs(d0_[n - 1]) < floor) d0_[n - 1] = std::copysign(floor, d0_[n - 1]);
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
  void eliminate(std::size_t i, double below, double floor) {
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
    d2_[i] = d1_[i + 1];
    d0_[i + 1] = above - factor_[i] * d1_[i];
    d1_[i + 1] = -factor_[i] * d2_[i];
  }

  std::vector<double> d0_, d1_, d2_, factor_;  // U's three diagonals, L's multipliers
  std::vector<bool> swapped_;
};

/// ‖T x - value x‖ for a unit x.
double residual_of(const Tridiagonal& t, double value, std::span<const double> x) {
  double squares = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    double r = (t.diagonal[i] - value) * x[i];
    if (i > 0) r += t.off[i - 1] * x[i - 1];
    if (i + 1 < x.size()) r += t.off[i] * x[i + 1];
    squares += r * r;
  }
  return std::sqrt(squares);
}

/// Inverse iteration for eigenvector number `index`. Taking out all earlier vectors after every solve is what
/// tells apart the vectors of equal eigenvalues: each starts from other noise, and only its new part is kept.
void inverse_iteration(const Tridiagonal& t, double value, double norm, std::size_t index, Matrix<double>& vectors) {
  constexpr int kMostSolves = 6;  // two or three are usual
  const double floor = norm > 0 ? DBL_EPSILON * norm : 1;
  const ShiftedLu lu(t, value, floor);
  FixedNoise noise(index + 1);
  const std::span<double> x = vectors.row(index);
  noise.fill(x);
  for (int i = 0; i < kMostSolves; ++i) {
    lu.solve(x);
    for (int fresh = 0; fresh < 4 && orthonormalise(x, vectors, index) < 1e-8; ++fresh) noise.fill(x);
    if (i > 0 && residual_of(t, value, x) <= 16 * floor) break;
  }
}

/// Rows of `vectors`, eigenvectors of the tridiagonal matrix, become those of the matrix it was made from.
Task<Matrix<double>> through_reflectors(std::shared_ptr<const Matrix<double>> a,
                                        std::shared_ptr<const std::vector<double>> factors, Matrix<double> vectors) {
  constexpr std::size_t kTogether = 16;  // vectors that stay in the cache while the reflectors stream past
  const std::size_t n = a->rows;
  Pace pace;
  for (std::size_t begin = 0; begin < vectors.rows; begin += kTogether) {
    const std::size_t end = std::min(begin + kTogether, vectors.rows);
    for (std::size_t j = n < 2 ? 0 : n - 2; j-- > 0;) {
      const double* v = a->row(j).data() + j + 1;
      const std::size_t length = n - j - 1;
      for (std::size_t i = begin; i < end; ++i) {
        double* x = vectors.row(i).data() + j + 1;
        add_scaled(x, -(*factors)[j] * dot(v, x, length), v, length);
      }
      if (!pace.due(4.0 * static_cast<double>((end - begin) * length))) continue;
      co_await pause_point(static_cast<double>(begin), static_cast<double>(vectors.rows), "directions");
    }
  }
  co_return std::move(vectors);
}

}  // namespace

Task<Spectrum> symmetric_spectrum(Matrix<double> matrix, std::size_t k) {
  Spectrum out;
  const auto a = std::make_shared<Matrix<double>>(std::move(matrix));
  const auto factors = std::make_shared<std::vector<double>>();
  const Tridiagonal t = co_await tridiagonalise(a, factors);
  out.values = co_await tridiagonal_values(t);
  k = std::min(k, a->rows);
  const double norm = norm_of(t);
  Matrix<double> vectors(k, a->rows);
  Pace pace;
  for (std::size_t i = 0; i < k; ++i) {
    inverse_iteration(t, out.values[i], norm, i, vectors);
    if (!pace.due(3 * static_cast<double>((60 + 8 * i) * a->rows))) continue;
    co_await pause_point(static_cast<double>(i), static_cast<double>(k), "directions");
  }
  out.vectors = co_await through_reflectors(a, factors, std::move(vectors));
  co_return std::move(out);
}

double orthonormalise(std::span<double> vector, MatrixView<const double> basis, std::size_t count) {
  const std::size_t n = vector.size();
  double largest = 0;
  for (const double x : vector) largest = std::max(largest, std::fabs(x));
  if (!(largest > 0 && largest <= DBL_MAX)) return 0;
  for (double& x : vector) x /= largest;
  const double before = std::sqrt(dot(vector.data(), vector.data(), n));
  double share = 0;
  for (int pass = 0; pass < 2; ++pass) {  // "twice is enough" (Parlett, The Symmetric Eigenvalue Problem, §6.9)
    for (std::size_t i = 0; i < count; ++i)
      add_scaled(vector.data(), -dot(vector.data(), basis.row(i).data(), n), basis.row(i).data(), n);
    const double after = std::sqrt(dot(vector.data(), vector.data(), n));
    if (!(after > 0)) return 0;
    for (double& x : vector) x /= after;
    if (pass == 0) share = after / before;
    if (share > 0.7) break;  // little was taken out, so little was lost to cancellation
  }
  return share;
}

void FixedNoise::fill(std::span<double> values) {
  for (double& value : values) {
    state_ += 0x9E3779B97F4A7C15u;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    z ^= z >> 31;
    value = static_cast<double>(z >> 11) * 0x1p-53 - 0.5;
  }
}

}  // namespace helix::geometry
