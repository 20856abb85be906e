#include <memory>

#include "geometry/pca.h"
#include "model/edits/effect.h"

namespace helix::model::effects {
namespace {

/// The mean and the first k principal components of the centred rows.
Task<Matrix<double>> changed(Matrix<double> rows, ParsedEdit edit) {
  const std::size_t k = edit.index(0);
  const auto whole = std::make_shared<const Matrix<double>>(std::move(rows));
  const geometry::Pca fit = co_await geometry::pca(whole, true, k);
  const Matrix<double> points = geometry::project(whole->view(), fit, k);
  Matrix<double> out(whole->rows, whole->cols);
  for (std::size_t i = 0; i < out.rows; ++i)
    for (std::size_t j = 0; j < out.cols; ++j) {
      double sum = fit.mean[j];
      for (std::size_t c = 0; c < points.cols; ++c) sum += points(i, c) * fit.directions(c, j);
      out(i, j) = sum;
    }
  co_return out;
}

}  // namespace

Effect rank_positions() { return OnPositions{changed}; }

}  // namespace helix::model::effects
