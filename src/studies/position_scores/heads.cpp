#include "studies/position_scores/heads.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/pcg64.h"
#include "geometry/products.h"

namespace helix::studies::position_scores {
namespace {

constexpr std::size_t kBlock = 16;  // rows of a product between two pauses: about half a millisecond

using Vec = std::vector<double>;

double dot(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

double mean_of(std::span<const double> v) {
  double sum = 0;
  for (const double x : v) sum += x;
  return v.empty() ? 0 : sum / static_cast<double>(v.size());
}

/// Subtracts the mean and divides by the root of the variance; returns what it divides by.
double normalize(std::span<const double> row, std::span<double> into) {
  const double mean = mean_of(row);
  double variance = 0;
  for (const double x : row) variance += (x - mean) * (x - mean) / static_cast<double>(row.size());
  const double scale = std::sqrt(variance + kEpsilon);
  for (std::size_t j = 0; j < row.size(); ++j) into[j] = (row[j] - mean) / scale;
  return scale;
}

void affine(std::span<double> row, const Norm& norm) {
  for (std::size_t j = 0; j < row.size(); ++j) row[j] = row[j] * norm.gain[j] + norm.shift[j];
}

/// rows · directionsᵀ, with pauses.
Task<Matrix<double>> product(Rows rows, std::shared_ptr<const Matrix<double>> directions) {
  Matrix<double> out(rows->rows, directions->rows);
  for (std::size_t i = 0; i < out.rows; i += kBlock) {
    const std::size_t count = std::min(kBlock, out.rows - i);
    geometry::inner_products(rows->view().slice(i, count), *directions, out.view().slice(i, count));
    co_await pause_point();
  }
  co_return std::move(out);
}

/// Unit vectors; zero where there is no direction.
using Three = std::array<double, kComponents>;
double length(const Three& v) { return std::sqrt(dot(v, v)); }
Three scaled(Three v, double by) {
  for (double& x : v) x *= by;
  return v;
}
Three unit(const Three& v) {
  const double size = length(v);
  return size > 0 ? scaled(v, 1 / size) : Three{};
}
Three point(const Matrix<double>& points, std::size_t i) { return {points(i, 0), points(i, 1), points(i, 2)}; }

/// Along the curve: from the point before to the point after, where there is one.
Three tangent(const Matrix<double>& points, std::size_t i) {
  const Three before = point(points, i > 0 ? i - 1 : i), after = point(points, std::min(i + 1, points.rows - 1));
  return unit({after[0] - before[0], after[1] - before[1], after[2] - before[2]});
}

/// Away from the third component's axis, square to the tangent.
Three outward(const Matrix<double>& points, std::size_t i, const Three& along) {
  const Three away{points(i, 0), points(i, 1), 0};
  const double part = dot(away, along);
  return unit({away[0] - part * along[0], away[1] - part * along[1], away[2] - part * along[2]});
}

/// The rows of W weighted by the columns' gain times `by`: W (gain ∘ by).
Vec weighted(const Matrix<double>& w, const Vec& gain, std::span<const double> by, double less = 0) {
  Vec out(w.rows, 0);
  for (std::size_t r = 0; r < w.rows; ++r)
    for (std::size_t j = 0; j < w.cols; ++j) out[r] += w(r, j) * gain[j] * (by.empty() ? 1 : by[j] - less);
  return out;
}

/// W diag(gain²) Wᵀ
Matrix<double> gained_gram(const Matrix<double>& w, const Vec& gain) {
  Matrix<double> scaled = w, out(w.rows, w.rows);
  for (std::size_t r = 0; r < w.rows; ++r)
    for (std::size_t j = 0; j < w.cols; ++j) scaled(r, j) *= gain[j];
  geometry::inner_products(scaled, scaled, out.view());
  return out;
}

}  // namespace

std::size_t Places::bytes() const {
  return 8 * (normalized->data.size() + directions.data.size() + points.data.size() + onto.data.size());
}
std::size_t Projected::bytes() const { return 8 * (q.data.size() + k.data.size()); }

Task<Rows> normalized(Rows table, std::shared_ptr<const Norm> norm) {
  auto out = std::make_shared<Matrix<double>>(table->rows, table->cols);
  for (std::size_t i = 0; i < table->rows; ++i) {
    normalize(table->row(i), out->row(i));
    affine(out->row(i), *norm);
    if (i % 256 == 255) co_await pause_point();
  }
  co_return Rows(std::move(out));
}

Task<Places> places_of(Rows table, std::shared_ptr<const Norm> norm) {
  Places out;
  const auto curve = copy_rows(*table, {1, table->rows - 1});
  const geometry::Pca fit = co_await geometry::top_components(curve, true, kComponents, Matrix<double>());
  const std::size_t k = std::min(geometry::rank_of(fit), fit.directions.rows);
  out.directions = Matrix<double>(k, table->cols);
  std::copy_n(fit.directions.data.begin(), out.directions.data.size(), out.directions.data.begin());
  out.points = geometry::project(*curve, fit, k);
  out.explained = geometry::explained(fit);
  out.explained.resize(std::min(out.explained.size(), k));
  co_await pause_point();
  auto rows = std::make_shared<Matrix<double>>(table->rows, table->cols);
  out.onto = Matrix<double>(table->rows, k);
  for (std::size_t i = 0; i < table->rows; ++i) {
    out.scale.push_back(normalize(table->row(i), rows->row(i)));
    out.square.push_back(dot(rows->row(i), rows->row(i)));
    for (std::size_t c = 0; c < k; ++c) out.onto(i, c) = dot(rows->row(i), out.directions.row(c));
    affine(rows->row(i), *norm);
    if (i % 256 == 255) co_await pause_point();
  }
  out.normalized = std::move(rows);
  co_return std::move(out);
}

Weights random_weights(std::size_t d_head, std::size_t d_model, const Spread& like, std::uint32_t seed) {
  Weights out{Matrix<double>(d_head, d_model), Matrix<double>(d_head, d_model), Vec(d_head), Vec(d_head)};
  Pcg64 rng(seed);
  const auto fill = [&](Vec& numbers, double mean, double deviation) {
    rng.normal(std::span(numbers));
    for (double& x : numbers) x = mean + deviation * x;
  };
  fill(out.q.data, like.mean, like.deviation), fill(out.k.data, like.mean, like.deviation);
  fill(out.q_bias, like.bias_mean, like.bias_deviation), fill(out.k_bias, like.bias_mean, like.bias_deviation);
  return out;
}

Task<Projected> project(Rows normalized, std::shared_ptr<const Weights> head) {
  Projected out;
  out.q = co_await product(normalized, std::shared_ptr<const Matrix<double>>(head, &head->q));
  out.k = co_await product(normalized, std::shared_ptr<const Matrix<double>>(head, &head->k));
  co_return std::move(out);
}

Matrix<double> with_bias(Matrix<double> rows, const Vec& bias) {
  for (std::size_t i = 0; i < rows.rows; ++i)
    for (std::size_t j = 0; j < rows.cols; ++j) rows(i, j) += bias[j];
  return rows;
}

RowRange rising_range(std::size_t positions) {
  constexpr std::size_t kFirst = 50, kLast = 999;
  const std::size_t last = std::min(kLast, positions - 2);
  return {last >= 2 * kFirst ? kFirst : 1, last};
}

double rising(const Matrix<double>& q, const Matrix<double>& k, const std::vector<std::size_t>& order) {
  const RowRange range = rising_range(q.rows);
  const auto at = [&](std::size_t i) { return order.empty() ? i : order[i]; };
  std::size_t count = 0;
  for (std::size_t i = range.first; i <= range.last; ++i)
    count += dot(q.row(at(i)), k.row(at(i + 1))) > dot(q.row(at(i)), k.row(at(i - 1)));
  return static_cast<double>(count) / static_cast<double>(range.count());
}

Task<Matrix<double>> scores(std::shared_ptr<const Projected> head, RowRange queries, std::size_t last) {
  Matrix<double> out(queries.count(), last + 1);
  const double root = std::sqrt(static_cast<double>(head->q.cols));
  for (std::size_t i = 0; i < out.rows; i += kBlock) {
    const std::size_t count = std::min(kBlock, out.rows - i);
    geometry::inner_products(head->q.view().slice(queries.first + i, count), head->k.view().slice(0, last + 1),
                             out.view().slice(i, count));
    co_await pause_point();
  }
  for (double& x : out.data) x /= root;
  co_return std::move(out);
}

Matrix<double> pattern(const Matrix<double>& scores, std::size_t first) {
  Matrix<double> out(scores.rows, scores.cols);
  for (std::size_t i = 0; i < scores.rows; ++i) {
    const std::size_t keys = std::min(first + i + 1, scores.cols);
    const auto row = scores.row(i).first(keys);
    const double most = std::ranges::max(row);
    double sum = 0;
    for (std::size_t j = 0; j < keys; ++j) sum += out(i, j) = std::exp(row[j] - most);
    for (std::size_t j = 0; j < keys; ++j) out(i, j) /= sum;
  }
  return out;
}

// With x̂ the row before gain and bias and w = gain ∘ W_K q, the gradient is (w − mean(w) − x̂ (x̂·w) / d) / scale: its
// products with a few directions need no row of d_model numbers.
Pull pull_of(const Places& places, const Weights& head, const Norm& norm, const Matrix<double>& q,
             const Matrix<double>& k) {
  const std::size_t n = places.points.rows, components = places.directions.rows;
  const double d = static_cast<double>(norm.gain.size()), root = std::sqrt(static_cast<double>(q.cols));
  Matrix<double> along_keys(components, q.cols);
  for (std::size_t c = 0; c < components; ++c) {
    const auto direction = places.directions.row(c);
    std::ranges::copy(weighted(head.k, norm.gain, direction, mean_of(direction)), along_keys.row(c).begin());
  }
  const Vec total = weighted(head.k, norm.gain, {}), shift = weighted(head.k, norm.shift, {});
  const Matrix<double> gram = gained_gram(head.k, norm.gain);
  Pull out;
  out.at = Matrix<double>(n, components);
  Vec unshifted(q.cols);
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t row = i + 1;  // of the table
    const auto query = q.row(row);
    for (std::size_t j = 0; j < q.cols; ++j) unshifted[j] = k(row, j) - shift[j];
    const double with_row = dot(query, unshifted), mean = dot(query, total) / d, by = 1 / (places.scale[row] * root);
    for (std::size_t c = 0; c < components; ++c)
      out.at(i, c) = by * (dot(query, along_keys.row(c)) - with_row * places.onto(row, c) / d);
    double square = -d * mean * mean - 2 * with_row * with_row / d + with_row * with_row / d / d * places.square[row];
    for (std::size_t j = 0; j < q.cols; ++j) square += query[j] * dot(query, gram.row(j));
    const double inside = dot(out.at.row(i), out.at.row(i));
    out.held.push_back(square > 0 ? std::min(inside / (square * by * by), 1.0) : std::nan(""));
    if (components < kComponents) continue;
    const Three pull = unit(point(out.at, i)), curve = tangent(places.points, i);
    const bool none = length(pull) == 0;
    out.along.push_back(none ? std::nan("") : dot(pull, curve));
    out.outward.push_back(none ? std::nan("") : dot(pull, outward(places.points, i, curve)));
  }
  return out;
}

}  // namespace helix::studies::position_scores
