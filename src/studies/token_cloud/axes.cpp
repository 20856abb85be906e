#include "studies/token_cloud/axes.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "geometry/pca.h"
#include "geometry/products.h"
#include "studies/token_cloud/token_cloud.h"

namespace helix::studies::token_cloud {
namespace {

constexpr std::size_t kBlock = 256;  // rows between two pauses: about a millisecond with 768 columns and 6 axes

Task<Expected<std::vector<double>>> mean_of(Blocks table) {
  std::vector<double> sums(table->cols, 0);
  Matrix<double> block(kBlock, table->cols);
  for (std::size_t first = 0; first < table->rows; first += kBlock) {
    const std::size_t count = std::min(kBlock, table->rows - first);
    if (const auto ok = table->read(first, block.view().slice(0, count)); !ok) co_return ok.error();
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t j = 0; j < sums.size(); ++j) sums[j] += block(i, j);
    co_await pause_point();
  }
  for (double& x : sums) x /= static_cast<double>(table->rows);
  co_return std::move(sums);
}

double dot(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t j = 0; j < a.size(); ++j) sum += a[j] * b[j];
  return sum;
}

}  // namespace

Task<Expected<Axes>> axes_of_sample(Blocks table, bool centre) {
  const std::size_t count = std::min(kSample, table->rows);
  auto rows = std::make_shared<Matrix<double>>(count, table->cols);
  for (std::size_t i = 0; i < count; ++i) {
    if (const auto ok = table->read(i * table->rows / count, rows->view().slice(i, 1)); !ok) co_return ok.error();
    if (i % kBlock == 0) co_await pause_point();
  }
  geometry::Pca fit = co_await geometry::top_components(rows, centre, kComponents, {});
  co_return Axes{std::move(fit.mean), std::move(fit.directions), std::move(fit.variances), fit.total_variance, count};
}

Task<Expected<Axes>> axes_of_all(Blocks table, bool centre) {
  Axes axes;
  axes.mean.assign(table->cols, 0);
  if (centre) {
    auto mean = co_await mean_of(table);
    if (!mean) co_return mean.error();
    axes.mean = std::move(*mean);
  }
  auto found = co_await geometry::right_singular(*table, centre, kComponents);
  if (!found) co_return found.error();
  axes.directions = std::move(found->directions);
  axes.fitted_on = table->rows;
  const auto n = static_cast<double>(table->rows);
  for (const double value : found->values) axes.total += value * value / n;
  for (std::size_t c = 0; c < axes.directions.rows; ++c)
    axes.variances.push_back(found->values[c] * found->values[c] / n);
  co_return std::move(axes);
}

Task<Expected<Along>> rows_along(Blocks table, std::shared_ptr<const Axes> axes, Matrix<double> other, bool centre) {
  const std::size_t n = table->rows, d = table->cols, own = axes->directions.rows, m = own + other.rows;
  Matrix<double> directions(m, d);
  std::ranges::copy(axes->directions.data, directions.data.begin());
  std::ranges::copy(other.data, directions.data.begin() + static_cast<std::ptrdiff_t>(own * d));
  std::vector<double> offset(m, 0), sums(m, 0), squares(m, 0);
  for (std::size_t a = 0; a < m; ++a) offset[a] = dot(directions.row(a), axes->mean);
  Along out{Matrix<double>(n, own), {}, 0};
  Matrix<double> block(kBlock, d), products(kBlock, m);
  for (std::size_t first = 0; first < n; first += kBlock) {
    const std::size_t count = std::min(kBlock, n - first);
    if (const auto ok = table->read(first, block.view().slice(0, count)); !ok) co_return ok.error();
    geometry::inner_products(block.view().slice(0, count), directions, products.view().slice(0, count));
    for (std::size_t i = 0; i < count; ++i) {
      out.norms.push_back(std::sqrt(dot(block.row(i), block.row(i))));
      for (std::size_t a = 0; a < m; ++a) {
        const double x = products(i, a) - offset[a];
        sums[a] += x, squares[a] += x * x;
        if (a < own) out.points(first + i, a) = x;
      }
    }
    co_await pause_point(static_cast<double>(first), static_cast<double>(n), "points");
  }
  // About the rows' own mean: axes fitted to a sample have the sample's mean.
  double held = 0;
  const auto count = static_cast<double>(n);
  for (std::size_t a = own; a < m; ++a) held += squares[a] / count - (centre ? sums[a] / count * (sums[a] / count) : 0);
  out.held = other.rows > 0 && axes->total > 0 ? held / axes->total : std::nan("");
  co_return std::move(out);
}

}  // namespace helix::studies::token_cloud
