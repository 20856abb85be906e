#include "studies/position_share/parts.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "geometry/pca.h"
#include "studies/helix_compute.h"
#include "studies/position_share/position_share.h"
#include "studies/walks_compute.h"

namespace helix::studies::position_share {
namespace {

using Rows = std::shared_ptr<Matrix<double>>;

double squares(const Matrix<double>& rows) {
  double sum = 0;
  for (const double x : rows.data) sum += x * x;
  return sum;
}

double cosine(std::span<const double> a, std::span<const double> b) {
  double product = 0, aa = 0, bb = 0;
  for (std::size_t j = 0; j < a.size(); ++j) product += a[j] * b[j], aa += a[j] * a[j], bb += b[j] * b[j];
  return aa > 0 && bb > 0 ? product / std::sqrt(aa * bb) : std::nan("");
}

/// Largest singular value: rows as they are, since all parts have mean 0.
Task<double> spectral_norm(std::shared_ptr<const Matrix<double>> rows) {
  const geometry::Pca top = co_await geometry::top_components(rows, false, 1, {});
  const double variance = top.variances.empty() ? 0 : top.variances.front();
  co_return std::sqrt(variance * static_cast<double>(rows->rows));
}

/// Σ (rows · direction)²
double squares_along(const Matrix<double>& rows, std::span<const double> direction) {
  double sum = 0;
  for (std::size_t i = 0; i < rows.rows; ++i) {
    double product = 0;
    for (std::size_t j = 0; j < rows.cols; ++j) product += rows(i, j) * direction[j];
    sum += product * product;
  }
  return sum;
}

/// Less the common mean, which the values themselves would hide: in some dimensions it is far larger than all else.
Rows about_mean(MatrixView<const float> rows) {
  auto out = std::make_shared<Matrix<double>>(rows.rows, rows.cols);
  std::vector<double> mean(rows.cols, 0);
  for (std::size_t i = 0; i < rows.rows; ++i)
    for (std::size_t j = 0; j < rows.cols; ++j) mean[j] += static_cast<double>(rows(i, j));
  for (double& x : mean) x /= static_cast<double>(rows.rows);
  for (std::size_t i = 0; i < rows.rows; ++i)
    for (std::size_t j = 0; j < rows.cols; ++j) (*out)(i, j) = static_cast<double>(rows(i, j)) - mean[j];
  return out;
}

struct Means {
  Rows position, context;
};
Means means_of(const Matrix<double>& all, std::size_t texts) {
  const std::size_t positions = all.rows / texts;
  Means out{std::make_shared<Matrix<double>>(positions, all.cols), std::make_shared<Matrix<double>>(texts, all.cols)};
  for (std::size_t c = 0; c < texts; ++c)
    for (std::size_t t = 0; t < positions; ++t)
      for (std::size_t j = 0; j < all.cols; ++j) {
        const double x = all(c * positions + t, j);
        (*out.position)(t, j) += x / static_cast<double>(texts);
        (*out.context)(c, j) += x / static_cast<double>(positions);
      }
  return out;
}

void subtract(Matrix<double>& all, const Means& means) {
  const std::size_t positions = means.position->rows;
  for (std::size_t i = 0; i < all.rows; ++i)
    for (std::size_t j = 0; j < all.cols; ++j)
      all(i, j) -= (*means.position)(i % positions, j) + (*means.context)(i / positions, j);
}

void add_cosines(Parts& out, const Matrix<double>& position, const Matrix<double>& context) {
  double neighbours = 0, crossing = 0;
  for (std::size_t t = 0; t + 1 < position.rows; ++t) neighbours += cosine(position.row(t), position.row(t + 1));
  for (std::size_t t = 0; t < position.rows; ++t)
    for (std::size_t c = 0; c < context.rows; ++c) crossing += std::abs(cosine(position.row(t), context.row(c)));
  out.neighbours = neighbours / static_cast<double>(position.rows - 1);
  out.crossing = crossing / static_cast<double>(position.rows * context.rows);
}

/// The curve of positions; returns its first direction, empty where nothing varies.
Task<std::vector<double>> add_curve(Parts* out) {
  const geometry::Pca fit = co_await walk_components(out->position, true, kAxes);
  const HelixNumbers numbers = helix_numbers(*out->position, fit, true, kAxes);
  const auto n = static_cast<double>(out->positions);
  out->explained = numbers.explained, out->points = numbers.points;
  out->explained.resize(std::min(out->explained.size(), kAxes));
  out->turns = numbers.turns && !numbers.explained.empty() ? numbers.turns->turns : std::nan("");
  if (const double scale = std::sqrt(fit.total_variance); scale > 0)
    for (double& x : out->points.data) x /= scale;
  const double variance = fit.variances.empty() ? 0 : fit.variances.front();
  out->position_norm = std::sqrt(variance * n * static_cast<double>(out->texts));
  std::vector<double> direction;
  if (fit.directions.rows > 0) direction.assign(fit.directions.row(0).begin(), fit.directions.row(0).end());
  co_return direction;
}

}  // namespace

double Parts::share(double part) const { return whole > 0 ? part / whole : std::nan(""); }
double Parts::chance() const { return share(of_rest / static_cast<double>(texts - 1)); }
double Parts::relative(double norm) const { return whole_norm > 0 ? norm / whole_norm : std::nan(""); }

double Parts::stable_rank() const {
  return position_norm > 0 ? of_position / (position_norm * position_norm) : std::nan("");
}

double Parts::stable_rank_corrected() const {
  // The mean of n values has an n-th of their variance, which the rest estimates with n − 1 degrees of freedom.
  const double by = static_cast<double>(texts - 1), all = of_position - of_rest / by,
               first = position_norm * position_norm - rest_along / by;
  if (!(of_position > kAboveChance * of_rest / by) || !(first > 0)) return std::nan("");
  return std::max(all / first, 1.0);
}

std::size_t Parts::bytes() const {
  return ((position ? position->data.size() : 0) + points.data.size() + explained.size()) * sizeof(double) +
         sizeof(Parts);
}

Task<Parts> parts_of(MatrixView<const float> rows, std::size_t texts) {
  Parts out;
  out.texts = texts, out.positions = rows.rows / texts, out.features = rows.cols;
  const Rows all = about_mean(rows);
  co_await pause_point();
  out.whole = squares(*all);
  out.whole_norm = co_await spectral_norm(all);
  const Means means = means_of(*all, texts);
  out.position = means.position;
  out.of_position = squares(*means.position) * static_cast<double>(texts);
  out.of_context = squares(*means.context) * static_cast<double>(out.positions);
  out.context_norm = co_await spectral_norm(means.context) * std::sqrt(static_cast<double>(out.positions));
  const std::vector<double> direction = co_await add_curve(&out);
  add_cosines(out, *means.position, *means.context);
  co_await pause_point();
  subtract(*all, means);  // from here on the rest
  out.of_rest = squares(*all);
  if (!direction.empty()) out.rest_along = squares_along(*all, direction);
  co_await pause_point();
  out.rest_norm = co_await spectral_norm(all);
  co_return out;
}

Task<double> stable_rank_of(std::shared_ptr<const Matrix<double>> rows) {
  const geometry::Pca fit = co_await walk_components(rows, true, 1);
  const double first = fit.variances.empty() ? 0 : fit.variances.front();
  co_return first > 0 ? fit.total_variance / first : std::nan("");
}

}  // namespace helix::studies::position_share
