#include "geometry/singular.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>

#include "geometry/directions.h"
#include "geometry/pca.h"
#include "geometry/products.h"
#include "geometry/symmetric.h"

namespace helix::geometry {
namespace {

constexpr std::size_t kBlock = 1024;  // rows in double at a time: 6 MB of 768 columns
constexpr std::string_view kPhase = "singular directions";

/// The values' squares sum to the squared norm of the matrix: variances are those over n.
Singular from_pca(Pca fit, std::size_t n) {
  Singular out;
  for (const double variance : fit.variances) out.values.push_back(std::sqrt(variance * static_cast<double>(n)));
  out.directions = std::move(fit.directions);
  return out;
}

Task<Expected<Singular>> in_memory(std::shared_ptr<const RowBlocks> matrix, bool centre, std::size_t k) {
  auto rows = std::make_shared<Matrix<double>>(matrix->rows, matrix->cols);
  if (const auto ok = matrix->read(0, rows->view()); !ok) co_return ok.error();
  co_await pause_point();
  co_return from_pca(co_await pca(std::move(rows), centre, k), matrix->rows);
}

/// Rows first .. first+count-1, minus `mean`.
Expected<std::shared_ptr<Matrix<double>>> read_block(const RowBlocks& matrix, std::size_t first, std::size_t count,
                                                     const std::vector<double>& mean) {
  auto block = std::make_shared<Matrix<double>>(count, matrix.cols);
  if (const auto ok = matrix.read(first, block->view()); !ok) return ok.error();
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t j = 0; j < matrix.cols; ++j) (*block)(i, j) -= mean[j];
  return block;
}

Task<Expected<std::vector<double>>> mean_row(std::shared_ptr<const RowBlocks> matrix) {
  std::vector<double> sums(matrix->cols, 0), zero(matrix->cols, 0);
  for (std::size_t first = 0; first < matrix->rows; first += kBlock) {
    const auto block = read_block(*matrix, first, std::min(kBlock, matrix->rows - first), zero);
    if (!block) co_return block.error();
    for (std::size_t i = 0; i < (*block)->rows; ++i)
      for (std::size_t j = 0; j < sums.size(); ++j) sums[j] += (**block)(i, j);
    co_await pause_point();
  }
  for (double& x : sums) x /= static_cast<double>(matrix->rows);
  co_return std::move(sums);
}

/// Upper triangle of XᵀX over all blocks, in their order.
Task<Expected<Matrix<double>>> gram_of(std::shared_ptr<const RowBlocks> matrix, std::vector<double> mean) {
  Matrix<double> sums(matrix->cols, matrix->cols);
  for (std::size_t first = 0; first < matrix->rows; first += kBlock) {
    co_await pause_point(static_cast<double>(first), static_cast<double>(matrix->rows), kPhase);
    const auto block = read_block(*matrix, first, std::min(kBlock, matrix->rows - first), mean);
    if (!block) co_return block.error();
    const Matrix<double> part = co_await gram(*block, true);
    for (std::size_t i = 0; i < sums.rows; ++i)
      for (std::size_t j = i; j < sums.cols; ++j) sums(i, j) += part(i, j);
  }
  co_return std::move(sums);
}

/// The power of two that brings the largest diagonal entry into [0.5, 1); 0 when there is none that is a number.
double scale_of(const Matrix<double>& gram) {
  double largest = 0;
  for (std::size_t i = 0; i < gram.rows; ++i) {
    if (!std::isfinite(gram(i, i))) return 0;
    largest = std::max(largest, gram(i, i));
  }
  if (largest == 0) return 1;
  int exponent = 0;
  std::frexp(largest, &exponent);
  return std::ldexp(1.0, -std::clamp(exponent, -1000, 1000));
}

Singular no_numbers(std::size_t values, std::size_t k, std::size_t cols) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  Singular out{std::vector<double>(values, kNan), Matrix<double>(k, cols)};
  std::fill(out.directions.data.begin(), out.directions.data.end(), kNan);
  return out;
}

Task<Expected<Singular>> in_blocks(std::shared_ptr<const RowBlocks> matrix, bool centre, std::size_t k) {
  std::vector<double> mean(matrix->cols, 0);
  if (centre) {
    auto of_rows = co_await mean_row(matrix);
    if (!of_rows) co_return of_rows.error();
    mean = std::move(*of_rows);
  }
  auto sums = co_await gram_of(matrix, std::move(mean));
  if (!sums) co_return sums.error();
  const double scale = scale_of(*sums);
  if (scale == 0) co_return no_numbers(matrix->cols, k, matrix->cols);
  for (double& x : sums->data) x *= scale;
  Spectrum spectrum = co_await symmetric_spectrum(std::move(*sums), k);
  Singular out;
  for (const double value : spectrum.values) out.values.push_back(std::sqrt(std::max(value, 0.0) / scale));
  out.directions = std::move(spectrum.vectors);
  fix_signs(out.directions);
  co_return std::move(out);
}

}  // namespace

RowBlocks row_blocks(std::shared_ptr<const Matrix<double>> rows) {
  const std::size_t n = rows->rows, d = rows->cols;
  return {n, d, [rows = std::move(rows)](std::size_t first, MatrixView<double> into) -> Expected<void> {
            for (std::size_t i = 0; i < into.rows; ++i)
              std::copy(rows->row(first + i).begin(), rows->row(first + i).end(), into.row(i).begin());
            return {};
          }};
}

Task<Expected<Singular>> right_singular(RowBlocks matrix, bool centre, std::size_t k) {
  const auto shared = std::make_shared<const RowBlocks>(std::move(matrix));
  k = std::min({k, shared->rows, shared->cols});
  // Few rows fit in memory, and pca() uses the smaller Gram matrix if there are fewer rows than columns.
  if (shared->rows <= std::max(2 * kBlock, shared->cols)) co_return co_await in_memory(shared, centre, k);
  co_return co_await in_blocks(shared, centre, k);
}

}  // namespace helix::geometry
