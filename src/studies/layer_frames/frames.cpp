#include "studies/layer_frames/frames.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <span>
#include <utility>

#include "base/pcg64.h"
#include "geometry/orthonormal.h"
#include "geometry/pca.h"
#include "geometry/products.h"
#include "geometry/symmetric.h"

namespace helix::studies::layer_frames {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kRounding = 1e-12;  // of the largest eigenvalue: what the rows' rounding leaves of zero
constexpr double kDegrees = 180 / std::numbers::pi;

double square(double x) { return x * x; }

/// How many eigenvalues are more than rounding.
std::size_t nonzero(const Components& layer) {
  const auto& values = layer.values;
  if (values.empty() || !(values[0] > 0)) return 0;
  return static_cast<std::size_t>(std::ranges::count_if(values, [&](double x) { return x > kRounding * values[0]; }));
}

double geometric_mean(const Components& layer) {
  const std::size_t count = nonzero(layer);
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += std::log(layer.values[i]);
  return std::exp(sum / static_cast<double>(count));
}

double median(const std::vector<double>& descending) {
  const std::size_t n = descending.size();
  return (descending[(n - 1) / 2] + descending[n / 2]) / 2;
}

/// Edges relative to the noise: largest eigenvalue of noise over its variance, for so many rows per column.
double edge_for(double ratio) { return square(1 + std::sqrt(ratio)); }

Matrix<double> first_rows(const Matrix<double>& m, std::size_t count) {
  Matrix<double> out(std::min(count, m.rows), m.cols);
  std::copy_n(m.data.begin(), out.data.size(), out.data.begin());
  return out;
}

Task<std::vector<double>> together(Frames frames, std::vector<std::size_t> dimensions) {
  auto all = std::make_shared<Matrix<double>>(0, frames.empty() ? 0 : frames[0]->cols);
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const Matrix<double> own = first_rows(*frames[i], dimensions[i]);
    all->data.insert(all->data.end(), own.data.begin(), own.data.end());
    all->rows += own.rows;
  }
  if (all->rows == 0) co_return std::vector<double>();
  const std::shared_ptr<const Matrix<double>> rows = all;
  Matrix<double> gram = co_await geometry::gram(rows, rows->rows > rows->cols);
  std::vector<double> values = (co_await geometry::symmetric_spectrum(std::move(gram), 0)).values;
  for (double& x : values) x = std::sqrt(std::max(x, 0.0));
  co_return values;
}

/// Means and extremes over pairs i < j whose number is one.
struct Pairs {
  double sum = 0, most = kNan, least = kNan;
  std::size_t count = 0;

  void add(double x) {
    if (!std::isfinite(x)) return;
    sum += x, ++count, most = std::fmax(most, x), least = std::fmin(least, x);
  }
  double mean() const { return count ? sum / static_cast<double>(count) : kNan; }
};

double correlation(const std::vector<double>& x, const std::vector<double>& y) {
  const auto n = static_cast<double>(x.size());
  const double mx = std::accumulate(x.begin(), x.end(), 0.0) / n, my = std::accumulate(y.begin(), y.end(), 0.0) / n;
  double xx = 0, yy = 0, xy = 0;
  for (std::size_t i = 0; i < x.size(); ++i)
    xx += square(x[i] - mx), yy += square(y[i] - my), xy += (x[i] - mx) * (y[i] - my);
  return xx > 0 && yy > 0 ? xy / std::sqrt(xx * yy) : kNan;
}

}  // namespace

double Components::total() const { return std::accumulate(values.begin(), values.end(), 0.0); }

Task<Components> components_of(std::shared_ptr<const Matrix<double>> rows, std::size_t k) {
  Components out{rows->rows - std::min<std::size_t>(rows->rows, 1), rows->cols, {}, {}};
  const std::size_t most = std::min(out.samples, out.features);
  geometry::Pca fit = co_await geometry::pca(rows, true, std::min(k, most));
  out.values = std::move(fit.variances), out.directions = std::move(fit.directions);
  out.values.resize(most);
  co_return std::move(out);
}

Task<Components> components_of_noise(std::size_t samples, std::size_t features, std::uint32_t seed) {
  auto rows = std::make_shared<Matrix<double>>(samples, features);
  Pcg64(seed).normal(std::span(rows->data));
  const std::shared_ptr<const Matrix<double>> noise = rows;
  geometry::Pca fit = co_await geometry::pca(noise, false, 0);
  co_return Components{samples, features, std::move(fit.variances), {}};
}

// The density √((x−a)(b−x)) / (2π β x) between a, b = (1 ∓ √β)², over the angle t of x = 1 + β − 2√β·cos t.
double median_of_noise(double ratio) {
  constexpr int kSteps = 20'000;
  const double middle = 1 + ratio, half = 2 * std::sqrt(ratio), step = std::numbers::pi / kSteps;
  double held = 0;
  for (int i = 0; i < kSteps; ++i) {
    const double t = (i + 0.5) * step, x = middle - half * std::cos(t);
    const double more = 2 * square(std::sin(t)) / (std::numbers::pi * x) * step;
    if (held + more >= 0.5) return middle - half * std::cos(t + ((0.5 - held) / more - 0.5) * step);
    held += more;
  }
  return middle;
}

double edge_of(const Components& layer, Criterion criterion) {
  if (nonzero(layer) == 0) return kNan;
  const auto samples = static_cast<double>(layer.samples), features = static_cast<double>(layer.features);
  const double narrow = std::min(samples, features) / std::max(samples, features);
  switch (criterion) {
    case Criterion::mean:
      return layer.total() / features * edge_for(features / samples);
    case Criterion::median:
      return median(layer.values) / median_of_noise(narrow) * edge_for(narrow);
    case Criterion::geometric:
      return geometric_mean(layer) * edge_for(samples / features);
    case Criterion::geometric_text:
      return geometric_mean(layer) * edge_for(features / samples);
    case Criterion::share:
    case Criterion::gap:
      return kNan;
  }
  return kNan;
}

Gap largest_gap(const Components& layer) {
  Gap out{kNan, 0};
  const auto& values = layer.values;
  for (std::size_t i = 0; i + 2 < nonzero(layer); ++i) {
    const double below = values[i + 1] - values[i + 2], q = (values[i] - values[i + 1]) / below;
    if (below > kRounding * values[0] && !(q <= out.q)) out = {q, i + 1};
  }
  return out;
}

std::size_t signal_dimensions(const Components& layer, Criterion criterion) {
  const std::size_t most = nonzero(layer);
  if (most == 0) return 0;
  if (criterion == Criterion::gap) return largest_gap(layer).at;
  if (criterion == Criterion::share) {
    std::vector<double> fractions = layer.values;
    for (double& x : fractions) x /= layer.total();
    return geometry::components_for(fractions, kShare);
  }
  const double edge = edge_of(layer, criterion);
  std::size_t count = 0;
  while (count < most && layer.values[count] > edge) ++count;
  return count;
}

double participation(const Components& layer) {
  double squares = 0;
  for (const double x : layer.values) squares += square(x);
  return squares > 0 ? square(layer.total()) / squares : kNan;
}

Task<std::vector<double>> principal_angles(MatrixView<const double> a, MatrixView<const double> b) {
  constexpr double kEqual = 1e-12;  // of a squared sine
  if (a.rows > b.rows) std::swap(a, b);
  if (a.rows == 0) co_return std::vector<double>();
  auto products = std::make_shared<Matrix<double>>(a.rows, b.rows);
  geometry::inner_products(a, b, products->view());
  const std::shared_ptr<const Matrix<double>> cosines = products;
  Matrix<double> squares = co_await geometry::gram(cosines, false);
  std::vector<double> out = (co_await geometry::symmetric_spectrum(std::move(squares), 0)).values;
  for (double& x : out) x = 1 - x < kEqual ? 0 : std::acos(std::sqrt(std::max(x, 0.0))) * kDegrees;
  co_return out;
}

Task<Frames> random_frames(std::vector<std::size_t> dimensions, std::size_t features, std::uint32_t seed) {
  Pcg64 random(seed);
  Frames out;
  for (const std::size_t count : dimensions) {
    auto rows = std::make_shared<Matrix<double>>(std::min(count, features), features);
    random.normal(std::span(rows->data));
    for (std::size_t i = 0; i < rows->rows; ++i) {
      geometry::orthonormalise(rows->row(i), rows->view().slice(0, i));
      if (i % 16 == 15) co_await pause_point();
    }
    out.push_back(std::move(rows));
  }
  co_return out;
}

Task<Compared> compare(Frames frames, std::vector<std::size_t> dimensions) {
  const std::size_t n = frames.size();
  Compared out{dimensions, Matrix<double>(n, n), Matrix<double>(n, n), {}, {}};
  for (std::size_t i = 0; i < n; ++i) {
    if (dimensions[i] == 0) out.sum(i, i) = out.geodesic(i, i) = kNan;
    for (std::size_t j = i + 1; j < n; ++j) {
      const auto a = frames[i]->view().slice(0, dimensions[i]), b = frames[j]->view().slice(0, dimensions[j]);
      std::vector<double> angles = co_await principal_angles(a, b);
      double sum = angles.empty() ? kNan : 0, squares = sum;
      for (const double x : angles) sum += x, squares += square(x);
      out.sum(i, j) = out.sum(j, i) = sum;
      out.geodesic(i, j) = out.geodesic(j, i) = std::sqrt(squares);
      out.angles.push_back(std::move(angles));
      co_await pause_point(static_cast<double>(i * n + j), static_cast<double>(n * n), "angles");
    }
  }
  out.together = co_await together(std::move(frames), std::move(dimensions));
  co_return std::move(out);
}

Summary summary_of(const Compared& frames) {
  Pairs all, next, shares;
  std::vector<double> apart, angle;
  for (std::size_t i = 0; i < frames.layers(); ++i)
    for (std::size_t j = i + 1; j < frames.layers(); ++j) {
      const double sum = frames.sum(i, j);
      all.add(sum);
      if (j == i + 1) next.add(sum);
      if (!std::isfinite(sum)) continue;
      const double mean = sum / static_cast<double>(frames.common(i, j));
      shares.add(mean / 90);
      apart.push_back(static_cast<double>(j - i)), angle.push_back(mean);
    }
  return {all.mean(),  all.most,      all.least,
          next.mean(), shares.mean(), apart.size() < 3 ? kNan : correlation(apart, angle)};
}

Matrix<double> overlaps(const Compared& frames, double threshold) {
  const std::size_t n = frames.layers();
  Matrix<double> out(n, n);
  std::size_t at = 0;
  for (std::size_t i = 0; i < n; ++i) {
    out(i, i) = frames.dimensions[i] ? 1 : kNan;
    for (std::size_t j = i + 1; j < n; ++j) {
      const std::vector<double>& angles = frames.angles[at++];
      const auto close = std::ranges::count_if(angles, [&](double x) { return std::cos(x / kDegrees) > threshold; });
      out(i, j) = out(j, i) = angles.empty() ? kNan : static_cast<double>(close) / static_cast<double>(angles.size());
    }
  }
  return out;
}

double mean_of_pairs(const Matrix<double>& pairs) {
  Pairs all;
  for (std::size_t i = 0; i < pairs.rows; ++i)
    for (std::size_t j = i + 1; j < pairs.cols; ++j) all.add(pairs(i, j));
  return all.mean();
}

std::size_t union_rank(const Compared& frames, double tolerance) {
  return static_cast<std::size_t>(std::ranges::count_if(frames.together, [&](double x) { return x > tolerance; }));
}

double union_effective(const Compared& frames) {
  double sum = 0, entropy = 0;
  for (const double x : frames.together) sum += square(x);
  for (const double x : frames.together)
    if (x > 0) entropy -= square(x) / sum * std::log(square(x) / sum);
  return sum > 0 ? std::exp(entropy) : kNan;
}

Matrix<double> distances(const Compared& frames, Distance distance) {
  Matrix<double> out = distance == Distance::geodesic ? frames.geodesic : frames.sum;
  if (distance != Distance::mean) return out;
  for (std::size_t i = 0; i < out.rows; ++i)
    for (std::size_t j = 0; j < out.cols; ++j) out(i, j) /= static_cast<double>(frames.common(i, j));
  return out;
}

Task<Map> map_of(Matrix<double> distances) {
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < distances.rows; ++i)
    if (std::isfinite(distances(i, i))) kept.push_back(i);
  Map out{Matrix<double>(distances.rows, 2), kNan};
  std::ranges::fill(out.at.data, kNan);
  const std::size_t n = kept.size();
  double largest = 0;
  for (const std::size_t i : kept)
    for (const std::size_t j : kept) largest = std::max(largest, distances(i, j));
  if (n < 2 || !(largest > 0)) {
    for (const std::size_t i : kept) out.at(i, 0) = out.at(i, 1) = 0;
    co_return std::move(out);
  }
  const auto squared = [&](std::size_t i, std::size_t j) { return square(distances(kept[i], kept[j]) / largest); };
  std::vector<double> mean(n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) mean[i] += squared(i, j) / static_cast<double>(n);
  const double all = std::accumulate(mean.begin(), mean.end(), 0.0) / static_cast<double>(n);
  Matrix<double> inner(n, n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) inner(i, j) = (mean[i] + mean[j] - all - squared(i, j)) / 2;
  const geometry::Spectrum found = co_await geometry::symmetric_spectrum(std::move(inner), 2);
  for (std::size_t axis = 0; axis < 2; ++axis) {
    const double length = axis < found.values.size() ? largest * std::sqrt(std::max(found.values[axis], 0.0)) : 0;
    // The first layer lies on the left, the last one above the middle.
    const double sign = length > 0 && found.vectors(axis, axis == 0 ? 0 : n - 1) * (axis == 0 ? -1 : 1) < 0 ? -1 : 1;
    for (std::size_t i = 0; i < n; ++i) out.at(kept[i], axis) = length > 0 ? sign * length * found.vectors(axis, i) : 0;
  }
  double off = 0, sum = 0;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = i + 1; j < n; ++j) {
      const double asked = distances(kept[i], kept[j]);
      const auto& at = out.at;
      off += square(std::hypot(at(kept[i], 0) - at(kept[j], 0), at(kept[i], 1) - at(kept[j], 1)) - asked);
      sum += square(asked);
    }
  out.stress = std::sqrt(off / sum);
  co_return std::move(out);
}

}  // namespace helix::studies::layer_frames
