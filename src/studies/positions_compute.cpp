#include "studies/positions_compute.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "base/random.h"
#include "geometry/pca.h"
#include "geometry/positions.h"

namespace helix::studies {
namespace {

using Rows = Matrix<double>;

void permute(Rows& rows, std::uint64_t seed, bool in_triples) {
  const std::size_t step = in_triples ? 3 : std::max<std::size_t>(rows.rows, 1);
  for (std::size_t first = 1; first < rows.rows; first += step)
    shuffle(std::min(step, rows.rows - first), seed,
            [&](std::size_t i, std::size_t j) { std::ranges::swap_ranges(rows.row(first + i), rows.row(first + j)); });
}

/// Row i becomes row i + by. Rows from beyond the end of the table become zero; no token of an accepted run uses
/// them.
void shift(Rows& rows, std::size_t by) {
  const std::size_t kept = rows.rows - std::min(by, rows.rows);
  std::copy(rows.data.end() - static_cast<std::ptrdiff_t>(kept * rows.cols), rows.data.end(), rows.data.begin());
  std::fill(rows.data.begin() + static_cast<std::ptrdiff_t>(kept * rows.cols), rows.data.end(), 0.0);
}

double mean_norm(const Rows& rows) {
  double sum = 0;
  for (std::size_t i = 0; i < rows.rows; ++i) {
    double square = 0;
    for (const double x : rows.row(i)) square += x * x;
    sum += std::sqrt(square);
  }
  return rows.rows ? sum / static_cast<double>(rows.rows) : 0;
}

/// Sinusoids of the usual length are six times longer than learned rows: they take those's mean norm.
Rows sinusoids_like(const Rows& rows, double base) {
  Rows out = geometry::sinusoidal_positions(rows.rows, rows.cols, base);
  const double own = mean_norm(out), factor = own > 0 ? mean_norm(rows) / own : 0;
  for (double& x : out.data) x *= factor;
  return out;
}

/// Mean and the first k principal components of the centred rows.
Task<Rows> low_rank(std::shared_ptr<const Rows> rows, std::size_t k) {
  const geometry::Pca fit = co_await geometry::pca(rows, true, k);
  const Matrix<double> points = geometry::project(rows->view(), fit, k);
  Rows out(rows->rows, rows->cols);
  for (std::size_t i = 0; i < out.rows; ++i)
    for (std::size_t j = 0; j < out.cols; ++j) {
      double sum = fit.mean[j];
      for (std::size_t c = 0; c < points.cols; ++c) sum += points(i, c) * fit.directions(c, j);
      out(i, j) = sum;
    }
  co_return out;
}

Task<Rows> edited(Rows rows, ParsedEdit edit) {
  const double number = edit.numbers.empty() ? 0 : edit.numbers[0];
  switch (edit.kind) {
    case EditKind::group_positions:
      geometry::average_groups(rows, static_cast<std::size_t>(number));
      break;
    case EditKind::permute_positions:
      permute(rows, static_cast<std::uint64_t>(number), edit.flag);
      break;
    case EditKind::shift_positions:
      shift(rows, static_cast<std::size_t>(number));
      break;
    case EditKind::zero_positions:
      std::fill(rows.data.begin(), rows.data.end(), 0.0);
      break;
    case EditKind::replace_positions:
      rows = sinusoids_like(rows, edit.numbers.empty() ? 10000 : number);
      break;
    case EditKind::rank_positions:
      rows = co_await low_rank(std::make_shared<const Rows>(std::move(rows)), static_cast<std::size_t>(number));
      break;
    default:
      break;
  }
  co_return rows;
}

}  // namespace

Task<std::shared_ptr<const Matrix<float>>> edited_positions(std::shared_ptr<const model::Network> network,
                                                            std::vector<std::pair<std::string, ParsedEdit>> edits) {
  std::erase_if(edits, [](const auto& edit) { return !edits_positions(edit.second.kind); });
  if (edits.empty()) co_return nullptr;
  const MatrixView<const float> learned = network->positions();
  Rows rows(learned.rows, learned.cols);
  std::copy_n(learned.data, rows.data.size(), rows.data.begin());
  for (const auto& [spec, edit] : edits) {
    rows = co_await edited(std::move(rows), edit);
    co_await pause_point();
  }
  auto table = std::make_shared<Matrix<float>>(rows.rows, rows.cols);
  std::transform(rows.data.begin(), rows.data.end(), table->data.begin(),
                 [](double x) { return static_cast<float>(x); });
  co_return table;
}

}  // namespace helix::studies
