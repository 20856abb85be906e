// Principal components of rows: the directions in which positions spread, and how much of the spread each one
// holds.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "base/matrix.h"
#include "base/task.h"

namespace helix::geometry {

struct Pca {
  std::vector<double> mean;       // [d] zeros when not centred
  Matrix<double> directions;      // [k, d] orthonormal rows by falling variance, largest-magnitude entry positive
  std::vector<double> variances;  // eigenvalues of XᵀX / n, largest first, >= 0: pca() min(n, d), else k
  double total_variance = 0;      // the trace: sum of all eigenvalues
  bool converged = true;          // top_components(): every direction met the tolerance; false for NaN input
};

/// For a Store.
inline std::size_t kept_bytes(const Pca& fit) {
  return (fit.mean.size() + fit.directions.data.size() + fit.variances.size()) * sizeof(double);
}

/// Exact, in double precision. X [n, d], minus its column mean when `centre`; covariance divided by n, as if
/// the rows were all there is. k is cut to min(n, d). Where X holds NaN or an infinity, every number of the
/// result is NaN.
Task<Pca> pca(std::shared_ptr<const Matrix<double>> rows, bool centre, std::size_t k);

/// The k largest alone, many times faster when k is small: block Krylov with Rayleigh-Ritz on the rows
/// themselves. Done when every ‖C v - λ v‖ is below 1e-9 of the largest λ. `start` (may be empty) holds
/// directions [m, d] of a similar problem, such as a range that differs by one row: that saves a third of
/// the multiplications.
Task<Pca> top_components(std::shared_ptr<const Matrix<double>> rows, bool centre, std::size_t k, Matrix<double> start);

/// Coordinates (row - mean) along the first k directions; k is cut to the directions there are.
Matrix<double> project(MatrixView<const double> rows, const Pca& fit, std::size_t k);  // [n, k]

/// Share of the total variance per entry of `variances`; zeros where there is no variance at all.
std::vector<double> explained(const Pca& fit);

/// How many directions hold more of the variance than rounding does: 0 where all rows are equal, 1 for two rows.
std::size_t rank_of(const Pca& fit);

/// The first count of leading fractions whose sum reaches `share`; 0 when even all of them do not.
std::size_t components_for(const std::vector<double>& fractions, double share);

/// Distance of each row from the span of the first k directions through the mean (through 0 when not
/// centred).
std::vector<double> residuals(MatrixView<const double> rows, const Pca& fit, std::size_t k);  // [n]

/// Of the rows' total squared distance from the fitted mean, the share along each of the first k directions.
/// On the rows of the fit this equals explained(); on others it says how well the fitted axes carry over.
std::vector<double> captured(MatrixView<const double> rows, const Pca& fit, std::size_t k);  // [k]

}  // namespace helix::geometry
